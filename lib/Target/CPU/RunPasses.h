//===- RunPasses.h - LLVM's own passes over a module ------------*- C++ -*-===//

#ifndef CUTL_LIB_TARGET_CPU_RUNPASSES_H
#define CUTL_LIB_TARGET_CPU_RUNPASSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"

namespace mlir::cutl {

/// Runs the passes that `addPasses` chooses over `module`, with the analyses
/// that `machine` gives them. Nothing is run if it fails.
llvm::Error
runLLVMPasses(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::function_ref<llvm::Error(llvm::PassBuilder &,
                                             llvm::ModulePassManager &)>
                  addPasses);

/// Runs LLVM's default pipeline of level 1 to 3; nothing at level 0.
void runLLVMDefaultPasses(llvm::Module &module, llvm::TargetMachine &machine,
                          unsigned level);

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_CPU_RUNPASSES_H
