//===- CopyTma.h - Tensor copies between global and shared memory ---------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_COPYTMA_H
#define CUTL_CONVERSION_CUTLTILETONVVM_COPYTMA_H

#include "Barriers.h"
#include "Parameters.h"
#include "Work.h"

namespace mlir::cutl::nvvm {

/// Loads ring operand `operand` of a stage, in a cluster the slice that is this
/// CTA's for all CTAs that read it. `shared` is the operand's start in the
/// stage, `starts` are the first elements along each dimension of the domain.
/// One thread calls it; completion is counted in bytes at `barrier`.
void emitStageLoad(Emit &e, StagedKernel &kernel, unsigned operand,
                   const ClusterThread &cluster, Value shared,
                   const TensorMap &map, ArrayRef<Value> starts,
                   Value barrier);

/// Loads a box of one tensor map into this CTA's shared memory and counts its
/// bytes at `barrier`.
void emitBoxLoad(Emit &e, Value shared, Value map, ArrayRef<Value> coordinates,
                 Value barrier);
/// Fetches a box into the L2 cache.
void emitBoxPrefetch(Emit &e, Value map, ArrayRef<Value> coordinates);
/// Writes a box from shared memory at `coordinates`, innermost first. One
/// thread calls it.
void emitBoxStore(Emit &e, Value shared, Value map,
                  ArrayRef<Value> coordinates);
/// Closes a group of stores of the calling thread.
void emitStoreCommit(Emit &e);
/// Waits until at most `pending` groups of the calling thread still read shared
/// memory.
void emitStoreWaitRead(Emit &e, int64_t pending);
/// Starts to fetch a tensor map.
void emitPrefetchMap(Emit &e, Value map);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_COPYTMA_H
