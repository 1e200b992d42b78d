//===- Conversions.cpp - Patterns for casts and 8-bit floats -------------===//
//
// What the lowering of arith to LLVM and NVPTX leaves out or gets wrong:
// rounding modes of truncf (the NVPTX back end ignores them), booleans made of
// floats (it compares with zero), and all of the 8-bit floats, which LLVM takes
// for integers.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include <limits>

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// The 8-bit floats that the instructions of sm_89 and later convert.
static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static bool isNativeFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

namespace {

//===----------------------------------------------------------------------===//
// Rounding modes
//===----------------------------------------------------------------------===//

/// Emits a rounding of `x` from the one to nearest even: `nearest`, widened
/// back to `back`. Where it went the wrong way, the neighbour is one step of
/// the bits away, at infinity and at zero too.
class Rounding {
public:
  Rounding(PatternRewriter &rewriter, Location loc, Value x, Value nearest)
      : b(rewriter), loc(loc), x(x), nearest(nearest), back(widen(nearest)),
        bitsType(b.getIntegerType(nearest.getType().getIntOrFloatBitWidth())),
        bits(arith::BitcastOp::create(b, loc, bitsType, nearest)) {}

  Value emit(arith::RoundingMode mode) {
    using P = arith::CmpFPredicate;
    switch (mode) {
    case arith::RoundingMode::to_nearest_even:
      return nearest;
    case arith::RoundingMode::toward_zero:
      return choose(compare(P::OGT, abs(back), abs(x)), addToBits(-1));
    case arith::RoundingMode::upward:
      return choose(compare(P::OLT, back, x), step(/*up=*/true));
    case arith::RoundingMode::downward:
      return choose(compare(P::OGT, back, x), step(/*up=*/false));
    case arith::RoundingMode::to_nearest_away:
      return emitNearestAway();
    }
    llvm_unreachable("unknown rounding mode");
  }

private:
  Value widen(Value value) {
    return arith::ExtFOp::create(b, loc, x.getType(), value);
  }
  Value abs(Value value) { return LLVM::FAbsOp::create(b, loc, value); }
  Value compare(arith::CmpFPredicate predicate, Value left, Value right) {
    return arith::CmpFOp::create(b, loc, predicate, left, right);
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bitsType, value));
  }
  Value addToBits(int64_t value) {
    return arith::AddIOp::create(b, loc, bits, integer(value));
  }
  /// The bits of the next number above or below. Those of negative numbers
  /// count down.
  Value step(bool up) {
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             bits, integer(0));
    Value away = addToBits(1), toward = addToBits(-1);
    return arith::SelectOp::create(b, loc, isNegative, up ? toward : away,
                                   up ? away : toward);
  }
  /// `neighbour`, given as bits, if the condition holds.
  Value choose(Value condition, Value neighbour) {
    Value chosen = arith::SelectOp::create(b, loc, condition, neighbour, bits);
    return arith::BitcastOp::create(b, loc, nearest.getType(), chosen);
  }
  /// A tie that went towards zero goes the other way. Both distances are exact.
  Value emitNearestAway() {
    using P = arith::CmpFPredicate;
    Value away = addToBits(1);
    Value other =
        widen(arith::BitcastOp::create(b, loc, nearest.getType(), away));
    Value lower = arith::SubFOp::create(b, loc, x, back);
    Value upper = arith::SubFOp::create(b, loc, other, x);
    Value isTie = compare(P::OEQ, lower, upper);
    Value isBelow = compare(P::OLT, abs(back), abs(x));
    return choose(arith::AndIOp::create(b, loc, isTie, isBelow), away);
  }

  PatternRewriter &b;
  Location loc;
  Value x, nearest, back;
  IntegerType bitsType;
  Value bits;
};

struct LowerRoundingMode final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<arith::RoundingMode> mode = op.getRoundingmode();
    bool isNearest = mode == arith::RoundingMode::to_nearest_even;
    if (!mode || !isNativeFloat(op.getIn().getType()) ||
        !(isNativeFloat(op.getType()) || isNearest))
      return rewriter.notifyMatchFailure(op, "no rounding mode, or of types "
                                             "that have only one");
    Value nearest = arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(),
                                            op.getIn());
    rewriter.replaceOp(
        op,
        isNearest
            ? nearest
            : Rounding(rewriter, op.getLoc(), op.getIn(), nearest).emit(*mode));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

/// NVPTX has no conversion to a predicate; the integers that fit are converted
/// to 32 bits first.
template <typename OpT> struct LowerFloatToBool final : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "not a boolean");
    Value wide =
        OpT::create(rewriter, op.getLoc(), rewriter.getI32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), wide);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 8-bit floats
//===----------------------------------------------------------------------===//

struct ExtendFloat8 final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!isFloat8(from) || !isNativeFloat(to))
      return rewriter.notifyMatchFailure(op, "not from an 8-bit float");
    Location loc = op.getLoc();
    Type f16 = rewriter.getF16Type(), i8 = rewriter.getI8Type();
    Value bits = arith::BitcastOp::create(rewriter, loc, i8, op.getIn());
    Value pair =
        LLVM::ZExtOp::create(rewriter, loc, rewriter.getI16Type(), bits);
    pair = LLVM::BitcastOp::create(rewriter, loc, VectorType::get(2, i8), pair);
    Value halves = NVVM::ConvertF8x2ToF16x2Op::create(
        rewriter, loc, VectorType::get(2, f16), pair, /*relu=*/false, from);
    Value zero = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                          rewriter.getI32IntegerAttr(0));
    Value half = LLVM::ExtractElementOp::create(rewriter, loc, halves, zero);
    if (to.isBF16())
      half = arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(), half);
    if (to.isBF16())
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, to, half);
    else if (to.isF16())
      rewriter.replaceOp(op, half);
    else
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, to, half);
    return success();
  }
};

