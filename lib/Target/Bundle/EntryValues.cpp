//===- EntryValues.cpp - What the values of an entry are ------------------===//

#include "EntryValues.h"
#include "cutl/Runtime/Loader.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cutl;

static int64_t getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

ExpressionCode ArrayValue::toBytes(const ExpressionCode &elements) const {
  int64_t bits = getBits(elementType);
  if (bits % 8 == 0)
    return elements * (bits / 8);
  return ExpressionCode::combine(CUTL_OP_FLOORDIV, elements * bits, 8);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult EntryValues::addArgument(BlockArgument argument) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (Type element = getElementTypeOrSelf(argument.getType());
      !element.isIntOrIndexOrFloat())
    return entry.emitOpError("expected '")
           << getArgumentName(argument) << "' to be of numbers, got "
           << argument.getType();
  if (!type) {
    if (argument.getType().isIntOrIndex())
      numbers[argument] = ExpressionCode::leaf(CUTL_OP_SCALAR, scalars.size());
    scalars.push_back(argument);
    return success();
  }
  ArrayValue value;
  value.elementType = type.getElementType();
  if (argument == entry.getWorkspace()) {
    // Nobody asks for its size; views of it state their own.
    value.sizes.push_back(0);
    value.strides.push_back(1);
    arrays[argument] = std::move(value);
    return success();
  }
  value.operand = operands.size();
  operands.push_back(argument);
  SmallVector<int64_t> strides;
  int64_t offset;
  // The verifier admits strided layouts alone.
  (void)type.getStridesAndOffset(strides, offset);
  // The runtime is given the address of the first element.
  if (!ShapedType::isDynamic(offset)) {
    value.offset = offset;
    value.base = ExpressionCode(0) - value.toBytes(offset);
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto known = [&](int64_t number, CutlOpcode opcode) {
      return ShapedType::isDynamic(number)
                 ? ExpressionCode::leaf(opcode, value.operand, dim)
                 : ExpressionCode(number);
    };
    value.sizes.push_back(known(type.getDimSize(dim), CUTL_OP_SIZE));
    value.strides.push_back(known(strides[dim], CUTL_OP_STRIDE));
  }
  arrays[argument] = std::move(value);
  return success();
}

std::optional<int32_t> EntryValues::getScalar(Value value) const {
  const auto *found = llvm::find(scalars, value);
  if (found == scalars.end())
    return std::nullopt;
  return found - scalars.begin();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

const ExpressionCode *EntryValues::findNumber(Value value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? nullptr : &found->second;
}

ExpressionCode EntryValues::getNumber(Value value) const {
  return numbers.lookup(value);
}

ExpressionCode EntryValues::getNumber(OpFoldResult value) const {
  if (auto constant = getConstantIntValue(value))
    return *constant;
  return getNumber(cast<Value>(value));
}

SmallVector<ExpressionCode>
EntryValues::getNumbers(ArrayRef<OpFoldResult> values) const {
  return llvm::map_to_vector(
      values, [&](OpFoldResult value) { return getNumber(value); });
}

static std::optional<CutlOpcode> getOpcode(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Add:
    return CUTL_OP_ADD;
  case AffineExprKind::Mul:
    return CUTL_OP_MUL;
  case AffineExprKind::Mod:
    return CUTL_OP_MOD;
  case AffineExprKind::FloorDiv:
    return CUTL_OP_FLOORDIV;
  case AffineExprKind::CeilDiv:
    return CUTL_OP_CEILDIV;
  default:
    return std::nullopt;
  }
}

