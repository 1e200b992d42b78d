//===- CpuSymbols.cpp - What generated code may call ----------------------===//
//
// The run-time functions that the CPU engine gives to compiled modules.
//
//===----------------------------------------------------------------------===//

#include "cutl/Target/CPU/CpuSymbols.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Floating-point conversions
//===----------------------------------------------------------------------===//

namespace {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

/// Rounds the bits of a format with `SrcMantissa` stored mantissa bits to one
/// of 16 bits with `DstMantissa`. `Bits` is unsigned and as wide as the source.
template <typename Bits, int SrcMantissa, int DstMantissa>
uint16_t narrow(Bits bits) {
  constexpr int srcWidth = 8 * sizeof(Bits);
  constexpr int srcBias = (1 << (srcWidth - SrcMantissa - 2)) - 1;
  constexpr int dstBias = (1 << (16 - DstMantissa - 2)) - 1;
  constexpr Bits one = 1;
  constexpr uint16_t infinity = (2 * dstBias + 1) << DstMantissa;

  uint16_t sign = uint16_t(bits >> (srcWidth - 16)) & 0x8000;
  Bits mantissa = bits & ((one << SrcMantissa) - 1);
  int exponent = int(bits >> SrcMantissa) & (2 * srcBias + 1);
  if (exponent == 2 * srcBias + 1) {
    if (mantissa == 0)
      return sign | infinity;
    uint16_t payload = mantissa >> (SrcMantissa - DstMantissa);
    return sign | infinity | payload | (1 << (DstMantissa - 1));
  }

  // The value is mantissa * 2^(exponent - SrcMantissa).
  if (exponent != 0)
    mantissa |= one << SrcMantissa;
  exponent = std::max(exponent, 1) - srcBias;
  // Below the destination's normal range, and for source numbers that are not
  // normal there either, the last place is fixed.
  constexpr int minExponent = 1 - dstBias;
  int shift = SrcMantissa - DstMantissa + std::max(minExponent - exponent, 0);
  if (shift > SrcMantissa + 1)
    return sign;
  Bits rounded = mantissa >> shift;
  Bits rest = mantissa & ((one << shift) - 1), half = one << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1)))
    ++rounded;
  // A carry out of the mantissa moves into the exponent by itself.
  int biased = std::max(exponent, minExponent) - minExponent;
  if (biased > 2 * dstBias)
    return sign | infinity;
  uint32_t result = (uint32_t(biased) << DstMantissa) + uint32_t(rounded);
  return sign | uint16_t(std::min<uint32_t>(result, infinity));
}

} // namespace

float cutl::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, mantissa = bits & 0x3ff;
  if (exponent == 31) {
    // As the processors do, a NaN keeps its payload and becomes quiet.
    uint32_t quiet = mantissa ? 0x400000 : 0;
    return bitCast<float>(sign | 0x7f800000 | quiet | mantissa << 13);
  }
  if (exponent != 0)
    return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float magnitude = float(mantissa) * 0x1p-24f;
  return bitCast<float>(sign | bitCast<uint32_t>(magnitude));
}

uint16_t cutl::floatToHalf(float value) {
  return narrow<uint32_t, 23, 10>(bitCast<uint32_t>(value));
}
uint16_t cutl::doubleToHalf(double value) {
  return narrow<uint64_t, 52, 10>(bitCast<uint64_t>(value));
}
uint16_t cutl::floatToBfloat(float value) {
  return narrow<uint32_t, 23, 7>(bitCast<uint32_t>(value));
}
uint16_t cutl::doubleToBfloat(double value) {
  return narrow<uint64_t, 52, 7>(bitCast<uint64_t>(value));
}

