//===- DataParallel.cpp - The loop of #cutl.data_parallel ----------------===//
//
// The arithmetic of lib/Schedule/DataParallel.cpp and TileScheduler.cpp in IR.
//
//===----------------------------------------------------------------------===//

#include "cutl/Conversion/ScheduleEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

namespace {

/// Arithmetic on indices that are not negative, short to write.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value rem(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }
  Value min(Value a, Value b) {
    return arith::MinUIOp::create(builder, loc, a, b);
  }
};

/// The tile at `index` in raster order; there is one, so no extent is zero.
WorkUnit emitRasterTile(Arithmetic arith, const WorkSpace &space,
                        Value index) {
  bool alongM = space.raster.alongM;
  Value extent = alongM ? space.tilesM : space.tilesN;
  Value across = alongM ? space.tilesN : space.tilesM;
  Value group = arith.min(arith.constant(space.raster.group), extent);
  Value perBatch = arith.mul(space.tilesM, space.tilesN);
  Value inBatch = arith.rem(index, perBatch);
  Value begin = arith.mul(arith.div(inBatch, arith.mul(group, across)), group);
  Value inGroup = arith.sub(inBatch, arith.mul(begin, across));
  Value width = arith.min(group, arith.sub(extent, begin));
  Value inner = arith.add(begin, arith.rem(inGroup, width));
  Value outer = arith.div(inGroup, width);
  WorkUnit unit;
  unit.tileM = alongM ? inner : outer;
  unit.tileN = alongM ? outer : inner;
  unit.batch = arith.div(index, perBatch);
  return unit;
}

struct DataParallelEmission
    : ScheduleEmissionInterface::ExternalModel<DataParallelEmission,
                                               DataParallelAttr> {
  Value emitUnitCount(Attribute, OpBuilder &builder, Location loc,
                      const WorkSpace &space) const {
    Arithmetic arith{builder, loc};
    return arith.mul(arith.mul(space.tilesM, space.tilesN), space.batches);
  }

  SmallVector<Value> emitWorkLoop(Attribute self, OpBuilder &builder,
                                  Location loc, const WorkSpace &space,
                                  Value worker, Value workers, ValueRange init,
                                  WorkBody body) const {
    Value count = emitUnitCount(self, builder, loc, space);
    auto emitBody = [&](OpBuilder &, Location, Value index,
                        ValueRange carried) {
      Arithmetic arith{builder, loc};
      WorkUnit unit = emitRasterTile(arith, space, index);
      unit.kBegin = arith.constant(0);
      unit.kEnd = space.kIterations;
      scf::YieldOp::create(builder, loc, body(unit, carried));
    };
    auto loop = scf::ForOp::create(builder, loc, worker, count, workers, init,
                                   emitBody);
    return llvm::to_vector(ValueRange(loop.getResults()));
  }
};

} // namespace

void mlir::cutl::registerScheduleEmissionExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CutlDialect *) {
    DataParallelAttr::attachInterface<DataParallelEmission>(*context);
  });
}
