//===- KernelStep.cpp - A kernel launch as a step of a variant ------------===//

#include "KernelStep.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

class LaunchBuilder {
public:
  LaunchBuilder(LaunchKernelOp op, const EntryValues &values, Guards &guards,
                Storage &storage)
      : op(op), values(values), guards(guards), storage(storage) {}

  LogicalResult add(const LaunchInfo::Parameter &parameter);
  ExpressionCode getGrid(const LaunchInfo &info, int32_t index) const;
  void finish(CutlLaunch &launch) const;

private:
  const ArrayValue &getArray(unsigned argument) const {
    return values.getArray(op.getArguments()[argument]);
  }
  CutlAddress makeAddress(const ArrayValue &array) const {
    return mlir::cutl::makeAddress(array, storage);
  }
  LogicalResult addTensorMap(const LaunchInfo::Parameter &parameter);
  LogicalResult addScalar(unsigned argument);
  CutlParameter &addParameter(CutlParameterKind kind) {
    CutlParameter parameter = {};
    parameter.kind = kind;
    return parameters.emplace_back(parameter);
  }
  void addExpression(const ExpressionCode &value, uint32_t bytes) {
    CutlParameter &parameter = addParameter(CUTL_PARAMETER_EXPRESSION);
    parameter.bytes = bytes;
    parameter.expression = storage.copy(value, 0);
  }

  mutable LaunchKernelOp op;
  const EntryValues &values;
  Guards &guards;
  Storage &storage;
  SmallVector<CutlTensorMap> maps;
  SmallVector<CutlParameter> parameters;
};

} // namespace

CutlAddress mlir::cutl::makeAddress(const ArrayValue &array,
                                    Storage &storage) {
  CutlAddress address = {};
  address.kind =
      array.isInWorkspace() ? CUTL_ADDRESS_WORKSPACE : CUTL_ADDRESS_OPERAND;
  address.operand = array.isInWorkspace() ? 0 : array.operand;
  address.offset = storage.copy(array.getByteOffset(), 0);
  return address;
}

/// How a tensor map sees elements of that type; nothing if it cannot.
static std::optional<CutlTensorMapType> getTensorMapType(Type type,
                                                         bool roundsToTF32) {
  if (roundsToTF32)
    return type.isF32() ? std::optional(CUTL_TENSOR_MAP_TFLOAT32)
                        : std::nullopt;
  if (type.isF16())
    return CUTL_TENSOR_MAP_FLOAT16;
  if (type.isBF16())
    return CUTL_TENSOR_MAP_BFLOAT16;
  if (type.isF32())
    return CUTL_TENSOR_MAP_FLOAT32;
  if (type.isF64())
    return CUTL_TENSOR_MAP_FLOAT64;
  if (type.isInteger(32))
    return CUTL_TENSOR_MAP_INT32;
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 8)
    return CUTL_TENSOR_MAP_UINT8;
  return std::nullopt;
}

LogicalResult
LaunchBuilder::addTensorMap(const LaunchInfo::Parameter &parameter) {
  const ArrayValue &array = getArray(parameter.argument);
  std::optional<CutlTensorMapType> type =
      getTensorMapType(array.elementType, parameter.roundsToTF32);
  if (!type)
    return op.emitOpError("expected a type that tensor maps have for argument ")
           << parameter.argument << ", got " << array.elementType;
  guards.requireTensorMap(array, parameter.dims);
  if (parameter.isStored)
    guards.requireStoredSize(array, parameter.dims.front());
  SmallVector<CutlExpression> sizes, strides;
  for (unsigned dim : parameter.dims)
    sizes.push_back(storage.copy(array.sizes[dim], 1));
  for (unsigned dim : ArrayRef(parameter.dims).drop_front())
    strides.push_back(storage.copy(array.toBytes(array.strides[dim]), 0));
  CutlTensorMap map = {};
  map.address = makeAddress(array);
  map.type = *type;
  map.rank = parameter.dims.size();
  map.sizes = storage.copy(ArrayRef(sizes));
  map.strides = storage.copy(ArrayRef(strides));
  map.box = storage.copy(ArrayRef(parameter.box));
  map.swizzle = parameter.swizzle;
  map.l2Promotion = CUTL_L2_PROMOTION_128B;
  map.outOfBounds = CUTL_OUT_OF_BOUNDS_ZERO;
  addParameter(CUTL_PARAMETER_TENSOR_MAP).index = maps.size();
  maps.push_back(map);
  return success();
}

