//===- CpuJit.h - From LLVM IR to machine code in memory --------*- C++ -*-===//
//
// The half of the CPU engine that knows LLVM and not MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_TARGET_CPU_CPUJIT_H
#define CUTL_LIB_TARGET_CPU_CPUJIT_H

#include "cutl/Target/CPU/CpuEngine.h"

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::cutl {

/// Name of the wrapper of an entry point.
std::string getPackedName(StringRef name);

/// Adds a function that takes an array of addresses, one per argument, and
/// calls the C wrapper of `name`: with the address of a descriptor as it is for
/// an array, with the number found there otherwise.
llvm::Error addPackedWrapper(llvm::Module &module, StringRef name,
                             ArrayRef<bool> isArray);

/// Optimises a module and compiles it into this process. Symbols that the
/// module lacks come from `forEachCpuSymbol` alone.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
compileModule(std::unique_ptr<llvm::Module> module,
              std::unique_ptr<llvm::LLVMContext> context,
              const CpuEngineOptions &options);

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_CPU_CPUJIT_H
