//===- Fixup.cpp - Partial results that meet in a workspace ---------------===//
//
// A row of the workspace has the accumulators of a CTA's unit as its threads
// hold them: for each warpgroup, groups of four of them, and in each group the
// four of thread 0, then those of thread 1. Each warpgroup counts arrivals on
// its own, since what it reads only its counterparts in other CTAs have
// written. In arrival order units add to one row, and the last one reads that.
//
// The writes, or additions, of a unit are visible to the unit that arrives
// last: they come before a barrier, a fence of the leader and its increment,
// which the last leader's increment reads; that one comes before a fence of its
// own and the barrier that tells its warpgroup. The fences of the other threads
// empty their own write queues ahead of the barrier, and keep later reads from
// early values.
//
// At a turnstile the units of a tile have one row, and the fence before the
// reads pairs with the acquiring load of the leader that saw the count.
//
//===----------------------------------------------------------------------===//

#include "Fixup.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Numbers that a thread stores and loads at once.
static constexpr int64_t kVector = 4;
static constexpr int64_t kCounterBytes = 4;
static constexpr StringLiteral kDevice = "device";

namespace {

class FixupEmitter {
public:
  FixupEmitter(Emit &e, StagedKernel &kernel,
               const KernelParameters &parameters, const ClusterThread &cluster,
               const ConsumerThread &thread, const Unit &unit, size_t count)
      : e(e), kernel(kernel), parameters(parameters), thread(thread),
        unit(unit), count(count),
        vectorType(VectorType::get(kVector, kernel.getAccumulatorType())),
        vectorBytes(kVector * vectorType.getElementTypeBitWidth() / 8),
        // Rows of a tile that warpgroups share belong to their warpgroup, those
        // of a tile of one warpgroup to whichever takes the unit.
        parts(kernel.getRows() / kernel.getConsumerRows()) {
    if (kernel.getClusterSize() > 1)
      rank = e.add(e.mul(cluster.column, kernel.getClusterRows()), cluster.row);
  }

  /// Puts the accumulators where the last unit finds them.
  void emitPart(ArrayRef<Value> accumulators);
  /// Whether all units of the tile have arrived with this one, i1.
  Value emitArrival();
  SmallVector<Value> emitSum();
  /// Waits for the units of the slots before, and adds the accumulators to what
  /// they have. The last slot's hands the sums on, the others leave them.
  FixupResult emitTurn(ArrayRef<Value> accumulators);

private:
  void emitStores(ArrayRef<Value> accumulators, Value pointer);
  void emitAdditions(ArrayRef<Value> accumulators);
  /// Puts this thread's numbers of the row at `pointer` into `values`.
  void emitLoads(Value pointer, SmallVectorImpl<Value> &values);
  bool isInArrivalOrder() const { return kernel.fixup.getArrivalOrder(); }
  /// The part of a slot that is this warpgroup's, i64.
  Value getPart(Value slot);
  /// Where the thread's first vector of a slot lies.
  Value getPointer(Value slot);
  /// Where a thread's vector with accumulator `index` lies.
  Value getVector(Value pointer, size_t index) {
    return e.advance(pointer,
                     int64_t(index) / kVector * vectorBytes * kWarpgroup);
  }
  void emitFence() {
    LLVM::FenceOp::create(e.b, e.loc, LLVM::AtomicOrdering::acq_rel, kDevice);
  }
  int64_t getPartBytes() const {
    return int64_t(count) / kVector * vectorBytes * kWarpgroup;
  }

  Emit &e;
  StagedKernel &kernel;
  const KernelParameters &parameters;
  const ConsumerThread &thread;
  const Unit &unit;
  /// Accumulators of a thread.
  size_t count;
  VectorType vectorType;
  int64_t vectorBytes;
  /// Parts of a row.
  int64_t parts;
  /// In the cluster, i32; null without one.
  Value rank;
};

} // namespace

Value FixupEmitter::getPart(Value slot) {
  Value part = e.mul(e.zext64(slot), kernel.getClusterSize());
  if (rank)
    part = e.add(part, e.zext64(rank));
  part = e.mul(part, parts);
  return parts == 1 ? part : e.add(part, e.zext64(thread.consumer));
}

