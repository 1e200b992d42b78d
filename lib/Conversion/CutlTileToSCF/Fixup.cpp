//===- Fixup.cpp - Partial results that meet, as loops -------------------===//
//
// One unit runs at a time, so that arrivals are counted without atomics.
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

namespace {

/// The fixup of one CTA.
class FixupEmitter {
public:
  FixupEmitter(Emit &e, const TileContext &context, tile::FixupOp op,
               Value rank);

  /// Puts the accumulators where the last unit finds them.
  void emitPart();
  /// Whether all units of the tile have arrived with this one, i1.
  Value emitArrival();
  void emitSum();
  /// Adds the accumulators to what the slots before have, and says whether this
  /// is the last.
  Value emitTurn();
  Value emitIsPart() { return e.isLess(e.index(1), count); }

private:
  void emitStores();
  /// Adds the accumulators to the tile's row.
  void emitAdditions();
  void emitLoads(Value row);
  /// Runs `body` with a row and a column of every element of each accumulator,
  /// and its place in a row of the partial results.
  void
  forEachElement(function_ref<void(Value, Value i, Value j, Value place)> body);
  Value getRow(Value slot) { return e.add(e.mul(slot, clusterSize), rank); }

  Emit &e;
  int64_t clusterSize;
  /// Whether units add to one row as they arrive.
  bool inArrivalOrder;
  SmallVector<Value> accumulators;
  Value partials, arrivals, slot, first, count, rank;
};

} // namespace

FixupEmitter::FixupEmitter(Emit &e, const TileContext &context,
                           tile::FixupOp op, Value rank)
    : e(e), inArrivalOrder(op.getArrivalOrder()), rank(rank) {
  tile::WorkLoopOp loop = context.loop;
  clusterSize = loop.getConfig().toTileConfig().clusterSize();
  auto find = [&](Value value) {
    return context.mapping.lookupOrDefault(value);
  };
  accumulators = llvm::map_to_vector(op.getAccumulators(), find);
  partials = find(op.getPartials());
  arrivals = find(op.getArrivals());
  slot = find(op.getSlot());
  first = find(op.getFirst());
  count = find(op.getCount());
}

void FixupEmitter::forEachElement(
    function_ref<void(Value, Value, Value, Value)> body) {
  for (size_t number = 0; number < accumulators.size(); ++number) {
    Value accumulator = accumulators[number];
    ArrayRef<int64_t> shape =
        cast<MemRefType>(accumulator.getType()).getShape();
    Value start = e.index(int64_t(number) * shape[0] * shape[1]);
    e.loop(shape[0], [&](Value i) {
      Value line = e.add(start, e.mul(i, shape[1]));
      e.loop(shape[1],
             [&](Value j) { body(accumulator, i, j, e.add(line, j)); });
    });
  }
}

void FixupEmitter::emitStores() {
  Value row = getRow(slot);
  forEachElement([&](Value accumulator, Value i, Value j, Value place) {
    e.store(e.load(accumulator, {i, j}), partials, {row, place});
  });
}

void FixupEmitter::emitAdditions() {
  Value row = getRow(first);
  forEachElement([&](Value accumulator, Value i, Value j, Value place) {
    Value sum =
        e.addSums(e.load(partials, {row, place}), e.load(accumulator, {i, j}));
    e.store(sum, partials, {row, place});
  });
}

void FixupEmitter::emitPart() {
  if (inArrivalOrder)
    emitAdditions();
  else
    emitStores();
}

Value FixupEmitter::emitArrival() {
  Value counter = getRow(first);
  Value one = arith::ConstantIntOp::create(e.b, e.loc, 1, 32);
  Value arrived = e.add(e.load(arrivals, counter), one);
  e.store(arrived, arrivals, counter);
  Value wanted =
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(), count);
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, arrived,
                               wanted);
}

void FixupEmitter::emitLoads(Value row) {
  forEachElement([&](Value accumulator, Value i, Value j, Value place) {
    e.store(e.load(partials, {row, place}), accumulator, {i, j});
  });
}

void FixupEmitter::emitSum() {
  emitLoads(getRow(first));
  if (inArrivalOrder)
    return;
  e.loop(e.index(1), count, e.index(1), [&](Value number) {
    Value row = getRow(e.add(first, number));
    forEachElement([&](Value accumulator, Value i, Value j, Value place) {
      Value sum = e.addSums(e.load(accumulator, {i, j}),
                            e.load(partials, {row, place}));
      e.store(sum, accumulator, {i, j});
    });
  });
}

/// What shows that a turn has not come: no number, or the least integer.
static TypedAttr getWrongSum(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          APFloat::getQNaN(floatType.getFloatSemantics()));
  return IntegerAttr::get(
      type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()));
}

/// A turn that has not come shows as wrong sums: nothing else runs that it
/// could wait for.
Value FixupEmitter::emitTurn() {
  Value row = e.div(first, count), part = e.sub(slot, first);
  // In front of the counters is the one that CTAs draw their numbers from.
  Value counter = e.add(row, e.index(1));
  auto toCount = [&](Value index) -> Value {
    return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(), index);
  };
  auto compare = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, x, y);
  };
  Value isTurn = compare(e.load(arrivals, counter), toCount(part));
  Value isFirst = compare(part, e.index(0));
  Value wrong = arith::ConstantOp::create(
      e.b, e.loc,
      getWrongSum(cast<MemRefType>(partials.getType()).getElementType()));
  forEachElement([&](Value accumulator, Value i, Value j, Value place) {
    Value own = e.load(accumulator, {i, j});
    Value both = e.addSums(e.load(partials, {row, place}), own);
    Value sum = arith::SelectOp::create(e.b, e.loc, isFirst, own, both);
    sum = arith::SelectOp::create(e.b, e.loc, isTurn, sum, wrong);
    e.store(sum, partials, {row, place});
    e.store(sum, accumulator, {i, j});
  });
  Value next = e.add(part, e.index(1));
  e.store(toCount(next), arrivals, counter);
  return compare(next, count);
}

void tilescf::emitFixup(Emit &e, const TileContext &context, tile::FixupOp op,
                        Value rank) {
  FixupEmitter emitter(e, context, op, rank);
  auto emitPart = [&]() -> Value {
    if (op.getTurnstile())
      return emitter.emitTurn();
    emitter.emitPart();
    Value isLast = emitter.emitArrival();
    e.ifThen(isLast, [&] { emitter.emitSum(); });
    return isLast;
  };
  auto branch = scf::IfOp::create(
      e.b, e.loc, emitter.emitIsPart(),
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(e.b, e.loc, emitPart());
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(
            e.b, e.loc, Value(arith::ConstantIntOp::create(e.b, e.loc, 1, 1)));
      });
  for (auto [sum, accumulator] :
       llvm::zip_equal(op.getSums(), op.getAccumulators()))
    context.mapping.map(sum, context.mapping.lookup(accumulator));
  context.mapping.map(op.getLast(), branch.getResult(0));
}
