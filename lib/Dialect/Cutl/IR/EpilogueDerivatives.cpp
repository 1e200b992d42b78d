//===- EpilogueDerivatives.cpp - Derivatives of activations ---------------===//
//
// For each op its cost, its value in double precision, and its formula in arith
// and math ops.
//
//===----------------------------------------------------------------------===//

#include "EpilogueFormula.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

static constexpr double kSqrtHalf = 0.70710678118654752440;
/// φ(0) = 1/√(2π).
static constexpr double kDensity = 0.39894228040143267794;
/// The tanh form's v = kLinear·x + kCubic·x³.
static constexpr double kLinear = 2.0 * 0.79788456080286535588;
static constexpr double kCubic = kLinear * 0.044715;

/// Beyond these the derivatives have reached 0 or 1 in every type up to f64.
/// Clamping the operand to them changes no result and keeps `inf · 0` from
/// arising.
static constexpr double kGeluClamp = 40.0;
static constexpr double kSiluClamp = 1024.0;

/// What a formula is granted in which an approximate reciprocal is squared.
static constexpr double kSquare = 1.25 * kActivation;

/// A target whose exponential has no subnormal numbers loses this at most, by
/// the factors of the least one that it has.
static constexpr double kFlushed = 0x1p-118;

/// Where the derivatives turn: at zero, or on both sides of it.
static constexpr double kSiluTurn = 2.3993572805154335;
static constexpr double kGeluErfTurn = 1.4142135623730951;
static constexpr double kGeluTanhTurn = 1.4185040088;

//===----------------------------------------------------------------------===//
// Piecewise
//===----------------------------------------------------------------------===//

/// `x > 0 ? 1 : otherwise`, and NaN for NaN.
static Value emitStep(Formula &f, Value x, double otherwise) {
  Value lower =
      f.select(arith::CmpFPredicate::UNO, x, x, x, f.constant(otherwise));
  return f.select(arith::CmpFPredicate::OGT, x, f.constant(0.0),
                  f.constant(1.0), lower);
}

static double evaluateStep(double x, double otherwise) {
  if (std::isnan(x))
    return x;
  return x > 0.0 ? 1.0 : otherwise;
}

EpilogueCost ReluGradOp::getEpilogueCost() { return {4.0, 0.0}; }

RefValue ReluGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  return evaluateUnary([](double x) { return evaluateStep(x, 0.0); },
                       operands[0]);
}

Value ReluGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> x) { return emitStep(f, x[0], 0.0); });
}

LogicalResult LeakyReluGradOp::verify() {
  if (!getSlope().isFinite())
    return emitOpError("expected a finite slope, got ")
           << getSlope().convertToDouble();
  return success();
}

EpilogueCost LeakyReluGradOp::getEpilogueCost() { return {4.0, 0.0}; }

RefValue LeakyReluGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  double slope = getSlope().convertToDouble();
  RefValue x = operands[0];
  RefValue result =
      evaluateUnary([&](double v) { return evaluateStep(v, slope); }, x);
  if (x.value - x.error <= 0.0) {
    FloatType type = getComputeType(getType());
    result.error += getDistance(roundToNearest(type, slope), slope);
  }
  return getComputeType(getType()) == getType()
             ? result
             : roundToType(getType(), result);
}

Value LeakyReluGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  double slope = getSlope().convertToDouble();
  return expandInComputeType(
      *this, builder, operands,
      [&](Formula &f, ArrayRef<Value> x) { return emitStep(f, x[0], slope); });
}

EpilogueCost HardswishGradOp::getEpilogueCost() { return {6.0, 0.0}; }

RefValue HardswishGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    if (x <= -3.0)
      return 0.0;
    return x >= 3.0 ? 1.0 : (x + 1.5) / 3.0;
  };
  auto steps = [&](RefValue x) {
    if (!(std::fabs(x.value) < 3.0))
      return RefValue{exact(x.value), 0.0};
    return refMul(type, refAdd(type, x, {1.5, 0.0}),
                  roundToType(type, {1.0 / 3.0, 0.0}));
  };
  // It jumps to its extremes.
  double turns[] = {std::nextafter(-3.0, 0.0), std::nextafter(3.0, 0.0)};
  return evaluateSteps(getType(), operands[0], exact, steps, turns);
}

Value HardswishGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  using P = arith::CmpFPredicate;
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        Value middle = f.mul(f.add(x[0], 1.5), 1.0 / 3.0);
        Value upper =
            f.select(P::OGE, x[0], f.constant(3.0), f.constant(1.0), middle);
        return f.select(P::OLE, x[0], f.constant(-3.0), f.constant(0.0), upper);
      });
}

//===----------------------------------------------------------------------===//
// Of the logistic function
//===----------------------------------------------------------------------===//

