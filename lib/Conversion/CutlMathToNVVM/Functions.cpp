//===- Functions.cpp - Patterns for math and activation functions --------===//

#include "Expansions.h"
#include "Patterns.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

namespace {

/// Emits an op of which the operands have been converted to the emitter's type.
using Expansion = function_ref<Value(FloatEmit &, ValueRange)>;
using Unary = Value (*)(FloatEmit &, Value);

/// Replaces `op` by its formula in f32, or in f64 if that is its type and has a
/// formula.
LogicalResult expand(PatternRewriter &rewriter, Operation *op,
                     const HardwareMath &hardware, Expansion single,
                     Expansion inDouble) {
  auto type = dyn_cast<FloatType>(op->getResult(0).getType());
  if (!type || type.getWidth() > 64)
    return rewriter.notifyMatchFailure(op, "not a scalar of up to 64 bits");
  Location loc = op->getLoc();
  SmallVector<Value> operands(op->getOperands());
  if (type.isF64()) {
    if (!inDouble)
      return rewriter.notifyMatchFailure(op, "no formula in f64");
    FloatEmit e(rewriter, loc, type, hardware);
    rewriter.replaceOp(op, inDouble(e, operands));
    return success();
  }
  FloatEmit e(rewriter, loc, rewriter.getF32Type(), hardware);
  if (!type.isF32())
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(rewriter, loc, e.type, operand);
  Value result = single(e, operands);
  if (!type.isF32())
    result = arith::TruncFOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
  return success();
}

/// An op of one operand.
template <typename OpT> struct ExpandUnary final : OpRewritePattern<OpT> {
  ExpandUnary(MLIRContext *context, const HardwareMath &hardware, Unary single,
              Unary inDouble)
      : OpRewritePattern<OpT>(context), hardware(hardware), single(single),
        inDouble(inDouble) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto emitSingle = [&](FloatEmit &e, ValueRange x) {
      return single(e, x[0]);
    };
    auto emitDouble = [&](FloatEmit &e, ValueRange x) {
      return inDouble(e, x[0]);
    };
    return expand(rewriter, op, hardware, emitSingle,
                  inDouble ? Expansion(emitDouble) : Expansion());
  }

  const HardwareMath &hardware;
  Unary single, inDouble;
};

/// gelu or its derivative: the formulas of either form in f32 and f64.
template <typename OpT> struct ExpandGelu final : OpRewritePattern<OpT> {
  struct Form {
    Unary single, inDouble;
  };
  ExpandGelu(MLIRContext *context, const HardwareMath &hardware, Form erf,
             Form tanh)
      : OpRewritePattern<OpT>(context), hardware(hardware), erf(erf),
        tanh(tanh) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    const Form &form = op.getForm() == GeluForm::Erf ? erf : tanh;
    return expand(
        rewriter, op, hardware,
        [&](FloatEmit &e, ValueRange x) { return form.single(e, x[0]); },
        [&](FloatEmit &e, ValueRange x) { return form.inDouble(e, x[0]); });
  }

  const HardwareMath &hardware;
  Form erf, tanh;
};

/// An op of two operands, up to f32.
template <typename OpT> struct ExpandBinary final : OpRewritePattern<OpT> {
  using Binary = Value (*)(FloatEmit &, Value, Value);
  ExpandBinary(MLIRContext *context, const HardwareMath &hardware,
               Binary single)
      : OpRewritePattern<OpT>(context), hardware(hardware), single(single) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    return expand(
        rewriter, op, hardware,
        [&](FloatEmit &e, ValueRange x) { return single(e, x[0], x[1]); },
        Expansion());
  }

  const HardwareMath &hardware;
  Binary single;
};

/// Any other epilogue op of `cutl`: the formula that defines it, of which the
/// functions are expanded in their turn.
struct ExpandByDefinition final
    : OpInterfaceRewritePattern<EpilogueOpInterface> {
  ExpandByDefinition(MLIRContext *context)
      : OpInterfaceRewritePattern(context, /*benefit=*/0) {}

  LogicalResult matchAndRewrite(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value result = op.expandToArith(rewriter, op->getOperands());
    if (!result)
      return rewriter.notifyMatchFailure(op, "an op of arith or math");
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// An op that NVPTX has on all the types of PTX.
template <typename OpT, typename IntrinsicT>
struct LowerToIntrinsic final : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
      return rewriter.notifyMatchFailure(op, "not a scalar type of PTX");
    rewriter.replaceOpWithNewOp<IntrinsicT>(op, type, op->getOperands());
    return success();
  }
};

