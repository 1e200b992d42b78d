//===- SplitK.cpp - The loop of #cutl.split_k ----------------------------===//
//
// The arithmetic of lib/Schedule/SplitK.cpp in IR. Where another kernel adds
// the parts of k, the part is the outermost batch dimension, which
// cutl-apply-schedule made it.
//
//===----------------------------------------------------------------------===//

#include "RasterEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

/// How many units there are.
static Value emitUnitCount(Arithmetic arith, SplitKAttr schedule,
                           const WorkSpace &space) {
  Value tiles = emitTileCount(arith, space);
  if (!schedule.splitsK())
    return tiles;
  return arith.mul(tiles, arith.constant(schedule.getParts()));
}

/// Where the tile of a unit lies, which part of k it has, and the places of the
/// tile's partial results. Units of one part are neighbours.
static WorkUnit emitPlace(Arithmetic arith, SplitKAttr schedule,
                          const WorkSpace &space, Value index, Value &part) {
  Value parts = arith.constant(schedule.getParts());
  if (!schedule.splitsK()) {
    WorkUnit unit = emitRasterTile(arith, space, index);
    part = arith.div(unit.batch, arith.div(space.batches, parts));
    return unit;
  }
  Value tiles = emitTileCount(arith, space);
  part = arith.div(index, tiles);
  Value tile = arith.rem(index, tiles);
  WorkUnit unit = emitRasterTile(arith, space, tile);
  unit.contributors = parts;
  if (schedule.addsAsUnitsArrive()) {
    unit.slot = unit.firstSlot = tile;
  } else {
    unit.firstSlot = arith.mul(tile, parts);
    unit.slot = arith.add(unit.firstSlot, part);
  }
  return unit;
}

namespace {
struct SplitKEmission
    : ScheduleEmissionInterface::ExternalModel<SplitKEmission, SplitKAttr> {
  Value emitGridSize(Attribute self, OpBuilder &builder, Location loc,
                     const WorkSpace &space, Value workers) const {
    Arithmetic arith{builder, loc};
    return arith.min(emitUnitCount(arith, cast<SplitKAttr>(self), space),
                     workers);
  }

  Value emitSlotCount(Attribute self, OpBuilder &builder, Location loc,
                      const WorkSpace &space, Value) const {
    Arithmetic arith{builder, loc};
    auto schedule = cast<SplitKAttr>(self);
    if (!schedule.splitsK())
      return Value();
    // Of one part there is nothing to add.
    if (schedule.getParts() == 1)
      return arith.constant(0);
    return schedule.addsAsUnitsArrive() || schedule.takesTurns()
               ? emitTileCount(arith, space)
               : emitUnitCount(arith, schedule, space);
  }

  SmallVector<Value> emitWorkLoop(Attribute self, OpBuilder &builder,
                                  Location loc, const WorkSpace &space,
                                  Value worker, Value workers, ValueRange init,
                                  WorkBody body) const {
    auto schedule = cast<SplitKAttr>(self);
    Arithmetic outside{builder, loc};
    Value begin = worker, step = workers;
    Value end = emitUnitCount(outside, schedule, space);
    if (schedule.takesTurns()) {
      // Neighbours, so that units wait for smaller numbers of workers.
      Value one = outside.constant(1), count = end;
      auto first = [&](Value number) {
        return outside.add(outside.mul(number, outside.div(count, workers)),
                           outside.min(number, outside.rem(count, workers)));
      };
      begin = first(worker);
      end = first(outside.add(worker, one));
      step = one;
    }
    return emitStridedLoop(
        builder, loc, end, begin, step, init,
        [&](Value index, ValueRange carried) {
          Arithmetic arith{builder, loc};
          Value part;
          WorkUnit unit = emitPlace(arith, schedule, space, index, part);
          // The longer parts come first.
          Value parts = arith.constant(schedule.getParts());
          Value length = arith.div(space.kIterations, parts);
          Value longer = arith.rem(space.kIterations, parts);
          auto begin = [&](Value part) {
            return arith.add(arith.mul(part, length), arith.min(part, longer));
          };
          unit.kBegin = begin(part);
          unit.kEnd = begin(arith.add(part, arith.constant(1)));
          return body(unit, carried);
        });
  }
};
} // namespace

void mlir::cutl::attachSplitKEmission(MLIRContext *context) {
  SplitKAttr::attachInterface<SplitKEmission>(*context);
}
