//===- EpilogueOps.cpp - Operations of described epilogues by name -------===//

#include "cutl/Builder/EpilogueOps.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::cutl;

using Kind = EpilogueOpKind;
using Numbers = ArrayRef<double>;

static bool isFloat(ValueRange x) { return isa<FloatType>(x.back().getType()); }

/// Any op whose result has the type of its operands.
template <typename OpTy>
static Value emitOp(OpBuilder &builder, Location loc, ValueRange x, Numbers) {
  return OpTy::create(builder, loc, TypeRange(x.back().getType()), x)
      .getOperation()
      ->getResult(0);
}

/// One op for floats and one for integers.
template <typename FloatOp, typename IntegerOp>
static Value emitNumber(OpBuilder &builder, Location loc, ValueRange x,
                        Numbers numbers) {
  return isFloat(x) ? emitOp<FloatOp>(builder, loc, x, numbers)
                    : emitOp<IntegerOp>(builder, loc, x, numbers);
}

template <arith::CmpFPredicate FloatPredicate,
          arith::CmpIPredicate IntegerPredicate>
static Value emitComparison(OpBuilder &builder, Location loc, ValueRange x,
                            Numbers) {
  if (isFloat(x))
    return arith::CmpFOp::create(builder, loc, FloatPredicate, x[0], x[1]);
  return arith::CmpIOp::create(builder, loc, IntegerPredicate, x[0], x[1]);
}

