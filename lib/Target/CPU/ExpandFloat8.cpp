//===- ExpandFloat8.cpp - cutl-cpu-expand-float8 -------------------------===//
//
// Conversions from and to 8-bit floats as integer arithmetic on the bits of
// wider ones, and their other arithmetic in f32.
//
//===----------------------------------------------------------------------===//

#include "cutl/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLCPUEXPANDFLOAT8
#include "cutl/Target/CPU/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;

namespace {

/// Of numbers and of vectors of them.
bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// `element`, or a vector of them in the shape of `like`.
Type withElement(Type like, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    return shaped.clone(element);
  return element;
}

/// The attribute of `value`, or of a vector of it, as `type` says.
TypedAttr splat(Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return DenseElementsAttr::get(shaped, ArrayRef<Attribute>(value));
  return value;
}

Value createFloat(ImplicitLocOpBuilder &builder, Type type,
                  const APFloat &value) {
  FloatAttr number = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  return arith::ConstantOp::create(builder, splat(type, number));
}

/// What the arithmetic needs to know of an 8-bit float.
struct Format {
  explicit Format(Type type)
      : hasInfinity(isa<Float8E5M2Type>(getElementTypeOrSelf(type))),
        mantissaBits(hasInfinity ? 2 : 3), bias(hasInfinity ? 15 : 7) {}

  bool hasInfinity;
  unsigned mantissaBits;
  int bias;

  /// Magnitudes: infinity where there is one, and NaN.
  uint64_t overflow() const { return hasInfinity ? 0x7c : 0x7f; }
  uint64_t nan() const { return hasInfinity ? 0x7e : 0x7f; }
};

/// Creates ops on numbers, or vectors, of one integer type.
class BitBuilder {
public:
  BitBuilder(ImplicitLocOpBuilder &builder, Type type)
      : builder(builder), type(type) {}

  Value constant(uint64_t bits) {
    auto element = cast<IntegerType>(getElementTypeOrSelf(type));
    IntegerAttr number =
        builder.getIntegerAttr(element, APInt(element.getWidth(), bits));
    return arith::ConstantOp::create(builder, splat(type, number));
  }
  template <typename OpTy> Value apply(Value left, uint64_t right) {
    return OpTy::create(builder, left, constant(right));
  }

private:
  ImplicitLocOpBuilder &builder;
  Type type;
};

/// Read as f16 with one exponent bit more, an e4m3 is its 2^-8th part; an e5m2
/// is the upper half of an f16.
struct ExpandExtension final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!isFloat8(from))
      return rewriter.notifyMatchFailure(op, "operand is no 8-bit float");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Format format(from);
    Type i16 = withElement(from, builder.getI16Type());
    BitBuilder bits(builder, i16);
    Value byte = arith::BitcastOp::create(
        builder, withElement(from, builder.getI8Type()), op.getIn());
    Value x = arith::ExtUIOp::create(builder, i16, byte);
    Value half = bits.apply<arith::ShLIOp>(x, 8);
    if (!format.hasInfinity) {
      Value sign = bits.apply<arith::AndIOp>(half, 0x8000);
      Value magnitude = bits.apply<arith::AndIOp>(x, 0x7f);
      Value shifted = bits.apply<arith::ShLIOp>(magnitude, 7);
      half = arith::OrIOp::create(builder, shifted, sign);
    }
    half = arith::BitcastOp::create(
        builder, withElement(from, builder.getF16Type()), half);
    auto element = cast<FloatType>(getElementTypeOrSelf(to));
    if (element.getWidth() < 32)
      element = builder.getF32Type();
    Type wide = withElement(to, element);
    Value result = arith::ExtFOp::create(builder, wide, half);
    if (!format.hasInfinity) {
      const llvm::fltSemantics &semantics = element.getFloatSemantics();
      APFloat unit(semantics, "0x1p8");
      result = arith::MulFOp::create(builder, result,
                                     createFloat(builder, wide, unit));
      Value magnitude = bits.apply<arith::AndIOp>(x, 0x7f);
      Value isNaN = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                          magnitude, bits.constant(0x7f));
      Value nan = createFloat(builder, wide, APFloat::getNaN(semantics));
      result = arith::SelectOp::create(builder, isNaN, nan, result);
    }
    // Every 8-bit float is an f16 and a bf16.
    if (wide != to)
      result = arith::TruncFOp::create(builder, to, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// To the nearest, ties to even, in one rounding.
struct ExpandTruncation final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat8(op.getType()))
      return rewriter.notifyMatchFailure(op, "result is no 8-bit float");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "rounds another way");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = op.getIn();
    if (getElementTypeOrSelf(x).getIntOrFloatBitWidth() < 32)
      x = arith::ExtFOp::create(
          builder, withElement(x.getType(), builder.getF32Type()), x);
    Value byte = truncate(builder, x, Format(op.getType()));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), byte);
    return success();
  }

  /// The bytes of f32 or f64 numbers.
  static Value truncate(ImplicitLocOpBuilder &builder, Value x,
                        const Format &format);
};

} // namespace

