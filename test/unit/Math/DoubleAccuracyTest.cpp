//===- DoubleAccuracyTest.cpp - Errors of the expansions in f64 ----------===//
//
// Compares with extended precision.
//
//===----------------------------------------------------------------------===//

#include "HostMath.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace cutltest;

namespace {

using Real = long double;

Real rsqrt(Real x) { return 1 / std::sqrt(x); }
Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }
Real silu(Real x) { return x < -2000 ? -Real(0) : x / (1 + std::exp(-x)); }
Real gelu(Real x) {
  return x < -50 ? -Real(0) : x / 2 * std::erfc(-x * std::sqrt(Real(0.5)));
}
Real geluTanh(Real x) {
  // The scale as f64 has it: what it is off by grows with x³ below zero.
  Real u = Real(0.79788456080286535588) * (x + Real(0.044715) * x * x * x);
  return x < -1000 ? -Real(0) : x / (1 + std::exp(-2 * u));
}

Real softplus(Real x) {
  Real tail = std::log1p(std::exp(-std::fabs(x)));
  return x > 0 ? x + tail : tail;
}
Real hardswish(Real x) {
  if (x <= -3)
    return -Real(0);
  return x >= 3 ? x : x * (x + 3) / 6;
}
Real sigmoidGrad(Real x) {
  Real t = std::exp(-std::fabs(x));
  return t / (1 + t) / (1 + t);
}
Real tanhGrad(Real x) { return 4 * sigmoidGrad(2 * x); }
/// y(x) = 1 - y(-x).
Real reflect(Real x, Real small) { return x < 0 ? small : 1 - small; }
Real siluGrad(Real x) {
  Real a = std::fabs(x) > 2000 ? Real(2000) : std::fabs(x), t = std::exp(-a);
  return reflect(x, t / (1 + t) - a * (t / (1 + t) / (1 + t)));
}
Real geluGrad(Real x) {
  Real a = std::fabs(x) > 100 ? Real(100) : std::fabs(x);
  Real density = std::exp(-a * a / 2) / std::sqrt(2 * std::acos(Real(-1)));
  return reflect(x, std::erfc(a * std::sqrt(Real(0.5))) / 2 - a * density);
}
Real geluTanhGrad(Real x) {
  Real a = std::fabs(x) > 100 ? Real(100) : std::fabs(x);
  Real scale = 2 * Real(0.79788456080286535588), cubic = Real(0.044715);
  Real t = std::exp(-scale * (a + cubic * a * a * a));
  Real s = t / (1 + t), slope = scale * (1 + 3 * cubic * a * a);
  return reflect(x, s - a * (s / (1 + t)) * slope);
}

struct Case {
  const char *name;
  const char *operation;
  Real (*function)(Real);
  /// Bound in units in the last place.
  double bound;
  /// What is allowed for negative operands beside it, as a multiple of
  /// 2^-53·|x|.
  double negative = 0.0;
  /// The same as a multiple of 2^-53.
  double absolute = 0.0;
};

const Case cases[] = {
    {"exp", "%r = math.exp %x : f64", std::exp, 1.0},
    {"exp2", "%r = math.exp2 %x : f64", std::exp2, 1.2},
    {"expm1", "%r = math.expm1 %x : f64", std::expm1, 1.8},
    {"log1p", "%r = math.log1p %x : f64", std::log1p, 1.8},
    {"log", "%r = math.log %x : f64", std::log, 1.2},
    {"log2", "%r = math.log2 %x : f64", std::log2, 1.9},
    {"sqrt", "%r = math.sqrt %x : f64", std::sqrt, 0.501},
    {"rsqrt", "%r = math.rsqrt %x : f64", rsqrt, 1.5},
    {"tanh", "%r = math.tanh %x : f64", std::tanh, 1.5},
    {"erf", "%r = math.erf %x : f64", std::erf, 1.5},
    {"sigmoid", "%r = cutl.sigmoid %x : f64", sigmoid, 2.5},
    {"silu", "%r = cutl.silu %x : f64", silu, 3.3},
    {"tanhOp", "%r = cutl.tanh %x : f64", std::tanh, 1.5},
    {"gelu", "%r = cutl.gelu %x : f64", gelu, 6.0},
    {"geluTanh", "%r = cutl.gelu tanh %x : f64", geluTanh, 3.0, 1.0},
    {"softplus", "%r = cutl.softplus %x : f64", softplus, 2.4},
    {"hardswish", "%r = cutl.hardswish %x : f64", hardswish, 2.5},
    {"sigmoidGrad", "%r = cutl.sigmoid_grad %x : f64", sigmoidGrad, 4.5},
    {"tanhGrad", "%r = cutl.tanh_grad %x : f64", tanhGrad, 4.5},
    {"siluGrad", "%r = cutl.silu_grad %x : f64", siluGrad, 1.8, 0.0, 3.0},
    {"geluGrad", "%r = cutl.gelu_grad %x : f64", geluGrad, 2.3, 0.0, 3.0},
    {"geluTanhGrad", "%r = cutl.gelu_grad tanh %x : f64", geluTanhGrad, 2.0,
     0.0, 3.0},
};

