//===- CutlEpilogueOps.cpp - Operations of epilogue regions --------------===//
//
// The ops that are linear piece by piece: for each its cost, its value in
// double precision, its formula in arith and math ops, and its folds.
//
//===----------------------------------------------------------------------===//

#include "EpilogueFormula.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// relu
//===----------------------------------------------------------------------===//

EpilogueCost ReluOp::getEpilogueCost() { return {1.0, 0.0}; }

RefValue ReluOp::evaluateReference(ArrayRef<RefValue> operands) {
  return evaluateUnary(
      [](double x) { return x > 0.0 || std::isnan(x) ? x : 0.0; }, operands[0]);
}

Value ReluOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        // Unordered, so that NaN chooses the operand; -0.0 is not greater than
        // zero.
        Value zero = f.constant(0.0);
        return f.select(arith::CmpFPredicate::UGT, x[0], zero, x[0], zero);
      });
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  // relu of relu: the inner one has removed what the outer one would.
  return getX().getDefiningOp<ReluOp>() ? getX() : Value();
}

//===----------------------------------------------------------------------===//
// leaky_relu
//===----------------------------------------------------------------------===//

LogicalResult LeakyReluOp::verify() {
  if (!getSlope().isFinite())
    return emitOpError("expected a finite slope, got ")
           << getSlope().convertToDouble();
  return success();
}

EpilogueCost LeakyReluOp::getEpilogueCost() { return {3.0, 0.0}; }

RefValue LeakyReluOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  double slope = getSlope().convertToDouble();
  auto scale = [&](double x) { return x > 0.0 ? x : slope * x; };
  RefValue x = operands[0];
  // With a negative slope the function turns at zero.
  RefValue result = evaluateUnary(scale, x, 0.0);
  if (x.value - x.error <= 0.0) {
    double error = getDistance(roundToNearest(type, slope), slope);
    result.error +=
        refMul(type, {slope, error}, {x.value - x.error, 0.0}).error;
  }
  return type == getType() ? result : roundToType(getType(), result);
}

Value LeakyReluOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  double slope = getSlope().convertToDouble();
  return expandInComputeType(
      *this, builder, operands, [&](Formula &f, ArrayRef<Value> x) {
        return f.select(arith::CmpFPredicate::OGT, x[0], f.constant(0.0), x[0],
                        f.mul(x[0], slope));
      });
}

OpFoldResult LeakyReluOp::fold(FoldAdaptor) {
  // x > 0 ? x : 1 · x
  return getSlope().isExactlyValue(1.0) ? getX() : Value();
}

//===----------------------------------------------------------------------===//
// hardswish
//===----------------------------------------------------------------------===//

EpilogueCost HardswishOp::getEpilogueCost() { return {5.0, 0.0}; }

RefValue HardswishOp::evaluateReference(ArrayRef<RefValue> operands) {
  FloatType type = getComputeType(getType());
  auto exact = [](double x) {
    if (x <= -3.0)
      return -0.0;
    return x >= 3.0 ? x : x * (x + 3.0) / 6.0;
  };
  auto steps = [&](RefValue x) {
    x.value = x.value < -3.0 ? -3.0 : x.value;
    RefValue sum = refAdd(type, x, {3.0, 0.0});
    if (sum.value > 6.0)
      sum = {6.0, 0.0};
    RefValue gate = refMul(type, sum, roundToType(type, {1.0 / 6.0, 0.0}));
    return refMul(type, x, gate);
  };
  return evaluateSteps(getType(), operands[0], exact, steps, -1.5);
}

Value HardswishOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(*this, builder, operands,
                             [](Formula &f, ArrayRef<Value> operand) {
                               // Below -3 the result is -3 · 0; `-inf · 0` does
                               // not arise.
                               Value x = f.clampBelow(operand[0], -3.0);
                               Value sum = f.clampAbove(f.add(x, 3.0), 6.0);
                               return f.mul(x, f.mul(sum, 1.0 / 6.0));
                             });
}

//===----------------------------------------------------------------------===//
// clamp
//===----------------------------------------------------------------------===//

LogicalResult ClampOp::verify() {
  for (auto [name, bound] : {std::pair("low", getLow()), {"high", getHigh()}})
    if (bound.isNaN())
      return emitOpError("expected ")
             << name << " to be a number, got NaN; leave a side open with "
             << (name == StringRef("low") ? "-inf" : "inf");
  if (getLow() > getHigh())
    return emitOpError("expected low <= high, got low ")
           << getLow().convertToDouble() << " and high "
           << getHigh().convertToDouble();
  return success();
}

EpilogueCost ClampOp::getEpilogueCost() { return {2.0, 0.0}; }

/// A bound as the type holds it; what it cannot hold bounds nothing.
static double roundBound(FloatType type, double bound) {
  double rounded = roundToNearest(type, bound);
  return std::isnan(rounded) ? roundToNearest(getComputeType(type), bound)
                             : rounded;
}

RefValue ClampOp::evaluateReference(ArrayRef<RefValue> operands) {
  auto type = cast<FloatType>(getType());
  double low = roundBound(type, getLow().convertToDouble());
  double high = roundBound(type, getHigh().convertToDouble());
  return evaluateUnary(
      [&](double x) {
        if (std::isnan(x))
          return x;
        return std::fmin(std::fmax(x, low), high);
      },
      operands[0]);
}

Value ClampOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [&](Formula &f, ArrayRef<Value> x) {
        Value raised = f.emit<arith::MaximumFOp>(
            x[0], f.constant(getLow().convertToDouble()));
        return f.emit<arith::MinimumFOp>(
            raised, f.constant(getHigh().convertToDouble()));
      });
}

OpFoldResult ClampOp::fold(FoldAdaptor) {
  bool isOpen = getLow().isInfinity() && getLow().isNegative() &&
                getHigh().isInfinity() && !getHigh().isNegative();
  if (isOpen)
    return getX();
  // The inner one has moved x into an interval that the outer one contains.
  auto inner = getX().getDefiningOp<ClampOp>();
  if (inner && getLow() <= inner.getLow() && inner.getHigh() <= getHigh())
    return getX();
  return {};
}

//===----------------------------------------------------------------------===//
// linear_combination
//===----------------------------------------------------------------------===//

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

Value LinearCombinationOp::expandToArith(OpBuilder &builder,
                                         ValueRange operands) {
  return expandInComputeType(
      *this, builder, operands, [](Formula &f, ArrayRef<Value> x) {
        Value product = f.emit<arith::MulFOp>(x[0], x[1]);
        Value sum =
            f.emit<arith::AddFOp>(product, f.emit<arith::MulFOp>(x[2], x[3]));
        return f.select(arith::CmpFPredicate::OEQ, x[2], f.constant(0.0),
                        product, sum);
      });
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
