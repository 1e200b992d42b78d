//===- ExpSingle.cpp - exp, sigmoid and tanh in f32 ----------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// log2(e) as the nearest f32 and the rest.
static constexpr double kLog2E = 0x1.715476p+0;
static constexpr double kLog2ERest = 0x1.4ae0cp-26;

/// Adding this to |n| < 2^22 leaves round(n) + 127 in the low bits: the
/// exponent field of 2^round(n).
static constexpr double kRoundToExponent = 12582912.0 + 127.0;

/// exp(sign·x), where `bounded` is x clamped so that 2^round(sign·x·log2(e)) is
/// a normal number. What the clamp cuts off stays in the fraction and reaches
/// zero, subnormals or infinity in the last product.
static Value emitScaledExp(FloatEmit &e, Value x, Value bounded, double sign) {
  Value rounded = e.fma(bounded, sign * kLog2E, kRoundToExponent);
  Value minusInteger = e.sub(kRoundToExponent, rounded);
  Value fraction = e.fma(x, sign * kLog2E, minusInteger);
  fraction = e.fma(x, sign * kLog2ERest, fraction);
  Value scale = e.fromBits(e.shl(e.toBits(rounded), 23));
  return e.mul(e.exp2Approx(fraction), scale);
}

Value nvvm::emitExpOfMinusSingle(FloatEmit &e, Value x) {
  return emitScaledExp(e, x, e.minNumber(x, 87.0), -1.0);
}

Value nvvm::emitExpSingle(FloatEmit &e, Value x) {
  Value bounded = e.maxNumber(e.minNumber(x, 88.0), -87.0);
  return emitScaledExp(e, x, bounded, 1.0);
}

/// 2^x as exp, with no product to round.
Value nvvm::emitExp2Single(FloatEmit &e, Value x) {
  Value bounded = e.maxNumber(e.minNumber(x, 127.0), -126.0);
  Value rounded = e.add(bounded, kRoundToExponent);
  Value fraction = e.add(x, e.sub(kRoundToExponent, rounded));
  Value scale = e.fromBits(e.shl(e.toBits(rounded), 23));
  return e.mul(e.exp2Approx(fraction), scale);
}

/// 2^n·(exp(r) - 1) + 2^n - 1 with a polynomial for exp(r) - 1, which the
/// instruction would leave no digits of where r is small. Half of it is
/// computed, since 2^n need not be finite.
Value nvvm::emitExpm1Single(FloatEmit &e, Value x) {
  constexpr double kRoundToHalf = 12582912.0 + 126.0;
  // At -18 the result has reached -1, at 89 infinity.
  Value bounded = e.minimum(e.maximum(x, -18.0), 89.0);
  Value rounded = e.fma(bounded, kLog2E, kRoundToHalf);
  Value n = e.sub(rounded, kRoundToHalf);
  Value scale = e.fromBits(e.shl(e.toBits(rounded), 23));
  Value r = e.fma(n, -0x1.62e43p-1, bounded);
  r = e.fma(n, 0x1.05c61p-29, r);
  Value sum = e.polynomial(r, {0x1.0p-1, 0x1.555554p-3, 0x1.5554bp-5,
                               0x1.11118ap-7, 0x1.6d7296p-10, 0x1.a032cep-13});
  Value power = e.fma(e.mul(r, r), sum, r);
  Value half = e.fma(scale, power, e.sub(scale, 0.5));
  return e.copySign(e.add(half, half), x);
}

/// sigmoid(-|x|) = exp(-|x|) / (1 + exp(-|x|)), given a = |x|: no cancellation
/// and no overflow.
static Value emitSigmoidOfMinus(FloatEmit &e, Value a) {
  Value exponential = emitExpOfMinusSingle(e, a);
  return e.mul(exponential, e.reciprocalApprox(e.add(exponential, 1.0)));
}

/// 1 - sigmoid(-x) for positive x.
Value nvvm::emitSigmoidSingle(FloatEmit &e, Value x) {
  Value small = emitSigmoidOfMinus(e, e.abs(x));
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  return e.select(isNegative, small, e.sub(1.0, small));
}

/// max(x, 0) - |x|·sigmoid(-|x|), which is x·sigmoid(x) on both sides and loses
/// nothing where the result is small.
Value nvvm::emitSiluSingle(FloatEmit &e, Value x) {
  // Beyond 128 sigmoid(-|x|) is zero in f32.
  Value a = e.minimum(e.abs(x), 128.0);
  Value sigmoid = emitSigmoidOfMinus(e, a);
  Value positive = e.maximum(x, -0.0);
  return e.fma(e.neg(a), sigmoid, positive);
}

/// 1 - 2/(1 + exp(2|x|)) with the sign of x, and near zero an odd polynomial of
/// degree 11 with a relative error of 2^-27.
Value nvvm::emitTanhSingle(FloatEmit &e, Value x) {
  Value a = e.abs(x);
  Value exponential = e.exp2Approx(e.mul(a, 2.0 * kLog2E));
  Value reciprocal = e.reciprocalApprox(e.add(exponential, 1.0));
  Value large = e.fma(-2.0, reciprocal, 1.0);
  Value square = e.mul(x, x);
  Value sum =
      e.polynomial(square, {-0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a4p-5,
                            0x1.51f8dep-6, -0x1.750d7p-8});
  Value small = e.fma(e.mul(sum, square), a, a);
  Value isSmall = e.compare(arith::CmpFPredicate::OLT, a, 0.625);
  return e.copySign(e.select(isSmall, small, large), x);
}

/// max(x, 0) - a/(1 + exp(2u)) with a = |x| and u = √(2/π)·(a + 0.044715·a³),
/// which is x/2·(1 + tanh(u)) on both sides. As one product it would be
/// shorter, but ptxas then computes the factors of many elements ahead and
/// spills in the widest tiles.
Value nvvm::emitGeluTanhSingle(FloatEmit &e, Value x) {
  constexpr double kScale =
      2.0 * 0.79788456080286535588 * 1.4426950408889634074;
  // Beyond 16 the exponential is infinite, and a must not be.
  Value a = e.minimum(e.abs(x), 16.0);
  Value square = e.mul(a, a);
  Value factor = e.fma(square, kScale * 0.044715, kScale);
  Value exponential = e.exp2Approx(e.mul(a, factor));
  Value reciprocal = e.reciprocalApprox(e.add(exponential, 1.0));
  return e.fma(e.neg(a), reciprocal, e.maximum(x, -0.0));
}
