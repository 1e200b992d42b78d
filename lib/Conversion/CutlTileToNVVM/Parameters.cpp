//===- Parameters.cpp - The parameters of a lowered kernel ----------------===//

#include "Parameters.h"

#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr int64_t kTensorMapBytes = 128;

static int64_t getArgument(Value value) {
  return cast<BlockArgument>(value).getArgNumber();
}

/// The array's dimension that dimension `dim` of the domain indexes.
static std::optional<unsigned> getArrayDim(AffineMap map, unsigned dim) {
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    if (map.getDimPosition(i) == dim)
      return i;
  return std::nullopt;
}

NamedAttribute KernelParameters::named(StringRef name, int64_t value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}
NamedAttribute KernelParameters::named(StringRef name, StringRef value) {
  return b.getNamedAttr(name, b.getStringAttr(value));
}
NamedAttribute KernelParameters::named(StringRef name,
                                       ArrayRef<int64_t> value) {
  return b.getNamedAttr(name, b.getDenseI64ArrayAttr(value));
}

KernelParameters::KernelParameters(StagedKernel &kernel)
    : kernel(kernel), b(kernel.function.getContext()) {
  for (unsigned i = 0; i < kernel.load.getInputs().size(); ++i)
    addInput(i);
  outputs.resize(kernel.getNumOutputs());
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (kernel.storesTensor(i))
      addOutputMap(i);
  addExtents();
  for (unsigned i = 0; i < kernel.epilogue.getAux().size(); ++i)
    addOperand(aux.emplace_back(), kernel.epilogue.getAuxInput(i));
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (!kernel.storesTensor(i))
      addOperand(outputs[i].array, kernel.epilogue.getOutput(i));
}

unsigned KernelParameters::add(Type type, ArrayRef<NamedAttribute> info) {
  parameters.push_back({type, b.getDictionaryAttr(info)});
  return parameters.size() - 1;
}

/// A map over `dims` of the domain, innermost first, with `box` elements of
/// them; the operand's other dimensions follow.
void KernelParameters::addTensorMap(TensorMap &map, const GemmInput &operand,
                                    ArrayRef<unsigned> dims,
                                    ArrayRef<int64_t> box,
                                    int64_t swizzleBytes, bool isStored) {
  map.dims.assign(dims.begin(), dims.end());
  SmallVector<int64_t> arrayDims, boxes(box);
  for (unsigned dim : dims)
    arrayDims.push_back(*getArrayDim(operand.map, dim));
  for (unsigned i = operand.map.getNumResults(); i-- > 0;) {
    unsigned dim = operand.map.getDimPosition(i);
    if (llvm::is_contained(dims, dim))
      continue;
    map.dims.push_back(dim);
    arrayDims.push_back(i);
    boxes.push_back(1);
  }
  SmallVector<NamedAttribute> info = {
      named("kind", "tensor_map"), named("arg", getArgument(operand.value)),
      named("dims", arrayDims), named("box", boxes),
      named("swizzle", std::to_string(swizzleBytes) + "B")};
  if (isStored)
    info.push_back(b.getNamedAttr("stored", b.getUnitAttr()));
  unsigned index = add(LLVM::LLVMPointerType::get(b.getContext()), info);
  parameters[index].isTensorMap = true;
}

void KernelParameters::addInput(unsigned operand) {
  tile::StageType stage = kernel.getStage(operand);
  unsigned rows = kernel.getOperandDim(operand);
  unsigned k = kernel.loop.getDomain().k();
  // In a cluster each CTA loads a part of the rows of every box.
  int64_t slices = operand == kernel.getLhs() ? kernel.getClusterColumns()
                                              : kernel.getClusterRows();
  unsigned inner = stage.getKMajor() ? k : rows;
  unsigned outer = stage.getKMajor() ? rows : k;
  addTensorMap(inputs.emplace_back(), kernel.load.getInput(operand),
               {inner, outer},
               {stage.getSpan(), stage.getBoxRows() / slices},
               tile::StageType::kSpanBytes, /*isStored=*/false);
}

void KernelParameters::addOutputMap(unsigned output) {
  const tile::OutputStaging &staging = kernel.stagings[output];
  unsigned inner =
      staging.alongRows ? kernel.getRowDim() : kernel.getColumnDim();
  unsigned outer =
      staging.alongRows ? kernel.getColumnDim() : kernel.getRowDim();
  addTensorMap(outputs[output].map, kernel.epilogue.getOutput(output),
               {inner, outer},
               {staging.contiguous, staging.lines}, staging.getLineBytes(),
               /*isStored=*/true);
}

