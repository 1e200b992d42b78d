//===- WorkSpace.h - A work loop in tiles ---------------------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_WORKSPACE_H
#define CUTL_DIALECT_CUTLTILE_IR_WORKSPACE_H

#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"

namespace mlir::cutl::tile {

/// What a schedule divides: `extents`, index values like those of `loop`, in
/// tiles of a cluster.
WorkSpace emitWorkSpace(OpBuilder &builder, Location loc, WorkLoopOp loop,
                        ValueRange extents);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_IR_WORKSPACE_H
