//===- KernelFrame.h - A whole Hopper gemm kernel -------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_KERNELFRAME_H
#define CUTL_CONVERSION_CUTLTILETONVVM_KERNELFRAME_H

#include "Epilogue.h"
#include "KernelPlan.h"

namespace mlir::cutl::nvvm {

/// What a kernel computes. Operands are numbered as in the kernel's list of
/// operands: A, B, the auxiliary ones, the output.
struct KernelRequest {
  std::string name;
  /// Of A and B.
  Type elementType;
  KernelPlan plan;
  SmallVector<EpilogueOperand> aux;
  EpilogueOperand output;
  /// The epilogue region's block.
  Block *epilogue = nullptr;
  /// Positions of the operands among the arguments that the host passes.
  int64_t aArgument = 0, bArgument = 1, outputArgument = 2;
  SmallVector<int64_t> auxArguments;
};

/// Emits the kernel at the insertion point of `builder`, inside a `gpu.module`.
/// What the host must know to launch it is its attribute `kLaunchInfoName`.
LLVM::LLVMFuncOp emitKernel(OpBuilder &builder, Location loc,
                            KernelRequest &request);

constexpr StringLiteral kLaunchInfoName = "cutl_tile.launch_info";

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_KERNELFRAME_H
