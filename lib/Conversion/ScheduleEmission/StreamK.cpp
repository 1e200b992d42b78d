//===- StreamK.cpp - The loop of #cutl.stream_k --------------------------===//
//
// The arithmetic of lib/Schedule/StreamK.cpp in IR. Positions in the row of all
// iterations that are divided are i64, since indices of kernels have 32 bits.
//
//===----------------------------------------------------------------------===//

#include "RasterEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

namespace {

/// And what the shares of workers take beside it.
struct ShareArithmetic : Arithmetic {
  Value wide(Value index) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getI64Type(),
                                        index);
  }
  Value narrow(Value position) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        position);
  }
  Value one() { return wide(constant(1)); }
  Value max(Value a, Value b) {
    return arith::MaxUIOp::create(builder, loc, a, b);
  }
  Value isLess(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a, b);
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  /// Of what is small enough to add the divisor to.
  Value ceilDiv(Value a, Value b, Value one) {
    return div(sub(add(a, b), one), b);
  }
};

/// What all workers share: index, and i64 for positions.
struct Shares {
  Value tiles, streamed, iterations, sharers;

  Shares(ShareArithmetic arith, StreamKAttr schedule, const WorkSpace &space,
         Value workers) {
    tiles = emitTileCount(arith, space);
    Value one = arith.constant(1);
    if (schedule.getTiles()) {
      streamed = arith.min(arith.constant(*schedule.getTiles()), tiles);
    } else {
      // All but the full waves, less one of them where some tiles are left.
      Value waves = arith.div(tiles, workers);
      Value isRest = arith.min(arith.rem(tiles, workers), one);
      Value whole = arith.sub(arith.max(waves, isRest), isRest);
      streamed = arith.sub(tiles, arith.mul(whole, workers));
    }
    // Nothing can be divided where there is one iteration.
    Value isDivisible =
        arith.min(arith.div(space.kIterations, arith.constant(2)), one);
    streamed = arith.mul(streamed, isDivisible);
    iterations = arith.mul(arith.wide(streamed), arith.wide(space.kIterations));
    sharers = arith.min(arith.wide(workers), iterations);
  }
};

/// What one worker has of the row of iterations: index. Computed once, in i64;
/// kernels have few registers beside their accumulators.
class Share {
public:
  Share(ShareArithmetic arith, const Shares &shares, Value kIterations,
        Value worker);

  /// Its tiles, of which the first begins and the last ends at these
  /// iterations.
  Value firstTile, pieces, begin, end;
  /// The first worker with a part of the first tile, the last with one of the
  /// last.
  Value firstOwner, lastOwner;

private:
  /// Where the share of `worker` begins; workers without one are at the end.
  Value getBegin(ShareArithmetic arith, Value worker) {
    Value begin =
        arith.add(arith.mul(worker, shorter), arith.min(worker, longer));
    return arith.min(begin, iterations);
  }
  /// The worker whose share has `iteration`.
  Value getOwner(ShareArithmetic arith, Value iteration) {
    Value isLong =
        arith.isLess(iteration, arith.mul(longer, arith.add(shorter, one)));
    Value dividend =
        arith.select(isLong, iteration, arith.sub(iteration, longer));
    Value divisor =
        arith.select(isLong, arith.add(shorter, one), arith.max(shorter, one));
    return arith.div(dividend, divisor);
  }

  /// Iterations in all and of the shorter shares, and how many shares are one
  /// longer: i64.
  Value one, iterations, shorter, longer;
};

