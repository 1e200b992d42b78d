//===- CutlEpilogueOps.cpp - Operations of epilogue regions --------------===//
//
// For each op its cost, its value in double precision, and its formula in arith
// and math ops.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// Constants of the formulas
//===----------------------------------------------------------------------===//

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

/// What an activation is granted as a whole, in half units in the last place: a
/// target may evaluate it in another form than by its steps, from an exponential
/// and a reciprocal that are both approximate.
static constexpr double kActivation = 2.0 * kTranscendental;

/// Where the functions turn from falling to rising.
static constexpr double kGeluErfTurn = -0.7517915246935645;
static constexpr double kGeluTanhTurn = -0.7524614220710162;
static constexpr double kSiluTurn = -1.2784645427610738;

//===----------------------------------------------------------------------===//
// Reference evaluation
//===----------------------------------------------------------------------===//

/// The type in which the formula of an op of type `type` is computed: f16, bf16
/// and narrower ones are computed in f32.
static FloatType getComputeType(Type type) {
  auto floatType = cast<FloatType>(type);
  return floatType.getWidth() < 32 ? Float32Type::get(type.getContext())
                                   : floatType;
}

/// Bounds `exact(x)` for a computation that follows `steps`, the same formula
/// with the rounding of each step, or another form of it. What the steps add is
/// taken at the operand's value and at both ends of its error.
static RefValue evaluateSteps(Type type, RefValue x,
                              function_ref<double(double)> exact,
                              function_ref<RefValue(RefValue)> steps,
                              ArrayRef<double> turns = {}) {
  RefValue result = evaluateUnary(exact, x, turns);
  if (result.error == kUnbounded)
    return result;
  double rounding = 0.0;
  for (double side : {0.0, -1.0, 1.0}) {
    double point = side == 0.0 ? x.value : x.value + side * x.error;
    RefValue computed = steps({point, 0.0});
    rounding = std::max(
        rounding, computed.error + getDistance(computed.value, exact(point)));
    if (x.error == 0.0)
      break;
  }
  double granted =
      kActivation * getHalfUlp(getComputeType(type), std::fabs(result.value));
  result.error += std::max(rounding, granted);
  return getComputeType(type) == type ? result : roundToType(type, result);
}

static RefValue call(Type type, double (*function)(double), RefValue x) {
  return roundToType(type, evaluateUnary(function, x), kTranscendental);
}

EpilogueCost ReluOp::getEpilogueCost() { return {1.0, 0.0}; }

RefValue ReluOp::evaluateReference(ArrayRef<RefValue> operands) {
  return evaluateUnary(
      [](double x) { return x > 0.0 || std::isnan(x) ? x : 0.0; }, operands[0]);
}

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
      inner = call(
          type, [](double v) { return std::erf(v); }, argument);
    } else {
      RefValue cubic = refMul(type, refMul(type, x, x), x);
      RefValue sum = refAdd(
          type, x, refMul(type, cubic, roundToType(type, {kGeluCubic, 0.0})));
      RefValue argument =
          refMul(type, sum, roundToType(type, {kSqrtTwoOverPi, 0.0}));
      inner = call(
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
    RefValue exponential =
        call(type, [](double v) { return std::exp(v); }, {-x.value, x.error});
    return refDiv(type, x, refAdd(type, exponential, {1.0, 0.0}));
  };
  return evaluateSteps(getType(), operands[0], exact, steps, kSiluTurn);
}

EpilogueCost SigmoidOp::getEpilogueCost() { return {1.0, 2.0}; }

RefValue SigmoidOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  auto steps = [&](RefValue x) {
    RefValue exponential =
        call(type, [](double v) { return std::exp(v); }, {-x.value, x.error});
    return refDiv(type, {1.0, 0.0}, refAdd(type, exponential, {1.0, 0.0}));
  };
  return evaluateSteps(getType(), operands[0], exact, steps);
}

EpilogueCost TanhOp::getEpilogueCost() { return {0.0, 1.0}; }

RefValue TanhOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) { return std::tanh(x); };
  auto steps = [&](RefValue x) {
    return call(
        type, [](double v) { return std::tanh(v); }, x);
  };
  return evaluateSteps(getType(), operands[0], exact, steps);
}

EpilogueCost LinearCombinationOp::getEpilogueCost() { return {4.0, 0.0}; }

