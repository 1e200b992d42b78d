//===- GemmAliasing.h - Memrefs that a gemm must not share ---------------===//

#ifndef CUTL_DIALECT_CUTL_IR_GEMMALIASING_H
#define CUTL_DIALECT_CUTL_IR_GEMMALIASING_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"

namespace mlir::cutl {

/// Reports an output of the memref form that is visibly the same memory as
/// another operand, where that gives wrong results: A, B, a scale, a zero or
/// another output, or an auxiliary operand with another map or beside a
/// combiner. Casts are looked through, and equal subviews of one memref count
/// as the same. Every pass that lowers the memref form calls it first; it is no
/// part of the verifier, since canonicalization and CSE may make two values one.
LogicalResult verifyNoAliasing(GemmOp op);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_GEMMALIASING_H
