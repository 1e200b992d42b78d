//===- ConvertOps.cpp - Patterns for cutl.convert -------------------------===//
//
// The conversions that PTX has in one instruction. The others keep the formula
// that defines them.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// The suffix that rounds to an integer.
StringRef getSuffix(Rounding rounding) {
  switch (rounding) {
  case Rounding::ToNearestEven:
    return "rni";
  case Rounding::TowardZero:
    return "rzi";
  case Rounding::Downward:
    return "rmi";
  case Rounding::Upward:
    return "rpi";
  }
  llvm_unreachable("unknown rounding");
}

/// `cvt` to an integer saturates; NaN gives zero unless one of the types has 64
/// bits.
struct FloatToInteger final : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    auto to = dyn_cast<IntegerType>(op.getType());
    if (!to)
      return rewriter.notifyMatchFailure(op, "not to an integer");
    Location loc = op.getLoc();
    Value x = op.getX();
    if (x.getType().getIntOrFloatBitWidth() < 32)
      x = arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(), x);
    bool isDouble = x.getType().isF64(), isLong = to.getWidth() == 64;
    if (isDouble || isLong) {
      Value isNaN =
          arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, x);
      Value zero = arith::ConstantOp::create(
          rewriter, loc, rewriter.getFloatAttr(x.getType(), 0.0));
      x = arith::SelectOp::create(rewriter, loc, isNaN, zero, x);
    }
    // Narrow integers come in a register of 32 bits.
    IntegerType registerType = rewriter.getIntegerType(isLong ? 64 : 32);
    std::string text =
        ("cvt." + getSuffix(op.getRounding()) + ".sat." +
         (op.getIsUnsigned() ? "u" : "s") + Twine(to.getWidth()) + ".f" +
         Twine(x.getType().getIntOrFloatBitWidth()) + " $0, $1;")
            .str();
    std::string constraints = isLong ? "=l" : "=r";
    constraints += isDouble ? ",d" : ",f";
    Value result =
        LLVM::InlineAsmOp::create(
            rewriter, loc, TypeRange{registerType}, x, text, constraints,
            /*has_side_effects=*/false,
            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
            LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
    if (to.getWidth() < 32)
      result = arith::TruncIOp::create(rewriter, loc, to, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The instructions round once, to the narrow floats too. By way of f32, an
/// integer that an 8-bit float can hold is exact.
struct IntegerToFloat final : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    Type to = op.getType();
    if (!isa<IntegerType>(op.getX().getType()))
      return rewriter.notifyMatchFailure(op, "not from an integer");
    bool isFloat8 = to.getIntOrFloatBitWidth() == 8;
    if (op.getSaturate() && !isFloat8)
      return rewriter.notifyMatchFailure(op, "needs bounds");
    Location loc = op.getLoc();
    Type converted = isFloat8 ? Type(rewriter.getF32Type()) : to;
    Value result;
    if (op.getIsUnsigned())
      result = arith::UIToFPOp::create(rewriter, loc, converted, op.getX());
    else
      result = arith::SIToFPOp::create(rewriter, loc, converted, op.getX());
    if (isFloat8)
      result = ConvertOp::create(rewriter, loc, to, result,
                                 Rounding::ToNearestEven, op.getSaturate(),
                                 /*is_unsigned=*/false);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void nvvm::populateConvertPatterns(RewritePatternSet &patterns) {
  patterns.add<FloatToInteger, IntegerToFloat>(patterns.getContext());
}
