//===- EpilogueGraph.cpp - An epilogue as a plain graph ------------------===//

#include "cutl/Builder/EpilogueGraph.h"
#include "EpilogueConversion.h"
#include "cutl/Builder/EpilogueOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <optional>

using namespace mlir;
using namespace mlir::cutl;
using ::cutl::targetinfo::DataType;

namespace {

/// A value of the graph. A constant is emitted where its type is known.
struct GraphValue {
  Value value;
  bool isUnsigned = false;
  std::optional<double> constant;

  bool isTruth() const { return value && value.getType().isInteger(1); }
  bool isInteger() const {
    if (constant)
      return std::trunc(*constant) == *constant &&
             std::fabs(*constant) < 0x1p31;
    return isa<IntegerType>(value.getType());
  }
};

/// Emits one graph; every step that fails has emitted its error.
class GraphEmitter {
public:
  GraphEmitter(OpBuilder &builder, Location loc, StringRef subject,
               Type computeType)
      : builder(builder), loc(loc), subject(subject),
        computeType(cast<FloatType>(computeType)) {}

  void addArgument(const EpilogueArgument &argument, Value value) {
    values.push_back({value, argument.type->isInt() && !argument.type->isSigned,
                      std::nullopt});
  }
  LogicalResult addNode(unsigned index, const EpilogueNode &node);
  FailureOr<Value> getResult(const EpilogueResult &result);

private:
  InFlightDiagnostic error(unsigned index, const EpilogueNode &node);
  LogicalResult checkOperands(unsigned index, const EpilogueNode &node);
  FailureOr<GraphValue> emitTableOp(unsigned index, const EpilogueNode &node);
  FailureOr<GraphValue> emitConversion(unsigned index,
                                       const EpilogueNode &node);
  Value makeConstant(Type type, double value);
  Value toCompute(const GraphValue &value);
  Value toI32(const GraphValue &value);
  Value convert(const GraphValue &value, const DataType &record, bool saturate,
                Rounding rounding);

  OpBuilder &builder;
  Location loc;
  StringRef subject;
  FloatType computeType;
  SmallVector<GraphValue> values;
};

} // namespace

InFlightDiagnostic GraphEmitter::error(unsigned index,
                                       const EpilogueNode &node) {
  InFlightDiagnostic diagnostic = emitError(loc)
                                  << subject << ": epilogue node " << index;
  if (!node.name.empty())
    diagnostic << " '" << node.name << "'";
  diagnostic << " (" << node.op << "): ";
  return diagnostic;
}

LogicalResult GraphEmitter::checkOperands(unsigned index,
                                          const EpilogueNode &node) {
  unsigned numOperands = 0, numNumbers = 1;
  if (node.op == "convert") {
    numOperands = 1;
    numNumbers = 2;
  } else if (node.op != "constant") {
    const EpilogueOpInfo *info = lookupEpilogueOp(node.op);
    if (!info)
      return error(index, node) << "expected the name of an epilogue op";
    numOperands = info->numOperands;
    numNumbers = info->numNumbers;
  }
  if (node.operands.size() != numOperands)
    return error(index, node) << "expected " << numOperands << " operands, got "
                              << node.operands.size();
  if (node.numbers.size() != numNumbers)
    return error(index, node) << "expected " << numNumbers << " numbers, got "
                              << node.numbers.size();
  for (unsigned operand : node.operands)
    if (operand >= values.size())
      return error(index, node)
             << "expected operands to be values before it, numbered below "
             << values.size() << ", got " << operand;
  if ((node.op == "convert") != (node.type != nullptr))
    return error(index, node)
           << (node.type ? "expected no element type, got one"
                         : "expected an element type, got none");
  return success();
}

LogicalResult GraphEmitter::addNode(unsigned index, const EpilogueNode &node) {
  if (failed(checkOperands(index, node)))
    return failure();
  FailureOr<GraphValue> value;
  if (node.op == "constant")
    value = GraphValue{Value(), false, node.numbers[0]};
  else if (node.op == "convert")
    value = emitConversion(index, node);
  else
    value = emitTableOp(index, node);
  if (failed(value))
    return failure();
  values.push_back(*value);
  return success();
}

