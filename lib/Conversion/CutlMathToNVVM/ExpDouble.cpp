//===- ExpDouble.cpp - exp, sigmoid and tanh in f64 ----------------------===//
//
// No approximate instruction is good enough for f64: everything is polynomials
// and divisions.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
static constexpr double kLn2Rest = 0x1.abc9e3b39803fp-56;

/// Adding this to |n| < 2^51 leaves round(n) in the low bits.
static constexpr double kRound = 0x1.8p52;

/// (exp(r) - 1 - r)/r² for |r| <= ln(2)/2.
static Value emitExpPolynomial(FloatEmit &e, Value r) {
  return e.polynomial(r, {0x1.0p-1, 0x1.555555555555cp-3, 0x1.555555555555ep-5,
                          0x1.111111110ebbap-7, 0x1.6c16c16c135e2p-10,
                          0x1.a01a01b3b81b8p-13, 0x1.a01a01b43dd9ep-16,
                          0x1.71ddef9b72543p-19, 0x1.27e4bf5dd4b1bp-22,
                          0x1.af6cbf5b58b7ap-26, 0x1.1f9daf676e9b8p-29});
}

/// 2^n·exp(r) for |r| <= ln(2)/2 and `rounded` = n + kRound with |n| <= 1100.
/// The scale is applied in two steps, so that the result may be subnormal or
/// infinite.
static Value emitScaledExp(FloatEmit &e, Value rounded, Value r) {
  Value power = e.fma(e.fma(emitExpPolynomial(e, r), r, 1.0), r, 1.0);
  Value bits = e.toBits(rounded);
  // The integer is in the low 32 bits; half of it goes to either scale.
  Value n = e.shrSigned(e.shl(bits, 32), 32);
  Value half = e.shrSigned(n, 1);
  for (Value part : {half, e.subInt(n, half)})
    power = e.mul(power, e.fromBits(e.shl(e.addInt(part, 1023), 52)));
  return power;
}

Value nvvm::emitExpDouble(FloatEmit &e, Value x, Value rest) {
  Value bounded = e.clampAbove(e.clampBelow(x, -750.0), 710.0);
  Value rounded = e.fma(bounded, 0x1.71547652b82fep+0, kRound);
  Value n = e.sub(rounded, kRound);
  Value r = e.fma(n, -kLn2, bounded);
  r = e.fma(n, -kLn2Rest, r);
  if (rest)
    r = e.add(r, rest);
  return emitScaledExp(e, rounded, r);
}

Value nvvm::emitExpDouble(FloatEmit &e, Value x) {
  return emitExpDouble(e, x, Value());
}

Value nvvm::emitExp2Double(FloatEmit &e, Value x) {
  Value bounded = e.clampAbove(e.clampBelow(x, -1080.0), 1025.0);
  Value rounded = e.add(bounded, kRound);
  Value fraction = e.sub(bounded, e.sub(rounded, kRound));
  return emitScaledExp(e, rounded, e.mul(fraction, kLn2));
}

/// As in f32: half of 2^n·(exp(r) - 1) + 2^n - 1, doubled.
Value nvvm::emitExpm1Double(FloatEmit &e, Value x) {
  Value bounded = e.clampAbove(e.clampBelow(x, -40.0), 710.0);
  Value rounded = e.fma(bounded, 0x1.71547652b82fep+0, kRound);
  Value n = e.sub(rounded, kRound);
  Value r = e.fma(n, -kLn2, bounded);
  r = e.fma(n, -kLn2Rest, r);
  Value power = e.fma(e.mul(r, r), emitExpPolynomial(e, r), r);
  // The integer in the low bits becomes the exponent field of 2^(n - 1).
  Value scale = e.fromBits(e.shl(e.addInt(e.toBits(rounded), 1022), 52));
  Value half = e.fma(scale, power, e.sub(scale, 0.5));
  return e.copySign(e.add(half, half), x);
}

/// exp(x)/(1 + exp(x)) for negative x, 1/(1 + exp(-x)) otherwise.
Value nvvm::emitSigmoidDouble(FloatEmit &e, Value x) {
  Value exponential = emitExpDouble(e, e.neg(e.abs(x)));
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  Value numerator = e.select(isNegative, exponential, 1.0);
  return e.div(numerator, e.add(exponential, 1.0));
}

/// x·sigmoid(x); below -1000 sigmoid is zero, and x must not be infinite.
Value nvvm::emitSiluDouble(FloatEmit &e, Value x) {
  Value bounded = e.clampBelow(x, -1000.0);
  return e.mul(bounded, emitSigmoidDouble(e, bounded));
}

/// x·sigmoid(2u) with u = √(2/π)·(x + 0.044715·x³), which is x/2·(1 + tanh(u)).
Value nvvm::emitGeluTanhDouble(FloatEmit &e, Value x) {
  constexpr double kScale = 2.0 * 0.79788456080286535588;
  // The result is -0.0 below -32.
  Value bounded = e.clampBelow(x, -32.0);
  Value square = e.mul(bounded, bounded);
  Value factor = e.fma(square, kScale * 0.044715, kScale);
  Value sigmoid = emitSigmoidDouble(e, e.mul(bounded, factor));
  return e.mul(bounded, sigmoid);
}

/// 1 - 2/(1 + exp(2|x|)) with the sign of x, and near zero an odd polynomial of
/// degree 21.
Value nvvm::emitTanhDouble(FloatEmit &e, Value x) {
  Value a = e.abs(x);
  Value exponential = emitExpDouble(e, e.add(a, a));
  Value quotient = e.div(2.0, e.add(exponential, 1.0));
  Value large = e.sub(1.0, quotient);
  Value square = e.mul(x, x);
  Value sum =
      e.polynomial(square, {-0x1.55555555554a4p-2, 0x1.111111110306ep-3,
                            -0x1.ba1ba1adc0fdep-5, 0x1.664f45d0c24bcp-6,
                            -0x1.226ddea823234p-7, 0x1.d6c647c312e1bp-9,
                            -0x1.7cf549b42ff1ep-10, 0x1.2fab505764b5fp-11,
                            -0x1.b940c27b3e3e5p-13, 0x1.ac9371d65e8cfp-15});
  Value small = e.fma(e.mul(sum, square), a, a);
  Value isSmall = e.compare(arith::CmpFPredicate::OLT, a, 0.55);
  return e.copySign(e.select(isSmall, small, large), x);
}
