//===- Activations.cpp - Activations and derivatives in either type -------===//
//
// Formulas that are the same in f32 and in f64 but for their exponential and
// their reciprocal.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// exp(-a) for a >= 0; NaN for NaN.
static Value emitExpOfMinus(FloatEmit &e, Value a) {
  return e.type.isF64() ? emitExpDouble(e, e.neg(a))
                        : emitExpOfMinusSingle(e, a);
}

static Value emitReciprocal(FloatEmit &e, Value x) {
  return e.type.isF64() ? e.div(1.0, x) : e.reciprocalApprox(x);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Zero of either sign gives 0.0.
Value nvvm::emitRelu(FloatEmit &e, Value x) { return e.maximum(x, 0.0); }

/// As it is defined, without the comparisons.
Value nvvm::emitHardswish(FloatEmit &e, Value x) {
  Value bounded = e.maximum(x, -3.0);
  Value sum = e.minimum(e.add(bounded, 3.0), 6.0);
  return e.mul(bounded, e.mul(sum, 1.0 / 6.0));
}

/// max(x, 0) + log(1 + t) with t = exp(-|x|): on [0, 1] log(1 + t) is
/// t + t²·p(t) with a relative error of 2^-25.2.
Value nvvm::emitSoftplusSingle(FloatEmit &e, Value x) {
  Value t = emitExpOfMinusSingle(e, e.abs(x));
  Value sum = e.polynomial(t, {-0x1.fffff8p-2, 0x1.5553a6p-2, -0x1.ffc41ep-3,
                               0x1.978278p-3, -0x1.4a5426p-3, 0x1.fea728p-4,
                               -0x1.544558p-4, 0x1.57e914p-5, -0x1.beaccp-7,
                               0x1.0fb446p-9});
  Value logarithm = e.fma(e.mul(t, t), sum, t);
  return e.add(e.maximum(x, 0.0), logarithm);
}

Value nvvm::emitSoftplusDouble(FloatEmit &e, Value x) {
  Value logarithm = emitLog1pDouble(e, emitExpOfMinus(e, e.abs(x)));
  return e.add(e.maximum(x, 0.0), logarithm);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

namespace {
/// s = t/(1 + t) and s' = t/(1 + t)².
struct Logistic {
  Value value, derivative;
};
} // namespace

static Logistic emitLogistic(FloatEmit &e, Value t) {
  Value reciprocal = emitReciprocal(e, e.add(t, 1.0));
  Value value = e.mul(t, reciprocal);
  return {value, e.mul(value, reciprocal)};
}

/// `small` below zero and 1 - small above.
static Value emitReflected(FloatEmit &e, Value x, Value small) {
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  return e.select(isNegative, small, e.sub(1.0, small));
}

Value nvvm::emitSigmoidGrad(FloatEmit &e, Value x) {
  return emitLogistic(e, emitExpOfMinus(e, e.abs(x))).derivative;
}

Value nvvm::emitTanhGrad(FloatEmit &e, Value x) {
  Value a = e.abs(x);
  Value t = emitExpOfMinus(e, e.add(a, a));
  return e.mul(emitLogistic(e, t).derivative, 4.0);
}

Value nvvm::emitSiluGrad(FloatEmit &e, Value x) {
  // Beyond 1024 the exponential is zero, and x must not be infinite.
  Value a = e.minimum(e.abs(x), 1024.0);
  auto [value, derivative] = emitLogistic(e, emitExpOfMinus(e, a));
  return emitReflected(e, x, e.fma(e.neg(a), derivative, value));
}

/// s - a·v'·s' with v = √(8/π)·(a + 0.044715·a³) and s = sigmoid(-v).
Value nvvm::emitGeluTanhGrad(FloatEmit &e, Value x) {
  constexpr double kLinear = 2.0 * 0.79788456080286535588;
  constexpr double kCubic = kLinear * 0.044715;
  constexpr double kLog2E = 1.4426950408889634074;
  Value a = e.minimum(e.abs(x), 40.0);
  Value square = e.mul(a, a);
  // In f32 the instruction takes the exponent to the base of 2.
  Value t;
  if (e.type.isF64())
    t = emitExpOfMinus(e, e.mul(a, e.fma(square, kCubic, kLinear)));
  else
    t = e.exp2Approx(
        e.mul(a, e.fma(square, -kLog2E * kCubic, -kLog2E * kLinear)));
  auto [value, derivative] = emitLogistic(e, t);
  Value slope = e.fma(square, 3.0 * kCubic, kLinear);
  Value factor = e.mul(a, slope);
  return emitReflected(e, x, e.fma(e.neg(factor), derivative, value));
}
