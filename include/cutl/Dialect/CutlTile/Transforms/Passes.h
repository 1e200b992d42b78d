//===- Passes.h - Passes over the cutl_tile dialect ----------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_TRANSFORMS_PASSES_H
#define CUTL_DIALECT_CUTLTILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::cutl {
class BundleOp;
} // namespace mlir::cutl
namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace mlir::cutl::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_TRANSFORMS_PASSES_H
