//===- ErfDouble.cpp - The error function and gelu in f64 ----------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

namespace {
/// The upper tail of the normal distribution, Φ(-a), and exp(-a²/2).
struct NormalTail {
  Value tail, exponential;
};
} // namespace

/// For a in [0, 40]: exp(-a²/2)·g(a), where g·(1 + a) is a polynomial in
/// (a - 4)/(a + 4).
static NormalTail emitNormalTail(FloatEmit &e, Value a) {
  Value square = e.mul(a, a);
  Value squareRest = e.fma(a, a, e.neg(square));
  Value minusHalf = e.mul(square, -0.5);
  Value restHalf = e.mul(squareRest, -0.5);
  Value exponential = emitExpDouble(e, minusHalf, restHalf);
  // One division for both quotients.
  Value plusOne = e.add(a, 1.0);
  Value plusFour = e.add(a, 4.0);
  Value inverse = e.div(1.0, e.mul(plusOne, plusFour));
  Value t = e.mul(e.mul(e.sub(a, 4.0), plusOne), inverse);
  Value sum = e.polynomial(
      t,
      {0x1.e361ea6fba141p-2,   -0x1.8c18f2086e33dp-4,  0x1.cabd72a610815p-7,
       0x1.d4969f10de957p-6,   -0x1.07c3c25838bcap-5,  0x1.25dd72062d02bp-6,
       -0x1.47d5fc6bf4f11p-8,  -0x1.2b7f5e98c2404p-12, 0x1.6c538027b21b4p-11,
       -0x1.8c11a070e52f4p-14, -0x1.707b1f089b690p-14, 0x1.6482dc9bdf26ap-16,
       0x1.c92d0bf0289f2p-17,  -0x1.cc90aaa178f14p-19, -0x1.5e002e93eaca8p-19,
       0x1.b1a93db163e0cp-22,  0x1.23916a86cf022p-21,  0x1.760bbcf984df4p-31,
       -0x1.b3b762ff6eeefp-24, -0x1.2bda65d55cac7p-26, 0x1.963d35c52ca45p-27,
       0x1.0e5c4a8f6c010p-28});
  Value tail = e.mul(exponential, e.mul(sum, e.mul(plusFour, inverse)));
  return {tail, exponential};
}

/// 1 - 2Φ(-√2·|x|) with the sign of x, and below 1 x + x·p(x²).
Value nvvm::emitErfDouble(FloatEmit &e, Value x) {
  Value a = e.abs(x);
  // 1 - erf(6) is below half an ulp of 1.
  Value scaled = e.mul(e.clampAbove(a, 6.0), 0x1.6a09e667f3bcdp+0);
  Value tail = emitNormalTail(e, scaled).tail;
  Value large = e.fma(-2.0, tail, 1.0);
  Value sum = e.polynomial(
      e.mul(x, x),
      {0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b34p-4,
       -0x1.b82ce31284f38p-6, 0x1.565bcd0dbd920p-8, -0x1.c02db3db498fep-11,
       0x1.f9a321e4be2e3p-14, -0x1.f4d1e4355d62bp-17, 0x1.b9df3066d9213p-20,
       -0x1.5f1f416045dedp-23, 0x1.f7b9a2491ca80p-27, -0x1.38ac32d0e2f64p-30,
       0x1.062788f6fb11dp-34});
  Value small = e.fma(sum, a, a);
  Value isSmall = e.compare(arith::CmpFPredicate::OLT, a, 1.0);
  return e.copySign(e.select(isSmall, small, large), x);
}

/// x·Φ(x) = max(x, 0) - |x|·Φ(-|x|).
Value nvvm::emitGeluErfDouble(FloatEmit &e, Value x) {
  Value a = e.clampAbove(e.abs(x), 40.0);
  Value tail = emitNormalTail(e, a).tail;
  Value positive = e.maximum(x, -0.0);
  return e.fma(e.neg(a), tail, positive);
}

/// As in f32, with the exponential of the tail for the density.
Value nvvm::emitGeluErfGradDouble(FloatEmit &e, Value x) {
  Value a = e.clampAbove(e.abs(x), 40.0);
  auto [tail, exponential] = emitNormalTail(e, a);
  Value density = e.mul(exponential, 0.39894228040143267794);
  Value small = e.fma(e.neg(a), density, tail);
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  return e.select(isNegative, small, e.sub(1.0, small));
}
