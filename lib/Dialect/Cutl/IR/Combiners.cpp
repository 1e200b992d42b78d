//===- Combiners.cpp - How reduced outputs combine values -----------------===//

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::cutl;

TypedAttr mlir::cutl::getCombinerIdentity(Builder &builder, Combiner combiner,
                                          Type type) {
  if (combiner == Combiner::Max || combiner == Combiner::Min) {
    bool isMax = combiner == Combiner::Max;
    if (auto floatType = dyn_cast<FloatType>(type))
      return builder.getFloatAttr(
          type, APFloat::getInf(floatType.getFloatSemantics(), isMax));
    unsigned bits = type.getIntOrFloatBitWidth();
    return builder.getIntegerAttr(type, isMax
                                            ? APInt::getSignedMinValue(bits)
                                            : APInt::getSignedMaxValue(bits));
  }
  return cast<TypedAttr>(builder.getZeroAttr(type));
}

/// The magnitude of `value`; that of the least integer is the greatest one.
static Value createMagnitude(OpBuilder &builder, Location loc, Value value) {
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type)
    return math::AbsFOp::create(builder, loc, value);
  Value least = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(type, -APInt::getSignedMaxValue(type.getWidth())));
  value = arith::MaxSIOp::create(builder, loc, value, least);
  return math::AbsIOp::create(builder, loc, value);
}

Value mlir::cutl::createCombine(OpBuilder &builder, Location loc,
                                Combiner combiner, Value current, Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  // A sum may be kept in a wider type than its terms.
  if (combiner != Combiner::None && current.getType() != value.getType())
    value = arith::ExtFOp::create(builder, loc, current.getType(), value);
  switch (combiner) {
  case Combiner::None:
    return value;
  case Combiner::Add:
    return isFloat
               ? Value(arith::AddFOp::create(builder, loc, current, value))
               : Value(arith::AddIOp::create(builder, loc, current, value));
  case Combiner::AMax:
    value = createMagnitude(builder, loc, value);
    [[fallthrough]];
  case Combiner::Max:
    return isFloat
               ? Value(arith::MaximumFOp::create(builder, loc, current, value))
               : Value(arith::MaxSIOp::create(builder, loc, current, value));
  case Combiner::Min:
    return isFloat
               ? Value(arith::MinimumFOp::create(builder, loc, current, value))
               : Value(arith::MinSIOp::create(builder, loc, current, value));
  }
  return value;
}

Type mlir::cutl::getCombinedType(Combiner combiner, Type type) {
  bool isNarrow = combiner == Combiner::Add && isa<FloatType>(type) &&
                  type.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Float32Type::get(type.getContext()) : type;
}

ParseResult mlir::cutl::parseOptionalCombiner(AsmParser &parser,
                                              Combiner &combiner) {
  combiner = Combiner::None;
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return success();
  std::optional<Combiner> symbol = symbolizeCombiner(name);
  if (!symbol)
    return parser.emitError(loc, "unknown combiner '")
           << name << "', expected one of add, max, min, amax";
  combiner = *symbol;
  return success();
}
