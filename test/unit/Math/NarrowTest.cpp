//===- NarrowTest.cpp - Errors of narrow expansions ----------------------===//
//
// As for the other expansions: with approximate instructions that make the
// greatest errors they may make, before the result is rounded.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "HostMath.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <tuple>

using namespace cutltest;
using namespace mlir::cutl;

namespace {

std::vector<Case> getNarrowCases() {
  std::vector<Case> cases;
  for (const Case &test : getCases())
    if (getNarrowError(test, NarrowPrecision::Fine))
      cases.push_back(test);
  return cases;
}

/// All numbers of bf16 and of f16 beside those of the other tests.
const std::vector<float> &getOperands() {
  static const std::vector<float> operands = [] {
    std::vector<float> values = getSingleOperands();
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      uint32_t wide = bits << 16;
      float value;
      std::memcpy(&value, &wide, sizeof(value));
      values.push_back(value);
      int exponent = bits >> 10 & 31, fraction = bits & 1023;
      double magnitude = exponent == 0
                             ? std::ldexp(fraction, -24)
                             : std::ldexp(fraction + 1024, exponent - 25);
      // The greatest exponent is that of infinity, which bf16 has.
      if (exponent != 31)
        values.push_back(float(bits >> 15 ? -magnitude : magnitude));
    }
    return values;
  }();
  return operands;
}

class Narrow
    : public testing::TestWithParam<std::tuple<Case, NarrowPrecision>> {};

/// Whether rounding may make infinity of `want`, or not, given a relative
/// error.
bool isAtOverflow(double want, double relative) {
  constexpr double kThreshold = 0x1.ffffffp127;
  double magnitude = std::fabs(want);
  return magnitude * (1.0 - relative) <= kThreshold &&
         magnitude * (1.0 + relative) >= kThreshold;
}

} // namespace

TEST_P(Narrow, HoldsItsBound) {
  const auto &[test, precision] = GetParam();
  NarrowError bound = *getNarrowError(test, precision);
  for (const Errors &errors : getExtremes()) {
    HostFunction function(test.getText(), precision, errors);
    std::vector<float> results = function.run(getOperands());
    double worst = 0.0, worstAt = 0.0;
    for (size_t i = 0; i < results.size(); ++i) {
      double x = getOperands()[i], want = test.function(x), got = results[i];
      if (std::isnan(want) || std::isnan(got)) {
        ASSERT_EQ(std::isnan(want), std::isnan(got)) << "at " << x;
        continue;
      }
      if (std::isinf(float(want)) || std::isinf(got)) {
        ASSERT_TRUE(got == float(want) || isAtOverflow(want, bound.relative))
            << "at " << x << ": " << got << ", expected " << want;
        continue;
      }
      EXPECT_TRUE(want != 0.0 || std::signbit(want) == std::signbit(got))
          << "at " << x;
      // The result is an f32, which may be subnormal.
      double share =
          std::fabs(got - want) / (bound.getBound(x, want) + 0x1p-149);
      if (share > worst)
        worst = share, worstAt = x;
    }
    printf("%-13s uses %.3f of the bound, at %.9g\n", test.name, worst,
           worstAt);
    EXPECT_LE(worst, 1.0) << "at " << worstAt;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Narrow,
    testing::Combine(testing::ValuesIn(getNarrowCases()),
                     testing::Values(NarrowPrecision::Coarse,
                                     NarrowPrecision::Fine)),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) +
             (std::get<1>(info.param) == NarrowPrecision::Fine ? "Fine"
                                                               : "Coarse");
    });
