//===- DataParallel.cpp - The loop of #cutl.data_parallel ----------------===//
//
// The arithmetic of lib/Schedule/DataParallel.cpp in IR.
//
//===----------------------------------------------------------------------===//

#include "RasterEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

namespace {
struct DataParallelEmission
    : ScheduleEmissionInterface::ExternalModel<DataParallelEmission,
                                               DataParallelAttr> {
  Value emitGridSize(Attribute, OpBuilder &builder, Location loc,
                     const WorkSpace &space, Value workers) const {
    Arithmetic arith{builder, loc};
    return arith.min(emitTileCount(arith, space), workers);
  }

  SmallVector<Value> emitWorkLoop(Attribute, OpBuilder &builder, Location loc,
                                  const WorkSpace &space, Value worker,
                                  Value workers, ValueRange init,
                                  WorkBody body) const {
    Value count = emitTileCount({builder, loc}, space);
    return emitStridedLoop(builder, loc, count, worker, workers, init,
                           [&](Value index, ValueRange carried) {
                             Arithmetic arith{builder, loc};
                             WorkUnit unit =
                                 emitRasterTile(arith, space, index);
                             unit.kBegin = arith.constant(0);
                             unit.kEnd = space.kIterations;
                             return body(unit, carried);
                           });
  }
};
} // namespace

void mlir::cutl::attachDataParallelEmission(MLIRContext *context) {
  DataParallelAttr::attachInterface<DataParallelEmission>(*context);
}