/// Each extent as a size of some operand.
void KernelParameters::addExtents() {
  SmallVector<GemmInput> sources;
  for (unsigned i = 0; i < kernel.load.getInputs().size(); ++i)
    sources.push_back(kernel.load.getInput(i));
  sources.push_back(kernel.epilogue.getOutput(0));
  GemmDomain domain = kernel.loop.getDomain();
  for (unsigned dim = 0; dim < domain.getRank(); ++dim) {
    const auto *source = llvm::find_if(sources, [&](const GemmInput &input) {
      return input.map.isFunctionOfDim(dim);
    });
    // The output uses every dimension but k, which A uses.
    NamedAttribute arg = named("arg", getArgument(source->value));
    NamedAttribute arrayDim =
        named("dim", int64_t(*getArrayDim(source->map, dim)));
    add(b.getI32Type(), {named("kind", "size"), arg, arrayDim});
    if (dim == domain.k())
      continue;
    int64_t tile = 1;
    if (dim == kernel.getRowDim())
      tile = kernel.getRows() * kernel.getClusterRows();
    else if (dim == kernel.getColumnDim())
      tile = kernel.getColumns() * kernel.getClusterColumns();
    grid.push_back(b.getDictionaryAttr({arg, arrayDim, named("tile", tile)}));
  }
}

void KernelParameters::addOperand(EpilogueOperand &operand,
                                  const GemmInput &input) {
  int64_t argument = getArgument(input.value);
  operand.elementType = getElementTypeOrSelf(input.value.getType());
  auto &sources = strideSources.emplace_back();
  auto type = dyn_cast<MemRefType>(input.value.getType());
  if (!type) {
    operand.isScalar = true;
    add(operand.elementType, {named("kind", "scalar"), named("arg", argument)});
    return;
  }
  operand.rowDim = getArrayDim(input.map, kernel.getRowDim());
  operand.columnDim = getArrayDim(input.map, kernel.getColumnDim());
  for (unsigned dim = 0; dim < kernel.loop.getDomain().getNumBatch(); ++dim)
    operand.batchDims.push_back(getArrayDim(input.map, dim));
  add(LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      {named("kind", "pointer"), named("arg", argument)});
  SmallVector<int64_t> strides;
  int64_t offset;
  // The verifier admits strided layouts alone.
  (void)type.getStridesAndOffset(strides, offset);
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    bool isOpen = ShapedType::isDynamic(stride);
    sources.push_back({isOpen, stride});
    if (isOpen)
      add(b.getI64Type(), {named("kind", "stride"), named("arg", argument),
                           named("dim", int64_t(dim))});
  }
}

DictionaryAttr KernelParameters::getLaunchInfo() {
  SmallVector<Attribute> list;
  for (const Parameter &parameter : parameters)
    list.push_back(parameter.info);
  int64_t warpgroups =
      int64_t(kernel.producer.getCount()) + kernel.getConsumers();
  SmallVector<NamedAttribute> info = {
      named("block", kWarpgroup * warpgroups),
      named("cluster", {kernel.getClusterRows(), kernel.getClusterColumns()}),
      b.getNamedAttr("grid", b.getArrayAttr(grid)),
      b.getNamedAttr("params", b.getArrayAttr(list)),
      b.getNamedAttr("shared_bytes",
                     kernel.function->getAttr(
                         tile::CutlTileDialect::kSharedBytesAttrName))};
  if (Attribute other = kernel.function->getAttr(
          tile::CutlTileDialect::kAlternativeAttrName))
    info.push_back(b.getNamedAttr("alternative", other));
  return b.getDictionaryAttr(info);
}

LLVM::LLVMFuncOp KernelParameters::createFunction(Emit &e) {
  SmallVector<Type> types;
  for (const Parameter &parameter : parameters)
    types.push_back(parameter.type);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(e.b, e.loc,
                                           kernel.function.getName(), type);
  int32_t threads =
      kWarpgroup * (int64_t(kernel.producer.getCount()) + kernel.getConsumers());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  if (kernel.getClusterSize() > 1)
    function->setAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        b.getDenseI32ArrayAttr({int32_t(kernel.getClusterSize()), 1, 1}));
  function->setAttr(tile::CutlTileDialect::kLaunchInfoAttrName,
                    getLaunchInfo());
  auto mapType = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (!parameter.isTensorMap)
      continue;
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(mapType));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(64));
  }
  return function;
}

void KernelParameters::bind(Emit &e, LLVM::LLVMFuncOp function) {
  unsigned next = 0;
  auto take = [&] { return function.getArgument(next++); };
  for (TensorMap &map : inputs)
    map.value = take();
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (kernel.storesTensor(i))
      outputs[i].map.value = take();
  for (unsigned dim = 0; dim < kernel.loop.getDomain().getRank(); ++dim)
    extents.push_back(take());
  unsigned number = 0;
  auto bindOperand = [&](EpilogueOperand &operand) {
    operand.value = take();
    for (auto [isOpen, stride] : strideSources[number])
      operand.strides.push_back(isOpen ? Value(take()) : e.i64(stride));
    ++number;
  };
  for (EpilogueOperand &operand : aux)
    bindOperand(operand);
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (!kernel.storesTensor(i))
      bindOperand(outputs[i].array);
}
