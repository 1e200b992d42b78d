//===- GemmSlicing.h - Sub-problems of a gemm ----------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_GEMMSLICING_H
#define CUTL_DIALECT_CUTL_IR_GEMMSLICING_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"

namespace mlir::cutl {

/// The op's operands with a split B written as two B (and its scale and zero as
/// two each), by slices without a copy. Without a split these are the op's own
/// operands.
GemmOperands decomposeSplit(OpBuilder &builder, Location loc, GemmOp op);

/// The part of every operand that the box `offsets`, `sizes` of the domain
/// touches. Along a dimension that a scale divides by c, offsets must be
/// multiples of c.
GemmOperands sliceOperands(OpBuilder &builder, Location loc,
                           const GemmOperands &operands,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes);

/// What every tile offset along `dim` must be a multiple of: the least common
/// multiple of the divisors by which scales and zeros address it.
int64_t getTileGranularity(GemmOp op, unsigned dim);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_GEMMSLICING_H
