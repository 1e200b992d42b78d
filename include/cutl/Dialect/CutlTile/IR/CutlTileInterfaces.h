//===- CutlTileInterfaces.h - Interfaces of the tile level ---------------===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_H
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_H

#include "cutl/Schedule/TileScheduler.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::cutl::tile {

/// `::cutl::schedule::TileSpace` in IR: index values, and the raster.
struct WorkSpace {
  Value tilesM, tilesN, batches, kIterations;
  ::cutl::schedule::Raster raster;
};

/// `::cutl::schedule::WorkUnit` in IR: index values.
struct WorkUnit {
  Value tileM, tileN, batch, kBegin, kEnd;
};

} // namespace mlir::cutl::tile

#include "cutl/Dialect/CutlTile/IR/CutlTileAttrInterfaces.h.inc"

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_H
