//===- EntryCalls.h - How functions are called on a GPU ---------*- C++ -*-===//

#ifndef CUTL_PIPELINES_ENTRYCALLS_H
#define CUTL_PIPELINES_ENTRYCALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::cutl {

/// A function that does nothing but launch one entry on its own arguments.
struct EntryCall {
  std::string entry;
  /// Which of the function's arguments the entry's are: its arrays, then its
  /// numbers.
  SmallVector<unsigned> arguments;
  /// How many the function has, beside workspace and stream.
  unsigned numArguments = 0;
};

/// What the function of that name calls, in a module as `cutl-outline-kernels`
/// leaves it or lowered further. Emits an error if the host has more to do than
/// one launch.
FailureOr<EntryCall> getEntryCall(ModuleOp module, StringRef function);

} // namespace mlir::cutl

#endif // CUTL_PIPELINES_ENTRYCALLS_H
