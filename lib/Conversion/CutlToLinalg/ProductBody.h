//===- ProductBody.h - Scalar bodies of the linalg definition ------------===//

#ifndef CUTL_CONVERSION_CUTLTOLINALG_PRODUCTBODY_H
#define CUTL_CONVERSION_CUTLTOLINALG_PRODUCTBODY_H

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

/// `sum + A' · B'` for one (m, n, k).
Value createProductBody(OpBuilder &builder, Location loc,
                        const GemmCompute &compute, const ProductInputs &indices,
                        ValueRange inputs, Value sum);

/// A finished sum in the accumulator's type: clamped where it saturates.
Value finishAccumulator(OpBuilder &builder, Location loc,
                        const GemmCompute &compute, Value sum);

} // namespace mlir::cutl

#endif // CUTL_CONVERSION_CUTLTOLINALG_PRODUCTBODY_H
