//===- CutlConvertOp.cpp - Conversion of scalars --------------------------===//
//
// The rules of cutl.convert, its value in double precision, and its formula in
// arith and math ops.
//
//===----------------------------------------------------------------------===//

#include "EpilogueFormula.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// Facts about the types
//===----------------------------------------------------------------------===//

static double getGreatest(FloatType type) {
  llvm::APFloat greatest = llvm::APFloat::getLargest(type.getFloatSemantics());
  bool losesInfo;
  greatest.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return greatest.convertToDouble();
}

namespace {
/// The numbers that an integer type holds, the upper one excluded: a power of
/// two, which every float holds.
struct IntegerRange {
  IntegerRange(Type type, bool isUnsigned)
      : width(type.getIntOrFloatBitWidth()),
        low(isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1)),
        end(std::ldexp(1.0, isUnsigned ? width : width - 1)) {}
  unsigned width;
  double low, end;
};
} // namespace

/// The greatest magnitude of a type, infinities left aside.
static double getGreatestMagnitude(Type type, bool isUnsigned) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return getGreatest(floatType);
  return IntegerRange(type, isUnsigned).end - (isUnsigned ? 1.0 : 0.0);
}

//===----------------------------------------------------------------------===//
// Verification and folding
//===----------------------------------------------------------------------===//

LogicalResult ConvertOp::verify() {
  Type from = getX().getType(), to = getType();
  for (auto [what, type] :
       {std::pair<StringRef, Type>("operand", from), {"result", to}}) {
    if (isa<FloatType>(type)) {
      if (!isa<Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type,
               Float32Type, Float64Type>(type))
        return emitOpError("expected a float ")
               << what << " to be f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, got "
               << type;
      continue;
    }
    unsigned width = type.getIntOrFloatBitWidth();
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return emitOpError("expected an integer ")
             << what << " to be i8, i16, i32 or i64, got " << type;
  }
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (!fromFloat && !toFloat)
    return emitOpError("expected a float operand or result, got ")
           << from << " to " << to
           << "; arith.extsi, arith.extui and arith.trunci convert integers";
  if (getIsUnsigned() && fromFloat && toFloat)
    return emitOpError("expected an integer operand or result with 'unsigned', "
                       "got ")
           << from << " to " << to;
  if (toFloat && getRounding() != Rounding::ToNearestEven) {
    InFlightDiagnostic diag =
        emitOpError(
            "expected to_nearest_even, the rounding of a conversion to ")
        << to << ", got " << stringifyRounding(getRounding());
    if (fromFloat && to.getIntOrFloatBitWidth() > 8)
      diag << "; arith.truncf has the others";
    return diag;
  }
  if (!toFloat && !getSaturate())
    return emitOpError("expected 'saturate' in a conversion from ")
           << from << " to " << to
           << "; arith.fptosi and arith.fptoui leave what is out of range "
              "undefined";
  if (toFloat && getSaturate() &&
      getGreatestMagnitude(from, getIsUnsigned()) <=
          getGreatestMagnitude(to, false))
    return emitOpError("expected no 'saturate' in a conversion that cannot "
                       "overflow, got ")
           << from << " to " << to;
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : Value();
}

//===----------------------------------------------------------------------===//
// Reference evaluation
//===----------------------------------------------------------------------===//

EpilogueCost ConvertOp::getEpilogueCost() {
  // The bounds of a saturation are two operations where the conversion does not
  // have it.
  bool isClamped = getSaturate() && isa<FloatType>(getType()) &&
                   getType().getIntOrFloatBitWidth() > 8;
  return {isClamped ? 3.0 : 1.0, 0.0};
}

static double roundToInteger(Rounding rounding, double x) {
  switch (rounding) {
  case Rounding::ToNearestEven:
    return std::nearbyint(x);
  case Rounding::TowardZero:
    return std::trunc(x);
  case Rounding::Downward:
    return std::floor(x);
  case Rounding::Upward:
    return std::ceil(x);
  }
  llvm_unreachable("unknown rounding");
}