ExpressionCode EntryValues::evaluate(AffineExpr expr, unsigned numDims,
                                     ValueRange operands) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getNumber(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getNumber(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return ExpressionCode::combine(*getOpcode(expr.getKind()),
                                 evaluate(binary.getLHS(), numDims, operands),
                                 evaluate(binary.getRHS(), numDims, operands));
}

/// The opcode of an op on two integers that computes what it says for all that
/// sizes, strides and offsets can be.
static std::optional<CutlOpcode> getOpcode(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<CutlOpcode>>(&op)
      .Case<arith::AddIOp>([](auto) { return CUTL_OP_ADD; })
      .Case<arith::SubIOp>([](auto) { return CUTL_OP_SUB; })
      .Case<arith::MulIOp>([](auto) { return CUTL_OP_MUL; })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [](auto) { return CUTL_OP_FLOORDIV; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return CUTL_OP_CEILDIV; })
      .Case<arith::RemUIOp>([](auto) { return CUTL_OP_MOD; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return CUTL_OP_MIN; })
      .Case<arith::AndIOp>([](arith::AndIOp conjunction) {
        return conjunction.getType().isInteger(1) ? std::optional(CUTL_OP_MIN)
                                                  : std::nullopt;
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return CUTL_OP_MAX; })
      .Default([](Operation *) { return std::nullopt; });
}

/// What a comparison of integers is for all that sizes, strides and offsets can
/// be.
static CutlOpcode getOpcode(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return CUTL_OP_EQ;
  case arith::CmpIPredicate::ne:
    return CUTL_OP_NE;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return CUTL_OP_LT;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return CUTL_OP_LE;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return CUTL_OP_GT;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return CUTL_OP_GE;
  }
  llvm_unreachable("every predicate is above");
}

/// One of two numbers: both are computed, and one is multiplied by zero.
static ExpressionCode select(const ExpressionCode &condition,
                             const ExpressionCode &yes,
                             const ExpressionCode &no) {
  if (std::optional<int64_t> constant = condition.getConstant())
    return *constant ? yes : no;
  return condition * yes + (ExpressionCode(1) - condition) * no;
}

/// A remainder has the sign of the dividend, unlike the runtime's.
LogicalResult EntryValues::setRemainder(Operation &op) {
  ExpressionCode left = getNumber(op.getOperand(0)),
                 right = getNumber(op.getOperand(1));
  if (right.getConstant().value_or(0) < 1)
    return op.emitOpError("expected a positive constant as the divisor of a "
                          "remainder in an entry");
  auto remainder = [&](const ExpressionCode &value) {
    return ExpressionCode::combine(
        CUTL_OP_MOD, ExpressionCode::combine(CUTL_OP_MAX, value, 0), right);
  };
  numbers[op.getResult(0)] =
      left.isMultipleOf(*right.getConstant())
          ? ExpressionCode(0)
          : remainder(left) - remainder(ExpressionCode(0) - left);
  return success();
}

