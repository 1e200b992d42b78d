//===- cutl-compile.cpp - Lowers a module to a stage ---------------------===//

#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Tools/CutlCompile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("cutl-compile options");

static cl::opt<std::string> inputFile(cl::Positional,
                                      cl::desc("<module, .mlir or .mlirbc>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::desc("File to write"),
                                       cl::value_desc("file"), cl::init("-"),
                                       cl::cat(category));
static cl::opt<std::string>
    chip("chip", cl::desc("Chip to compile for, such as sm_90a"),
         cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    emit("emit",
         cl::desc("Stage to stop at: raw, targeted, configured, linalg, llvm"),
         cl::init("configured"), cl::value_desc("stage"), cl::cat(category));
static cl::opt<bool> explain("explain",
                             cl::desc("Show why each choice was made"),
                             cl::cat(category));
static cl::opt<std::string>
    pipelineOptions("pipeline-options", cl::desc("Options of the pipelines"),
                    cl::value_desc("text"), cl::cat(category));

/// Shows the remarks of every pass as diagnostics.
static mlir::LogicalResult enableRemarks(mlir::MLIRContext &context) {
  mlir::remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
  return mlir::remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Lowers a module of cutl ops to a stage\n");

  mlir::DialectRegistry registry;
  mlir::cutl::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  // Errors speak of names and sizes; the op around them is in the input.
  context.printOpOnDiagnostic(false);
  if (explain && failed(enableRemarks(context)))
    return 1;
  std::string message;
  auto file = mlir::openInputFile(inputFile, &message);
  auto output = file ? mlir::openOutputFile(outputFile, &message) : nullptr;
  if (!output) {
    llvm::errs() << "cutl-compile: " << message << "\n";
    return 1;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(*sources, &context);
  if (!module)
    return 1;

  mlir::cutl::CompileOptions options;
  options.chip = chip;
  options.emit = emit;
  options.pipelineOptions = pipelineOptions;
  if (failed(mlir::cutl::compileModule(*module, options)))
    return 1;
  module->print(output->os());
  output->os() << "\n";
  output->keep();
  return 0;
}
