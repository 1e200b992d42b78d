//===- WorkLoop.cpp - Which tiles a CTA computes --------------------------===//

#include "WorkLoop.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

static Value ceilDiv(Emit &e, Value x, int64_t y) {
  return e.div(e.add(x, y - 1), y);
}

TileGrid cutl::nvvm::emitTileGrid(Emit &e, const TileShape &tile, Value m,
                                  Value n, Value k) {
  TileGrid grid;
  grid.tilesM = ceilDiv(e, m, tile.m);
  grid.tilesN = ceilDiv(e, n, tile.n);
  grid.units = e.mul(grid.tilesM, grid.tilesN);
  Value kTiles = ceilDiv(e, k, tile.k);
  grid.kTiles = e.select(e.equal(kTiles, 0), e.i32(1), kTiles);
  return grid;
}

TileOrigin cutl::nvvm::emitRasterTile(Emit &e, const TileShape &tile,
                                      const TileGrid &grid, Value unit) {
  Value innerTiles = tile.rasterAlongM ? grid.tilesM : grid.tilesN;
  Value outerTiles = tile.rasterAlongM ? grid.tilesN : grid.tilesM;
  Value group = e.minSigned(e.i32(tile.rasterGroup), innerTiles);
  Value perGroup = e.mul(group, outerTiles);
  Value begin = e.mul(e.div(unit, perGroup), group);
  Value inGroup = e.sub(unit, e.mul(begin, outerTiles));
  // The last group is as narrow as what is left.
  Value width = e.minSigned(group, e.sub(innerTiles, begin));
  Value outer = e.div(inGroup, width);
  Value inner = e.add(begin, e.sub(inGroup, e.mul(outer, width)));
  Value m = tile.rasterAlongM ? inner : outer;
  Value n = tile.rasterAlongM ? outer : inner;
  return {e.mul(m, tile.m), e.mul(n, tile.n)};
}
