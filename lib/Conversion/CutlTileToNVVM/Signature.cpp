//===- Signature.cpp - What a kernel is called with -----------------------===//

#include "Signature.h"

#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr int64_t kTensorMapBytes = 128;

static NamedAttribute named(Builder &b, StringRef name, int64_t value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}
static NamedAttribute named(Builder &b, StringRef name, StringRef value) {
  return b.getNamedAttr(name, b.getStringAttr(value));
}
static NamedAttribute named(Builder &b, StringRef name,
                            ArrayRef<int64_t> value) {
  return b.getNamedAttr(name, b.getDenseI64ArrayAttr(value));
}

void KernelSignature::add(Type type, ArrayRef<NamedAttribute> info) {
  parameters.push_back({type, b.getDictionaryAttr(info)});
}

void KernelSignature::addTensorMap(int64_t argument, ArrayRef<int64_t> dims,
                                   ArrayRef<int64_t> box, int64_t swizzleBytes,
                                   MapUse use) {
  SmallVector<NamedAttribute> info = {
      named(b, "kind", "tensor_map"), named(b, "arg", argument),
      named(b, "dims", dims), named(b, "box", box),
      named(b, "swizzle", std::to_string(swizzleBytes) + "B")};
  if (use == MapUse::LoadTF32)
    info.push_back(b.getNamedAttr("tf32", b.getUnitAttr()));
  if (use == MapUse::Store)
    info.push_back(b.getNamedAttr("stored", b.getUnitAttr()));
  add(LLVM::LLVMPointerType::get(b.getContext()), info);
  parameters.back().isTensorMap = true;
}

void KernelSignature::addSize(int64_t argument, int64_t dim) {
  add(b.getI32Type(), {named(b, "kind", "size"), named(b, "arg", argument),
                       named(b, "dim", dim)});
}

void KernelSignature::addStride(int64_t argument, int64_t dim) {
  add(b.getI64Type(), {named(b, "kind", "stride"), named(b, "arg", argument),
                       named(b, "dim", dim)});
}

void KernelSignature::addPointer(int64_t argument) {
  add(LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      {named(b, "kind", "pointer"), named(b, "arg", argument)});
}

void KernelSignature::addScalar(Type type, int64_t argument) {
  add(type, {named(b, "kind", "scalar"), named(b, "arg", argument)});
}

void KernelSignature::addGridDim(int64_t argument, int64_t dim, int64_t tile) {
  grid.push_back(b.getDictionaryAttr({named(b, "arg", argument),
                                      named(b, "dim", dim),
                                      named(b, "tile", tile)}));
}

DictionaryAttr KernelSignature::getLaunchInfo() {
  SmallVector<Attribute> list;
  for (const Parameter &parameter : parameters)
    list.push_back(parameter.info);
  SmallVector<NamedAttribute> info = {
      named(b, "block", threads),
      named(b, "cluster", ArrayRef<int64_t>(cluster)),
      b.getNamedAttr("grid", b.getArrayAttr(grid)),
      b.getNamedAttr("params", b.getArrayAttr(list)),
      b.getNamedAttr("shared_bytes",
                     sharedBytes ? sharedBytes : b.getI64IntegerAttr(0))};
  if (alternative)
    info.push_back(b.getNamedAttr("alternative", alternative));
  if (isProgrammatic)
    info.push_back(b.getNamedAttr("programmatic", b.getUnitAttr()));
  return b.getDictionaryAttr(info);
}

LLVM::LLVMFuncOp KernelSignature::createFunction(Emit &e, StringRef name) {
  SmallVector<Type> types;
  for (const Parameter &parameter : parameters)
    types.push_back(parameter.type);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(e.b, e.loc, name, type);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  int64_t clusterSize = cluster[0] * cluster[1] * cluster[2];
  if (clusterSize > 1)
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      b.getDenseI32ArrayAttr({int32_t(clusterSize), 1, 1}));
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
