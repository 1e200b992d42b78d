//===- WorkSpace.cpp - A work loop in tiles -------------------------------===//

#include "cutl/Dialect/CutlTile/IR/WorkSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

WorkSpace mlir::cutl::tile::emitWorkSpace(OpBuilder &builder, Location loc,
                                          WorkLoopOp loop, ValueRange extents) {
  GemmDomain domain = loop.getDomain();
  auto countTiles = [&](unsigned dim, int64_t tile) -> Value {
    return arith::CeilDivUIOp::create(
        builder, loc, extents[dim],
        arith::ConstantIndexOp::create(builder, loc, tile));
  };
  WorkSpace space;
  space.tilesM = countTiles(domain.m(), loop.getTileM() * loop.getClusterM());
  space.tilesN = countTiles(domain.n(), loop.getTileN() * loop.getClusterN());
  space.batches = arith::ConstantIndexOp::create(builder, loc, 1);
  for (unsigned dim = 0; dim < domain.getNumBatch(); ++dim)
    space.batches =
        dim == 0
            ? extents[0]
            : arith::MulIOp::create(builder, loc, space.batches, extents[dim])
                  .getResult();
  space.kIterations = countTiles(domain.k(), loop.getTileK());
  ::cutl::heuristics::TileConfig config = loop.getConfig().toTileConfig();
  space.raster.alongM = config.raster == ::cutl::heuristics::RasterOrder::M;
  space.raster.group = config.rasterGroup;
  return space;
}
