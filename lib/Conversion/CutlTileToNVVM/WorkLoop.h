//===- WorkLoop.h - Which tiles a CTA computes ----------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_WORKLOOP_H
#define CUTL_CONVERSION_CUTLTILETONVVM_WORKLOOP_H

#include "Emit.h"
#include "KernelPlan.h"

namespace mlir::cutl::nvvm {

/// The tiles of the problem, i32.
struct TileGrid {
  Value tilesM, tilesN, units, kTiles;
};

/// The first element of a tile, i32.
struct TileOrigin {
  Value m, n;
};

/// `m`, `n`, `k` are the extents, i32. A problem with no k has one stage, which
/// the copy engine fills with zeros.
TileGrid emitTileGrid(Emit &e, const TileShape &tile, Value m, Value n,
                      Value k);

/// The tile of a unit in the raster order of `cutl::schedule::rasterTile`.
TileOrigin emitRasterTile(Emit &e, const TileShape &tile, const TileGrid &grid,
                          Value unit);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_WORKLOOP_H