std::vector<double> getOperands() {
  std::vector<double> operands;
  auto addBits = [&](uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    operands.push_back(value);
  };
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i)
    addBits(random());
  for (double centre :
       {0.0, 0x1p-1022, 0.5, 0.55, 2.0 / 3.0, 1.0, 4.0 / 3.0, 2.0, 6.0, 16.0,
        40.0, 708.3964, 709.7827, 745.1332, double(INFINITY)})
    for (int i = -300; i < 300; ++i)
      for (uint64_t sign : {uint64_t(0), uint64_t(1) << 63}) {
        uint64_t bits;
        std::memcpy(&bits, &centre, sizeof(bits));
        if (int64_t(bits) + i >= 0)
          addBits((bits + i) | sign);
      }
  std::uniform_real_distribution<double> uniform(-50.0, 50.0);
  for (int i = 0; i < 200000; ++i)
    operands.push_back(uniform(random));
  std::uniform_real_distribution<double> wide(-750.0, 750.0);
  for (int i = 0; i < 50000; ++i)
    operands.push_back(wide(random));
  return operands;
}

class DoubleAccuracy : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(DoubleAccuracy, HoldsItsBound) {
  if (std::numeric_limits<Real>::digits <= 53)
    GTEST_SKIP() << "long double is no wider than double here";
  const Case &test = GetParam();
  std::vector<double> operands = getOperands();
  HostFunction function(test.operation, "f64", {});
  std::vector<double> results = function.run(operands);
  double worst = 0.0, worstAt = 0.0;
  for (size_t i = 0; i < results.size(); ++i) {
    double x = operands[i], got = results[i];
    Real want = test.function(Real(x));
    if (std::isnan(want) || std::isnan(got)) {
      ASSERT_EQ(std::isnan(want), std::isnan(got)) << "at " << x;
      continue;
    }
    double rounded = double(want);
    if (std::isinf(rounded) || std::isinf(got)) {
      ASSERT_TRUE(got == rounded || std::fabs(want) > 0x1.ffffffffffffep1023L)
          << "at " << x << ": " << got << ", expected " << rounded;
      continue;
    }
    EXPECT_TRUE(want != 0.0 || std::signbit(want) == std::signbit(got))
        << "at " << x;
    // Subnormal factors: a thousand times the least number.
    Real distance = std::max(std::fabs(Real(got) - want) - 0x1p-1064, Real(0));
    if (x < 0.0 && test.absolute != 0.0)
      distance = std::max(distance - test.absolute * 0x1p-53, Real(0));
    else if (x < 0.0)
      distance = std::max(distance - test.negative * 0x1p-53 * -x, Real(0));
    double units = double(distance / getUlp(rounded, true));
    if (units > worst)
      worst = units, worstAt = x;
  }
  printf("%-9s %6.3f ulp of f64 at %.17g\n", test.name, worst, worstAt);
  EXPECT_LE(worst, test.bound) << "at " << worstAt;
}

INSTANTIATE_TEST_SUITE_P(Functions, DoubleAccuracy, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });
