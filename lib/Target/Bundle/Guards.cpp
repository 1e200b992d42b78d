//===- Guards.cpp - Conditions of an entry or a variant -------------------===//

#include "Guards.h"
#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::cutl;

static ExpressionCode combine(CutlOpcode opcode, const ExpressionCode &left,
                              const ExpressionCode &right) {
  return ExpressionCode::combine(opcode, left, right);
}

bool GuardSpec::operator==(const GuardSpec &other) const {
  return kind == other.kind && operand == other.operand &&
         dimension == other.dimension && low == other.low &&
         high == other.high && divisor == other.divisor &&
         expression == other.expression && text == other.text;
}

void Guards::add(GuardSpec guard) {
  if (!llvm::is_contained(guards, guard))
    guards.push_back(std::move(guard));
}

/// `value` is what the message ends with if the condition never holds.
void Guards::addCondition(const ExpressionCode &condition, std::string text,
                          const ExpressionCode *value) {
  std::optional<int64_t> constant = condition.getConstant();
  if (!constant) {
    GuardSpec guard;
    guard.expression = condition;
    guard.text = std::move(text);
    return add(std::move(guard));
  }
  if (*constant != 0 || !violation.empty())
    return;
  violation = std::move(text);
  if (std::optional<int64_t> got = value ? value->getConstant() : std::nullopt)
    violation += ", got " + std::to_string(*got);
}

void Guards::choose(const ExpressionCode &condition) {
  GuardSpec guard;
  guard.expression = condition;
  add(std::move(guard));
}

std::string Guards::getName(const ArrayValue &array) const {
  return array.isInWorkspace()
             ? "workspace"
             : getArgumentName(values.getOperands()[array.operand]);
}

