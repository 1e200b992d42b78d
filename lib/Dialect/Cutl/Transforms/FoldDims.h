//===- FoldDims.h - Sizes that are known without their memref ------------===//

#ifndef CUTL_LIB_DIALECT_CUTL_TRANSFORMS_FOLDDIMS_H
#define CUTL_LIB_DIALECT_CUTL_TRANSFORMS_FOLDDIMS_H

#include "mlir/IR/Operation.h"

namespace mlir::cutl {

/// Replaces each `memref.dim` in `op` of an allocation or a view by the value
/// that states the size.
void foldDims(Operation *op);

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_TRANSFORMS_FOLDDIMS_H