namespace {
/// sigmoid(-a) and its derivative, for a >= 0.
template <typename T> struct Logistic { T value, derivative; };
} // namespace

static Logistic<double> evaluateLogistic(double a) {
  double exponential = std::exp(-a), sum = 1.0 + exponential;
  double value = exponential / sum;
  return {value, value / sum};
}

static Logistic<RefValue> refLogistic(Type type, RefValue a) {
  RefValue exponential =
      refCall(type, [](double v) { return std::exp(v); }, {-a.value, a.error});
  RefValue sum = refAdd(type, exponential, {1.0, 0.0});
  RefValue value = refDiv(type, exponential, sum);
  return {value, refDiv(type, value, sum)};
}

static Logistic<Value> emitLogistic(Formula &f, Value a) {
  Value exponential = f.expMinus(a);
  Value sum = f.add(exponential, 1.0);
  Value value = f.div(exponential, sum);
  return {value, f.div(value, sum)};
}

EpilogueCost SigmoidGradOp::getEpilogueCost() { return {4.0, 2.0}; }

RefValue SigmoidGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    return evaluateLogistic(std::fabs(x)).derivative;
  };
  auto steps = [&](RefValue x) {
    return refLogistic(type, {std::fabs(x.value), x.error}).derivative;
  };
  return evaluateSteps(getType(), operands[0], exact, steps, 0.0, kSquare);
}

Value SigmoidGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        return emitLogistic(f, f.emit<math::AbsFOp>(x[0])).derivative;
      });
}

EpilogueCost TanhGradOp::getEpilogueCost() { return {5.0, 2.0}; }

RefValue TanhGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    return 4.0 * evaluateLogistic(2.0 * std::fabs(x)).derivative;
  };
  auto steps = [&](RefValue x) {
    RefValue twice{2.0 * std::fabs(x.value), 2.0 * x.error};
    return refMul(type, refLogistic(type, twice).derivative, {4.0, 0.0});
  };
  return evaluateSteps(getType(), operands[0], exact, steps, 0.0, kSquare);
}

Value TanhGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        Value a = f.emit<math::AbsFOp>(x[0]);
        return f.mul(emitLogistic(f, f.add(a, a)).derivative, 4.0);
      });
}

EpilogueCost SoftplusGradOp::getEpilogueCost() { return {1.0, 2.0}; }

RefValue SoftplusGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  auto steps = [&](RefValue x) {
    RefValue exponential = refCall(type, [](double v) { return std::exp(v); },
                                   {-x.value, x.error});
    return refDiv(type, {1.0, 0.0}, refAdd(type, exponential, {1.0, 0.0}));
  };
  return evaluateSteps(getType(), operands[0], exact, steps);
}

Value SoftplusGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        return f.div(f.constant(1.0), f.add(f.expMinus(x[0]), 1.0));
      });
}

LogicalResult SoftplusGradOp::canonicalize(SoftplusGradOp op,
                                           PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<SigmoidOp>(op, op.getType(), op.getX());
  return success();
}

//===----------------------------------------------------------------------===//
// Of x·sigmoid(v(x)) with an odd v: y(-a) = s - a·s'·v'(a) and y(a) = 1 - y(-a)
//===----------------------------------------------------------------------===//

static double clampMagnitude(double x, double bound) {
  double a = std::fabs(x);
  return a > bound ? bound : a;
}

static double reflect(double x, double small) {
  return x < 0.0 ? small : 1.0 - small;
}

static RefValue refReflect(Type type, RefValue x, RefValue small) {
  return x.value < 0.0 ? small
                       : refAdd(type, {1.0, 0.0}, {-small.value, small.error});
}

/// s - a·s'·slope.
static RefValue refLowerHalf(Type type, RefValue a, Logistic<RefValue> s,
                             RefValue slope) {
  RefValue product = refMul(type, refMul(type, a, s.derivative), slope);
  return refAdd(type, s.value, {-product.value, product.error});
}

static Value emitReflected(Formula &f, Value x, Value small) {
  return f.select(arith::CmpFPredicate::OLT, x, f.constant(0.0), small,
                  f.sub(f.constant(1.0), small));
}

EpilogueCost SiluGradOp::getEpilogueCost() { return {8.0, 2.0}; }

RefValue SiluGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    double a = clampMagnitude(x, kSiluClamp);
    Logistic<double> s = evaluateLogistic(a);
    return reflect(x, s.value - a * s.derivative);
  };
  auto steps = [&](RefValue x) {
    RefValue a{clampMagnitude(x.value, kSiluClamp), x.error};
    return refReflect(type, x,
                      refLowerHalf(type, a, refLogistic(type, a), {1.0, 0.0}));
  };
  return evaluateSteps(getType(), operands[0], exact, steps,
                       {-kSiluTurn, kSiluTurn});
}

