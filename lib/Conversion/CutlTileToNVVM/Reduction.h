//===- Reduction.h - The reduced outputs of one tile ----------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_REDUCTION_H
#define CUTL_CONVERSION_CUTLTILETONVVM_REDUCTION_H

#include "EpilogueElements.h"

namespace mlir::cutl::nvvm {

/// Combines the values of one reduced output and writes what the warp has of
/// it: for each row over all columns of the tile, for each column over the
/// warp's rows of a slab, or over both.
class Reduction {
public:
  Reduction(Emit &e, StagedKernel &kernel, unsigned output,
            const EpilogueInputs &inputs, const ConsumerThread &thread,
            const Unit &unit, EpilogueElements &elements);

  /// Takes the values of the blocks before `block` that it has not taken yet.
  /// The earlier it is told of values, the fewer registers wait.
  void advance(int64_t block);
  /// Takes the rest, and writes what has not been written.
  void finish();

private:
  Value combine(Value current, Value value);
  /// The value of an element, or the identity outside the extents.
  Value getValue(Element element);
  /// Combines with the lanes whose numbers differ in the bits of `lanes`.
  Value combineLanes(Value value, ArrayRef<int64_t> lanes);
  void addColumns(int64_t firstBlock, int64_t count);
  void addRows(int64_t firstBlock, int64_t count);
  void store(Value condition, Value row, Value column, Value value);
  /// The unit's row of the warp's first one in a slab, i32.
  Value getWarpRow(int64_t slab);

  Emit &e;
  StagedKernel &kernel;
  unsigned output;
  const EpilogueOperand &array;
  ArrayRef<Value> extents;
  const ConsumerThread &thread;
  const Unit &unit;
  EpilogueElements &elements;
  Combiner combiner;
  bool dropsRows, dropsColumns;
  Value identity, pointer;
  /// By row of the thread, or by slab if rows are dropped too.
  SmallVector<Value> sums;
  int64_t nextBlock = 0;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_REDUCTION_H
