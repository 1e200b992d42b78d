//===- FixupWorkspace.h - Where the units of a tile meet -----------------===//

#ifndef CUTL_DIALECT_CUTLTILE_TRANSFORMS_FIXUPWORKSPACE_H
#define CUTL_DIALECT_CUTLTILE_TRANSFORMS_FIXUPWORKSPACE_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cutl::tile {

/// Lets the units of one tile meet in a workspace: `kernel`, whose work loop
/// `epilogue` stands in, gets a fixup, and each of `launches` the partial
/// results and counters that it works on, and a grid. The schedule must split
/// k.
LogicalResult addFixup(gpu::GPUFuncOp kernel, EpilogueOp epilogue,
                       ArrayRef<LaunchKernelOp> launches);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_TRANSFORMS_FIXUPWORKSPACE_H
