//===- CutlCompile.h - Compiling a module to a stage --------------*- C++
//-*-===//
//
// What the tool cutl-compile does, as a library.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TOOLS_CUTLCOMPILE_H
#define CUTL_TOOLS_CUTLCOMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::cutl {

struct CompileOptions {
  /// Name of a chip; may be empty if the module names one or the stage needs
  /// none.
  std::string chip;
  /// The stage to stop at: raw, targeted, configured, linalg or llvm.
  std::string emit = "configured";
  /// Options of the pipelines, as text.
  std::string pipelineOptions;
};

/// Lowers a module in place to the stage asked for. Fails after an error.
LogicalResult compileModule(ModuleOp module, const CompileOptions &options);

} // namespace mlir::cutl

#endif // CUTL_TOOLS_CUTLCOMPILE_H
