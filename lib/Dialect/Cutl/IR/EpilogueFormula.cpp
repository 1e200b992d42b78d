//===- EpilogueFormula.cpp - What epilogue ops are made of ----------------===//

#include "EpilogueFormula.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

FloatType mlir::cutl::getComputeType(Type type) {
  auto floatType = cast<FloatType>(type);
  return floatType.getWidth() < 32 ? Float32Type::get(type.getContext())
                                   : floatType;
}

RefValue mlir::cutl::evaluateSteps(Type type, RefValue x,
                                   function_ref<double(double)> exact,
                                   function_ref<RefValue(RefValue)> steps,
                                   ArrayRef<double> turns, double granted) {
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
  double whole =
      granted * getHalfUlp(getComputeType(type), std::fabs(result.value));
  result.error += std::max(rounding, whole);
  return getComputeType(type) == type ? result : roundToType(type, result);
}

RefValue mlir::cutl::refCall(Type type, double (*function)(double),
                             RefValue x) {
  return roundToType(type, evaluateUnary(function, x), kTranscendental);
}

Value Formula::select(arith::CmpFPredicate predicate, Value a, Value b,
                      Value whenTrue, Value whenFalse) {
  Value condition = arith::CmpFOp::create(builder, loc, predicate, a, b);
  return arith::SelectOp::create(builder, loc, condition, whenTrue, whenFalse);
}

Value Formula::clampBelow(Value x, double bound) {
  Value limit = constant(bound);
  return select(arith::CmpFPredicate::OLT, x, limit, limit, x);
}

Value Formula::clampAbove(Value x, double bound) {
  Value limit = constant(bound);
  return select(arith::CmpFPredicate::OGT, x, limit, limit, x);
}

Value Formula::expMinus(Value x) { return emit<math::ExpOp>(neg(x)); }

Value mlir::cutl::expandInComputeType(
    Operation *op, OpBuilder &builder, ValueRange operands,
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