std::optional<int32_t> Guards::getOperandDim(const ArrayValue &array,
                                             unsigned dim) const {
  const CutlInstruction *stride = array.strides[dim].getLeaf(CUTL_OP_STRIDE);
  if (!stride)
    return std::nullopt;
  const ArrayValue &operand =
      values.getArray(values.getOperands()[stride->index]);
  if (stride->index != array.operand ||
      !(operand.sizes[stride->value] == array.sizes[dim]))
    return std::nullopt;
  return stride->value;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void Guards::requireSmallSize(const ArrayValue &array, unsigned dim) {
  const ExpressionCode &size = array.sizes[dim];
  const CutlInstruction *leaf = size.getLeaf(CUTL_OP_SIZE);
  std::string text = "expected the size of dimension " +
                     std::to_string(leaf ? leaf->value : int64_t(dim)) +
                     " of '" +
                     (leaf ? getArgumentName(values.getOperands()[leaf->index])
                           : getName(array)) +
                     "' to be at most " + std::to_string(INT32_MAX);
  if (!leaf)
    return addCondition(combine(CUTL_OP_LE, size, INT32_MAX), text, &size);
  GuardSpec guard;
  guard.kind = CUTL_GUARD_SIZE_RANGE;
  guard.operand = leaf->index;
  guard.dimension = leaf->value;
  guard.high = INT32_MAX;
  guard.text = std::move(text);
  add(std::move(guard));
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

void Guards::requireAddress(const ArrayValue &array) {
  std::string text = tile::getAddressRule(getName(array));
  // The workspace is aligned to more.
  if (!array.isInWorkspace()) {
    GuardSpec guard;
    guard.kind = CUTL_GUARD_POINTER_ALIGNMENT;
    guard.operand = array.operand;
    guard.divisor = tile::kTensorMapAlignment;
    guard.text = text;
    add(std::move(guard));
  }
  ExpressionCode offset = array.getByteOffset();
  addCondition(combine(CUTL_OP_EQ,
                       combine(CUTL_OP_MOD, offset, tile::kTensorMapAlignment),
                       0),
               text, &offset);
}

/// Whether `condition` on the stride of a dimension of that size holds: nothing
/// uses the stride of a single element.
static ExpressionCode unlessSingle(const ExpressionCode &size,
                                   const ExpressionCode &condition) {
  if (condition.getConstant().value_or(0) != 0)
    return condition;
  ExpressionCode single = combine(CUTL_OP_LE, size, 1);
  if (std::optional<int64_t> known = single.getConstant())
    return *known ? single : condition;
  return combine(CUTL_OP_MAX, single, condition);
}

void Guards::requireUnitStride(const ArrayValue &array, unsigned dim) {
  const ExpressionCode &stride = array.strides[dim];
  if (std::optional<int32_t> operandDim = getOperandDim(array, dim)) {
    GuardSpec guard;
    guard.kind = CUTL_GUARD_STRIDE_RANGE;
    guard.operand = array.operand;
    guard.dimension = *operandDim;
    guard.low = guard.high = 1;
    guard.text = tile::getUnitStrideRule(getName(array), *operandDim);
    return add(std::move(guard));
  }
  addCondition(unlessSingle(array.sizes[dim], combine(CUTL_OP_EQ, stride, 1)),
               tile::getUnitStrideRule(getName(array), dim), &stride);
}

void Guards::requirePitch(const ArrayValue &array, unsigned dim) {
  const ExpressionCode &size = array.sizes[dim], &stride = array.strides[dim];
  ExpressionCode bytes = array.toBytes(stride);
  std::optional<int32_t> operandDim = getOperandDim(array, dim);
  std::string name = getName(array);
  unsigned textDim = operandDim.value_or(dim);
  int64_t maxStride = CUTL_MAX_TENSOR_MAP_STRIDE * 8 / array.elementType.getIntOrFloatBitWidth();
  std::string alignmentText = tile::getPitchRule(name, textDim);
  std::string rangeText = "expected the stride of dimension " +
                          std::to_string(textDim) + " of '" + name +
                          "' to be 0 to " + std::to_string(maxStride);
  if (operandDim) {
    GuardSpec guard;
    guard.operand = array.operand;
    guard.dimension = *operandDim;
    guard.kind = CUTL_GUARD_STRIDE_ALIGNMENT;
    guard.divisor = tile::kTensorMapAlignment;
    guard.text = std::move(alignmentText);
    if (!bytes.isMultipleOf(guard.divisor))
      add(guard);
    guard.kind = CUTL_GUARD_STRIDE_RANGE;
    guard.divisor = 0;
    guard.high = maxStride;
    guard.text = std::move(rangeText);
    return add(std::move(guard));
  }
  addCondition(unlessSingle(size, combine(CUTL_OP_EQ,
                                          combine(CUTL_OP_MOD, bytes,
                                                  tile::kTensorMapAlignment),
                                          0)),
               std::move(alignmentText), &bytes);
  // Strides in the workspace are products of sizes, and less than its own size.
  if (array.isInWorkspace())
    return;
  addCondition(
      unlessSingle(size, combine(CUTL_OP_MIN, combine(CUTL_OP_GE, stride, 0),
                                 combine(CUTL_OP_LE, stride, maxStride))),
      std::move(rangeText), &stride);
}

void Guards::requireTensorMap(const ArrayValue &array,
                              ArrayRef<unsigned> dims) {
  requireAddress(array);
  requireUnitStride(array, dims.front());
  for (unsigned dim : dims.drop_front())
    requirePitch(array, dim);
}

void Guards::requireStoredSize(const ArrayValue &array, unsigned dim) {
  const ExpressionCode &size = array.sizes[dim];
  int64_t divisor = tile::getStoredSizeDivisor(array.elementType);
  const CutlInstruction *leaf = size.getLeaf(CUTL_OP_SIZE);
  std::string name = leaf ? getArgumentName(values.getOperands()[leaf->index])
                          : getName(array);
  std::string text = tile::getStoredSizeRule(
      name, leaf ? leaf->value : int64_t(dim), array.elementType);
  if (!leaf)
    return addCondition(
        combine(CUTL_OP_EQ, combine(CUTL_OP_MOD, size, divisor), 0), text,
        &size);
  GuardSpec guard;
  guard.kind = CUTL_GUARD_SIZE_DIVISIBLE;
  guard.operand = leaf->index;
  guard.dimension = leaf->value;
  guard.divisor = divisor;
  guard.text = std::move(text);
  add(std::move(guard));
}

CutlGuard *Guards::copyTo(Storage &storage) const {
  SmallVector<CutlGuard> result;
  for (const GuardSpec &guard : guards) {
    bool hasExpression = guard.kind == CUTL_GUARD_CONDITION ||
                         guard.kind == CUTL_GUARD_SIZE_EQUALS;
    result.push_back(
        {guard.kind, guard.operand, guard.dimension, guard.low, guard.high,
         guard.divisor,
         hasExpression ? storage.copy(guard.expression) : CutlExpression{},
         storage.copyText(guard.text)});
  }
  return storage.copy(ArrayRef(result));
}
