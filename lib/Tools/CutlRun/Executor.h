//===- Executor.h - Functions compiled for a device ---------------*- C++
//-*-===//

#ifndef CUTL_LIB_TOOLS_CUTLRUN_EXECUTOR_H
#define CUTL_LIB_TOOLS_CUTLRUN_EXECUTOR_H

#include "GpuSession.h"
#include "cutl/Tools/CutlRun.h"

namespace mlir::cutl {

/// One function, ready to run.
class Executor {
public:
  virtual ~Executor();

  /// Arguments of the lowered function.
  virtual size_t getNumArguments() const = 0;
  /// What it was compiled for.
  virtual std::string describe() const = 0;
  /// Runs on arrays of the host, which have the results afterwards.
  virtual llvm::Error run(ArrayRef<HostArgument> arguments) = 0;
  /// Seconds of runs one after another, once it has run on these arguments.
  virtual llvm::Expected<std::vector<double>>
  time(ArrayRef<HostArgument> arguments) = 0;
};

FailureOr<std::unique_ptr<Executor>>
compileForCpu(ModuleOp module, StringRef function, const RunOptions &options);

FailureOr<std::unique_ptr<Executor>>
compileForGpu(ModuleOp module, StringRef function, const RunOptions &options,
              std::unique_ptr<GpuSession> session);

/// For the device that the options name; for "auto" the GPU if there is one
/// that can run the function, and if there is one that cannot, `os` is told
/// why.
FailureOr<std::unique_ptr<Executor>> compile(ModuleOp module,
                                             StringRef function,
                                             const RunOptions &options,
                                             raw_ostream &os);

} // namespace mlir::cutl

#endif // CUTL_LIB_TOOLS_CUTLRUN_EXECUTOR_H
