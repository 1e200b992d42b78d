//===- ProductBody.cpp - Products of elements, as scalar ops -------------===//

#include "cutl/Conversion/ProductBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::cutl;

Type mlir::cutl::getSumType(const GemmCompute &compute) {
  return compute.saturate
             ? Type(IntegerType::get(compute.accumulator.getContext(), 64))
             : compute.accumulator;
}

/// Converts an operand's element to the type of the sum. Widening is exact;
/// f64 to f32 or f32 to f16 does not occur (the table has no such triple).
static Value convertTo(OpBuilder &builder, Location loc, Value value, Type type,
                       bool isUnsigned) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (isa<IntegerType>(from)) {
    if (isa<FloatType>(type))
      return isUnsigned
                 ? Value(arith::UIToFPOp::create(builder, loc, type, value))
                 : Value(arith::SIToFPOp::create(builder, loc, type, value));
    if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
      return arith::TruncIOp::create(builder, loc, type, value);
    return isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, type, value))
                      : Value(arith::ExtSIOp::create(builder, loc, type, value));
  }
  if (isa<IntegerType>(type))
    return isUnsigned
               ? Value(arith::FPToUIOp::create(builder, loc, type, value))
               : Value(arith::FPToSIOp::create(builder, loc, type, value));
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = type.getIntOrFloatBitWidth();
  if (fromBits > toBits)
    return arith::TruncFOp::create(builder, loc, type, value);
  if (fromBits < toBits)
    return arith::ExtFOp::create(builder, loc, type, value);
  // f16 and bf16 meet in f32.
  Value wide =
      arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

/// Rounds an f32 to ten mantissa bits, to nearest even; infinity and NaN stay.
static Value roundToTF32(OpBuilder &builder, Location loc, Value value) {
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t bits) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(i32, bits));
  };
  Value bits = arith::BitcastOp::create(builder, loc, i32, value);
  Value shifted = arith::ShRUIOp::create(builder, loc, bits, constant(13));
  Value odd = arith::AndIOp::create(builder, loc, shifted, constant(1));
  Value bias = arith::AddIOp::create(builder, loc, odd, constant(0xFFF));
  Value biased = arith::AddIOp::create(builder, loc, bits, bias);
  Value rounded =
      arith::AndIOp::create(builder, loc, biased, constant(int32_t(0xFFFFE000)));
  Value exponent =
      arith::AndIOp::create(builder, loc, bits, constant(0x7F800000));
  Value isFinite =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, exponent,
                            constant(0x7F800000));
  Value result =
      arith::SelectOp::create(builder, loc, isFinite, rounded, bits);
  return arith::BitcastOp::create(builder, loc, value.getType(), result);
}

static Value roundForMath(OpBuilder &builder, Location loc, MathMode math,
                          Value value) {
  Type narrow;
  switch (math) {
  case MathMode::Exact:
  case MathMode::TF32x3:
    return value;
  case MathMode::TF32:
    return roundToTF32(builder, loc, value);
  case MathMode::BF16:
    narrow = builder.getBF16Type();
    break;
  case MathMode::F16:
    narrow = builder.getF16Type();
    break;
  }
  Value rounded = arith::TruncFOp::create(builder, loc, narrow, value);
  return arith::ExtFOp::create(builder, loc, value.getType(), rounded);
}

Value mlir::cutl::createFactor(OpBuilder &builder, Location loc, MathMode math,
                               Signedness signedness, Value element,
                               Type sumType) {
  return roundForMath(builder, loc, math,
                      convertTo(builder, loc, element, sumType,
                                signedness == Signedness::Unsigned));
}

Value mlir::cutl::createMultiplyAdd(OpBuilder &builder, Location loc, Value a,
                                    Value b, Value sum) {
  if (isa<FloatType>(sum.getType())) {
    Value product = arith::MulFOp::create(builder, loc, a, b);
    return arith::AddFOp::create(builder, loc, sum, product);
  }
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, sum, product);
}

Value mlir::cutl::createProductBody(OpBuilder &builder, Location loc,
                                    const GemmCompute &compute,
                                    const ProductInputs &indices,
                                    ValueRange inputs, Value sum) {
  Type type = sum.getType();
  bool isFloat = isa<FloatType>(type);
  auto factor = [&](unsigned index, std::optional<unsigned> zero,
                    std::optional<unsigned> scale, Signedness sign) {
    bool isUnsigned = sign == Signedness::Unsigned;
    Value value = convertTo(builder, loc, inputs[index], type, isUnsigned);
    if (zero) {
      Value point = convertTo(builder, loc, inputs[*zero], type, isUnsigned);
      value = isFloat
                  ? Value(arith::SubFOp::create(builder, loc, value, point))
                  : Value(arith::SubIOp::create(builder, loc, value, point));
    }
    value = roundForMath(builder, loc, compute.math, value);
    if (scale)
      value = arith::MulFOp::create(
          builder, loc, value,
          convertTo(builder, loc, inputs[*scale], type, false));
    return value;
  };
  Value a = factor(0, indices.zeroA, indices.scaleA, compute.aSignedness);
  Value b = factor(1, indices.zeroB, indices.scaleB, compute.bSignedness);
  return createMultiplyAdd(builder, loc, a, b, sum);
}

Value mlir::cutl::finishAccumulator(OpBuilder &builder, Location loc,
                                    const GemmCompute &compute, Value sum) {
  if (!compute.saturate)
    return sum;
  unsigned bits = compute.accumulator.getIntOrFloatBitWidth();
  auto limit = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(sum.getType(), value.getSExtValue()));
  };
  Value high = arith::MinSIOp::create(builder, loc, sum,
                                      limit(APInt::getSignedMaxValue(bits)));
  Value clamped = arith::MaxSIOp::create(builder, loc, high,
                                         limit(APInt::getSignedMinValue(bits)));
  return arith::TruncIOp::create(builder, loc, compute.accumulator, clamped);
}
