//===- RefArithmetic.h - Double-precision arithmetic with error bounds ---===//
//
// What reference evaluation is made of: rounding allowances of a type, and the
// propagation of operand errors through a formula.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_REFARITHMETIC_H
#define CUTL_DIALECT_CUTL_IR_REFARITHMETIC_H

#include "cutl/Dialect/Cutl/IR/EpilogueTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

namespace mlir::cutl {

/// The bound of a value about which nothing is claimed. It is contagious: an op
/// with such an operand has such a result, since the value under test may be
/// NaN.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Allowances in half units in the last place of the op's type. Correctly
/// rounded operations have one; exp, log, erf and their kin are granted eight,
/// which vectorised polynomial approximations keep.
inline constexpr double kCorrectlyRounded = 1.0;
inline constexpr double kTranscendental = 8.0;

/// Distance between two doubles for a bound: 0 for equal values, two NaNs
/// included; infinite if only one is NaN or if they are different and not both
/// finite.
double getDistance(double a, double b);

/// Half the spacing of `type` at `magnitude` (at least that of its subnormals).
double getHalfUlp(FloatType type, double magnitude);

/// Unit roundoff of `type`: the greatest relative error of a correctly rounded
/// normal result.
double getUnitRoundoff(FloatType type);

/// The nearest value of `type`, ties to even; beyond the range infinity, or NaN
/// if the type has no infinity, or the greatest value if it has neither.
double roundToNearest(FloatType type, double value);

/// Adds the allowance for rounding `x` to `type` by `halfUlps`. Overflow is
/// decided where `x` is clear of the threshold and makes the result unbounded
/// where it is not. Integers pass unchanged.
RefValue roundToType(Type type, RefValue x,
                     double halfUlps = kCorrectlyRounded);

using ScalarFormula = llvm::function_ref<double(llvm::ArrayRef<double>)>;

/// Evaluates `formula` on the operands' values and, to bound it over their
/// errors, at all corners `value ± error`. That is a bound for a formula that
/// is monotone or linear in each operand where the others are fixed.
RefValue evaluateAtCorners(ScalarFormula formula,
                           llvm::ArrayRef<RefValue> operands);

/// The same for a formula of one operand that turns at the given points.
RefValue evaluateUnary(llvm::function_ref<double(double)> formula, RefValue x,
                       llvm::ArrayRef<double> turns = {});

/// The elementary operations, each rounded to `type`.
RefValue refAdd(Type type, RefValue a, RefValue b);
RefValue refMul(Type type, RefValue a, RefValue b);
RefValue refDiv(Type type, RefValue a, RefValue b);

/// A choice whose condition is 0 or 1; an uncertain condition widens the bound
/// to the other branch.
RefValue refSelect(RefValue condition, RefValue whenTrue, RefValue whenFalse);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_REFARITHMETIC_H
