//===- FunctionReference.cpp - The values of a function of gemms ---------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "cutl/Reference/GemmReference.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

class FunctionEvaluator {
public:
  FunctionEvaluator(func::FuncOp function, const ReferenceOptions &options)
      : function(function), options(options) {}

  LogicalResult bindArguments(ArrayRef<NumericArray> arguments);
  FailureOr<FunctionReference> run();

private:
  LogicalResult evaluate(Operation &op);
  LogicalResult evaluateConstant(arith::ConstantOp op);
  LogicalResult evaluateAllocation(Operation *op);
  LogicalResult evaluateDim(Operation *op, Value source, Value index);
  LogicalResult evaluateGemmOp(GemmOp op);
  bool isRead(GemmOp op, unsigned output);

  func::FuncOp function;
  const ReferenceOptions &options;
  llvm::DenseMap<Value, ReferenceArray> arrays;
  llvm::DenseMap<Value, int64_t> indices;
  /// What gemms computed: tensor results, and memrefs they wrote.
  llvm::DenseMap<Value, ReferenceOutput> computed;
};

} // namespace

/// An array of the given sizes with contiguous rows and no memory behind it.
static ReferenceArray makeEmpty(Type elementType, ArrayRef<int64_t> sizes) {
  ReferenceArray array;
  array.host.elementType = elementType;
  array.host.sizes.assign(sizes.begin(), sizes.end());
  array.host.strides.assign(sizes.size(), 1);
  for (size_t dim = sizes.size(); dim-- > 1;)
    array.host.strides[dim - 1] = array.host.strides[dim] * sizes[dim];
  return array;
}

LogicalResult
FunctionEvaluator::bindArguments(ArrayRef<NumericArray> arguments) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("expected a function with a body of one block");
  if (arguments.size() != function.getNumArguments())
    return function.emitError("expected ")
           << function.getNumArguments() << " arrays, got " << arguments.size();
  for (auto [i, argument, array] :
       llvm::enumerate(function.getArguments(), arguments)) {
    ArrayRef<int64_t> shape;
    if (auto shaped = dyn_cast<ShapedType>(argument.getType()))
      shape = shaped.getShape();
    if (getElementTypeOrSelf(argument.getType()) != array.elementType ||
        failed(verifyCompatibleShape(shape, array.sizes)))
      return function.emitError("expected argument ")
             << i << " to be an array for " << argument.getType() << ", got "
             << array.elementType << " of rank " << array.sizes.size()
             << " with other sizes or type";
    arrays[argument] = {array, nullptr};
  }
  return success();
}

LogicalResult FunctionEvaluator::evaluateConstant(arith::ConstantOp op) {
  if (op.getType().isIndex()) {
    indices[op] = cast<IntegerAttr>(op.getValue()).getInt();
    return success();
  }
  ArrayRef<int64_t> shape;
  if (auto shaped = dyn_cast<ShapedType>(op.getType()))
    shape = shaped.getShape();
  auto values = std::make_shared<std::vector<RefValue>>();
  auto toDouble = [](const llvm::APInt &value) {
    return value.getBitWidth() == 1 ? value.getZExtValue()
                                    : static_cast<double>(value.getSExtValue());
  };
  auto toDoubleF = [](llvm::APFloat value) {
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  };
  if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    values->push_back({toDoubleF(number.getValue()), 0.0});
  } else if (auto number = dyn_cast<IntegerAttr>(op.getValue())) {
    values->push_back({toDouble(number.getValue()), 0.0});
  } else if (auto elements = dyn_cast<DenseFPElementsAttr>(op.getValue())) {
    for (const llvm::APFloat &value : elements.getValues<llvm::APFloat>())
      values->push_back({toDoubleF(value), 0.0});
  } else if (auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue())) {
    for (const llvm::APInt &value : elements.getValues<llvm::APInt>())
      values->push_back({toDouble(value), 0.0});
  } else {
    return op.emitError("expected a constant number or dense tensor, got ")
           << op.getValue();
  }
  ReferenceArray array = makeEmpty(getElementTypeOrSelf(op.getType()), shape);
  array.values = std::move(values);
  arrays[op] = std::move(array);
  return success();
}

LogicalResult FunctionEvaluator::evaluateAllocation(Operation *op) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  SmallVector<int64_t, 4> sizes(type.getShape());
  unsigned next = 0;
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = indices.lookup(op->getOperand(next++));
  arrays[op->getResult(0)] = makeEmpty(type.getElementType(), sizes);
  return success();
}