LogicalResult LaunchBuilder::addScalar(unsigned argument) {
  Value value = op.getArguments()[argument];
  if (std::optional<int32_t> scalar = values.getScalar(value)) {
    addParameter(CUTL_PARAMETER_SCALAR).index = *scalar;
    return success();
  }
  Type type = value.getType();
  uint32_t bytes = type.isIndex() || type.getIntOrFloatBitWidth() > 32 ? 8 : 4;
  if (const ExpressionCode *number = values.findNumber(value)) {
    addExpression(*number, bytes);
    return success();
  }
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return op.emitOpError("expected argument ")
           << argument << " to be a constant, a scalar of the entry or "
           << "computed from integers";
  addExpression(constant.bitcastToAPInt().getZExtValue(), bytes);
  return success();
}

LogicalResult LaunchBuilder::add(const LaunchInfo::Parameter &parameter) {
  switch (parameter.kind) {
  case LaunchInfo::Kind::TensorMap:
    return addTensorMap(parameter);
  case LaunchInfo::Kind::Size: {
    const ArrayValue &array = getArray(parameter.argument);
    guards.requireSmallSize(array, parameter.dim);
    addExpression(array.sizes[parameter.dim], 4);
    return success();
  }
  case LaunchInfo::Kind::Pointer:
    addParameter(CUTL_PARAMETER_ADDRESS).address =
        makeAddress(getArray(parameter.argument));
    return success();
  case LaunchInfo::Kind::Stride:
    addExpression(getArray(parameter.argument).strides[parameter.dim], 8);
    return success();
  case LaunchInfo::Kind::Scalar:
    return addScalar(parameter.argument);
  }
  llvm_unreachable("every kind is above");
}

/// What the entry says, or as many CTAs as there is work and no more than run at
/// once or than the launch may take, in whole clusters.
ExpressionCode LaunchBuilder::getGrid(const LaunchInfo &info,
                                      int32_t index) const {
  if (Value grid = op.getGrid())
    return *values.findNumber(grid);
  ExpressionCode units = 1;
  for (const LaunchInfo::GridDim &dim : info.grid)
    units = units * ExpressionCode::combine(
                        CUTL_OP_CEILDIV, getArray(dim.argument).sizes[dim.dim],
                        dim.tile);
  ExpressionCode resident = ExpressionCode::leaf(CUTL_OP_OCCUPANCY, index);
  if (std::optional<int64_t> budget = op.getSmBudget())
    resident = ExpressionCode::combine(CUTL_OP_MIN, resident,
                                       *budget / info.cluster * info.cluster);
  return ExpressionCode::combine(CUTL_OP_MIN, units * info.cluster, resident);
}

void LaunchBuilder::finish(CutlLaunch &launch) const {
  launch.tensorMaps = storage.copy(ArrayRef(maps));
  launch.tensorMapCount = maps.size();
  launch.parameters = storage.copy(ArrayRef(parameters));
  launch.parameterCount = parameters.size();
}

FailureOr<CutlLaunch>
mlir::cutl::makeKernelLaunch(LaunchKernelOp op, const LaunchInfo &info,
                             int32_t index, const EntryValues &values,
                             Guards &guards, Storage &storage) {
  LaunchBuilder builder(op, values, guards, storage);
  for (const LaunchInfo::Parameter &parameter : info.parameters)
    if (failed(builder.add(parameter)))
      return failure();
  std::optional<int64_t> budget = op.getSmBudget();
  if (budget && *budget < info.cluster)
    return op.emitOpError("expected sm_budget to be at least ")
           << info.cluster << ", the ctas of a cluster of @"
           << op.getKernel().getLeafReference().getValue() << ", got "
           << *budget << "; nearest legal value is " << info.cluster;
  CutlLaunch launch = {};
  launch.grid[0] = storage.copy(builder.getGrid(info, index), 1);
  launch.cluster[0] = storage.copy(info.cluster, 1);
  launch.block[0] = storage.copy(info.block, 1);
  launch.sharedBytes = storage.copy(info.sharedBytes, 0);
  launch.programmatic = info.isProgrammatic;
  builder.finish(launch);
  return launch;
}
