//===- ReducedOutput.cpp - The value of a reduction ----------------------===//

#include "ReducedOutput.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "cutl/Reference/GemmReference.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

/// The value of an empty reduction.
static double getIdentity(Combiner combiner, Type type) {
  if (combiner != Combiner::Max && combiner != Combiner::Min)
    return 0.0;
  bool isMax = combiner == Combiner::Max;
  if (auto floatType = dyn_cast<FloatType>(type))
    return roundToNearest(floatType, isMax ? -kUnbounded : kUnbounded);
  double limit = std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
  return isMax ? -limit : limit - 1.0;
}

/// The magnitude of a value of `type`: that of the least integer is the
/// greatest.
static double getMagnitude(double value, Type type) {
  value = std::fabs(value);
  if (isa<FloatType>(type))
    return value;
  return std::fmin(value, getIdentity(Combiner::Min, type));
}

Reduction::Reduction(Combiner combiner, Type type)
    : combiner(combiner), type(type), value(getIdentity(combiner, type)),
      low(value), high(value) {}

void Reduction::add(RefValue x) {
  ++count;
  isNaN |= std::isnan(x.value);
  if (combiner == Combiner::Add) {
    value += x.value;
    error += x.error;
    magnitude += std::fabs(x.value) + x.error;
    return;
  }
  if (x.error == kUnbounded)
    error = kUnbounded;
  if (combiner == Combiner::AMax)
    x.value = getMagnitude(x.value, type);
  auto better = [&](double a, double b) {
    return combiner == Combiner::Min ? std::fmin(a, b) : std::fmax(a, b);
  };
  value = better(value, x.value);
  low = better(low, x.value - x.error);
  high = better(high, x.value + x.error);
}

/// Wraps an integer sum to its type.
static double wrap(double value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width >= 64)
    return value;
  double range = std::ldexp(1.0, width);
  double wrapped = value - range * std::floor(value / range);
  return width > 1 && wrapped >= range / 2.0 ? wrapped - range : wrapped;
}

RefValue Reduction::finishSum() const {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    double limit = std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
    bool known = magnitude <= 0x1p53 &&
                 (error == 0.0 || std::fabs(value) + error < limit);
    return {known ? wrap(value, type) : value, known ? error : kUnbounded};
  }
  if (!std::isfinite(value))
    return {value, error == 0.0 ? 0.0 : kUnbounded};
  // Narrow values are summed in f32.
  bool isNarrow = floatType.getWidth() < 32;
  if (isNarrow)
    floatType = Float32Type::get(floatType.getContext());
  // Partial sums may leave the range although the whole does not.
  if (std::isinf(roundToNearest(floatType, magnitude)))
    return {value, kUnbounded};
  double rounding = kAccumulationFactor *
                    std::sqrt(static_cast<double>(count)) *
                    getUnitRoundoff(floatType) * magnitude;
  RefValue sum = {value,
                  error + rounding +
                      (magnitude > 0.0 ? getHalfUlp(floatType, 0.0) : 0.0)};
  // The whole is rounded once more.
  return isNarrow ? roundToType(type, sum) : sum;
}

RefValue Reduction::finish() const {
  if (error == kUnbounded)
    return {value, kUnbounded};
  if (isNaN)
    return {std::numeric_limits<double>::quiet_NaN(), 0.0};
  if (combiner == Combiner::Add)
    return finishSum();
  return {value, std::max(getDistance(high, value), getDistance(value, low))};
}
