//===- CombineKernel.h - A kernel that combines partial results -----------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_COMBINEKERNEL_H
#define CUTL_CONVERSION_CUTLTILETONVVM_COMBINEKERNEL_H

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::cutl::nvvm {

/// Emits `function`, of which `combine` is the whole, as a function of LLVM and
/// NVVM operations before it, of the same name. A form that has no lowering is
/// refused by name.
FailureOr<LLVM::LLVMFuncOp> emitCombineKernel(gpu::GPUFuncOp function,
                                              tile::CombineOp combine,
                                              bool isProgrammatic);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_COMBINEKERNEL_H
