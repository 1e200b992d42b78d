//===- CopyTma.h - Tensor copies between global and shared memory ---------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_COPYTMA_H
#define CUTL_CONVERSION_CUTLTILETONVVM_COPYTMA_H

#include "Barriers.h"
#include "KernelPlan.h"

namespace mlir::cutl::nvvm {

/// Loads one operand's part of a stage. `shared` is its start, `map` the tensor
/// map, `row` the first row or column of the tile and `k` the first k. One
/// thread calls it; completion is counted in bytes at `barrier`.
void emitStageLoad(Emit &e, const OperandStage &stage, int64_t elementBytes,
                   Value shared, Value map, Value row, Value k, Value barrier);

/// Writes a box from shared memory at (`column`, `row`). One thread calls it.
void emitBoxStore(Emit &e, Value shared, Value map, Value column, Value row);
/// Closes a group of stores of the calling thread.
void emitStoreCommit(Emit &e);
/// Waits until at most `pending` groups of the calling thread still read shared
/// memory.
void emitStoreWaitRead(Emit &e, int64_t pending);
/// Starts to fetch a tensor map.
void emitPrefetchMap(Emit &e, Value map);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_COPYTMA_H
