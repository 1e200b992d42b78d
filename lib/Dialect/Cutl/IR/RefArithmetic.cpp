//===- RefArithmetic.cpp - Double-precision arithmetic with error bounds -===//

#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;
using llvm::APFloat;
using llvm::APFloatBase;

double mlir::cutl::getDistance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0.0;
  double distance = std::fabs(a - b);
  return std::isnan(distance) ? kUnbounded : distance;
}

/// Exponent of the last place of `type` at `magnitude`.
static int getLastPlace(FloatType type, double magnitude) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int exponent = APFloatBase::semanticsMinExponent(semantics);
  if (magnitude > 0.0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  return exponent -
         static_cast<int>(APFloatBase::semanticsPrecision(semantics)) + 1;
}

double mlir::cutl::getHalfUlp(FloatType type, double magnitude) {
  if (!std::isfinite(magnitude))
    return 0.0;
  return std::ldexp(0.5, getLastPlace(type, magnitude));
}

double mlir::cutl::getUnitRoundoff(FloatType type) {
  return std::ldexp(1.0, -static_cast<int>(APFloatBase::semanticsPrecision(
                             type.getFloatSemantics())));
}

static double getLargest(const llvm::fltSemantics &semantics) {
  APFloat largest = APFloat::getLargest(semantics);
  bool losesInfo;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return largest.convertToDouble();
}

/// What a value beyond the range of `type` becomes.
static double getOverflowValue(FloatType type, double value) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (APFloatBase::semanticsHasInf(semantics))
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  if (APFloatBase::semanticsHasNaN(semantics))
    return std::numeric_limits<double>::quiet_NaN();
  return std::copysign(getLargest(semantics), value);
}

double mlir::cutl::roundToNearest(FloatType type, double value) {
  if (value == 0.0 || std::isnan(value) || type.isF64())
    return value;
  if (std::isinf(value))
    return getOverflowValue(type, value);
  int lastPlace = getLastPlace(type, std::fabs(value));
  double rounded =
      std::ldexp(std::nearbyint(std::ldexp(value, -lastPlace)), lastPlace);
  return std::fabs(rounded) > getLargest(type.getFloatSemantics())
             ? getOverflowValue(type, value)
             : rounded;
}

RefValue mlir::cutl::roundToType(Type type, RefValue x, double halfUlps) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || x.error == kUnbounded || std::isnan(x.value))
    return x;
  if (std::isinf(x.value))
    return {getOverflowValue(floatType, x.value), 0.0};
  double magnitude = std::fabs(x.value) + x.error;
  double error = x.error + halfUlps * getHalfUlp(floatType, magnitude);
  if (floatType.isF64())
    return {x.value, std::isfinite(magnitude) ? error : kUnbounded};
  double largest = getLargest(floatType.getFloatSemantics());
  if (magnitude < largest)
    return {x.value, error};
  // Values from half an ulp above the greatest finite one round to infinity.
  // With a larger allowance the two sides of that threshold cannot be told
  // apart within the allowance.
  double threshold = largest + getHalfUlp(floatType, largest);
  double slack = x.error + (halfUlps - 1.0) * getHalfUlp(floatType, largest);
  if (std::fabs(x.value) - slack >= threshold)
    return {getOverflowValue(floatType, x.value), 0.0};
  return {x.value,
          std::fabs(x.value) + slack >= threshold ? kUnbounded : error};
}

RefValue mlir::cutl::evaluateAtCorners(ScalarFormula formula,
                                       llvm::ArrayRef<RefValue> operands) {
  llvm::SmallVector<double, 4> point;
  llvm::SmallVector<unsigned, 4> inexact;
  bool unbounded = false;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    point.push_back(operand.value);
    unbounded |= operand.error == kUnbounded;
    if (operand.error != 0.0)
      inexact.push_back(index);
  }
  RefValue result{formula(point), unbounded ? kUnbounded : 0.0};
  if (unbounded)
    return result;
  // Bit i of a corner's number is the side that inexact operand i takes.
  for (unsigned corner = 0; !inexact.empty() && corner < (1u << inexact.size());
       ++corner) {
    for (auto [bit, index] : llvm::enumerate(inexact)) {
      const RefValue &operand = operands[index];
      point[index] = operand.value +
                     ((corner >> bit) & 1 ? operand.error : -operand.error);
    }
    result.error =
        std::max(result.error, getDistance(formula(point), result.value));
  }
  return result;
}

RefValue mlir::cutl::evaluateUnary(llvm::function_ref<double(double)> formula,
                                   RefValue x, llvm::ArrayRef<double> turns) {
  RefValue result = evaluateAtCorners(
      [&](llvm::ArrayRef<double> point) { return formula(point[0]); }, x);
  if (x.error == 0.0 || x.error == kUnbounded)
    return result;
  for (double turn : turns) {
    if (std::fabs(turn - x.value) < x.error) {
      result.error =
          std::max(result.error, getDistance(formula(turn), result.value));
    }
  }
  return result;
}

RefValue mlir::cutl::refAdd(Type type, RefValue a, RefValue b) {
  return roundToType(
      type,
      evaluateAtCorners([](llvm::ArrayRef<double> x) { return x[0] + x[1]; },
                        llvm::ArrayRef<RefValue>{a, b}));
}

RefValue mlir::cutl::refMul(Type type, RefValue a, RefValue b) {
  return roundToType(
      type,
      evaluateAtCorners([](llvm::ArrayRef<double> x) { return x[0] * x[1]; },
                        llvm::ArrayRef<RefValue>{a, b}));
}

RefValue mlir::cutl::refDiv(Type type, RefValue a, RefValue b) {
  RefValue quotient =
      evaluateAtCorners([](llvm::ArrayRef<double> x) { return x[0] / x[1]; },
                        llvm::ArrayRef<RefValue>{a, b});
  // The quotient has a pole where the divisor may be zero.
  if (b.error > 0.0 && std::fabs(b.value) <= b.error)
    quotient.error = kUnbounded;
  return roundToType(type, quotient);
}

RefValue mlir::cutl::refSelect(RefValue condition, RefValue whenTrue,
                               RefValue whenFalse) {
  bool chosen = condition.value != 0.0;
  RefValue result = chosen ? whenTrue : whenFalse;
  if (condition.error > 0.0) {
    const RefValue &other = chosen ? whenFalse : whenTrue;
    result.error = std::max(
        result.error, getDistance(result.value, other.value) + other.error);
  }
  return result;
}
