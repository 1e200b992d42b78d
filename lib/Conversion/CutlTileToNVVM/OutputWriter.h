//===- OutputWriter.h - From registers to an output -----------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_OUTPUTWRITER_H
#define CUTL_CONVERSION_CUTLTILETONVVM_OUTPUTWRITER_H

#include "EpilogueElements.h"

namespace mlir::cutl::nvvm {

/// Stages parts of one output in shared memory and writes them from there.
class OutputWriter {
public:
  OutputWriter(Emit &e, StagedKernel &kernel, unsigned output,
               const EpilogueInputs &inputs, const ConsumerThread &thread,
               const Unit &unit, EpilogueElements &elements);

  /// Computes the elements of a part, which stay in registers.
  void emitResults(const tile::Subtile &subtile);
  /// Puts a part into `buffer`, computing what is not there yet; all threads of
  /// the warpgroup.
  void emitStage(Value buffer, const tile::Subtile &subtile);
  /// Writes a part that is staged in `buffer`; all threads of the warpgroup.
  void emitStore(Value buffer, const tile::Subtile &subtile);

private:
  Value getBits(Element element);
  void emitStagePairs(Value buffer, const tile::Subtile &subtile);
  void emitStageColumns(Value buffer, const tile::Subtile &subtile);
  void emitStageNeighbours(Value buffer, const tile::Subtile &subtile);
  void emitStageSingly(Value buffer, const tile::Subtile &subtile);
  void emitMatrixStore(Value address, ArrayRef<Value> sources, bool transpose);
  void emitTensorStore(Value buffer, const tile::Subtile &subtile);
  void emitElementStores(Value buffer, const tile::Subtile &subtile);

  Emit &e;
  StagedKernel &kernel;
  unsigned output;
  const OutputParameters &parameters;
  /// Of the domain.
  ArrayRef<Value> extents;
  const ConsumerThread &thread;
  const Unit &unit;
  EpilogueElements &elements;
  const tile::OutputStaging &staging;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_OUTPUTWRITER_H
