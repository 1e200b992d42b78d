//===- Activations.cpp - Elementwise functions of an epilogue ------------===//

#include "cutl/Builder/GemmBuilder.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::cutl;

static Value emitConstant(OpBuilder &builder, Location loc, Type type,
                          double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

/// `x > 0 ? x : slope · x`.
static Value emitLeakyRelu(OpBuilder &builder, Location loc, double slope,
                           Value x) {
  Type type = x.getType();
  Value zero = emitConstant(builder, loc, type, 0.0);
  Value scaled = arith::MulFOp::create(
      builder, loc, x, emitConstant(builder, loc, type, slope));
  Value positive = arith::CmpFOp::create(builder, loc,
                                         arith::CmpFPredicate::OGT, x, zero);
  return arith::SelectOp::create(builder, loc, positive, x, scaled);
}

/// `x · min(max(x + 3, 0), 6) / 6`.
static Value emitHardSwish(OpBuilder &builder, Location loc, Value x) {
  Type type = x.getType();
  Value shifted = arith::AddFOp::create(builder, loc, x,
                                        emitConstant(builder, loc, type, 3.0));
  Value low = arith::MaximumFOp::create(builder, loc, shifted,
                                        emitConstant(builder, loc, type, 0.0));
  Value clamped = arith::MinimumFOp::create(
      builder, loc, low, emitConstant(builder, loc, type, 6.0));
  Value gate = arith::MulFOp::create(
      builder, loc, clamped, emitConstant(builder, loc, type, 1.0 / 6.0));
  return arith::MulFOp::create(builder, loc, x, gate);
}

Value mlir::cutl::emitActivation(OpBuilder &builder, Location loc,
                                 Activation activation, double argument,
                                 Value x) {
  Type type = x.getType();
  switch (activation) {
  case Activation::Identity:
    return x;
  case Activation::Relu:
    return ReluOp::create(builder, loc, type, x);
  case Activation::GeluErf:
    return GeluOp::create(builder, loc, type, x, GeluForm::Erf);
  case Activation::GeluTanh:
    return GeluOp::create(builder, loc, type, x, GeluForm::Tanh);
  case Activation::Silu:
    return SiluOp::create(builder, loc, type, x);
  case Activation::Sigmoid:
    return SigmoidOp::create(builder, loc, type, x);
  case Activation::Tanh:
    return TanhOp::create(builder, loc, type, x);
  case Activation::LeakyRelu:
    return emitLeakyRelu(builder, loc, argument, x);
  case Activation::HardSwish:
    return emitHardSwish(builder, loc, x);
  }
  llvm_unreachable("unknown activation");
}
