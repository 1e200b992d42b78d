//===- KernelFrame.h - A whole Hopper gemm kernel -------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_KERNELFRAME_H
#define CUTL_CONVERSION_CUTLTILETONVVM_KERNELFRAME_H

#include "StagedKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::cutl::nvvm {

/// Emits `kernel` as a function of LLVM and NVVM operations before its
/// `gpu.func`, of the same name. Control flow is left in `scf`, arithmetic in
/// `arith`.
LLVM::LLVMFuncOp emitKernel(StagedKernel &kernel);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_KERNELFRAME_H
