//===- NarrowSingle.cpp - Shorter formulas for rounded results -----------===//
//
// The expansions of functions in f32 whose result is rounded to at most 16
// bits. At most two instructions of each run at an eighth of the rate of the
// others: ex2 and rcp. Their errors are those of `getNarrowError`; what is not
// said there of NaN, infinity and zero is as for the other expansions.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/NarrowMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr double kLog2E = 1.4426950408889634074;

//===----------------------------------------------------------------------===//
// Functions of one exponential
//===----------------------------------------------------------------------===//

/// The product is off by 2^-18 at most where the exponential is finite.
static Value emitNarrowExp(FloatEmit &e, Value x) {
  return e.exp2Approx(e.mul(x, kLog2E));
}

static Value emitNarrowExpOfMinus(FloatEmit &e, Value x) {
  return e.exp2Approx(e.mul(x, -kLog2E));
}

/// Zero where the exponential is infinite.
static Value emitNarrowSigmoid(FloatEmit &e, Value x) {
  return e.reciprocalApprox(e.add(emitNarrowExpOfMinus(e, x), 1.0));
}

static Value emitNarrowSilu(FloatEmit &e, Value x) {
  // The sigmoid is zero below -96, and infinity must not be multiplied by it.
  // As x times the sigmoid it would be shorter, but ptxas then computes the
  // sigmoids of many elements ahead and spills in the widest tiles.
  Value a = e.minimum(e.abs(x), 96.0);
  Value sigmoid = emitNarrowSigmoid(e, e.neg(a));
  return e.fma(e.neg(a), sigmoid, e.maximum(x, -0.0));
}

/// 1 - 2/(1 + exp(2x)), and near zero, where that has lost its digits, x or
/// x + c·x³.
static Value emitNarrowTanh(FloatEmit &e, Value x, NarrowPrecision precision) {
  Value exponential = e.exp2Approx(e.mul(x, 2.0 * kLog2E));
  Value large = e.fma(-2.0, e.reciprocalApprox(e.add(exponential, 1.0)), 1.0);
  bool isFine = precision == NarrowPrecision::Fine;
  Value small = x;
  if (isFine)
    small = e.mul(x, e.fma(e.mul(x, x), -0x1.54350cp-2, 1.0));
  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, e.abs(x), isFine ? 0.1 : 0.009);
  return e.select(isSmall, small, large);
}

/// max(x, 0) + t·p(t) with t = exp(-|x|), where p is a fit of log(1 + t)/t on
/// [0, 1]: within 2^-14.08, and less where t is small, or within 2^-19.4.
static Value emitNarrowSoftplus(FloatEmit &e, Value x,
                                NarrowPrecision precision) {
  Value t = emitNarrowExpOfMinus(e, e.abs(x));
  Value ratio =
      precision == NarrowPrecision::Fine
          ? e.polynomial(t, {0x1.ffffd6p-1, -0x1.ffddccp-2, 0x1.530a36p-2,
                             -0x1.e15b5ep-3, 0x1.319a6ep-3, -0x1.0ff354p-4,
                             0x1.cf3a16p-7})
          : e.polynomial(t, {0x1.fff932p-1, -0x1.fcf9ccp-2, 0x1.39ea3ep-2,
                             -0x1.432070p-3, 0x1.5401ecp-5});
  return e.fma(t, ratio, e.maximum(x, 0.0));
}

//===----------------------------------------------------------------------===//
// The normal distribution
//===----------------------------------------------------------------------===//

/// Φ(-a) = 2^p(a) for a in [0, 16], where p is a fit of log2(Φ(-a)): within
/// 2^-14.2 and 2^-28, or within 2^-18 and 2^-40. It goes on falling, and 2^p is
/// zero at 16.
static Value emitNarrowNormalTail(FloatEmit &e, Value a,
                                  NarrowPrecision precision) {
  Value exponent =
      precision == NarrowPrecision::Fine
          ? e.polynomial(a, {-0x1.ffff74p-1, -0x1.26b77cp+0, -0x1.d5855ap-2,
                             -0x1.b97286p-5, 0x1.1540c6p-7, -0x1.dfe83ap-11,
                             0x1.f0a5ep-15, -0x1.c55f2cp-20})
          : e.polynomial(a, {-0x1.0004dcp+0, -0x1.265b8cp+0, -0x1.d9c50ap-2,
                             -0x1.942ed6p-5, 0x1.93cbc6p-8, -0x1.74b63cp-12});
  return e.exp2Approx(exponent);
}

