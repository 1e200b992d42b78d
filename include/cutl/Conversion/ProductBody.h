//===- ProductBody.h - Products of elements, as scalar ops ---------------===//

#ifndef CUTL_CONVERSION_PRODUCTBODY_H
#define CUTL_CONVERSION_PRODUCTBODY_H

#include "cutl/Dialect/Cutl/IR/Gemm.h"
#include "mlir/IR/Builders.h"

namespace mlir::cutl {

/// Positions of scale and zero elements among the inputs of a product; A's
/// element is input 0, B's is input 1.
struct ProductInputs {
  std::optional<unsigned> scaleA, zeroA, scaleB, zeroB;
};

/// The type that products are summed in: the accumulator's, or i64 where the
/// sum saturates.
Type getSumType(const GemmCompute &compute);

/// What is multiplied of an operand's element, in the type of the sum:
/// converted exactly, then rounded as `math` says.
Value createFactor(OpBuilder &builder, Location loc, MathMode math,
                   Signedness signedness, Value element, Type sumType);

/// `sum + a · b`, of one type.
Value createMultiplyAdd(OpBuilder &builder, Location loc, Value a, Value b,
                        Value sum);

/// `sum + A' · B'` for one (m, n, k).
Value createProductBody(OpBuilder &builder, Location loc,
                        const GemmCompute &compute,
                        const ProductInputs &indices, ValueRange inputs,
                        Value sum);

/// A finished sum in the accumulator's type: clamped where it saturates.
Value finishAccumulator(OpBuilder &builder, Location loc,
                        const GemmCompute &compute, Value sum);

} // namespace mlir::cutl

#endif // CUTL_CONVERSION_PRODUCTBODY_H