LogicalResult EntryValues::interpretNumber(Operation &op) {
  APInt constant;
  if (matchPattern(&op, m_ConstantInt(&constant)) &&
      constant.getBitWidth() <= 64) {
    numbers[op.getResult(0)] = constant.getBitWidth() == 1
                                   ? int64_t(constant.getZExtValue())
                                   : constant.getSExtValue();
    return success();
  }
  // Numbers that are not integers are passed on and nothing else.
  if (isa<arith::ConstantOp>(op))
    return success();
  if (std::optional<CutlOpcode> opcode = getOpcode(op)) {
    numbers[op.getResult(0)] = ExpressionCode::combine(
        *opcode, getNumber(op.getOperand(0)), getNumber(op.getOperand(1)));
    return success();
  }
  if (isa<arith::RemSIOp>(op))
    return setRemainder(op);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    numbers[compare.getResult()] = ExpressionCode::combine(
        getOpcode(compare.getPredicate()), getNumber(compare.getLhs()),
        getNumber(compare.getRhs()));
    return success();
  }
  auto choice = dyn_cast<arith::SelectOp>(op);
  if (choice && choice.getType().isIntOrIndex() &&
      choice.getCondition().getType().isInteger(1)) {
    numbers[choice.getResult()] =
        select(getNumber(choice.getCondition()),
               getNumber(choice.getTrueValue()),
               getNumber(choice.getFalseValue()));
    return success();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    numbers[op.getResult(0)] = getNumber(op.getOperand(0));
    return success();
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return op.emitOpError("expected a constant dimension in an entry");
    numbers[dim.getResult()] = getArray(dim.getSource()).sizes[*index];
    return success();
  }
  auto applyMap = [&](AffineMap map, CutlOpcode opcode) {
    ArrayRef<AffineExpr> results = map.getResults();
    ExpressionCode value =
        evaluate(results.front(), map.getNumDims(), op.getOperands());
    for (AffineExpr expr : results.drop_front())
      value = ExpressionCode::combine(
          opcode, value, evaluate(expr, map.getNumDims(), op.getOperands()));
    numbers[op.getResult(0)] = value;
    return success();
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return applyMap(apply.getAffineMap(), CUTL_OP_MIN);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return applyMap(min.getAffineMap(), CUTL_OP_MIN);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return applyMap(max.getAffineMap(), CUTL_OP_MAX);
  return op.emitOpError("expected an op on sizes, strides or offsets, a view "
                        "or cutl.launch_kernel in an entry");
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static ArrayValue takeSubview(ArrayValue source,
                              ArrayRef<ExpressionCode> offsets,
                              ArrayRef<ExpressionCode> sizes,
                              ArrayRef<ExpressionCode> strides,
                              const llvm::SmallBitVector &dropped) {
  ArrayValue result = source;
  result.sizes.clear();
  result.strides.clear();
  for (unsigned i = 0; i < source.getRank(); ++i) {
    result.offset = result.offset + offsets[i] * source.strides[i];
    if (dropped[i])
      continue;
    result.sizes.push_back(sizes[i]);
    result.strides.push_back(strides[i] * source.strides[i]);
  }
  return result;
}

/// Row-major strides of some sizes, the last of which is `innermost`.
static SmallVector<ExpressionCode>
getRowMajorStrides(ArrayRef<ExpressionCode> sizes, ExpressionCode innermost) {
  SmallVector<ExpressionCode> strides(sizes.size());
  for (unsigned i = sizes.size(); i-- > 0;) {
    strides[i] = innermost;
    innermost = sizes[i] * innermost;
  }
  return strides;
}

/// The stride of several dimensions as one: that of the last which steps.
static FailureOr<ExpressionCode> getCollapsedStride(const ArrayValue &source,
                                                    ArrayRef<int64_t> group) {
  for (int64_t dim : llvm::reverse(group)) {
    std::optional<int64_t> size = source.sizes[dim].getConstant();
    if (dim == group.front() || (size && *size != 1))
      return source.strides[dim];
    if (!size)
      break;
  }
  return failure();
}

LogicalResult EntryValues::interpretView(Operation &op) {
  const ArrayValue source = getArray(op.getOperand(0));
  ArrayValue result = source;
  auto done = [&] {
    arrays[op.getResult(0)] = std::move(result);
    return success();
  };
  if (isa<memref::CastOp>(op))
    return done();
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    result =
        takeSubview(source, getNumbers(view.getMixedOffsets()),
                    getNumbers(view.getMixedSizes()),
                    getNumbers(view.getMixedStrides()), view.getDroppedDims());
    return done();
  }
  if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op)) {
    result.offset = getNumber(cast.getMixedOffsets().front());
    result.sizes = getNumbers(cast.getMixedSizes());
    result.strides = getNumbers(cast.getMixedStrides());
    return done();
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
    for (auto [i, expr] :
         llvm::enumerate(transpose.getPermutation().getResults())) {
      unsigned from = ::cast<AffineDimExpr>(expr).getPosition();
      result.sizes[i] = source.sizes[from];
      result.strides[i] = source.strides[from];
    }
    return done();
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    MemRefType type = view.getType();
    if (!type.getElementType().isIntOrIndexOrFloat())
      return op.emitOpError("expected a view of numbers in an entry, got ")
             << type;
    result.base = source.getByteOffset() + getNumber(view.getByteShift());
    result.offset = 0;
    result.elementType = type.getElementType();
    result.sizes.clear();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      result.sizes.push_back(
          type.isDynamicDim(dim)
              ? getNumber(view.getSizes()[type.getDynamicDimIndex(dim)])
              : ExpressionCode(type.getDimSize(dim)));
    result.strides = getRowMajorStrides(result.sizes, 1);
    return done();
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    result.sizes = getNumbers(expand.getMixedOutputShape());
    result.strides.clear();
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      auto sizes = ArrayRef(result.sizes).slice(group.front(), group.size());
      llvm::append_range(result.strides,
                         getRowMajorStrides(sizes, source.strides[dim]));
    }
    // A rank-0 source has no group.
    while (result.strides.size() < result.sizes.size())
      result.strides.push_back(1);
    return done();
  }
  auto collapse = ::cast<memref::CollapseShapeOp>(op);
  result.sizes.clear();
  result.strides.clear();
  for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
    FailureOr<ExpressionCode> stride = getCollapsedStride(source, group);
    if (failed(stride))
      return op.emitOpError("expected sizes that are known in the dimensions "
                            "that an entry collapses, all but the first");
    ExpressionCode size = 1;
    for (int64_t dim : group)
      size = size * source.sizes[dim];
    result.sizes.push_back(size);
    result.strides.push_back(*stride);
  }
  return done();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// The first step that launches `kernel`; the verifier knows that there is one.
