//===- Wgmma.h - The mainloop of a consumer warpgroup ---------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_WGMMA_H
#define CUTL_CONVERSION_CUTLTILETONVVM_WGMMA_H

#include "Barriers.h"
#include "KernelPlan.h"

namespace mlir::cutl::nvvm {

/// Position in the ring: stage and parity of its phase, both i32.
struct RingPosition {
  Value stage, parity;
};

/// The next position.
RingPosition emitAdvance(Emit &e, RingPosition at, int64_t stages);

/// What a mainloop works on.
struct MainloopInputs {
  Type elementType;
  /// Start of the rings of A (at this warpgroup's rows) and B.
  Value sharedA, sharedB;
  BarrierArray full, empty;
  /// Whether the calling thread releases stages for its warpgroup.
  Value releases;
};

/// Multiplies `kTiles` (at least 1) stages from `at` on and moves `at` on.
/// Returns the accumulators, ready to read: per slab of 64 rows, per block of
/// eight columns, two columns of row `lane / 4`, then of the row eight below.
/// `afterIssue` is called where the last product has been issued.
SmallVector<Value> emitMainloop(Emit &e, const KernelPlan &plan,
                                const MainloopInputs &inputs, Value kTiles,
                                RingPosition &at,
                                function_ref<void()> afterIssue);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_WGMMA_H
