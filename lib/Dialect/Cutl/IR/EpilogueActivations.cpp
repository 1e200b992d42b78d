//===- EpilogueActivations.cpp - Activations made of functions ------------===//
//
// gelu, silu, sigmoid, tanh and softplus: for each its cost, its value in
// double precision, and its formula in arith and math ops.
//
//===----------------------------------------------------------------------===//

#include "EpilogueFormula.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

static constexpr double kSqrtHalf = 0.70710678118654752440;
static constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
static constexpr double kGeluCubic = 0.044715;

/// Both forms of gelu are -0.0 below this in every type up to f64, since erf
/// and tanh have reached -1 there. Clamping the operand to it changes no result
/// and keeps `-inf · 0` from arising.
static constexpr double kGeluClamp = -16.0;

/// The same for silu, where exp(1024) is infinite in every type up to f64, and
/// `-inf / inf` would arise.
static constexpr double kSiluClamp = -1024.0;

/// Where the functions turn from falling to rising.
static constexpr double kGeluErfTurn = -0.7517915246935645;
static constexpr double kGeluTanhTurn = -0.7524614220710162;
static constexpr double kSiluTurn = -1.2784645427610738;

//===----------------------------------------------------------------------===//
// Reference evaluation
//===----------------------------------------------------------------------===//

EpilogueCost GeluOp::getEpilogueCost() {
  return getForm() == GeluForm::Erf ? EpilogueCost{5.0, 1.0}
                                    : EpilogueCost{8.0, 1.0};
}

static double evaluateGelu(GeluForm form, double x) {
  if (x < 64.0 * kGeluClamp)
    return -0.0;
  if (form == GeluForm::Erf) {
    // erfc keeps the small values that 1 + erf(x) cancels away.
    return 0.5 * x * std::erfc(-x * kSqrtHalf);
  }
  double argument = kSqrtTwoOverPi * (x + kGeluCubic * x * x * x);
  // 1 + tanh(t) = 2 / (1 + exp(-2t)), likewise.
  return x / (1.0 + std::exp(-2.0 * argument));
}

RefValue GeluOp::evaluateReference(ArrayRef<RefValue> operands) {
  GeluForm form = getForm();
  FloatType type = getComputeType(getType());
  auto steps = [&](RefValue x) {
    x.value = x.value < kGeluClamp ? kGeluClamp : x.value;
    RefValue half = refMul(type, x, {0.5, 0.0});
    RefValue inner;
    if (form == GeluForm::Erf) {
      RefValue argument = refMul(type, x, roundToType(type, {kSqrtHalf, 0.0}));
      inner = refCall(
          type, [](double v) { return std::erf(v); }, argument);
    } else {
      RefValue cubic = refMul(type, refMul(type, x, x), x);
      RefValue sum = refAdd(
          type, x, refMul(type, cubic, roundToType(type, {kGeluCubic, 0.0})));
      RefValue argument =
          refMul(type, sum, roundToType(type, {kSqrtTwoOverPi, 0.0}));
      inner = refCall(
          type, [](double v) { return std::tanh(v); }, argument);
    }
    return refMul(type, half, refAdd(type, inner, {1.0, 0.0}));
  };
  double turn = form == GeluForm::Erf ? kGeluErfTurn : kGeluTanhTurn;
  return evaluateSteps(
      getType(), operands[0], [&](double x) { return evaluateGelu(form, x); },
      steps, turn);
}

EpilogueCost SiluOp::getEpilogueCost() { return {2.0, 2.0}; }

RefValue SiluOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    return x < kSiluClamp ? -0.0 : x / (1.0 + std::exp(-x));
  };
  auto steps = [&](RefValue x) {
    x.value = x.value < kSiluClamp ? kSiluClamp : x.value;
    RefValue exponential = refCall(type, [](double v) { return std::exp(v); },
                                   {-x.value, x.error});
    return refDiv(type, x, refAdd(type, exponential, {1.0, 0.0}));
  };
  return evaluateSteps(getType(), operands[0], exact, steps, kSiluTurn);
}

EpilogueCost SigmoidOp::getEpilogueCost() { return {1.0, 2.0}; }

RefValue SigmoidOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  auto steps = [&](RefValue x) {
    RefValue exponential = refCall(type, [](double v) { return std::exp(v); },
                                   {-x.value, x.error});
    return refDiv(type, {1.0, 0.0}, refAdd(type, exponential, {1.0, 0.0}));
  };
  return evaluateSteps(getType(), operands[0], exact, steps);
}

EpilogueCost TanhOp::getEpilogueCost() { return {0.0, 1.0}; }

RefValue TanhOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) { return std::tanh(x); };
  auto steps = [&](RefValue x) {
    return refCall(
        type, [](double v) { return std::tanh(v); }, x);
  };
  return evaluateSteps(getType(), operands[0], exact, steps);
}

EpilogueCost SoftplusOp::getEpilogueCost() { return {13.0, 1.0}; }

RefValue SoftplusOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    double tail = std::log1p(std::exp(-std::fabs(x)));
    return x > 0.0 ? x + tail : tail;
  };
  auto steps = [&](RefValue x) {
    RefValue exponential = refCall(type, [](double v) { return std::exp(v); },
                                   {-std::fabs(x.value), 0.0});
    RefValue tail = refCall(
        type, [](double v) { return std::log1p(v); }, exponential);
    return refAdd(type, {x.value > 0.0 ? x.value : 0.0, 0.0}, tail);
  };
  return evaluateSteps(getType(), operands[0], exact, steps);
}

//===----------------------------------------------------------------------===//
// Expansion to arith and math
//===----------------------------------------------------------------------===//

Value GeluOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  bool isErf = getForm() == GeluForm::Erf;
  return expandInComputeType(
      *this, builder, operands, [&](Formula &f, ArrayRef<Value> operand) {
        Value x = f.clampBelow(operand[0], kGeluClamp);
        Value inner;
        if (isErf) {
          inner = f.emit<math::ErfOp>(
              f.emit<arith::MulFOp>(x, f.constant(kSqrtHalf)));
        } else {
          Value cubic = f.emit<arith::MulFOp>(f.emit<arith::MulFOp>(x, x), x);
          Value sum = f.emit<arith::AddFOp>(
              x, f.emit<arith::MulFOp>(cubic, f.constant(kGeluCubic)));
          inner = f.emit<math::TanhOp>(
              f.emit<arith::MulFOp>(sum, f.constant(kSqrtTwoOverPi)));
        }
        Value half = f.emit<arith::MulFOp>(x, f.constant(0.5));
        return f.emit<arith::MulFOp>(
            half, f.emit<arith::AddFOp>(inner, f.constant(1.0)));
      });
}

Value SiluOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(*this, builder, operands,
                             [](Formula &f, ArrayRef<Value> operand) {
                               Value x = f.clampBelow(operand[0], kSiluClamp);
                               return f.div(x, f.add(f.expMinus(x), 1.0));
                             });
}

Value SigmoidOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        return f.div(f.constant(1.0), f.add(f.expMinus(x[0]), 1.0));
      });
}

Value TanhOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> x) { return f.emit<math::TanhOp>(x[0]); });
}

Value SoftplusOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        Value tail =
            f.emit<math::Log1pOp>(f.expMinus(f.emit<math::AbsFOp>(x[0])));
        return f.add(f.emit<arith::MaximumFOp>(x[0], f.constant(0.0)), tail);
      });
}
