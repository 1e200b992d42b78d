//===- Passes.h - Passes over the cutl dialect ---------------------------===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_PASSES_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::cutl {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_PASSES_H