Value FixupEmitter::getPointer(Value slot) {
  Value self = e.add(e.mul(thread.warp, 32), thread.lane);
  Value part =
      e.advance(parameters.partials, e.mul(getPart(slot), getPartBytes()));
  return e.advance(part, e.mul(self, vectorBytes));
}

void FixupEmitter::emitStores(ArrayRef<Value> accumulators, Value pointer) {
  for (size_t i = 0; i < count; i += kVector)
    LLVM::StoreOp::create(e.b, e.loc, e.vector(accumulators.slice(i, kVector)),
                          getVector(pointer, i), vectorBytes);
}

void FixupEmitter::emitAdditions(ArrayRef<Value> accumulators) {
  Value pointer = getPointer(unit.firstSlot);
  if (!vectorType.getElementType().isF32()) {
    for (auto [i, value] : llvm::enumerate(accumulators))
      LLVM::AtomicRMWOp::create(
          e.b, e.loc,
          isa<FloatType>(value.getType()) ? LLVM::AtomicBinOp::fadd
                                          : LLVM::AtomicBinOp::add,
          e.advance(getVector(pointer, i),
                    int64_t(i) % kVector * (vectorBytes / kVector)),
          value, LLVM::AtomicOrdering::monotonic, kDevice);
    return;
  }
  for (size_t i = 0; i < count; i += kVector) {
    SmallVector<Value> operands = {getVector(pointer, i)};
    llvm::append_range(operands, accumulators.slice(i, kVector));
    e.inlineAsm("red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};",
                "l,f,f,f,f,~{memory}", operands);
  }
}

void FixupEmitter::emitPart(ArrayRef<Value> accumulators) {
  if (isInArrivalOrder())
    emitAdditions(accumulators);
  else
    emitStores(accumulators, getPointer(unit.slot));
}

Value FixupEmitter::emitArrival() {
  Value barrier = getConsumerBarrier(e, thread);
  emitFence();
  emitNamedBarrier(e, barrier, kWarpgroup);
  Value completes = e.choose(
      thread.isLeader,
      [&]() -> SmallVector<Value> {
        Value counter = e.advance(
            parameters.arrivals, e.mul(getPart(unit.firstSlot), kCounterBytes));
        // The backend gives the increment itself no order.
        emitFence();
        Value before = LLVM::AtomicRMWOp::create(
            e.b, e.loc, LLVM::AtomicBinOp::add, counter, e.i32(1),
            LLVM::AtomicOrdering::monotonic, kDevice);
        emitFence();
        return {e.compare(arith::CmpIPredicate::eq, e.add(before, 1),
                          unit.contributors)};
      },
      [&]() -> SmallVector<Value> { return {e.boolean(false)}; })[0];
  return emitNamedBarrierOr(e, barrier, kWarpgroup, completes);
}

void FixupEmitter::emitLoads(Value pointer, SmallVectorImpl<Value> &values) {
  for (size_t i = 0; i < count; i += kVector) {
    Value vector = LLVM::LoadOp::create(e.b, e.loc, vectorType,
                                        getVector(pointer, i), vectorBytes);
    for (int64_t which = 0; which < kVector; ++which)
      values.push_back(
          LLVM::ExtractElementOp::create(e.b, e.loc, vector, e.i32(which)));
  }
}

SmallVector<Value> FixupEmitter::emitSum() {
  emitFence();
  if (isInArrivalOrder()) {
    SmallVector<Value> sums;
    emitLoads(getPointer(unit.firstSlot), sums);
    return sums;
  }
  // What is added to it stays as it is, the sign of zero too.
  Type type = vectorType.getElementType();
  Value nothing = arith::ConstantOp::create(
      e.b, e.loc,
      isa<FloatType>(type) ? TypedAttr(e.b.getFloatAttr(type, -0.0))
                           : TypedAttr(e.b.getIntegerAttr(type, 0)));
  SmallVector<Value> init(count, nothing);
  return e.loop(e.i32(0), unit.contributors, e.i32(1), init,
                [&](Value number, ValueRange sums) {
                  SmallVector<Value> next;
                  emitLoads(getPointer(e.add(unit.firstSlot, number)), next);
                  for (auto [value, sum] : llvm::zip_equal(next, sums))
                    value = e.addSums(sum, value);
                  return next;
                });
}