Value GraphEmitter::makeConstant(Type type, double value) {
  TypedAttr attribute =
      isa<FloatType>(type)
          ? TypedAttr(builder.getFloatAttr(type, value))
          : TypedAttr(builder.getIntegerAttr(type, int64_t(value)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value GraphEmitter::toCompute(const GraphValue &value) {
  if (value.constant)
    return makeConstant(computeType, *value.constant);
  Type type = value.value.getType();
  if (type == computeType)
    return value.value;
  if (isa<IntegerType>(type)) {
    if (value.isUnsigned || value.isTruth())
      return arith::UIToFPOp::create(builder, loc, computeType, value.value);
    return arith::SIToFPOp::create(builder, loc, computeType, value.value);
  }
  if (type.getIntOrFloatBitWidth() < computeType.getWidth())
    return arith::ExtFOp::create(builder, loc, computeType, value.value);
  return arith::TruncFOp::create(builder, loc, computeType, value.value);
}

Value GraphEmitter::toI32(const GraphValue &value) {
  Type i32 = builder.getI32Type();
  if (value.constant)
    return makeConstant(i32, *value.constant);
  if (value.value.getType() == i32)
    return value.value;
  if (value.isUnsigned || value.isTruth())
    return arith::ExtUIOp::create(builder, loc, i32, value.value);
  return arith::ExtSIOp::create(builder, loc, i32, value.value);
}

Value GraphEmitter::convert(const GraphValue &value, const DataType &record,
                            bool saturate, Rounding rounding) {
  Value x = value.constant ? toCompute(value) : value.value;
  return ::mlir::cutl::emitConversion(builder, loc, x, value.isUnsigned, record,
                                      saturate, rounding);
}

FailureOr<GraphValue> GraphEmitter::emitConversion(unsigned index,
                                                   const EpilogueNode &node) {
  auto number = unsigned(node.numbers[1]);
  std::optional<Rounding> rounding = symbolizeRounding(number);
  if (double(number) != node.numbers[1] || !rounding)
    return LogicalResult(error(index, node)
                         << "expected a rounding of 0 to 3, got "
                         << node.numbers[1]);
  const DataType &record = *node.type;
  if (!record.isStorage || record.isScale() || record.storageBits < 8)
    return LogicalResult(
        error(index, node)
        << "expected an element type of 8 or more bits that can be "
           "stored, got "
        << record.name);
  if (record.isFloat() && *rounding != Rounding::ToNearestEven)
    return LogicalResult(error(index, node)
                         << "expected rounding to the nearest for the "
                            "floating-point type "
                         << record.name << ", got "
                         << stringifyRounding(*rounding));
  Value result = convert(values[node.operands[0]], record,
                         node.numbers[0] != 0.0, *rounding);
  return GraphValue{result, record.isInt() && !record.isSigned, std::nullopt};
}

FailureOr<GraphValue> GraphEmitter::emitTableOp(unsigned index,
                                                const EpilogueNode &node) {
  const EpilogueOpInfo &info = *lookupEpilogueOp(node.op);
  SmallVector<GraphValue> operands;
  for (unsigned operand : node.operands)
    operands.push_back(values[operand]);
  // The first so many are truth values.
  unsigned numTruths = info.kind == EpilogueOpKind::Logic    ? operands.size()
                       : info.kind == EpilogueOpKind::Select ? 1
                                                             : 0;
  SmallVector<Value> emitted;
  for (unsigned i = 0; i < numTruths; ++i) {
    if (!operands[i].isTruth())
      return LogicalResult(
          error(index, node)
          << "expected operand " << i
          << " to be the result of a comparison, got a number");
    emitted.push_back(operands[i].value);
  }
  ArrayRef<GraphValue> numbers = ArrayRef(operands).drop_front(numTruths);
  bool isInteger = info.kind != EpilogueOpKind::Float &&
                   llvm::all_of(numbers, [](const GraphValue &number) {
                     return number.isInteger();
                   });
  for (const GraphValue &number : numbers)
    emitted.push_back(isInteger ? toI32(number) : toCompute(number));
  return GraphValue{info.emit(builder, loc, emitted, node.numbers), false,
                    std::nullopt};
}

FailureOr<Value> GraphEmitter::getResult(const EpilogueResult &result) {
  if (result.value >= values.size())
    return LogicalResult(emitError(loc)
                         << subject << ": expected the value of output '"
                         << result.name << "' to be numbered below "
                         << values.size() << ", got " << result.value);
  return convert(values[result.value], *result.type, /*saturate=*/false,
                 Rounding::ToNearestEven);
}

FailureOr<SmallVector<Value>> mlir::cutl::emitEpilogueGraph(
    OpBuilder &builder, Location loc, StringRef subject, Type computeType,
    ArrayRef<EpilogueArgument> arguments, ValueRange blockArguments,
    ArrayRef<EpilogueNode> nodes, ArrayRef<EpilogueResult> results) {
  GraphEmitter emitter(builder, loc, subject, computeType);
  for (auto [argument, value] : llvm::zip_equal(arguments, blockArguments))
    emitter.addArgument(argument, value);
  for (auto [index, node] : llvm::enumerate(nodes))
    if (failed(emitter.addNode(index, node)))
      return failure();
  SmallVector<Value> yielded;
  for (const EpilogueResult &result : results) {
    FailureOr<Value> value = emitter.getResult(result);
    if (failed(value))
      return failure();
    yielded.push_back(*value);
  }
  return yielded;
}