Share::Share(ShareArithmetic arith, const Shares &shares, Value kIterations,
             Value worker)
    : one(arith.one()), iterations(shares.iterations) {
  Value sharers = arith.max(shares.sharers, one);
  shorter = arith.div(iterations, sharers);
  longer = arith.sub(iterations, arith.mul(shorter, sharers));
  Value from = getBegin(arith, arith.wide(worker));
  Value to = getBegin(arith, arith.add(arith.wide(worker), one));
  Value length = arith.max(arith.wide(kIterations), one);
  Value first = arith.div(from, length);
  Value stop = arith.ceilDiv(to, length, one);
  Value firstStart = arith.mul(first, length);
  Value lastEnd = arith.mul(stop, length);
  firstTile = arith.narrow(first);
  pieces = arith.narrow(arith.sub(stop, first));
  begin = arith.narrow(arith.sub(from, firstStart));
  end = arith.narrow(arith.sub(arith.add(to, length), lastEnd));
  firstOwner = arith.narrow(getOwner(arith, firstStart));
  lastOwner = arith.narrow(getOwner(arith, arith.sub(lastEnd, one)));
}

struct StreamKEmission
    : ScheduleEmissionInterface::ExternalModel<StreamKEmission, StreamKAttr> {
  Value emitGridSize(Attribute self, OpBuilder &builder, Location loc,
                     const WorkSpace &space, Value workers) const {
    ShareArithmetic arith{{builder, loc}};
    Shares shares(arith, cast<StreamKAttr>(self), space, workers);
    return arith.min(workers,
                     arith.max(arith.narrow(shares.sharers),
                               arith.sub(shares.tiles, shares.streamed)));
  }

  Value emitSlotCount(Attribute self, OpBuilder &builder, Location loc,
                      const WorkSpace &space, Value workers) const {
    ShareArithmetic arith{{builder, loc}};
    auto schedule = cast<StreamKAttr>(self);
    Shares shares(arith, schedule, space, workers);
    // Where units add as they arrive, those of a tile share its slot.
    if (schedule.addsAsUnitsArrive())
      return shares.streamed;
    return arith.add(shares.streamed, arith.narrow(shares.sharers));
  }

  SmallVector<Value> emitWorkLoop(Attribute self, OpBuilder &builder,
                                  Location loc, const WorkSpace &space,
                                  Value worker, Value workers, ValueRange init,
                                  WorkBody body) const {
    ShareArithmetic arith{{builder, loc}};
    auto schedule = cast<StreamKAttr>(self);
    Shares shares(arith, schedule, space, workers);
    Share share(arith, shares, space.kIterations, worker);
    Value zero = arith.constant(0), one = arith.constant(1);
    Value rest = arith.sub(shares.tiles, shares.streamed);
    Value wholes =
        arith.ceilDiv(arith.sub(arith.max(rest, worker), worker), workers, one);
    Value lastPiece = arith.sub(share.pieces, one);
    // What the number of a whole tile's unit is added to.
    Value firstWhole = arith.sub(arith.add(shares.streamed, worker),
                                 arith.mul(share.pieces, workers));
    return emitStridedLoop(
        builder, loc, arith.add(share.pieces, wholes), zero, one, init,
        [&](Value index, ValueRange carried) {
          Value isPiece = arith.isLess(index, share.pieces);
          Value tile =
              arith.select(isPiece, arith.add(share.firstTile, index),
                           arith.add(firstWhole, arith.mul(index, workers)));
          WorkUnit unit = emitRasterTile(arith, space, tile);
          // Only the first piece of a share may begin within a tile, and only
          // the last one end there.
          Value isFirst = arith.both(isPiece, arith.isEqual(index, zero));
          Value isLast = arith.isEqual(index, lastPiece);
          unit.kBegin = arith.select(isFirst, share.begin, zero);
          unit.kEnd = arith.select(isLast, share.end, space.kIterations);
          Value first = arith.select(isFirst, share.firstOwner, worker);
          Value last = arith.select(isLast, share.lastOwner, worker);
          bool sharesSlot = schedule.addsAsUnitsArrive();
          unit.slot = sharesSlot ? tile : arith.add(worker, tile);
          unit.firstSlot = sharesSlot ? tile : arith.add(first, tile);
          unit.contributors = arith.add(arith.sub(last, first), one);
          return body(unit, carried);
        });
  }
};

} // namespace

void mlir::cutl::attachStreamKEmission(MLIRContext *context) {
  StreamKAttr::attachInterface<StreamKEmission>(*context);
}