/// Integers are carried as signed numbers.
static RefValue evaluateToInteger(ConvertOp op, RefValue x) {
  IntegerRange range(op.getType(), op.getIsUnsigned());
  RefValue result = evaluateUnary(
      [&](double value) {
        if (std::isnan(value))
          return 0.0;
        double rounded = roundToInteger(op.getRounding(), value);
        return std::fmin(std::fmax(rounded, range.low), range.end - 1.0);
      },
      x);
  // Nor does a double hold the ends of 64 bits.
  if (!(std::fabs(result.value) + result.error <= 0x1p53))
    return {0.0, kUnbounded};
  if (!op.getIsUnsigned())
    return result;
  double wrap = std::ldexp(1.0, range.width - 1);
  bool wrapsBelow = result.value - result.error >= wrap;
  if (!wrapsBelow && result.value + result.error >= wrap)
    return {0.0, kUnbounded};
  return {wrapsBelow ? result.value - range.end : result.value, result.error};
}

static RefValue evaluateToFloat(ConvertOp op, RefValue x) {
  auto type = cast<FloatType>(op.getType());
  Type from = op.getX().getType();
  double greatest = op.getSaturate() ? getGreatest(type) : 0.0;
  bool isUnsignedInteger = op.getIsUnsigned() && !isa<FloatType>(from);
  double wrap = std::ldexp(1.0, from.getIntOrFloatBitWidth());
  RefValue result = evaluateUnary(
      [&](double value) {
        if (isUnsignedInteger && value < 0.0)
          value += wrap;
        if (!op.getSaturate() || std::isnan(value))
          return value;
        return std::fmin(std::fmax(value, -greatest), greatest);
      },
      x);
  if (isUnsignedInteger && x.error >= std::fabs(x.value) && x.error > 0.0)
    return {result.value, kUnbounded};
  if (!op.getSaturate())
    return roundToType(type, result);
  if (result.error != kUnbounded && !std::isnan(result.value))
    result.error += getHalfUlp(
        type, std::fmin(std::fabs(result.value) + result.error, greatest));
  return result;
}

RefValue ConvertOp::evaluateReference(ArrayRef<RefValue> operands) {
  return isa<FloatType>(getType()) ? evaluateToFloat(*this, operands[0])
                                   : evaluateToInteger(*this, operands[0]);
}

//===----------------------------------------------------------------------===//
// Expansion to arith and math
//===----------------------------------------------------------------------===//

static Value emitRounding(Formula &f, Rounding rounding, Value x) {
  switch (rounding) {
  case Rounding::ToNearestEven:
    return f.emit<math::RoundEvenOp>(x);
  case Rounding::TowardZero:
    return f.emit<math::TruncOp>(x);
  case Rounding::Downward:
    return f.emit<math::FloorOp>(x);
  case Rounding::Upward:
    return f.emit<math::CeilOp>(x);
  }
  llvm_unreachable("unknown rounding");
}

static Value emitToInteger(ConvertOp op, OpBuilder &builder, Value x) {
  using P = arith::CmpFPredicate;
  Location loc = op.getLoc();
  IntegerRange range(op.getType(), op.getIsUnsigned());
  FloatType type = getComputeType(x.getType());
  if (type != x.getType())
    x = arith::ExtFOp::create(builder, loc, type, x);
  Formula f(builder, loc, type);
  Value zero = f.constant(0.0);
  auto convert = [&](Type result, Value value) -> Value {
    if (op.getIsUnsigned())
      return arith::FPToUIOp::create(builder, loc, result, value);
    return arith::FPToSIOp::create(builder, loc, result, value);
  };
  // The ends of a range that the float holds bound the float. The result goes
  // through 32 bits, the width of the processors' own conversion.
  if (range.width <= type.getFPMantissaWidth()) {
    Value number = f.select(P::UNO, x, x, zero, x);
    number = f.clampAbove(f.clampBelow(number, range.low), range.end - 1.0);
    number = emitRounding(f, op.getRounding(), number);
    if (range.width >= 32)
      return convert(op.getType(), number);
    Value wide =
        arith::FPToSIOp::create(builder, loc, builder.getI32Type(), number);
    return arith::TruncIOp::create(builder, loc, op.getType(), wide);
  }
  // Otherwise what is out of range is converted as zero and replaced.
  Value number = emitRounding(f, op.getRounding(), x);
  Value low = f.constant(range.low), end = f.constant(range.end);
  Value inside = f.select(P::OGE, number, low, number, zero);
  inside = f.select(P::OLT, inside, end, inside, zero);
  Value result = convert(op.getType(), inside);
  auto replace = [&](P predicate, Value bound, APInt with) {
    Value condition =
        arith::CmpFOp::create(builder, loc, predicate, number, bound);
    Value other = arith::ConstantOp::create(
        builder, loc, IntegerAttr::get(op.getType(), with));
    result = arith::SelectOp::create(builder, loc, condition, other, result);
  };
  unsigned width = range.width;
  replace(P::OGE, end,
          op.getIsUnsigned() ? APInt::getMaxValue(width)
                             : APInt::getSignedMaxValue(width));
  replace(P::OLT, low,
          op.getIsUnsigned() ? APInt::getMinValue(width)
                             : APInt::getSignedMinValue(width));
  return result;
}

