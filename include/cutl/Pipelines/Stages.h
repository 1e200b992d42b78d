//===- Stages.h - Forms of a module on its way down -------------*- C++ -*-===//
//
// The one table of what lowering can stop at, behind `cutl-compile --emit`, the
// C interface and Python alike.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_PIPELINES_STAGES_H
#define CUTL_PIPELINES_STAGES_H

#include "cutl/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace mlir::cutl {

/// The options of the pipelines, and what only some stages need.
struct StageOptions : PipelineOptions {
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Which lowering a stage belongs to: cpu or cuda; if "
                     "empty the one that has it, cuda if both have")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("Code in a bundle: ptx, which the driver compiles, or "
                     "cubin"),
      llvm::cl::init("ptx")};
  Option<std::string> ptxas{
      *this, "ptxas",
      llvm::cl::desc("Assembler for cubins; by default CUTL_PTXAS, or the "
                     "first on PATH")};
};

/// A form that a module can be given.
struct Stage {
  StringRef name;
  /// Whose lowering it belongs to: cpu, cuda, or empty for both.
  StringRef device;
  /// What it is, in a few words.
  StringRef summary;
  bool needsChip;
  /// The passes that lead to it from the dialect.
  void (*build)(OpPassManager &pm, const StageOptions &options);
  /// Writes the lowered module.
  LogicalResult (*write)(ModuleOp module, const StageOptions &options,
                         raw_ostream &os);
};

/// All stages, each lowering from its start to its end.
ArrayRef<Stage> getStages();

/// The stage that a file of that name holds by its ending (`x.ptx`); empty if
/// it tells nothing.
StringRef getStageOfFile(StringRef path);

/// Lowers a module, in place, to the stage of that name and writes it. Fails
/// after an error, and then has written nothing.
LogicalResult emitStage(ModuleOp module, StringRef name,
                        const StageOptions &options, raw_ostream &os);

} // namespace mlir::cutl

#endif // CUTL_PIPELINES_STAGES_H