LogicalResult FunctionEvaluator::evaluateDim(Operation *op, Value source,
                                             Value index) {
  const ReferenceArray &array = arrays[source];
  int64_t dim = indices.lookup(index);
  if (dim < 0 || dim >= static_cast<int64_t>(array.host.sizes.size()))
    return op->emitError("expected a dimension below the rank ")
           << array.host.sizes.size() << ", got " << dim;
  indices[op->getResult(0)] = array.host.sizes[dim];
  return success();
}

/// Whether a later gemm reads what this one computes, which must then be known
/// whole.
bool FunctionEvaluator::isRead(GemmOp op, unsigned output) {
  Value value =
      op.hasTensorForm() ? op.getResult(output) : op.getOuts()[output];
  for (OpOperand &use : value.getUses()) {
    auto user = dyn_cast<GemmOp>(use.getOwner());
    bool isInput = user && use.getOperandNumber() <
                               user->getNumOperands() - user.getOuts().size();
    if (isInput && user != op && op->isBeforeInBlock(user))
      return true;
  }
  return false;
}

LogicalResult FunctionEvaluator::evaluateGemmOp(GemmOp op) {
  SmallVector<ReferenceArray, 8> operands;
  unsigned firstOut = op->getNumOperands() - op.getOuts().size();
  for (OpOperand &operand : op->getOpOperands()) {
    const ReferenceArray &array = arrays[operand.get()];
    if (operand.getOperandNumber() < firstOut && !array.host.data &&
        !array.values && array.host.getNumElements() > 0)
      return op.emitError("expected '")
             << op.getOperandName(operand.getOperandNumber())
             << "' to have been written before it is read";
    operands.push_back(array);
  }
  ReferenceOptions gemmOptions = options;
  for (unsigned i = 0; i < op.getOuts().size(); ++i)
    if (isRead(op, i))
      gemmOptions.fullWork = kUnbounded;
  FailureOr<SmallVector<ReferenceOutput, 2>> outputs =
      evaluateGemm(op, operands, gemmOptions);
  if (failed(outputs))
    return failure();
  for (auto [i, output] : llvm::enumerate(*outputs)) {
    Value value = op.hasTensorForm() ? op.getResult(i) : op.getOuts()[i];
    ReferenceArray array = makeEmpty(output.elementType, output.sizes);
    if (output.isComplete())
      array.values = std::make_shared<std::vector<RefValue>>(output.values);
    arrays[value] = std::move(array);
    computed[value] = std::move(output);
  }
  return success();
}

LogicalResult FunctionEvaluator::evaluate(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp constant) {
        return evaluateConstant(constant);
      })
      .Case([&](GemmOp gemm) { return evaluateGemmOp(gemm); })
      .Case<tensor::EmptyOp, memref::AllocOp>(
          [&](auto) { return evaluateAllocation(&op); })
      .Case<tensor::DimOp, memref::DimOp>([&](auto dim) {
        return evaluateDim(&op, dim.getSource(), dim.getIndex());
      })
      .Case([](memref::DeallocOp) { return success(); })
      .Default([&](Operation *) {
        return op.emitError("expected cutl.gemm, tensor.empty, memref.alloc, a "
                            "dim op or a constant in a function that "
                            "is to be verified, got '")
               << op.getName() << "'";
      });
}

FailureOr<FunctionReference> FunctionEvaluator::run() {
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(evaluate(op)))
      return failure();
  FunctionReference reference;
  for (Value value : body.getTerminator()->getOperands()) {
    auto found = computed.find(value);
    if (found == computed.end())
      return function.emitError("expected every returned value to be the "
                                "result of a cutl.gemm, got ")
             << value;
    reference.results.push_back(found->second);
  }
  for (BlockArgument argument : function.getArguments()) {
    auto found = computed.find(argument);
    if (found != computed.end())
      reference.writtenArguments.push_back(
          {argument.getArgNumber(), found->second});
  }
  return reference;
}

FailureOr<FunctionReference>
mlir::cutl::evaluateFunction(func::FuncOp function,
                             ArrayRef<NumericArray> arguments,
                             const ReferenceOptions &options) {
  FunctionEvaluator evaluator(function, options);
  if (failed(evaluator.bindArguments(arguments)))
    return failure();
  return evaluator.run();
}
