//===- CutlTileToNVVM.cpp - Staged kernels to LLVM and NVVM ---------------===//

#include "cutl/Conversion/Passes.h"
#include "CombineKernel.h"
#include "KernelFrame.h"
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
      if (tile::CombineOp combine = tile::findCombine(function.getBody())) {
        if (failed(
                nvvm::emitCombineKernel(function, combine, programmaticLaunch)))
          return signalPassFailure();
        function.erase();
        ++numConverted;
        continue;
      }
      FailureOr<nvvm::StagedKernel> kernel = nvvm::matchStagedKernel(function);
      if (failed(kernel))
        return signalPassFailure();
      kernel->isProgrammatic = programmaticLaunch;
      nvvm::emitKernel(*kernel);
      function.erase();
      ++numConverted;
    }
  }
};

} // namespace
