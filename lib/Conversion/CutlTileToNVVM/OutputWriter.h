//===- OutputWriter.h - From registers to an output -----------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_OUTPUTWRITER_H
#define CUTL_CONVERSION_CUTLTILETONVVM_OUTPUTWRITER_H

#include "EpilogueElements.h"

namespace mlir::cutl::nvvm {

/// The part of a consumer's accumulators that one buffer holds.
struct Subtile {
  int64_t firstSlab, slabs;
  int64_t firstBlock, blocks;
};

/// Stages parts of one output in shared memory and writes them from there.
class OutputWriter {
public:
  OutputWriter(Emit &e, StagedKernel &kernel, unsigned output,
               const EpilogueInputs &inputs, const ConsumerThread &thread,
               const Unit &unit, EpilogueElements &elements);

  /// The parts of the output. All rows of some columns come together, here and
  /// within a part, so that what is loaded for a column is soon used up.
  ArrayRef<Subtile> getSubtiles() const { return subtiles; }
  /// Whether stores are groups of copies that the leader waits for.
  bool usesTensorMap() { return kernel.storesTensor(output); }

  /// Computes a part into `buffer`; all threads of the warpgroup.
  void emitStage(Value buffer, const Subtile &subtile);
  /// Writes a part that is staged in `buffer`; all threads of the warpgroup.
  void emitStore(Value buffer, const Subtile &subtile);

private:
  Value swizzle(Value line, Value chunk);
  Value getBits(Element element);
  void emitStagePairs(Value buffer, const Subtile &subtile);
  void emitStageColumns(Value buffer, const Subtile &subtile);
  void emitStageNeighbours(Value buffer, const Subtile &subtile);
  void emitStageSingly(Value buffer, const Subtile &subtile);
  void emitMatrixStore(Value address, ArrayRef<Value> sources, bool transpose);
  Value getFirstRow(const Subtile &subtile);
  Value getFirstColumn(const Subtile &subtile);
  void emitTensorStore(Value buffer, const Subtile &subtile);
  void emitElementStores(Value buffer, const Subtile &subtile);

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
  SmallVector<Subtile> subtiles;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_OUTPUTWRITER_H