Value ExpandTruncation::truncate(ImplicitLocOpBuilder &builder, Value x,
                                 const Format &format) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x));
  Type word = withElement(x.getType(), builder.getIntegerType(type.getWidth()));
  BitBuilder bits(builder, word);
  unsigned wideMantissa = type.getFPMantissaWidth() - 1;
  int wideBias = type.isF64() ? 1023 : 127;
  unsigned shift = wideMantissa - format.mantissaBits;

  Value image = arith::BitcastOp::create(builder, word, x);
  Value sign = bits.apply<arith::ShRUIOp>(image, type.getWidth() - 8);
  sign = bits.apply<arith::AndIOp>(sign, 0x80);
  Value magnitude = bits.apply<arith::AndIOp>(
      image, llvm::maskTrailingOnes<uint64_t>(type.getWidth() - 1));

  // Normal: the exponent is moved to the new bias, and half a unit is added,
  // less one where the unit below is even.
  Value odd = bits.apply<arith::ShRUIOp>(magnitude, shift);
  odd = bits.apply<arith::AndIOp>(odd, 1);
  Value normal = arith::AddIOp::create(builder, magnitude, odd);
  uint64_t half = (uint64_t(1) << (shift - 1)) - 1;
  normal = bits.apply<arith::AddIOp>(
      normal, half - (uint64_t(wideBias - format.bias) << wideMantissa));
  normal = bits.apply<arith::ShRUIOp>(normal, shift);

  // Subnormal: beside a number whose last bit is the smallest subnormal, the
  // addition rounds.
  int smallest = 1 - format.bias - int(format.mantissaBits);
  APFloat anchor =
      scalbn(APFloat(type.getFloatSemantics(), 1), int(wideMantissa) + smallest,
             APFloat::rmNearestTiesToEven);
  Value absolute = arith::BitcastOp::create(builder, x.getType(), magnitude);
  Value sum = arith::AddFOp::create(builder, absolute,
                                    createFloat(builder, x.getType(), anchor));
  Value subnormal = arith::BitcastOp::create(builder, word, sum);
  subnormal = bits.apply<arith::SubIOp>(subnormal,
                                        anchor.bitcastToAPInt().getZExtValue());

  auto pick = [&](arith::CmpIPredicate predicate, uint64_t limit, Value yes,
                  Value no) -> Value {
    Value condition = arith::CmpIOp::create(builder, predicate, magnitude,
                                            bits.constant(limit));
    return arith::SelectOp::create(builder, condition, yes, no);
  };
  uint64_t firstNormal = uint64_t(wideBias - format.bias + 1) << wideMantissa;
  uint64_t infinity =
      APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt().getZExtValue();
  Value capped =
      arith::MinUIOp::create(builder, normal, bits.constant(format.overflow()));
  Value result =
      pick(arith::CmpIPredicate::ult, firstNormal, subnormal, capped);
  result = pick(arith::CmpIPredicate::ugt, infinity,
                bits.constant(format.nan()), result);
  result = arith::OrIOp::create(builder, result, sign);
  return arith::TruncIOp::create(
      builder, withElement(word, builder.getI8Type()), result);
}

namespace {

/// A constant becomes its bits.
struct ExpandConstant final : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat8(op.getType()))
      return rewriter.notifyMatchFailure(op, "no 8-bit float");
    IntegerType i8 = rewriter.getI8Type();
    TypedAttr image;
    if (auto value = dyn_cast<FloatAttr>(op.getValue()))
      image = rewriter.getIntegerAttr(i8, value.getValue().bitcastToAPInt());
    else if (auto values = dyn_cast<DenseFPElementsAttr>(op.getValue()))
      image = values.mapValues(
          i8, [](const APFloat &value) { return value.bitcastToAPInt(); });
    else
      return rewriter.notifyMatchFailure(op, "constant without its elements");
    Value bits = arith::ConstantOp::create(rewriter, op.getLoc(), image);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

/// Other arithmetic is done in f32 and rounded back.
struct WidenArithmetic final : RewritePattern {
  explicit WidenArithmetic(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isConcerned = llvm::any_of(op->getOperandTypes(), isFloat8) ||
                       llvm::any_of(op->getResultTypes(), isFloat8);
    if (!isConcerned ||
        !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        isa<arith::BitcastOp, arith::ConstantOp, arith::ExtFOp, arith::SelectOp,
            arith::TruncFOp>(op))
      return rewriter.notifyMatchFailure(op, "no arithmetic of 8-bit floats");
    Location loc = op->getLoc();
    Type f32 = rewriter.getF32Type();
    IRMapping wide;
    for (Value operand : op->getOperands())
      if (isFloat8(operand.getType()) && !wide.contains(operand))
        wide.map(operand, Value(arith::ExtFOp::create(
                              rewriter, loc,
                              withElement(operand.getType(), f32), operand)));
    Operation *clone = rewriter.clone(*op, wide);
    Value result = clone->getResult(0);
    if (isFloat8(result.getType())) {
      Type type = result.getType();
      rewriter.modifyOpInPlace(clone,
                               [&] { result.setType(withElement(type, f32)); });
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandFloat8Pass final
    : cutl::impl::CutlCpuExpandFloat8Base<ExpandFloat8Pass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtension, ExpandTruncation, ExpandConstant,
                 WidenArithmetic>(&getContext());
    // Folding would make constants of 8-bit floats again.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