int32_t EntryValues::findStep(SymbolRefAttr kernel) const {
  int32_t step = 0;
  for (Operation &op : entry.getBody().front()) {
    auto launch = dyn_cast<LaunchKernelOp>(op);
    if (launch && launch.getKernel() == kernel)
      break;
    step += isa<LaunchKernelOp, MemsetOp>(op);
  }
  return step;
}

LogicalResult EntryValues::interpret(Operation &op) {
  if (isa<LaunchKernelOp, MemsetOp, EndEntryOp>(op))
    return success();
  if (auto resident = dyn_cast<ResidentCtasOp>(op)) {
    numbers[resident.getResult()] =
        ExpressionCode::leaf(CUTL_OP_OCCUPANCY, findStep(resident.getKernel()));
    return success();
  }
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return op.emitOpError("expected memory of the workspace in an entry, got "
                          "an allocation; run cutl-plan-workspace first");
  if (isa<memref::CastOp, memref::SubViewOp, memref::ReinterpretCastOp,
          memref::TransposeOp, memref::ViewOp, memref::ExpandShapeOp,
          memref::CollapseShapeOp>(op)) {
    if (arrays.contains(op.getOperand(0)) &&
        isa<MemRefType>(op.getResult(0).getType()))
      return interpretView(op);
    return op.emitOpError("expected a ranked memref of the entry's in an "
                          "entry");
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    const ArrayValue source = getArray(metadata.getSource());
    ArrayValue base = source;
    base.offset = 0;
    base.sizes.clear();
    base.strides.clear();
    numbers[metadata.getOffset()] = source.offset;
    for (unsigned i = 0; i < source.getRank(); ++i) {
      numbers[metadata.getSizes()[i]] = source.sizes[i];
      numbers[metadata.getStrides()[i]] = source.strides[i];
    }
    arrays[metadata.getBaseBuffer()] = std::move(base);
    return success();
  }
  return interpretNumber(op);
}

/// Keeps expressions, which hold all that they are made of, to what the runtime
/// takes.
LogicalResult EntryValues::checkComplexity(Operation &op) const {
  auto isTooMuch = [](const ExpressionCode &code) {
    return code.getCode().size() > CUTL_MAX_EXPRESSION_INSTRUCTIONS ||
           code.getDepth() > CUTL_MAX_EXPRESSION_DEPTH;
  };
  for (Value result : op.getResults()) {
    auto number = numbers.find(result);
    auto array = arrays.find(result);
    bool fails = number != numbers.end() && isTooMuch(number->second);
    if (array != arrays.end())
      fails |= isTooMuch(array->second.base) ||
               isTooMuch(array->second.offset) ||
               llvm::any_of(array->second.sizes, isTooMuch) ||
               llvm::any_of(array->second.strides, isTooMuch);
    if (fails)
      return op.emitOpError("expected a value that the runtime computes in ")
             << CUTL_MAX_EXPRESSION_INSTRUCTIONS << " instructions over "
             << CUTL_MAX_EXPRESSION_DEPTH << " values, got more";
  }
  return success();
}

LogicalResult EntryValues::run() {
  for (BlockArgument argument : entry.getArguments())
    if (failed(addArgument(argument)))
      return failure();
  for (Operation &op : entry.getBody().front())
    if (failed(interpret(op)) || failed(checkComplexity(op)))
      return failure();
  return success();
}