/// f64 to f32 so that a second rounding to a shorter type is the same as one:
/// towards zero, with the last bit set where something was cut off (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
/// using rounding to odd", IEEE Transactions on Computers 57(4), 2008).
static Value roundToOdd(PatternRewriter &rewriter, Location loc, Value x) {
  Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
  Value cut =
      LLVM::CallIntrinsicOp::create(
          rewriter, loc, f32, rewriter.getStringAttr("llvm.nvvm.d2f.rz"), x)
          .getResult(0);
  Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), cut);
  Value isInexact =
      arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNE, back, x);
  Value bits = arith::BitcastOp::create(rewriter, loc, i32, cut);
  Value last = arith::ExtUIOp::create(rewriter, loc, i32, isInexact);
  bits = arith::OrIOp::create(rewriter, loc, bits, last);
  return arith::BitcastOp::create(rewriter, loc, f32, bits);
}

/// The conversion of the hardware, which saturates; `x` becomes an f32 that
/// rounds as it does.
static Value saturateToFloat8(PatternRewriter &rewriter, Location loc, Value &x,
                              Type to) {
  if (x.getType().isF64())
    x = roundToOdd(rewriter, loc, x);
  else if (!x.getType().isF32())
    x = arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(), x);
  Value pair = NVVM::ConvertF32x2ToF8x2Op::create(
      rewriter, loc, rewriter.getI16Type(), x, x, NVVM::FPRoundingMode::RN,
      NVVM::SaturationMode::SATFINITE, /*relu=*/false, to);
  return arith::TruncIOp::create(rewriter, loc, rewriter.getI8Type(), pair);
}

struct ConvertToFloat8 final : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getX();
    if (!isa<FloatType>(x.getType()) || !isFloat8(op.getType()) ||
        !op.getSaturate())
      return rewriter.notifyMatchFailure(op, "not saturating to an 8-bit "
                                             "float");
    Value bits = saturateToFloat8(rewriter, op.getLoc(), x, op.getType());
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

/// `truncf` does not saturate: what rounds beyond the greatest number is
/// infinity, or NaN in a type without one.
struct TruncateToFloat8 final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type to = op.getType();
    if (!isNativeFloat(x.getType()) || !isFloat8(to) || op.getRoundingmode())
      return rewriter.notifyMatchFailure(op, "not to an 8-bit float, or with a "
                                             "rounding mode");
    Location loc = op.getLoc();
    Value bits = saturateToFloat8(rewriter, loc, x, to);

    // The greatest f32 that rounds to a finite number, and what lies beyond it
    // without the sign: the greatest numbers are 448, with NaN at 480, and
    // 57344, with infinity at 65536. The first half-way case is rounded down to
    // an even number, the second up.
    bool isE4M3 = isa<Float8E4M3FNType>(to);
    Value limit = arith::ConstantOp::create(
        rewriter, loc,
        rewriter.getF32FloatAttr(isE4M3 ? 464.0 : 0x1.dffffep15));
    Value beyond = arith::ConstantOp::create(
        rewriter, loc, rewriter.getI8IntegerAttr(isE4M3 ? 0x7f : 0x7c));
    Value magnitude = LLVM::FAbsOp::create(rewriter, loc, x);
    Value overflows = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OGT, magnitude, limit);
    // The saturated bits carry the sign.
    Value signBit = arith::AndIOp::create(
        rewriter, loc, bits,
        arith::ConstantOp::create(rewriter, loc,
                                  rewriter.getI8IntegerAttr(-128)));
    beyond = arith::OrIOp::create(rewriter, loc, beyond, signBit);
    bits = arith::SelectOp::create(rewriter, loc, overflows, beyond, bits);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, bits);
    return success();
  }
};

/// Arithmetic of 8-bit floats is done in f32 and rounded back.
struct WidenFloat8 final : RewritePattern {
  WidenFloat8(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  static bool hasArithmetic(Operation *op) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
               arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
               arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp,
               arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
               arith::FPToUIOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
               math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp,
               math::SqrtOp, math::FmaOp>(op);
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!hasArithmetic(op) || !(llvm::any_of(op->getOperandTypes(), isFloat8) ||
                                llvm::any_of(op->getResultTypes(), isFloat8)))
      return rewriter.notifyMatchFailure(op, "no arithmetic of 8-bit floats");
    Location loc = op->getLoc();
    Type f32 = rewriter.getF32Type();
    IRMapping wide;
    for (Value operand : op->getOperands())
      if (isFloat8(operand.getType()) && !wide.contains(operand))
        wide.map(operand,
                 Value(arith::ExtFOp::create(rewriter, loc, f32, operand)));
    Operation *clone = rewriter.clone(*op, wide);
    Value result = clone->getResult(0);
    if (isFloat8(result.getType())) {
      Type type = result.getType();
      rewriter.modifyOpInPlace(clone, [&] { result.setType(f32); });
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void nvvm::populateConversionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRoundingMode, LowerFloatToBool<arith::FPToSIOp>,
               LowerFloatToBool<arith::FPToUIOp>, ExtendFloat8, ConvertToFloat8,
               TruncateToFloat8, WidenFloat8>(patterns.getContext());
}
