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
  /// The unit's place in the workspace, the first place of its tile, and how
  /// many units the tile has; null where the schedule does not split k.
  Value slot, firstSlot, contributors;
};

/// Emits what is done for one unit, given the values carried so far, and returns
/// them for the next.
using WorkBody =
    function_ref<SmallVector<Value>(const WorkUnit &unit, ValueRange carried)>;

} // namespace mlir::cutl::tile

#include "cutl/Dialect/CutlTile/IR/CutlTileAttrInterfaces.h.inc"

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_H