FixupResult FixupEmitter::emitTurn(ArrayRef<Value> accumulators) {
  // Tiles have one row, and the counters lie behind the one that CTAs draw
  // their numbers from.
  Value tile = e.div(unit.firstSlot, unit.contributors);
  Value part = e.sub(unit.slot, unit.firstSlot);
  Value pointer = getPointer(tile);
  Value counter =
      e.advance(parameters.arrivals,
                e.mul(e.add(getPart(tile), e.i64(1)), kCounterBytes));
  Value barrier = getConsumerBarrier(e, thread);
  e.ifThen(thread.isLeader, [&] {
    // The label is local to the braces, so that copies of the text do not
    // clash.
    e.inlineAsm("{\n\t"
                ".reg .pred done;\n\t"
                ".reg .b32 arrived;\n\t"
                "spin:\n\t"
                "ld.acquire.gpu.global.b32 arrived, [$0];\n\t"
                "setp.eq.s32 done, arrived, $1;\n\t"
                "@!done bra spin;\n\t"
                "}",
                "l,r,~{memory}", {counter, part});
  });
  emitNamedBarrier(e, barrier, kWarpgroup);
  emitFence();
  FixupResult result;
  result.accumulators = e.choose(
      e.equal(part, 0), [&] { return SmallVector<Value>(accumulators); },
      [&] {
        SmallVector<Value> sums;
        emitLoads(pointer, sums);
        for (auto [sum, own] : llvm::zip_equal(sums, accumulators))
          sum = e.addSums(sum, own);
        return sums;
      });
  result.isLast =
      e.compare(arith::CmpIPredicate::eq, e.add(part, 1), unit.contributors);
  e.ifThenElse(
      result.isLast, [] {},
      [&] {
        emitStores(result.accumulators, pointer);
        emitFence();
        emitNamedBarrier(e, barrier, kWarpgroup);
        e.ifThen(thread.isLeader, [&] {
          emitFence();
          LLVM::AtomicRMWOp::create(e.b, e.loc, LLVM::AtomicBinOp::add, counter,
                                    e.i32(1), LLVM::AtomicOrdering::monotonic,
                                    kDevice);
        });
      });
  return result;
}

FixupResult mlir::cutl::nvvm::emitFixup(Emit &e, StagedKernel &kernel,
                                        const KernelParameters &parameters,
                                        const ClusterThread &cluster,
                                        const ConsumerThread &thread,
                                        const Unit &unit,
                                        ArrayRef<Value> accumulators) {
  FixupEmitter emitter(e, kernel, parameters, cluster, thread, unit,
                       accumulators.size());
  Value isPart =
      e.compare(arith::CmpIPredicate::ne, unit.contributors, e.i32(1));
  if (kernel.fixup.getTurnstile()) {
    SmallVector<Value> values = e.choose(
        isPart,
        [&] {
          FixupResult turn = emitter.emitTurn(accumulators);
          SmallVector<Value> values = turn.accumulators;
          values.push_back(turn.isLast);
          return values;
        },
        [&] {
          SmallVector<Value> values(accumulators);
          values.push_back(e.boolean(true));
          return values;
        });
    Value isLast = values.pop_back_val();
    return {values, isLast};
  }
  FixupResult result;
  result.isLast = e.choose(
      isPart,
      [&]() -> SmallVector<Value> {
        emitter.emitPart(accumulators);
        return {emitter.emitArrival()};
      },
      [&]() -> SmallVector<Value> { return {e.boolean(true)}; })[0];
  result.accumulators = e.choose(
      e.both(isPart, result.isLast), [&] { return emitter.emitSum(); },
      [&] { return SmallVector<Value>(accumulators); });
  return result;
}