RefValue LinearCombinationOp::evaluateReference(ArrayRef<RefValue> operands) {
  RefValue alpha = operands[0], acc = operands[1], beta = operands[2],
           c = operands[3];
  FloatType type = getComputeType(getType());
  RefValue product = refMul(type, alpha, acc);
  RefValue result = product;
  if (beta.value != 0.0 || beta.error != 0.0) {
    RefValue sum = refAdd(type, product, refMul(type, beta, c));
    // Whether an inexact beta is zero cannot be told when its error reaches
    // zero.
    RefValue betaIsZero{beta.value == 0.0 ? 1.0 : 0.0,
                        std::fabs(beta.value) <= beta.error ? 1.0 : 0.0};
    result = refSelect(betaIsZero, product, sum);
  }
  return type == getType() ? result : roundToType(getType(), result);
}

//===----------------------------------------------------------------------===//
// Expansion to arith and math
//===----------------------------------------------------------------------===//

namespace {
/// Emits a formula on scalars of one type.
class Formula {
public:
  Formula(OpBuilder &builder, Location loc, FloatType type)
      : builder(builder), loc(loc), type(type) {}

  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc, FloatAttr::get(type, value));
  }
  template <typename OpT> Value emit(Value a) {
    return OpT::create(builder, loc, a).getResult();
  }
  template <typename OpT> Value emit(Value a, Value b) {
    return OpT::create(builder, loc, a, b).getResult();
  }
  /// `a if a <predicate> b else c`-style choices with NaN stated by the
  /// predicate.
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value whenTrue,
               Value whenFalse) {
    Value condition = arith::CmpFOp::create(builder, loc, predicate, a, b);
    return arith::SelectOp::create(builder, loc, condition, whenTrue,
                                   whenFalse);
  }
  /// The greater of x and a bound, NaN for NaN.
  Value clampBelow(Value x, double bound) {
    Value limit = constant(bound);
    return select(arith::CmpFPredicate::OLT, x, limit, limit, x);
  }
  /// 1 + exp(-x).
  Value onePlusExpMinus(Value x) {
    return emit<arith::AddFOp>(emit<math::ExpOp>(emit<arith::NegFOp>(x)),
                               constant(1.0));
  }

private:
  OpBuilder &builder;
  Location loc;
  FloatType type;
};
} // namespace

/// Emits `body` on the operands in the compute type and converts its value
/// back.
static Value
expandInComputeType(Operation *op, OpBuilder &builder, ValueRange operands,
                    function_ref<Value(Formula &, ArrayRef<Value>)> body) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  FloatType computeType = getComputeType(type);
  SmallVector<Value, 4> converted(operands);
  if (computeType != type)
    for (Value &value : converted)
      value = arith::ExtFOp::create(builder, loc, computeType, value);
  Formula formula(builder, loc, computeType);
  Value result = body(formula, converted);
  return computeType == type
             ? result
             : arith::TruncFOp::create(builder, loc, type, result).getResult();
}

Value ReluOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> x) {
        // Unordered, so that NaN chooses the operand; -0.0 is not greater than
        // zero.
        Value zero = f.constant(0.0);
        return f.select(arith::CmpFPredicate::UGT, x[0], zero, x[0], zero);
      });
}

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
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> operand) {
        Value x = f.clampBelow(operand[0], kSiluClamp);
        return f.emit<arith::DivFOp>(x, f.onePlusExpMinus(x));
      });
}

Value SigmoidOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> x) {
        return f.emit<arith::DivFOp>(f.constant(1.0), f.onePlusExpMinus(x[0]));
      });
}

Value TanhOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> x) { return f.emit<math::TanhOp>(x[0]); });
}

Value LinearCombinationOp::expandToArith(OpBuilder &builder,
                                         ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands,
      [](Formula &f, ArrayRef<Value> x) {
        Value product = f.emit<arith::MulFOp>(x[0], x[1]);
        Value sum =
            f.emit<arith::AddFOp>(product, f.emit<arith::MulFOp>(x[2], x[3]));
        return f.select(arith::CmpFPredicate::OEQ, x[2], f.constant(0.0),
                        product, sum);
      });
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult ReluOp::fold(FoldAdaptor) {
  // relu of relu: the inner one has removed what the outer one would.
  return getX().getDefiningOp<ReluOp>() ? getX() : Value();
}

OpFoldResult LinearCombinationOp::fold(FoldAdaptor adaptor) {
  auto alpha = dyn_cast_or_null<FloatAttr>(adaptor.getAlpha());
  auto beta = dyn_cast_or_null<FloatAttr>(adaptor.getBeta());
  // 1 · acc is acc for every value. 1 · acc + 1 · c is a sum and is left to the
  // expansion.
  if (alpha && beta && alpha.getValue().isExactlyValue(1.0) &&
      beta.getValue().isZero())
    return getAcc();
  return {};
}
