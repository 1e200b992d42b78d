//===- EpilogueConversion.cpp - Element types of epilogues ---------------===//

#include "EpilogueConversion.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::cutl;
using ::cutl::targetinfo::DataType;

static Value makeConstant(OpBuilder &builder, Location loc, TypedAttr value) {
  return arith::ConstantOp::create(builder, loc, value);
}

/// The ends of an integer type's range.
static std::pair<APInt, APInt> getRange(unsigned width, bool isUnsigned) {
  if (isUnsigned)
    return {APInt::getZero(width), APInt::getMaxValue(width)};
  return {APInt::getSignedMinValue(width), APInt::getSignedMaxValue(width)};
}

static double getGreatest(FloatType type) {
  APFloat greatest = APFloat::getLargest(type.getFloatSemantics());
  bool losesInfo;
  greatest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return greatest.convertToDouble();
}

static Value integerToInteger(OpBuilder &builder, Location loc, Value x,
                              bool isUnsigned, IntegerType to,
                              bool toUnsigned) {
  unsigned from = cast<IntegerType>(x.getType()).getWidth();
  IntegerType i64 = builder.getI64Type();
  if (from == 1)
    return arith::ExtUIOp::create(builder, loc, to, x);
  if (from == to.getWidth() && isUnsigned == toUnsigned)
    return x;
  Value wide = isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, i64, x))
                          : Value(arith::ExtSIOp::create(builder, loc, i64, x));
  auto [low, high] = getRange(to.getWidth(), toUnsigned);
  int64_t least = toUnsigned ? 0 : low.getSExtValue();
  int64_t most =
      toUnsigned ? int64_t(high.getZExtValue()) : high.getSExtValue();
  Value clamped = arith::MaxSIOp::create(
      builder, loc, wide,
      makeConstant(builder, loc, builder.getIntegerAttr(i64, least)));
  clamped = arith::MinSIOp::create(
      builder, loc, clamped,
      makeConstant(builder, loc, builder.getIntegerAttr(i64, most)));
  return arith::TruncIOp::create(builder, loc, to, clamped);
}

Value mlir::cutl::emitConversion(OpBuilder &builder, Location loc, Value x,
                                 bool isUnsigned, const DataType &record,
                                 bool saturate, Rounding rounding) {
  Type from = x.getType(), to = getMLIRType(builder.getContext(), record);
  bool toUnsigned = record.isInt() && !record.isSigned;
  auto fromInteger = dyn_cast<IntegerType>(from);
  if (auto toInteger = dyn_cast<IntegerType>(to)) {
    if (fromInteger)
      return integerToInteger(builder, loc, x, isUnsigned, toInteger,
                              toUnsigned);
    return ConvertOp::create(builder, loc, to, x, rounding, /*saturate=*/true,
                             toUnsigned);
  }
  if (from == to)
    return x;
  // Truth values have no conversion of their own.
  if (from.isInteger(1))
    return arith::UIToFPOp::create(builder, loc, to, x);
  if (fromInteger)
    return ConvertOp::create(builder, loc, to, x, Rounding::ToNearestEven,
                             /*saturate=*/false, isUnsigned);
  if (saturate &&
      getGreatest(cast<FloatType>(from)) > getGreatest(cast<FloatType>(to)))
    return ConvertOp::create(builder, loc, to, x, Rounding::ToNearestEven,
                             /*saturate=*/true, /*is_unsigned=*/false);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, to, x);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(builder, loc, to, x);
  // Types of one width, such as f16 and bf16.
  return ConvertOp::create(builder, loc, to, x, Rounding::ToNearestEven,
                           /*saturate=*/false, /*is_unsigned=*/false);
}
