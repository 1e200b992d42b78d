//===- SerializeKernels.cpp - cutl-serialize-kernels ----------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "cutl/Target/GPU/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLSERIALIZEKERNELS
#include "cutl/Target/GPU/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

static constexpr StringLiteral kLaunchInfo =
    tile::CutlTileDialect::kLaunchInfoAttrName;

static bool isKernel(Operation &op) {
  return op.hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) ||
         op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

/// Whether the module is ours to compile.
static bool isOurs(gpu::GPUModuleOp module) {
  return isa<BundleOp>(module->getParentOp()) ||
         llvm::any_of(*module.getBody(),
                      [](Operation &op) { return op.hasAttr(kLaunchInfo); });
}

/// What the host must know about each kernel.
static FailureOr<SmallVector<gpu::KernelMetadataAttr>>
collectKernels(gpu::GPUModuleOp module) {
  SmallVector<gpu::KernelMetadataAttr> kernels;
  for (Operation &op : *module.getBody()) {
    if (!isKernel(op))
      continue;
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    auto info = op.getAttrOfType<DictionaryAttr>(kLaunchInfo);
    if (!function || !info)
      return op.emitOpError("expected an llvm.func with '")
             << kLaunchInfo
             << "' as a kernel in cutl-serialize-kernels; run "
                "convert-cutl-tile-to-nvvm first";
    auto metadata = DictionaryAttr::get(
        op.getContext(),
        NamedAttribute(StringAttr::get(op.getContext(), kLaunchInfo), info));
    kernels.push_back(gpu::KernelMetadataAttr::get(
        function.getSymNameAttr(), function.getFunctionType(),
        /*argAttrs=*/nullptr, metadata));
  }
  return kernels;
}

/// The version of PTX that the kernels' instructions need.
static unsigned getMinPtx(gpu::GPUModuleOp module) {
  int64_t version = 0;
  for (Operation &op : *module.getBody())
    if (auto needed = op.getAttrOfType<IntegerAttr>(
            tile::CutlTileDialect::kMinPtxAttrName))
      version = std::max(version, needed.getInt());
  return version;
}

namespace {

struct SerializeKernelsPass final
    : mlir::cutl::impl::CutlSerializeKernelsBase<SerializeKernelsPass> {
  using CutlSerializeKernelsBase::CutlSerializeKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    CutlSerializeKernelsBase::getDependentDialects(registry);
    registerGpuTranslations(registry);
  }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules;
    getOperation().walk([&](gpu::GPUModuleOp module) {
      if (isOurs(module))
        modules.push_back(module);
    });
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module)))
        return signalPassFailure();
  }

private:
  LogicalResult serialize(gpu::GPUModuleOp module);
};

} // namespace

LogicalResult SerializeKernelsPass::serialize(gpu::GPUModuleOp module) {
  TargetAttr target = TargetAttr::lookup(module);
  if (!target)
    return module.emitOpError("expected a target at or above it in "
                              "cutl-serialize-kernels; run cutl-attach-target "
                              "first");
  FailureOr<SmallVector<gpu::KernelMetadataAttr>> kernels =
      collectKernels(module);
  if (failed(kernels))
    return failure();

  PtxOptions options(*target.getRecord(), getMinPtx(module));
  FailureOr<std::string> code = translateToPtx(module, options);
  if (failed(code))
    return failure();
  if (format == CodeFormat::Cubin) {
    code = assembleCubin(module, *code, options.chip, ptxas);
    if (failed(code))
      return failure();
  }

  OpBuilder builder(module);
  auto nvvmTarget = NVVM::NVVMTargetAttr::get(&getContext(), options.optLevel,
                                              "nvptx64-nvidia-cuda",
                                              options.chip, options.features);
  Attribute object = gpu::ObjectAttr::get(
      &getContext(), nvvmTarget,
      format == CodeFormat::Cubin ? gpu::CompilationTarget::Binary
                                  : gpu::CompilationTarget::Assembly,
      builder.getStringAttr(*code), /*properties=*/nullptr,
      gpu::KernelTableAttr::get(&getContext(), *kernels));
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr, ArrayRef(object));
  module.erase();
  numKernels += kernels->size();
  return success();
}
