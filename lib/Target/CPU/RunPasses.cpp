//===- RunPasses.cpp - LLVM's own passes over a module -------------------===//

#include "RunPasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <algorithm>

using namespace mlir;

llvm::Error mlir::cutl::runLLVMPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<llvm::Error(llvm::PassBuilder &,
                                   llvm::ModulePassManager &)>
        addPasses) {
  llvm::PassBuilder passes(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = addPasses(passes, manager))
    return error;
  manager.run(module, modules);
  return llvm::Error::success();
}

void mlir::cutl::runLLVMDefaultPasses(llvm::Module &module,
                                      llvm::TargetMachine &machine,
                                      unsigned level) {
  if (level == 0)
    return;
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2,
                                            llvm::OptimizationLevel::O3};
  llvm::cantFail(runLLVMPasses(
      module, machine,
      [&](llvm::PassBuilder &passes, llvm::ModulePassManager &manager) {
        manager = passes.buildPerModuleDefaultPipeline(
            levels[std::min(level, 3u) - 1]);
        return llvm::Error::success();
      }));
}
