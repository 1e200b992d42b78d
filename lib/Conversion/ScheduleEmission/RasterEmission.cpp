//===- RasterEmission.cpp - What the loops of schedules share ------------===//
//
// The arithmetic of lib/Schedule/TileScheduler.cpp in IR.
//
//===----------------------------------------------------------------------===//

#include "RasterEmission.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::cutl;

tile::WorkUnit mlir::cutl::emitRasterTile(Arithmetic arith,
                                          const tile::WorkSpace &space,
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
  tile::WorkUnit unit;
  unit.tileM = alongM ? inner : outer;
  unit.tileN = alongM ? outer : inner;
  unit.batch = arith.div(index, perBatch);
  return unit;
}

Value mlir::cutl::emitTileCount(Arithmetic arith,
                                const tile::WorkSpace &space) {
  return arith.mul(arith.mul(space.tilesM, space.tilesN), space.batches);
}

SmallVector<Value> mlir::cutl::emitStridedLoop(
    OpBuilder &builder, Location loc, Value count, Value worker, Value workers,
    ValueRange init, function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(
      builder, loc, worker, count, workers, init,
      [&](OpBuilder &, Location, Value index, ValueRange carried) {
        scf::YieldOp::create(builder, loc, body(index, carried));
      });
  return llvm::to_vector(ValueRange(loop.getResults()));
}
