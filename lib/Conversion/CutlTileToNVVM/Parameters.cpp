//===- Parameters.cpp - The parameters of a lowered kernel ----------------===//

#include "Parameters.h"

#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static int64_t getArgument(Value value) {
  return cast<BlockArgument>(value).getArgNumber();
}

/// The array's dimension that dimension `dim` of the domain indexes, itself or
/// in blocks.
static std::optional<unsigned> getArrayDim(AffineMap map, unsigned dim) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (decomposeMapResult(expr)->dim == dim)
      return i;
  return std::nullopt;
}

KernelParameters::KernelParameters(StagedKernel &kernel)
    : kernel(kernel), b(kernel.function.getContext()), signature(b) {
  for (unsigned i = 0; i < kernel.load.getInputs().size(); ++i)
    addInput(i);
  outputs.resize(kernel.getNumOutputs());
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (kernel.storesTensor(i))
      addStagedMap(outputs[i].map, kernel.epilogue.getOutput(i),
                   kernel.stagings[i], MapUse::Store);
  unsigned numAux = kernel.epilogue.getAux().size();
  auxMaps.resize(numAux);
  for (unsigned i = 0; i < numAux; ++i)
    if (auto output = kernel.epilogue.getLoad(i))
      addStagedMap(auxMaps[i], kernel.epilogue.getAuxInput(i),
                   kernel.stagings[*output], MapUse::Load);
  addExtents();
  for (unsigned i = 0; i < numAux; ++i) {
    EpilogueOperand &operand = aux.emplace_back();
    GemmInput input = kernel.epilogue.getAuxInput(i);
    if (kernel.epilogue.getLoad(i))
      operand.elementType = getElementTypeOrSelf(input.value.getType());
    else
      addOperand(operand, input);
  }
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (!kernel.storesTensor(i))
      addOperand(outputs[i].array, kernel.epilogue.getOutput(i));
  if (kernel.fixup) {
    signature.addPointer(getArgument(kernel.fixup.getPartials()));
    signature.addPointer(getArgument(kernel.fixup.getArrivals()));
  }
}

/// A map over `dims` of the domain, innermost first, with `box` elements of
/// them; the operand's other dimensions follow.
void KernelParameters::addTensorMap(TensorMap &map, const GemmInput &operand,
                                    ArrayRef<unsigned> dims,
                                    ArrayRef<int64_t> box, int64_t swizzleBytes,
                                    MapUse use) {
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
  signature.addTensorMap(getArgument(operand.value), arrayDims, boxes,
                         swizzleBytes, use);
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
  tile::ComputeAttr compute = kernel.load.getComputeAttr();
  bool rounds = compute && compute.getMath() == MathMode::TF32;
  addTensorMap(inputs.emplace_back(), kernel.load.getInput(operand),
               {inner, outer}, {stage.getSpan(), stage.getBoxRows() / slices},
               tile::StageType::kSpanBytes,
               rounds ? MapUse::LoadTF32 : MapUse::Load);
}

void KernelParameters::addStagedMap(TensorMap &map, const GemmInput &operand,
                                    const tile::OutputStaging &staging,
                                    MapUse use) {
  unsigned inner =
      staging.alongRows ? kernel.getRowDim() : kernel.getColumnDim();
  unsigned outer =
      staging.alongRows ? kernel.getColumnDim() : kernel.getRowDim();
  addTensorMap(map, operand, {inner, outer},
               {staging.contiguous, staging.lines}, staging.getLineBytes(),
               use);
}

