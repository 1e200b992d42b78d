//===- CpuJit.h - From LLVM IR to machine code in memory --------*- C++ -*-===//
//
// The half of the CPU engine that knows LLVM and not MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_TARGET_CPU_CPUJIT_H
#define CUTL_LIB_TARGET_CPU_CPUJIT_H

#include "cutl/Target/CPU/CpuEngine.h"

namespace llvm {
class Module;
namespace orc {
class ThreadSafeModule;
} // namespace orc
} // namespace llvm

namespace mlir::cutl {

/// Name of the wrapper of an entry point.
std::string getPackedName(StringRef name);

/// Adds a function that takes an array of addresses, one per argument, and
/// calls the C wrapper of `name`: with the address of a descriptor as it is for
/// an array, with the number found there otherwise.
llvm::Error addPackedWrapper(llvm::Module &module, StringRef name,
                             ArrayRef<bool> isArray);

/// A compiled module and the addresses of the wrappers asked for.
struct CompiledModule {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  SmallVector<void (*)(void **)> wrappers;
};

/// Optimises a module and compiles it into this process, with the wrappers of
/// `names`. Symbols that the module lacks come from `forEachCpuSymbol` alone.
llvm::Expected<CompiledModule> compileModule(llvm::orc::ThreadSafeModule module,
                                             ArrayRef<std::string> names,
                                             const CpuEngineOptions &options);

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_CPU_CPUJIT_H
