//===- CpuSymbolsTest.cpp - Conversions to and from 16-bit floats ---------===//
//
// Against the processor where it has the conversion, and against arithmetic.
//
//===----------------------------------------------------------------------===//

#include "cutl/Target/CPU/CpuSymbols.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace mlir::cutl;

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
static float bfloatToFloat(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}

/// The value of a half by its definition.
static double defineHalf(uint16_t bits) {
  double sign = bits & 0x8000 ? -1 : 1;
  int exponent = (bits >> 10) & 31, mantissa = bits & 0x3ff;
  if (exponent == 31)
    return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25)
                          : std::ldexp(mantissa, -24));
}

TEST(HalfConversion, EveryHalfToFloat) {
  for (uint32_t code = 0; code < 65536; ++code) {
    float got = halfToFloat(code);
    double want = defineHalf(code);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << code;
    } else {
      ASSERT_EQ(got, want) << code;
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << code;
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) static uint16_t hardwareToHalf(float value) {
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
__attribute__((target("f16c"))) static float hardwareToFloat(uint16_t bits) {
  return _cvtsh_ss(bits);
}

TEST(HalfConversion, AgreesWithTheProcessor) {
  if (!__builtin_cpu_supports("f16c"))
    GTEST_SKIP() << "no F16C";
  for (uint32_t code = 0; code < 65536; ++code)
    ASSERT_EQ(bitsOf(halfToFloat(code)), bitsOf(hardwareToFloat(code))) << code;
  // Every exponent with every pattern of the bits around the rounding point.
  for (uint32_t high = 0; high < 0x80000; ++high)
    for (uint32_t low : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) {
      uint32_t bits = high << 13 | low;
      ASSERT_EQ(floatToHalf(floatOf(bits)), hardwareToHalf(floatOf(bits)))
          << std::hex << bits;
    }
}
#endif

/// Checks `narrow` around every code of a 16-bit format: the code itself, both
/// sides of the middle between it and the next, and the tie.
template <typename Source, typename Narrow, typename Widen>
static void checkNarrowing(Narrow narrow, Widen widen, uint16_t infinity) {
  for (uint32_t sign : {0u, 0x8000u})
    for (uint32_t code = 0; code < infinity; ++code) {
      Source value = widen(code | sign);
      ASSERT_EQ(narrow(value), code | sign);
      // Past the largest number the tie is where the next would have been.
      Source next = code + 1 < infinity
                        ? Source(widen((code + 1) | sign))
                        : value + (value - Source(widen((code - 1) | sign)));
      Source tie = value + (next - value) / 2;
      if (!std::isfinite(tie) || tie == value || tie == next)
        continue; // the source has no number in between
      uint32_t even = code & 1 ? code + 1 : code;
      ASSERT_EQ(narrow(tie), even | sign) << code;
      ASSERT_EQ(narrow(std::nextafter(tie, value)), code | sign) << code;
      ASSERT_EQ(narrow(std::nextafter(tie, next)), (code + 1) | sign) << code;
    }
  Source infinite = std::numeric_limits<Source>::infinity();
  EXPECT_EQ(narrow(infinite), infinity);
  EXPECT_EQ(narrow(-infinite), infinity | 0x8000);
  EXPECT_EQ(narrow(std::numeric_limits<Source>::denorm_min()), 0);
  uint16_t quietNan = narrow(std::numeric_limits<Source>::quiet_NaN());
  uint16_t signalingNan = narrow(std::numeric_limits<Source>::signaling_NaN());
  EXPECT_GT(quietNan & 0x7fff, infinity);
  EXPECT_GT(signalingNan & 0x7fff, infinity);
}

TEST(HalfConversion, FloatToHalf) {
  checkNarrowing<float>(floatToHalf, halfToFloat, 0x7c00);
  EXPECT_EQ(floatToHalf(std::numeric_limits<float>::max()), 0x7c00);
}
TEST(HalfConversion, DoubleToHalf) {
  checkNarrowing<double>(doubleToHalf, halfToFloat, 0x7c00);
  EXPECT_EQ(doubleToHalf(std::numeric_limits<double>::max()), 0x7c00);
  // Through float this would round twice, up to 1 + 2^-10.
  EXPECT_EQ(doubleToHalf(1 + 0x1p-11 - 0x1p-40), 0x3c00);
}
TEST(HalfConversion, FloatToBfloat) {
  checkNarrowing<float>(floatToBfloat, bfloatToFloat, 0x7f80);
  EXPECT_EQ(floatToBfloat(std::numeric_limits<float>::max()), 0x7f80);
}
TEST(HalfConversion, DoubleToBfloat) {
  checkNarrowing<double>(doubleToBfloat, bfloatToFloat, 0x7f80);
  EXPECT_EQ(doubleToBfloat(std::numeric_limits<double>::max()), 0x7f80);
  EXPECT_EQ(doubleToBfloat(1 + 0x1p-8 - 0x1p-40), 0x3f80);
}