namespace {

// The helpers of compiler-rt pass these types in vector registers, which only
// the compiler's own types express; their values are moved as bits alone, so
// that no conversion is emitted in the helper itself.
using Half = _Float16;
using Bfloat = __bf16;

float extendHalfToFloat(Half value) {
  return cutl::halfToFloat(bitCast<uint16_t>(value));
}
double extendHalfToDouble(Half value) {
  return cutl::halfToFloat(bitCast<uint16_t>(value));
}
Half truncFloatToHalf(float value) {
  return bitCast<Half>(cutl::floatToHalf(value));
}
Half truncDoubleToHalf(double value) {
  return bitCast<Half>(cutl::doubleToHalf(value));
}
Bfloat truncFloatToBfloat(float value) {
  return bitCast<Bfloat>(cutl::floatToBfloat(value));
}
Bfloat truncDoubleToBfloat(double value) {
  return bitCast<Bfloat>(cutl::doubleToBfloat(value));
}
float gnuHalfToFloat(uint16_t bits) { return cutl::halfToFloat(bits); }
uint16_t gnuFloatToHalf(float value) { return cutl::floatToHalf(value); }

template <typename T> T powerOfInteger(T base, int32_t exponent) {
  T result = 1;
  for (uint32_t n = exponent < 0 ? -uint32_t(exponent) : uint32_t(exponent);
       n != 0; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return exponent < 0 ? 1 / result : result;
}

//===----------------------------------------------------------------------===//
// memref.copy
//===----------------------------------------------------------------------===//

struct UnrankedMemRef {
  int64_t rank;
  void *descriptor;
};

/// A view of a ranked descriptor: two pointers, an offset, sizes and strides.
struct Strided {
  Strided(const UnrankedMemRef &memref, int64_t elementSize) {
    auto **pointers = static_cast<char **>(memref.descriptor);
    auto *numbers = reinterpret_cast<int64_t *>(pointers + 2);
    data = pointers[1] + numbers[0] * elementSize;
    sizes = numbers + 1;
    strides = sizes + memref.rank;
  }
  char *data;
  const int64_t *sizes, *strides;
};

void copyStrided(int64_t elementSize, int64_t rank, const int64_t *sizes,
                 const char *source, const int64_t *sourceStrides, char *target,
                 const int64_t *targetStrides) {
  if (rank == 0) {
    std::memcpy(target, source, elementSize);
    return;
  }
  if (rank == 1 && *sourceStrides == 1 && *targetStrides == 1) {
    if (*sizes > 0)
      std::memcpy(target, source, *sizes * elementSize);
    return;
  }
  for (int64_t i = 0; i < *sizes; ++i)
    copyStrided(elementSize, rank - 1, sizes + 1,
                source + i * *sourceStrides * elementSize, sourceStrides + 1,
                target + i * *targetStrides * elementSize, targetStrides + 1);
}

void memrefCopy(int64_t elementSize, UnrankedMemRef *source,
                UnrankedMemRef *target) {
  Strided from(*source, elementSize), to(*target, elementSize);
  copyStrided(elementSize, source->rank, from.sizes, from.data, from.strides,
              to.data, to.strides);
}

} // namespace

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void cutl::forEachCpuSymbol(
    llvm::function_ref<void(llvm::StringRef, void *)> visit) {
  auto add = [&](llvm::StringRef name, auto *function) {
    visit(name, reinterpret_cast<void *>(function));
  };
  add("__extendhfsf2", extendHalfToFloat);
  add("__extendhfdf2", extendHalfToDouble);
  add("__truncsfhf2", truncFloatToHalf);
  add("__truncdfhf2", truncDoubleToHalf);
  add("__truncsfbf2", truncFloatToBfloat);
  add("__truncdfbf2", truncDoubleToBfloat);
  add("__gnu_h2f_ieee", gnuHalfToFloat);
  add("__gnu_f2h_ieee", gnuFloatToHalf);
  add("__powisf2", powerOfInteger<float>);
  add("__powidf2", powerOfInteger<double>);
  add("memrefCopy", memrefCopy);
  add("malloc", std::malloc);
  add("free", std::free);
  add("memcpy", std::memcpy);
  add("memmove", std::memmove);
  add("memset", std::memset);

#define UNARY(name)                                                            \
  add(#name, static_cast<double (*)(double)>(::name));                         \
  add(#name "f", static_cast<float (*)(float)>(::name##f));
#define BINARY(name)                                                           \
  add(#name, static_cast<double (*)(double, double)>(::name));                 \
  add(#name "f", static_cast<float (*)(float, float)>(::name##f));
  UNARY(acos)
  UNARY(acosh)
  UNARY(asin)
  UNARY(asinh)
  UNARY(atan)
  BINARY(atan2)
  UNARY(atanh)
  UNARY(cbrt)
  UNARY(ceil)
  UNARY(cos)
  UNARY(cosh)
  UNARY(erf)
  UNARY(erfc)
  UNARY(exp)
  UNARY(exp2)
  UNARY(expm1)
  UNARY(fabs)
  UNARY(floor)
  BINARY(fmax)
  BINARY(fmin)
  BINARY(fmod)
  UNARY(log)
  UNARY(log10)
  UNARY(log1p)
  UNARY(log2)
  UNARY(nearbyint)
  BINARY(pow)
  UNARY(rint)
  UNARY(round)
  UNARY(sin)
  UNARY(sinh)
  UNARY(sqrt)
  UNARY(tan)
  UNARY(tanh)
  UNARY(trunc)
#undef UNARY
#undef BINARY
  // What LLVM makes of a sine and a cosine of one angle.
  add("sincos", static_cast<void (*)(double, double *, double *)>(::sincos));
  add("sincosf", static_cast<void (*)(float, float *, float *)>(::sincosf));
  add("fma", static_cast<double (*)(double, double, double)>(::fma));
  add("fmaf", static_cast<float (*)(float, float, float)>(::fmaf));
  // With the default rounding mode, the C++ library's spelling of roundeven.
  add("roundeven", static_cast<double (*)(double)>(::nearbyint));
  add("roundevenf", static_cast<float (*)(float)>(::nearbyintf));
}
