//===- SplitK.cpp - The loop of #cutl.split_k ----------------------------===//
//
// The arithmetic of lib/Schedule/SplitK.cpp in IR. The outermost batch dimension
// is the part of k, which cutl-apply-schedule made it.
//
//===----------------------------------------------------------------------===//

#include "RasterEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

namespace {
struct SplitKEmission
    : ScheduleEmissionInterface::ExternalModel<SplitKEmission, SplitKAttr> {
  Value emitGridSize(Attribute, OpBuilder &builder, Location loc,
                     const WorkSpace &space, Value workers) const {
    Arithmetic arith{builder, loc};
    return arith.min(emitTileCount(arith, space), workers);
  }

  SmallVector<Value> emitWorkLoop(Attribute self, OpBuilder &builder,
                                  Location loc, const WorkSpace &space,
                                  Value worker, Value workers, ValueRange init,
                                  WorkBody body) const {
    Value count = emitTileCount({builder, loc}, space);
    return emitStridedLoop(
        builder, loc, count, worker, workers, init,
        [&](Value index, ValueRange carried) {
          Arithmetic arith{builder, loc};
          WorkUnit unit = emitRasterTile(arith, space, index);
          Value parts = arith.constant(cast<SplitKAttr>(self).getParts());
          Value part =
              arith.div(unit.batch, arith.div(space.batches, parts));
          // The longer parts come first.
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
