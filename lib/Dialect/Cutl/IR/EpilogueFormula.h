//===- EpilogueFormula.h - What epilogue ops are made of --------*- C++ -*-===//
//
// Bounds of the reference value of a formula that is computed in steps, and
// short forms to emit one.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_EPILOGUEFORMULA_H
#define CUTL_DIALECT_CUTL_IR_EPILOGUEFORMULA_H

#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::cutl {

/// What an activation is granted as a whole, in half units in the last place: a
/// target may evaluate it in another form than by its steps, from an exponential
/// and a reciprocal that are both approximate.
inline constexpr double kActivation = 2.0 * kTranscendental;

/// The type in which the formula of an op of type `type` is computed: f16, bf16
/// and narrower ones are computed in f32.
FloatType getComputeType(Type type);

/// Bounds `exact(x)` for a computation that follows `steps`, the same formula
/// with the rounding of each step, or another form of it. What the steps add is
/// taken at the operand's value and at both ends of its error. `turns` are the
/// points where `exact` turns or jumps. `granted` is what the formula is granted
/// as a whole, in half units in the last place.
RefValue evaluateSteps(Type type, RefValue x,
                       function_ref<double(double)> exact,
                       function_ref<RefValue(RefValue)> steps,
                       ArrayRef<double> turns = {},
                       double granted = kActivation);

/// A step that is a function of the library.
RefValue refCall(Type type, double (*function)(double), RefValue x);

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
  Value add(Value a, Value b) { return emit<arith::AddFOp>(a, b); }
  Value add(Value a, double b) { return add(a, constant(b)); }
  Value sub(Value a, Value b) { return emit<arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return emit<arith::MulFOp>(a, b); }
  Value mul(Value a, double b) { return mul(a, constant(b)); }
  Value div(Value a, Value b) { return emit<arith::DivFOp>(a, b); }
  Value neg(Value a) { return emit<arith::NegFOp>(a); }
  /// `a if a <predicate> b else c`-style choices with NaN stated by the
  /// predicate.
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value whenTrue,
               Value whenFalse);
  /// The greater of x and a bound, NaN for NaN.
  Value clampBelow(Value x, double bound);
  /// The lesser of x and a bound, NaN for NaN.
  Value clampAbove(Value x, double bound);
  /// exp(-x).
  Value expMinus(Value x);

private:
  OpBuilder &builder;
  Location loc;
  FloatType type;
};

/// Emits `body` on the operands in the compute type and converts its value
/// back.
Value expandInComputeType(Operation *op, OpBuilder &builder,
                          ValueRange operands,
                          function_ref<Value(Formula &, ArrayRef<Value>)> body);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_EPILOGUEFORMULA_H
