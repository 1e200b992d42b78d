//===- Wgmma.h - The mainloop of a consumer warpgroup ---------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_WGMMA_H
#define CUTL_CONVERSION_CUTLTILETONVVM_WGMMA_H

#include "Barriers.h"
#include "StagedKernel.h"
#include "Work.h"

#include <functional>

namespace mlir::cutl::nvvm {

/// Position in the ring: stage and parity of its phase, both i32.
struct RingPosition {
  Value stage, parity;
};

/// The next position.
RingPosition emitAdvance(Emit &e, RingPosition at, int64_t stages);

/// What a mainloop works on.
struct MainloopInputs {
  /// Start of the stages on the left and, for each product, on the right.
  Value lhs;
  SmallVector<Value> rhs;
  /// This warpgroup's first row of a tile, i32.
  Value firstRow;
  BarrierArray full = BarrierArray(Value());
  /// Emits the release of a stage (i32) by all threads of the warpgroup.
  std::function<void(Value)> release;
};

/// Multiplies `kTiles` (at least 1) stages from `at` on and moves `at` on.
/// Returns the accumulators, ready to read: per product, per slab of 64 rows,
/// per block of eight columns, two columns of row `lane / 4`, then of the row
/// eight below. `afterIssue` is called where the last product has been issued.
SmallVector<Value> emitMainloop(Emit &e, StagedKernel &kernel,
                                const MainloopInputs &inputs, Value kTiles,
                                RingPosition &at,
                                function_ref<void()> afterFirst,
                                function_ref<void()> afterLast);

/// Releases a stage at the barriers of every CTA whose copies fill it.
/// `thread` is the thread's number in its warpgroup.
void emitRelease(Emit &e, StagedKernel &kernel, const ClusterThread &cluster,
                 const BarrierArray &empty, Value stage, Value thread);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_WGMMA_H
