//===- PowTest.cpp - Powers, remainders and roundings of NVPTX
//-------------===//

#include "HostMath.h"

#include "cutl/Target/CPU/CpuSymbols.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace cutltest;

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(Pow, HoldsItsBoundAndHasTheSpecialValuesOfIEEE) {
  std::vector<float> xs, ys;
  const float specials[] = {
      0.0f, -0.0f,    1.0f, -1.0f,     2.0f,        -2.0f,     3.0f,   -3.0f,
      0.5f, -0.5f,    2.5f, -2.5f,     1e30f,       -1e30f,    1e-42f, -1e-42f,
      NAN,  INFINITY, 1e9f, -INFINITY, 16777215.0f, 4194303.5f};
  for (float x : specials)
    for (float y : specials)
      xs.push_back(x), ys.push_back(y);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> exponent(-130.0f, 130.0f);
  for (int i = 0; i < 300000; ++i) {
    // Bases all over f32, powers such that most results are in range.
    float x = fromBits(random() & (i % 4 == 0 ? 0xffffffff : 0x7fffffff));
    float y = exponent(random) / std::log2(std::fabs(x));
    xs.push_back(x), ys.push_back(i % 4 == 0 ? std::nearbyint(y) : y);
    // Bases near 1, where the logarithm cancels.
    xs.push_back(1.0f + exponent(random) * 0x1p-20f);
    ys.push_back(exponent(random) * 1e4f);
  }
  for (const Errors &errors : getExtremes()) {
    HostFunction function("%r = math.powf %x, %y : f32", "f32", errors);
    std::vector<float> results = function.run(xs, ys);
    double worst = 0.0;
    size_t worstAt = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
      double want = std::pow(double(xs[i]), double(ys[i])), got = results[i];
      if (std::isnan(want) || std::isnan(got)) {
        ASSERT_EQ(std::isnan(want), std::isnan(got))
            << xs[i] << " to the power " << ys[i];
        continue;
      }
      double rounded = float(want);
      if (std::isinf(rounded) || std::isinf(got)) {
        ASSERT_TRUE(got == rounded || std::fabs(want) > 0x1.fffff8p127)
            << xs[i] << " to the power " << ys[i] << ": " << got;
        continue;
      }
      EXPECT_EQ(std::signbit(want), std::signbit(got))
          << xs[i] << " to the power " << ys[i];
      double units = std::fabs(got - want) / getUlp(want, false);
      if (units > worst)
        worst = units, worstAt = i;
    }
    printf("powf %6.3f ulp at %.9g, %.9g\n", worst, xs[worstAt], ys[worstAt]);
    EXPECT_LE(worst, errors.exp2 == 0.0 ? 0.9 : 3.2);
  }
}

namespace {
struct Mode {
  const char *name;
  /// What the rounding of x is, given the neighbours below and above it.
  double (*choose)(double x, double below, double above);
};
const Mode modes[] = {
    {"toward_zero", [](double x, double below,
                       double above) { return x < 0 ? above : below; }},
    {"upward", [](double, double, double above) { return above; }},
    {"downward", [](double, double below, double) { return below; }},
    {"to_nearest_away",
     [](double x, double below, double above) {
       double lower = x - below, upper = above - x;
       return lower == upper ? (x < 0 ? below : above)
                             : (lower < upper ? below : above);
     }},
};

class Rounding : public testing::TestWithParam<Mode> {};
} // namespace

/// All numbers of f16 or bf16 and some between them, in f32.
TEST_P(Rounding, TakesTheNeighbourThatTheModeNames) {
  for (bool isHalf : {true, false}) {
    auto widen = [&](uint16_t bits) {
      return isHalf ? mlir::cutl::halfToFloat(bits)
                    : fromBits(uint32_t(bits) << 16);
    };
    std::string type = isHalf ? "f16" : "bf16";
    HostFunction function(
        "%h = arith.truncf %x " + std::string(GetParam().name) + " : f32 to " +
            type + "\n%r = arith.extf %h : " + type + " to f32",
        "f32", {});
    uint32_t infinity = isHalf ? 0x7c00 : 0x7f80;
    std::vector<float> xs;
    std::vector<double> expected;
    for (uint32_t bits = 0; bits < infinity; ++bits) {
      double below = widen(bits), above = widen(bits + 1);
      bool isLast = bits + 1 == infinity;
      // The neighbour that infinity stands for.
      double step = below - widen(isLast ? bits - 1 : bits);
      double limit = isLast ? below + step : above;
      for (double share : {0.0, 0x1p-6, 0.25, 0.5, 0.75, 1 - 0x1p-6}) {
        float x = float(below + share * (limit - below));
        if (!std::isfinite(x))
          continue;
        for (double sign : {1.0, -1.0}) {
          double value = sign * x;
          double want = value;
          if (x != below) {
            double low = sign > 0 ? below : -limit;
            double high = sign > 0 ? limit : -below;
            want = GetParam().choose(value, low, high);
            if (isLast && std::fabs(want) == limit)
              want = std::copysign(INFINITY, want);
          }
          xs.push_back(float(value));
          expected.push_back(want);
        }
      }
    }
    for (float special : {INFINITY, -INFINITY})
      xs.push_back(special), expected.push_back(special);
    std::vector<float> results = function.run(xs);
    unsigned numWrong = 0;
    for (size_t i = 0; i < xs.size(); ++i)
      if (results[i] != expected[i] && ++numWrong < 5)
        ADD_FAILURE() << type << " of " << xs[i] << ": " << results[i]
                      << ", expected " << expected[i];
    EXPECT_EQ(numWrong, 0u);
    EXPECT_TRUE(std::isnan(function.run(std::vector<float>{NAN})[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Rounding, testing::ValuesIn(modes),
                         [](const auto &info) { return info.param.name; });

/// fmod is exact whatever the quotient, and so is the expansion.
TEST(Remainder, IsExact) {
  std::vector<float> xs, ys;
  const float specials[] = {0.0f,     -0.0f,     1.0f,   -1.0f, 3.0f,
                            -2.5f,    1e-45f,    1e-38f, 3e38f, -3e38f,
                            INFINITY, -INFINITY, NAN,    0.1f,  1e10f};
  for (float x : specials)
    for (float y : specials)
      xs.push_back(x), ys.push_back(y);
  std::mt19937 random(11);
  for (int i = 0; i < 100000; ++i) {
    xs.push_back(fromBits(random()));
    ys.push_back(fromBits(random()));
    // Quotients close to an integer.
    float y = fromBits((random() & 0x03ffffff) + 0x3e000000);
    float x = y * float(random() % 4096);
    xs.push_back(x), ys.push_back(y);
    xs.push_back(std::nextafter(x, 0.0f)), ys.push_back(y);
  }
  HostFunction function("%r = arith.remf %x, %y : f32", "f32", {});
  std::vector<float> results = function.run(xs, ys);
  for (size_t i = 0; i < xs.size(); ++i) {
    float want = std::fmod(xs[i], ys[i]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(results[i])) << xs[i] << " by " << ys[i];
      continue;
    }
    ASSERT_EQ(results[i], want) << xs[i] << " by " << ys[i];
    ASSERT_EQ(std::signbit(results[i]), std::signbit(want))
        << xs[i] << " by " << ys[i];
  }
}
