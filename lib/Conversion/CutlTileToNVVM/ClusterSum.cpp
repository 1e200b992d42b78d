//===- ClusterSum.cpp - CTAs of a cluster that add up their sums ----------===//
//
// Each consumer stores its accumulators where the ring was, as its threads hold
// them: groups of four, and in each group the four of thread 0, then those of
// thread 1. Its counterparts in the cluster, the CTAs that have other parts of
// the same k, read the groups of their own share from all of them.
//
// Nothing else touches the ring meanwhile. All copies into it have arrived and
// been multiplied: a CTA's consumers meet before they store. The copies of the
// next unit start when all consumers of the cluster have read, since a CTA's
// copies may go to any of them.
//
//===----------------------------------------------------------------------===//

#include "ClusterSum.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Numbers that a thread stores and loads at once.
static constexpr int64_t kVector = 4;
/// Where all consumers of a CTA meet.
static constexpr int64_t kAllConsumersBarrier = 7;

/// Where the barriers start; whether there are any is checked before.
static int64_t getBarriers(StagedKernel &kernel) {
  return *kernel.clusterSum.getBarriers();
}

ClusterSum::ClusterSum(Emit &e, StagedKernel &kernel,
                       const ClusterThread &cluster, Value sharedBase)
    : e(e), kernel(kernel), cluster(cluster),
      vectorType(VectorType::get(kVector, kernel.getAccumulatorType())),
      vectorBytes(kVector * vectorType.getElementTypeBitWidth() / 8),
      groupBytes(vectorBytes * kWarpgroup),
      ring(e.advance(sharedBase,
                     kernel.ring.getLayoutAttr().getOperands().front())),
      stored(e.advance(sharedBase, getBarriers(kernel))),
      read(e.advance(sharedBase,
                     getBarriers(kernel) +
                         kernel.getConsumers() * BarrierArray::kBytes)) {}

void ClusterSum::emitInit() {
  stored.emitInit(e, kernel.getConsumers(), kernel.getClusterParts());
  read.emitInit(e, 1, kernel.getClusterSize() * kernel.getConsumers());
}

Unit ClusterSum::getShare(const Unit &unit) {
  Unit share = unit;
  Value &start = share.starts[kernel.getColumnDim()];
  start = e.add(start, e.mul(cluster.part, kernel.getShareColumns()));
  return share;
}

Value ClusterSum::getPeer(Value part) {
  int64_t rows = kernel.getClusterRows();
  Value tile = e.add(cluster.row, e.mul(cluster.column, rows));
  return e.add(tile, e.mul(part, rows * kernel.getClusterColumns()));
}

void ClusterSum::emitStores(Value pointer, ArrayRef<Value> accumulators) {
  for (size_t i = 0; i < accumulators.size(); i += kVector)
    LLVM::StoreOp::create(e.b, e.loc, e.vector(accumulators.slice(i, kVector)),
                          e.advance(pointer, int64_t(i) / kVector * groupBytes),
                          vectorBytes);
}

SmallVector<Value> ClusterSum::emitLoads(Value pointer, int64_t accumulators) {
  // A group is what a thread has of a block of eight columns and a slab.
  int64_t blocks = kernel.getColumns() / 8;
  int64_t shareBlocks = kernel.getShareColumns() / 8;
  auto clusterSpace = e.pointerType(kSharedCluster);
  SmallVector<Value> peers;
  for (int64_t part = 0; part < kernel.getClusterParts(); ++part)
    peers.push_back(NVVM::MapaOp::create(e.b, e.loc, clusterSpace, pointer,
                                         getPeer(e.i32(part))));
  SmallVector<Value> sums;
  for (int64_t first = 0; first < accumulators / kVector; first += blocks)
    for (int64_t block = 0; block < shareBlocks; ++block) {
      Value vectorSum;
      for (Value peer : peers) {
        Value vector = LLVM::LoadOp::create(
            e.b, e.loc, vectorType,
            e.advance(peer, (first + block) * groupBytes), vectorBytes);
        vectorSum = vectorSum ? e.addSums(vectorSum, vector) : vector;
      }
      for (int64_t which = 0; which < kVector; ++which)
        sums.push_back(LLVM::ExtractElementOp::create(e.b, e.loc, vectorSum,
                                                      e.i32(which)));
    }
  return sums;
}

SmallVector<Value> ClusterSum::emitSum(const ConsumerThread &thread,
                                       Value parity,
                                       ArrayRef<Value> accumulators) {
  int64_t consumers = kernel.getConsumers();
  int64_t bytes = int64_t(accumulators.size()) / kVector * groupBytes;
  Value inWarpgroup = e.add(e.mul(thread.warp, 32), thread.lane);
  Value pointer = e.advance(ring, e.mul(inWarpgroup, vectorBytes));
  if (consumers > 1) {
    pointer = e.advance(pointer, e.mul(thread.consumer, bytes));
    emitNamedBarrier(e, e.i32(kAllConsumersBarrier), consumers * kWarpgroup);
  }
  emitStores(pointer, accumulators);

  Value barrier = getConsumerBarrier(e, thread);
  emitNamedBarrier(e, barrier, kWarpgroup);
  e.ifThen(e.less(inWarpgroup, e.i32(kernel.getClusterParts())), [&] {
    stored.emitPublishRemote(e, thread.consumer, getPeer(inWarpgroup));
  });
  stored.emitAcquire(e, thread.consumer, parity);
  Value share = e.mul(cluster.part, kernel.getShareColumns() / 8 * groupBytes);
  SmallVector<Value> sums =
      emitLoads(e.advance(pointer, share), accumulators.size());

  // What was read by threads is next written by the copy engine.
  emitFenceProxy(e);
  emitNamedBarrier(e, barrier, kWarpgroup);
  e.ifThen(e.less(inWarpgroup, e.i32(kernel.getClusterSize())),
           [&] { read.emitPublishRemote(e, e.i32(0), inWarpgroup); });
  return sums;
}

void ClusterSum::emitWaitForReaders(Value parity) {
  // Before the first unit nobody has read.
  read.emitAcquire(e, e.i32(0), e.bitXor(parity, e.i32(1)));
}
