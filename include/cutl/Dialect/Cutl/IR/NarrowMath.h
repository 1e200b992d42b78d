//===- NarrowMath.h - Functions whose result is rounded later ---*- C++ -*-===//
//
// Where all that is kept of a function's f32 result is rounded to at most 16
// bits, most of an f32's accuracy is lost anyway, and a GPU computes a shorter
// formula: a narrow expansion.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_NARROWMATH_H
#define CUTL_DIALECT_CUTL_IR_NARROWMATH_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::cutl {

/// What a narrow expansion is rounded to in the end: bf16 and 8-bit floats, or
/// f16 as well.
enum class NarrowPrecision { Coarse, Fine };

/// By how much a narrow expansion may be off before it is rounded: the sum of a
/// part of the result, a part of the operand, and an absolute error.
struct NarrowError {
  double relative, ofOperand, absolute;

  /// Infinity and NaN, of either, are exact.
  double getBound(double operand, double result) const;
};

/// The error of the narrow expansion of `op`; none if it has no such expansion.
std::optional<NarrowError> getNarrowError(Operation *op,
                                          NarrowPrecision precision);

/// How precise the one result of `op` has to be if nothing keeps it in f32:
/// every use rounds it to nearest, to a float of at most 16 bits, or is an
/// operation that keeps a relative error and of which that is true in turn. The
/// result of an op on such a float is rounded by the op itself.
std::optional<NarrowPrecision> getNarrowUse(Operation *op);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_NARROWMATH_H