/// Replaces the bits of `mask` in `x` by its highest one, which says whether
/// any of them was set: a rounding to fewer bits is the same as without.
static Value emitSticky(OpBuilder &builder, Location loc, Value x,
                        uint64_t mask) {
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, IntegerAttr::get(x.getType(), APInt(64, value)));
  };
  Value rest = arith::AndIOp::create(builder, loc, x, constant(mask));
  Value isInexact = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, rest, constant(0));
  Value sticky = arith::SelectOp::create(builder, loc, isInexact,
                                         constant((mask + 1) / 2), constant(0));
  Value kept = arith::AndIOp::create(builder, loc, x, constant(~mask));
  return arith::OrIOp::create(builder, loc, kept, sticky);
}

/// Conversion of an integer to f32 or f64, or to an f32 that rounds to the same
/// narrower float.
static Value emitFromInteger(ConvertOp op, OpBuilder &builder, Value x,
                             Type to) {
  Location loc = op.getLoc();
  auto convert = [&](Type type) -> Value {
    if (op.getIsUnsigned())
      return arith::UIToFPOp::create(builder, loc, type, x);
    return arith::SIToFPOp::create(builder, loc, type, x);
  };
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  if (to.isF32() || to.isF64())
    return convert(to);
  // f32 holds the integers of 16 bits, and those of any width up to the
  // greatest f16, exactly.
  if (!to.isBF16() || width <= 16)
    return convert(f32);
  if (width == 64) {
    // A number that f64 holds has upper bits that are copies of its sign.
    auto constant = [&](uint64_t value) -> Value {
      return arith::ConstantOp::create(
          builder, loc, IntegerAttr::get(x.getType(), APInt(64, value)));
    };
    Value shortened = emitSticky(builder, loc, x, 0xfff);
    Value upper = arith::AddIOp::create(builder, loc, x, constant(1ull << 52));
    Value isShort = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, upper, constant(1ull << 53));
    x = arith::SelectOp::create(builder, loc, isShort, x, shortened);
  }
  Type i64 = builder.getI64Type();
  Value bits = arith::BitcastOp::create(builder, loc, i64, convert(f64));
  bits = emitSticky(builder, loc, bits, (1u << 30) - 1);
  Value odd = arith::BitcastOp::create(builder, loc, f64, bits);
  return arith::TruncFOp::create(builder, loc, f32, odd);
}

Value ConvertOp::expandToArith(OpBuilder &builder, ValueRange operands) {
  Value x = operands[0];
  Type to = getType();
  Location loc = getLoc();
  if (!isa<FloatType>(to))
    return emitToInteger(*this, builder, x);
  if (!isa<FloatType>(x.getType()))
    x = emitFromInteger(*this, builder, x, to);
  unsigned width = to.getIntOrFloatBitWidth();
  // Bounds and equally wide types are a matter of f32.
  bool isNarrow = x.getType().getIntOrFloatBitWidth() < 32;
  if (isNarrow && x.getType() != to &&
      (getSaturate() || x.getType().getIntOrFloatBitWidth() == width))
    x = arith::ExtFOp::create(builder, loc, builder.getF32Type(), x);
  if (getSaturate()) {
    Formula f(builder, loc, cast<FloatType>(x.getType()));
    double greatest = getGreatest(cast<FloatType>(to));
    x = f.emit<arith::MaximumFOp>(x, f.constant(-greatest));
    x = f.emit<arith::MinimumFOp>(x, f.constant(greatest));
  }
  unsigned operandWidth = x.getType().getIntOrFloatBitWidth();
  if (x.getType() == to)
    return x;
  if (operandWidth < width)
    return arith::ExtFOp::create(builder, loc, to, x);
  return arith::TruncFOp::create(builder, loc, to, x);
}
