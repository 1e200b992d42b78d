//===- CutlTileToNVVM.cpp - Staged kernels to LLVM and NVVM ---------------===//

#include "cutl/Conversion/Passes.h"
#include "CombineKernel.h"
#include "KernelFrame.h"
#include "RepackKernel.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTCUTLTILETONVVM
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {

struct ConvertCutlTileToNVVMPass final
    : mlir::cutl::impl::ConvertCutlTileToNVVMBase<ConvertCutlTileToNVVMPass> {
  using ConvertCutlTileToNVVMBase::ConvertCutlTileToNVVMBase;

  void runOnOperation() override {
    if (failed(requireTiled(getOperation(), "convert-cutl-tile-to-nvvm")))
      return signalPassFailure();
    SmallVector<gpu::GPUFuncOp> functions;
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>())
      if (function.isKernel())
        functions.push_back(function);
    for (gpu::GPUFuncOp function : functions) {
      if (failed(convert(function)))
        return signalPassFailure();
      function.erase();
      ++numConverted;
    }
  }

private:
  LogicalResult convert(gpu::GPUFuncOp function) {
    Region &body = function.getBody();
    if (tile::CombineOp combine = tile::findCombine(body))
      return nvvm::emitCombineKernel(function, combine, programmaticLaunch);
    if (tile::RepackOp repack = tile::findRepack(body))
      return nvvm::emitRepackKernel(function, repack, programmaticLaunch);
    FailureOr<nvvm::StagedKernel> kernel = nvvm::matchStagedKernel(function);
    if (failed(kernel))
      return failure();
    kernel->isProgrammatic = programmaticLaunch;
    nvvm::emitKernel(*kernel);
    return success();
  }
};

} // namespace
