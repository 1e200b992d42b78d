//===- CutlRun.h - Running a function on seeded inputs ------------*- C++
//-*-===//
//
// What the tool cutl-run does, as a library.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TOOLS_CUTLRUN_H
#define CUTL_TOOLS_CUTLRUN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::cutl {

struct RunOptions {
  /// The function to run; may be empty if the module has one public function.
  std::string function;
  /// `name=size` for dynamic dimensions, such as `m=512`.
  std::vector<std::string> shape;
  bool verify = false;
  bool time = false;
  /// Decides inputs and the sample that is verified.
  uint64_t seed = 0;
  /// Elements of each output to verify in problems too large to verify whole.
  int64_t samples = 4096;
  /// Where it runs: cpu, cuda, or auto for a GPU if there is one that can.
  std::string device = "auto";
  /// The CUDA driver's library; empty for libcuda.so.1.
  std::string driver;
  /// Processor to compile for, as LLVM names it.
  std::string cpu = "host";
  /// Options of the pipelines, as text.
  std::string pipelineOptions;
};

/// Runs a function and reports to `os`. Fails, after an error, if
/// anything is wrong with the request or a result is out of its bound.
LogicalResult runFunction(ModuleOp module, const RunOptions &options,
                          raw_ostream &os);

/// Runs an entry of a bundle file of that name on a GPU and reports to `os`.
/// Sizes are those of operands by name and dimension: `A.0=512`.
LogicalResult runBundle(MLIRContext *context, StringRef name, StringRef bytes,
                        const RunOptions &options, raw_ostream &os);

} // namespace mlir::cutl

#endif // CUTL_TOOLS_CUTLRUN_H
