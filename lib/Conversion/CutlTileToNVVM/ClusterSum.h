//===- ClusterSum.h - CTAs of a cluster that add up their sums --*- C++ -*-===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_CLUSTERSUM_H
#define CUTL_CONVERSION_CUTLTILETONVVM_CLUSTERSUM_H

#include "Barriers.h"
#include "Epilogue.h"

namespace mlir::cutl::nvvm {

/// Where the CTAs of a cluster meet that divide the k of a unit.
class ClusterSum {
public:
  /// `sharedBase` is the start of dynamic shared memory.
  ClusterSum(Emit &e, StagedKernel &kernel, const ClusterThread &cluster,
             Value sharedBase);

  /// By one thread, before the CTAs of the cluster meet for the first time.
  void emitInit();

  /// The part of `unit` that this CTA finishes.
  Unit getShare(const Unit &unit);

  /// In a consumer, after its mainloop: the sums of the cluster for the share
  /// of this CTA, in the order of the parts of k and like accumulators of a
  /// tile so wide. `parity` is that of the unit's number, i32.
  SmallVector<Value> emitSum(const ConsumerThread &thread, Value parity,
                             ArrayRef<Value> accumulators);

  /// In the producer, before it fills the ring anew: waits until nobody reads
  /// there what the unit before has left. `parity` is that of the unit.
  void emitWaitForReaders(Value parity);

private:
  void emitStores(Value pointer, ArrayRef<Value> accumulators);
  SmallVector<Value> emitLoads(Value pointer, int64_t accumulators);
  /// The rank of the CTA that has the same tile and part number `part` of k.
  Value getPeer(Value part);

  Emit &e;
  StagedKernel &kernel;
  const ClusterThread &cluster;
  /// What a thread stores and loads at once, its bytes, and those of one in
  /// each thread of a warpgroup.
  VectorType vectorType;
  int64_t vectorBytes, groupBytes;
  /// The ring's memory, which is free between mainloops.
  Value ring;
  /// One barrier for each consumer: its counterparts have stored their sums.
  BarrierArray stored;
  /// One barrier: all consumers of the cluster have read them.
  BarrierArray read;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_CLUSTERSUM_H
