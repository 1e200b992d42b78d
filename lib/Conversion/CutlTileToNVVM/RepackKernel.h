//===- RepackKernel.h - A kernel that copies an operand into rows ---------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_REPACKKERNEL_H
#define CUTL_CONVERSION_CUTLTILETONVVM_REPACKKERNEL_H

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::cutl::nvvm {

/// Emits `function`, of which `repack` is the whole, as a function of LLVM and
/// NVVM operations before it, of the same name. A form that has no lowering is
/// refused by name.
FailureOr<LLVM::LLVMFuncOp> emitRepackKernel(gpu::GPUFuncOp function,
                                             tile::RepackOp repack,
                                             bool isProgrammatic);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_REPACKKERNEL_H