static Value emitConstant(OpBuilder &builder, Location loc, Type type,
                          double value) {
  TypedAttr attribute =
      isa<FloatType>(type)
          ? TypedAttr(builder.getFloatAttr(type, value))
          : TypedAttr(builder.getIntegerAttr(type, int64_t(value)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

static Value emitIdentity(OpBuilder &, Location, ValueRange x, Numbers) {
  return x[0];
}

static Value emitNegation(OpBuilder &builder, Location loc, ValueRange x,
                          Numbers numbers) {
  if (isFloat(x))
    return arith::NegFOp::create(builder, loc, x[0]);
  Value zero = emitConstant(builder, loc, x[0].getType(), 0);
  return arith::SubIOp::create(builder, loc, zero, x[0]);
}

static Value emitNot(OpBuilder &builder, Location loc, ValueRange x, Numbers) {
  Value yes = emitConstant(builder, loc, x[0].getType(), 1);
  return arith::XOrIOp::create(builder, loc, x[0], yes);
}

static Value emitSelect(OpBuilder &builder, Location loc, ValueRange x,
                        Numbers) {
  return arith::SelectOp::create(builder, loc, x[0], x[1], x[2]);
}

/// `a · b + c`, rounded twice: what NumPy gives, on every target.
static Value emitMultiplyAdd(OpBuilder &builder, Location loc, ValueRange x,
                             Numbers numbers) {
  Value product = emitNumber<arith::MulFOp, arith::MulIOp>(
      builder, loc, x.take_front(2), numbers);
  return emitNumber<arith::AddFOp, arith::AddIOp>(
      builder, loc, ValueRange{product, x[2]}, numbers);
}

template <typename OpTy, GeluForm form>
static Value emitGelu(OpBuilder &builder, Location loc, ValueRange x, Numbers) {
  return OpTy::create(builder, loc, x[0].getType(), x[0], form);
}

/// An op with a slope.
template <typename OpTy>
static Value emitLeaky(OpBuilder &builder, Location loc, ValueRange x,
                       Numbers numbers) {
  return OpTy::create(builder, loc, x[0].getType(), x[0],
                      builder.getF64FloatAttr(numbers[0]));
}

static Value emitClamp(OpBuilder &builder, Location loc, ValueRange x,
                       Numbers numbers) {
  return ClampOp::create(builder, loc, x[0].getType(), x[0],
                         builder.getF64FloatAttr(numbers[0]),
                         builder.getF64FloatAttr(numbers[1]));
}

template <arith::CmpFPredicate F, arith::CmpIPredicate I>
static constexpr EpilogueOpInfo makeComparison(const char *name) {
  return {name, Kind::Comparison, 2, 0, emitComparison<F, I>};
}

using PF = arith::CmpFPredicate;
using PI = arith::CmpIPredicate;

/// Ordered by name.
static constexpr EpilogueOpInfo table[] = {
    {"abs", Kind::Number, 1, 0, emitNumber<math::AbsFOp, math::AbsIOp>},
    {"add", Kind::Number, 2, 0, emitNumber<arith::AddFOp, arith::AddIOp>},
    {"and", Kind::Logic, 2, 0, emitOp<arith::AndIOp>},
    {"ceil", Kind::Float, 1, 0, emitOp<math::CeilOp>},
    {"clamp", Kind::Float, 1, 2, emitClamp},
    {"cos", Kind::Float, 1, 0, emitOp<math::CosOp>},
    {"div", Kind::Float, 2, 0, emitOp<arith::DivFOp>},
    makeComparison<PF::OEQ, PI::eq>("eq"),
    {"erf", Kind::Float, 1, 0, emitOp<math::ErfOp>},
    {"exp", Kind::Float, 1, 0, emitOp<math::ExpOp>},
    {"exp2", Kind::Float, 1, 0, emitOp<math::Exp2Op>},
    {"expm1", Kind::Float, 1, 0, emitOp<math::ExpM1Op>},
    {"floor", Kind::Float, 1, 0, emitOp<math::FloorOp>},
    makeComparison<PF::OGE, PI::sge>("ge"),
    {"gelu", Kind::Float, 1, 0, emitGelu<GeluOp, GeluForm::Erf>},
    {"gelu_grad", Kind::Float, 1, 0, emitGelu<GeluGradOp, GeluForm::Erf>},
    {"gelu_tanh", Kind::Float, 1, 0, emitGelu<GeluOp, GeluForm::Tanh>},
    {"gelu_tanh_grad", Kind::Float, 1, 0, emitGelu<GeluGradOp, GeluForm::Tanh>},
    makeComparison<PF::OGT, PI::sgt>("gt"),
    {"hardswish", Kind::Float, 1, 0, emitOp<HardswishOp>},
    {"hardswish_grad", Kind::Float, 1, 0, emitOp<HardswishGradOp>},
    {"identity", Kind::Number, 1, 0, emitIdentity},
    makeComparison<PF::OLE, PI::sle>("le"),
    {"leaky_relu", Kind::Float, 1, 1, emitLeaky<LeakyReluOp>},
    {"leaky_relu_grad", Kind::Float, 1, 1, emitLeaky<LeakyReluGradOp>},
    {"linear_combination", Kind::Float, 4, 0, emitOp<LinearCombinationOp>},
    {"log", Kind::Float, 1, 0, emitOp<math::LogOp>},
    {"log1p", Kind::Float, 1, 0, emitOp<math::Log1pOp>},
    {"log2", Kind::Float, 1, 0, emitOp<math::Log2Op>},
    makeComparison<PF::OLT, PI::slt>("lt"),
    {"maximum", Kind::Number, 2, 0,
     emitNumber<arith::MaximumFOp, arith::MaxSIOp>},
    {"maxnum", Kind::Number, 2, 0,
     emitNumber<arith::MaxNumFOp, arith::MaxSIOp>},
    {"minimum", Kind::Number, 2, 0,
     emitNumber<arith::MinimumFOp, arith::MinSIOp>},
    {"minnum", Kind::Number, 2, 0,
     emitNumber<arith::MinNumFOp, arith::MinSIOp>},
    {"mul", Kind::Number, 2, 0, emitNumber<arith::MulFOp, arith::MulIOp>},
    {"multiply_add", Kind::Number, 3, 0, emitMultiplyAdd},
    makeComparison<PF::UNE, PI::ne>("ne"),
    {"neg", Kind::Number, 1, 0, emitNegation},
    {"not", Kind::Logic, 1, 0, emitNot},
    {"or", Kind::Logic, 2, 0, emitOp<arith::OrIOp>},
    {"pow", Kind::Float, 2, 0, emitOp<math::PowFOp>},
    {"relu", Kind::Float, 1, 0, emitOp<ReluOp>},
    {"relu_grad", Kind::Float, 1, 0, emitOp<ReluGradOp>},
    {"rint", Kind::Float, 1, 0, emitOp<math::RoundEvenOp>},
    {"rsqrt", Kind::Float, 1, 0, emitOp<math::RsqrtOp>},
    {"select", Kind::Select, 3, 0, emitSelect},
    {"sigmoid", Kind::Float, 1, 0, emitOp<SigmoidOp>},
    {"sigmoid_grad", Kind::Float, 1, 0, emitOp<SigmoidGradOp>},
    {"silu", Kind::Float, 1, 0, emitOp<SiluOp>},
    {"silu_grad", Kind::Float, 1, 0, emitOp<SiluGradOp>},
    {"sin", Kind::Float, 1, 0, emitOp<math::SinOp>},
    {"softplus", Kind::Float, 1, 0, emitOp<SoftplusOp>},
    {"softplus_grad", Kind::Float, 1, 0, emitOp<SoftplusGradOp>},
    {"sqrt", Kind::Float, 1, 0, emitOp<math::SqrtOp>},
    {"sub", Kind::Number, 2, 0, emitNumber<arith::SubFOp, arith::SubIOp>},
    {"tanh", Kind::Float, 1, 0, emitOp<TanhOp>},
    {"tanh_grad", Kind::Float, 1, 0, emitOp<TanhGradOp>},
    {"trunc", Kind::Float, 1, 0, emitOp<math::TruncOp>},
    {"xor", Kind::Logic, 2, 0, emitOp<arith::XOrIOp>},
};

ArrayRef<EpilogueOpInfo> mlir::cutl::getEpilogueOps() { return table; }

const EpilogueOpInfo *mlir::cutl::lookupEpilogueOp(StringRef name) {
  const auto *found = llvm::lower_bound(
      table, name, [](const EpilogueOpInfo &info, StringRef wanted) {
        return StringRef(info.name) < wanted;
      });
  return found != std::end(table) && name == found->name ? found : nullptr;
}
