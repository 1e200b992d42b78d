//===- Barriers.h - mbarriers, named barriers and fences ------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_BARRIERS_H
#define CUTL_CONVERSION_CUTLTILETONVVM_BARRIERS_H

#include "Emit.h"

namespace mlir::cutl::nvvm {

/// An array of mbarriers in shared memory, one per stage of the ring.
class BarrierArray {
public:
  static constexpr int64_t kBytes = 8;

  BarrierArray(Value base) : base(base) {}

  Value at(Emit &e, Value stage) const;
  Value at(Emit &e, int64_t stage) const;

  /// Expects `arrivals` arrivals in each phase. One thread calls it.
  void emitInit(Emit &e, int64_t stages, int64_t arrivals) const;
  /// Spins until the phase of the given parity (i32, 0 or 1) has completed.
  void emitWait(Emit &e, Value stage, Value parity) const;
  /// One arrival, by the calling thread.
  void emitArrive(Emit &e, Value stage) const;
  /// One arrival at the same barrier of another CTA of the cluster, by the
  /// calling thread. `cta` is that CTA's rank (i32). Nothing is published.
  void emitArriveRemote(Emit &e, Value stage, Value cta) const;
  /// Like `emitArriveRemote`, and publishes to the cluster what this thread and
  /// those that it has met since have written.
  void emitPublishRemote(Emit &e, Value stage, Value cta) const;
  /// Like `emitWait`, for what was published.
  void emitAcquire(Emit &e, Value stage, Value parity) const;
  /// One arrival that announces `bytes` written by the copy engine.
  void emitArriveExpect(Emit &e, Value stage, int64_t bytes) const;

private:
  Value base;
};

/// Makes initialised mbarriers visible to the copy engine.
void emitFenceBarrierInit(Emit &e);
/// Makes the calling thread's writes to shared memory visible to the copy
/// engine.
void emitFenceSharedProxy(Emit &e);
/// Orders the calling thread's accesses to memory of any kind before those of
/// the copy engine.
void emitFenceProxy(Emit &e);
/// All threads of the CTA.
void emitCtaBarrier(Emit &e);
/// All threads of the cluster.
void emitClusterBarrier(Emit &e);
/// Waits at named barrier `id` (i32) for `threads` threads.
void emitNamedBarrier(Emit &e, Value id, int64_t threads);
/// Waits like that; whether `value` (i1) holds in any of the threads.
Value emitNamedBarrierOr(Emit &e, Value id, int64_t threads, Value value);
/// Arrives at a named barrier without waiting.
void emitNamedArrive(Emit &e, Value id, int64_t threads);
/// Waits until the kernels before have ended and their writes are visible.
void emitWaitForPrerequisites(Emit &e);
/// Moves registers of a warpgroup to or from the pool of the CTA.
void emitSetMaxRegisters(Emit &e, int64_t registers, bool increase);
/// `value` as the same register in every thread of the warp.
Value emitWarpUniform(Emit &e, Value value);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_BARRIERS_H