/// x·Φ(x) = max(x, 0) - |x|·Φ(-|x|).
static Value emitNarrowGelu(FloatEmit &e, Value x, NarrowPrecision precision) {
  Value a = e.minimum(e.abs(x), 16.0);
  Value tail = emitNarrowNormalTail(e, a, precision);
  return e.fma(e.neg(a), tail, e.maximum(x, -0.0));
}

/// As the f32 expansion has it.
static Value emitNarrowGeluGrad(FloatEmit &e, Value x,
                                NarrowPrecision precision) {
  Value a = e.minimum(e.abs(x), 16.0);
  Value tail = emitNarrowNormalTail(e, a, precision);
  Value exponent =
      e.fma(e.mul(a, a), -0.72134752044448170368, -1.3257480647361593990);
  Value small = e.fma(e.neg(a), e.exp2Approx(exponent), tail);
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  return e.select(isNegative, small, e.sub(1.0, small));
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// t/(1 + t)² with t = exp(-|x|).
static Value emitNarrowSigmoidGrad(FloatEmit &e, Value x) {
  Value t = emitNarrowExpOfMinus(e, e.abs(x));
  Value reciprocal = e.reciprocalApprox(e.add(t, 1.0));
  return e.mul(e.mul(t, reciprocal), reciprocal);
}

/// 4t/(1 + t)² with t = exp(-2|x|); the factor is in the exponent.
static Value emitNarrowTanhGrad(FloatEmit &e, Value x) {
  Value fourfold = e.exp2Approx(e.fma(e.abs(x), -2.0 * kLog2E, 2.0));
  Value reciprocal = e.reciprocalApprox(e.fma(fourfold, 0.25, 1.0));
  return e.mul(e.mul(fourfold, reciprocal), reciprocal);
}

/// s + x·(s - s²) with s = sigmoid(x), which is 0 or 1 at the bounds. A greater
/// bound above would multiply the error that s has near 1.
static Value emitNarrowSiluGrad(FloatEmit &e, Value x) {
  Value bounded = e.minimum(e.maximum(x, -96.0), 20.0);
  Value s = emitNarrowSigmoid(e, bounded);
  return e.fma(bounded, e.fma(e.neg(s), s, s), s);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

Value nvvm::emitNarrow(FloatEmit &e, Operation *op, Value x,
                       NarrowPrecision precision) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return emitNarrowExp(e, x); })
      .Case([&](math::Exp2Op) { return e.exp2Approx(x); })
      .Case<TanhOp, math::TanhOp>(
          [&](auto) { return emitNarrowTanh(e, x, precision); })
      .Case<SigmoidOp, SoftplusGradOp>(
          [&](auto) { return emitNarrowSigmoid(e, x); })
      .Case([&](SiluOp) { return emitNarrowSilu(e, x); })
      .Case([&](SoftplusOp) { return emitNarrowSoftplus(e, x, precision); })
      .Case([&](SigmoidGradOp) { return emitNarrowSigmoidGrad(e, x); })
      .Case([&](TanhGradOp) { return emitNarrowTanhGrad(e, x); })
      .Case([&](SiluGradOp) { return emitNarrowSiluGrad(e, x); })
      .Case([&](GeluOp gelu) {
        return gelu.getForm() == GeluForm::Erf ? emitNarrowGelu(e, x, precision)
                                               : Value();
      })
      .Case([&](GeluGradOp gelu) {
        return gelu.getForm() == GeluForm::Erf
                   ? emitNarrowGeluGrad(e, x, precision)
                   : Value();
      })
      .Default([](Operation *) { return Value(); });
}