struct LowerAbsI final : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<IntegerType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a scalar integer");
    rewriter.replaceOpWithNewOp<LLVM::AbsOp>(op, op.getType(), op.getOperand(),
                                             /*is_int_min_poison=*/false);
    return success();
  }
};

} // namespace

void nvvm::populateFunctionPatterns(RewritePatternSet &patterns,
                                    const HardwareMath &hardware) {
  MLIRContext *context = patterns.getContext();
  auto addUnary = [&](auto op, Unary single, Unary inDouble) {
    patterns.add<ExpandUnary<decltype(op)>>(context, hardware, single,
                                            inDouble);
  };
  addUnary(math::ExpOp(), emitExpSingle, emitExpDouble);
  addUnary(math::Exp2Op(), emitExp2Single, emitExp2Double);
  addUnary(math::ExpM1Op(), emitExpm1Single, emitExpm1Double);
  addUnary(math::Log1pOp(), emitLog1pSingle, emitLog1pDouble);
  addUnary(math::LogOp(), emitLogSingle, emitLogDouble);
  addUnary(math::Log2Op(), emitLog2Single, emitLog2Double);
  addUnary(
      math::RsqrtOp(),
      [](FloatEmit &e, Value x) { return e.reciprocalSqrtApprox(x); },
      [](FloatEmit &e, Value x) { return e.div(1.0, e.sqrt(x)); });
  addUnary(math::ErfOp(), emitErfSingle, emitErfDouble);
  addUnary(math::TanhOp(), emitTanhSingle, emitTanhDouble);
  addUnary(math::SinOp(), emitSinSingle, nullptr);
  addUnary(math::CosOp(), emitCosSingle, nullptr);
  addUnary(SigmoidOp(), emitSigmoidSingle, emitSigmoidDouble);
  addUnary(SiluOp(), emitSiluSingle, emitSiluDouble);
  addUnary(TanhOp(), emitTanhSingle, emitTanhDouble);
  addUnary(ReluOp(), emitRelu, emitRelu);
  addUnary(HardswishOp(), emitHardswish, emitHardswish);
  addUnary(SoftplusOp(), emitSoftplusSingle, emitSoftplusDouble);
  addUnary(SoftplusGradOp(), emitSigmoidSingle, emitSigmoidDouble);
  addUnary(SigmoidGradOp(), emitSigmoidGrad, emitSigmoidGrad);
  addUnary(TanhGradOp(), emitTanhGrad, emitTanhGrad);
  addUnary(SiluGradOp(), emitSiluGrad, emitSiluGrad);
  using Gelu = ExpandGelu<GeluOp>;
  patterns.add<Gelu>(context, hardware,
                     Gelu::Form{emitGeluErfSingle, emitGeluErfDouble},
                     Gelu::Form{emitGeluTanhSingle, emitGeluTanhDouble});
  using GeluGrad = ExpandGelu<GeluGradOp>;
  patterns.add<GeluGrad>(
      context, hardware,
      GeluGrad::Form{emitGeluErfGradSingle, emitGeluErfGradDouble},
      GeluGrad::Form{emitGeluTanhGrad, emitGeluTanhGrad});
  patterns.add<ExpandBinary<math::PowFOp>>(context, hardware, emitPowSingle);
  patterns.add<ExpandBinary<arith::RemFOp>>(context, hardware, emitRemSingle);
  patterns.add<ExpandByDefinition, LowerToIntrinsic<math::AbsFOp, LLVM::FAbsOp>,
               LowerToIntrinsic<math::CopySignOp, LLVM::CopySignOp>,
               LowerToIntrinsic<math::FloorOp, LLVM::FFloorOp>,
               LowerToIntrinsic<math::CeilOp, LLVM::FCeilOp>,
               LowerToIntrinsic<math::RoundOp, LLVM::RoundOp>,
               LowerToIntrinsic<math::RoundEvenOp, LLVM::RoundEvenOp>,
               LowerToIntrinsic<math::TruncOp, LLVM::FTruncOp>,
               LowerToIntrinsic<math::SqrtOp, LLVM::SqrtOp>,
               LowerToIntrinsic<math::FmaOp, LLVM::FMAOp>, LowerAbsI>(context);
}