/// Each extent as a size of some operand.
void KernelParameters::addExtents() {
  SmallVector<GemmInput> sources;
  for (unsigned i = 0; i < kernel.load.getInputs().size(); ++i)
    sources.push_back(kernel.load.getInput(i));
  for (unsigned i = 0; i < kernel.epilogue.getAux().size(); ++i)
    sources.push_back(kernel.epilogue.getAuxInput(i));
  for (unsigned i = 0; i < kernel.getNumOutputs(); ++i)
    sources.push_back(kernel.epilogue.getOutput(i));
  GemmDomain domain = kernel.loop.getDomain();
  for (unsigned dim = 0; dim < domain.getRank(); ++dim) {
    // A uses m and k, B n and k, and some operand every batch dimension.
    const auto *source = llvm::find_if(sources, [&](const GemmInput &input) {
      return llvm::is_contained(input.map.getResults(),
                                getAffineDimExpr(dim, b.getContext()));
    });
    int64_t argument = getArgument(source->value);
    int64_t arrayDim = *getArrayDim(source->map, dim);
    signature.addSize(argument, arrayDim);
    if (dim == domain.k())
      continue;
    int64_t tile = 1;
    if (dim == kernel.getRowDim())
      tile = kernel.getRows() * kernel.getClusterRows();
    else if (dim == kernel.getColumnDim())
      tile = kernel.getColumns() * kernel.getClusterColumns();
    signature.addGridDim(argument, arrayDim, tile);
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
    signature.addScalar(operand.elementType, argument);
    return;
  }
  operand.rowDim = getArrayDim(input.map, kernel.getRowDim());
  operand.columnDim = getArrayDim(input.map, kernel.getColumnDim());
  for (unsigned dim = 0; dim < kernel.loop.getDomain().getNumBatch(); ++dim)
    operand.batchDims.push_back(getArrayDim(input.map, dim));
  signature.addPointer(argument);
  SmallVector<int64_t> strides;
  int64_t offset;
  // The verifier admits strided layouts alone.
  (void)type.getStridesAndOffset(strides, offset);
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    bool isOpen = ShapedType::isDynamic(stride);
    sources.push_back({isOpen, stride});
    if (isOpen)
      signature.addStride(argument, dim);
  }
}

/// The version of PTX with atomic additions of vectors, and that with products
/// of signed and unsigned integers.
static constexpr int64_t kMinPtxOfVectorAdditions = 81;
static constexpr int64_t kMinPtxOfMixedSigns = 84;

/// What the kernel's instructions need beyond the chip's own version, or 0.
static int64_t getMinPtx(StagedKernel &kernel) {
  int64_t version = 0;
  if (kernel.fixup && kernel.fixup.getArrivalOrder())
    version = kMinPtxOfVectorAdditions;
  tile::ComputeAttr compute = kernel.multiply.getComputeAttr();
  if (compute && compute.getA() != compute.getB())
    version = kMinPtxOfMixedSigns;
  return version;
}

LLVM::LLVMFuncOp KernelParameters::createFunction(Emit &e) {
  signature.threads =
      kWarpgroup * (int64_t(kernel.producer.getCount()) + kernel.getConsumers());
  signature.cluster = {kernel.getClusterRows(), kernel.getClusterColumns(),
                       kernel.getClusterParts()};
  signature.sharedBytes = kernel.function->getAttrOfType<IntegerAttr>(
      tile::CutlTileDialect::kSharedBytesAttrName);
  signature.alternative = kernel.function->getAttr(
      tile::CutlTileDialect::kAlternativeAttrName);
  signature.isProgrammatic = kernel.isProgrammatic;
  LLVM::LLVMFuncOp function =
      signature.createFunction(e, kernel.function.getName());
  if (int64_t version = getMinPtx(kernel))
    function->setAttr(tile::CutlTileDialect::kMinPtxAttrName,
                      e.b.getI64IntegerAttr(version));
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
  for (unsigned i = 0; i < auxMaps.size(); ++i)
    if (kernel.epilogue.getLoad(i))
      auxMaps[i].value = take();
  for (unsigned dim = 0; dim < kernel.loop.getDomain().getRank(); ++dim)
    extents.push_back(take());
  unsigned number = 0;
  auto bindOperand = [&](EpilogueOperand &operand) {
    operand.value = take();
    for (auto [isOpen, stride] : strideSources[number])
      operand.strides.push_back(isOpen ? Value(take()) : e.i64(stride));
    ++number;
  };
  for (auto [i, operand] : llvm::enumerate(aux))
    if (!kernel.epilogue.getLoad(i))
      bindOperand(operand);
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (!kernel.storesTensor(i))
      bindOperand(outputs[i].array);
  if (kernel.fixup) {
    partials = take();
    arrivals = take();
  }
}
