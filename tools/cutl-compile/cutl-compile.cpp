//===- cutl-compile.cpp - Lowers a module to a stage ---------------------===//

#include "cutl/Pipelines/Stages.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
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
         cl::desc("Stage to stop at, from the list below; by default what the "
                  "output's name ends in, else configured"),
         cl::value_desc("stage"), cl::cat(category));
static cl::opt<std::string>
    device("device",
           cl::desc("Whose lowering the stage is of, if both have one of its "
                    "name: cpu or cuda, by default cuda"),
           cl::value_desc("name"), cl::cat(category));
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

/// What `--help` says after the options.
static std::string listStages() {
  std::string text = "\nStages, in order:\n";
  llvm::raw_string_ostream os(text);
  for (const mlir::cutl::Stage &stage : mlir::cutl::getStages())
    os << llvm::formatv("  {0,-12}{1,-6}{2}\n", stage.name,
                        stage.device.empty() ? "both" : stage.device,
                        stage.summary);
  return text;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string stages = listStages();
  cl::extrahelp stageHelp(stages);
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
  auto fail = [&] {
    llvm::errs() << "cutl-compile: " << llvm::StringRef(message).trim() << "\n";
    return 1;
  };
  mlir::cutl::StageOptions options;
  llvm::raw_string_ostream messages(message);
  if (failed(options.parseFromString(pipelineOptions, messages)))
    return fail();
  if (!chip.empty())
    options.chip = chip;
  if (!device.empty())
    options.device = device;
  auto file = mlir::openInputFile(inputFile, &message);
  if (!file)
    return fail();
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(*sources, &context);
  if (!module)
    return 1;

  llvm::StringRef stage = emit;
  if (stage.empty())
    stage = mlir::cutl::getStageOfFile(outputFile);
  // The file is touched once all of it is known.
  std::string result;
  llvm::raw_string_ostream os(result);
  if (failed(mlir::cutl::emitStage(
          *module, stage.empty() ? "configured" : stage, options, os)))
    return 1;
  auto output = mlir::openOutputFile(outputFile, &message);
  if (!output)
    return fail();
  output->os() << result;
  output->keep();
  return 0;
}