Value SiluGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        Value a = f.clampAbove(f.emit<math::AbsFOp>(x[0]), kSiluClamp);
        Logistic<Value> s = emitLogistic(f, a);
        Value small = f.sub(s.value, f.mul(a, s.derivative));
        return emitReflected(f, x[0], small);
      });
}

//===----------------------------------------------------------------------===//
// Of gelu
//===----------------------------------------------------------------------===//

EpilogueCost GeluGradOp::getEpilogueCost() {
  return getForm() == GeluForm::Erf ? EpilogueCost{16.0, 2.0}
                                    : EpilogueCost{12.0, 2.0};
}

static double evaluateGeluGrad(GeluForm form, double x) {
  double a = clampMagnitude(x, kGeluClamp);
  if (form == GeluForm::Erf) {
    double tail = 0.5 * std::erfc(a * kSqrtHalf);
    double density = kDensity * std::exp(-0.5 * a * a);
    return reflect(x, tail - a * density);
  }
  double square = a * a;
  Logistic<double> s = evaluateLogistic(a * (kLinear + kCubic * square));
  double slope = kLinear + 3.0 * kCubic * square;
  return reflect(x, s.value - a * s.derivative * slope);
}

/// Φ(x) + x·φ(x), from erf.
static RefValue refGeluErfGrad(Type type, RefValue x) {
  x.value = std::copysign(clampMagnitude(x.value, kGeluClamp), x.value);
  RefValue argument = refMul(type, x, roundToType(type, {kSqrtHalf, 0.0}));
  RefValue half =
      refMul(type,
             refCall(
                 type, [](double v) { return std::erf(v); }, argument),
             {0.5, 0.0});
  RefValue exponent = refMul(type, refMul(type, x, x), {-0.5, 0.0});
  RefValue density =
      refMul(type,
             refCall(
                 type, [](double v) { return std::exp(v); }, exponent),
             roundToType(type, {kDensity, 0.0}));
  return refAdd(type, refAdd(type, half, {0.5, 0.0}), refMul(type, x, density));
}

static RefValue refGeluTanhGrad(Type type, RefValue x) {
  RefValue linear = roundToType(type, {kLinear, 0.0});
  RefValue a{clampMagnitude(x.value, kGeluClamp), x.error};
  RefValue square = refMul(type, a, a);
  RefValue cubic = refMul(type, square, roundToType(type, {kCubic, 0.0}));
  RefValue v = refMul(type, a, refAdd(type, cubic, linear));
  RefValue slope =
      refAdd(type, refMul(type, square, roundToType(type, {3.0 * kCubic, 0.0})),
             linear);
  return refReflect(type, x,
                    refLowerHalf(type, a, refLogistic(type, v), slope));
}

RefValue GeluGradOp::evaluateReference(ArrayRef<RefValue> operands) {
  GeluForm form = getForm();
  FloatType type = getComputeType(getType());
  auto steps = [&](RefValue x) {
    return form == GeluForm::Erf ? refGeluErfGrad(type, x)
                                 : refGeluTanhGrad(type, x);
  };
  double turn = form == GeluForm::Erf ? kGeluErfTurn : kGeluTanhTurn;
  RefValue result = evaluateSteps(
      getType(), operands[0],
      [&](double x) { return evaluateGeluGrad(form, x); }, steps,
      {-turn, turn});
  if (type.isF32() && !std::isnan(result.value))
    result.error += kFlushed;
  return result;
}

Value GeluGradOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  bool isErf = getForm() == GeluForm::Erf;
  return expandInComputeType(
      *this, builder, operands, [&](Formula &f, ArrayRef<Value> operand) {
        if (isErf) {
          Value x =
              f.clampAbove(f.clampBelow(operand[0], -kGeluClamp), kGeluClamp);
          Value half = f.mul(f.emit<math::ErfOp>(f.mul(x, kSqrtHalf)), 0.5);
          Value density =
              f.mul(f.emit<math::ExpOp>(f.mul(f.mul(x, x), -0.5)), kDensity);
          return f.add(f.add(half, 0.5), f.mul(x, density));
        }
        Value a = f.clampAbove(f.emit<math::AbsFOp>(operand[0]), kGeluClamp);
        Value square = f.mul(a, a);
        Value v = f.mul(a, f.add(f.mul(square, kCubic), kLinear));
        Value slope = f.add(f.mul(square, 3.0 * kCubic), kLinear);
        Logistic<Value> s = emitLogistic(f, v);
        Value product = f.mul(f.mul(a, s.derivative), slope);
        return emitReflected(f, operand[0], f.sub(s.value, product));
      });
}
