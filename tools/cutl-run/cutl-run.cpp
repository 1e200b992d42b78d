//===- cutl-run.cpp - Runs a function on seeded inputs --------------------===//

#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Tools/CutlRun.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("cutl-run options");

static cl::opt<std::string>
    inputFile(cl::Positional,
              cl::desc("<module, .mlir or .mlirbc, or bundle, .cutlb>"),
              cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    functionName("function", cl::desc("Function to run, if there are several"),
                 cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    shape("shape", cl::CommaSeparated,
          cl::desc("Sizes of dynamic dimensions, such as m=512,n=64; of a "
                   "bundle's operands, A.0=512"),
          cl::value_desc("name=size"), cl::cat(category));
static cl::opt<bool>
    verify("verify",
           cl::desc("Check results against double precision and its bound"),
           cl::cat(category));
static cl::opt<bool> timeRuns("time", cl::desc("Measure the time of one run"),
                              cl::cat(category));
static cl::opt<uint64_t> seed("seed",
                              cl::desc("Decides inputs and verified sample"),
                              cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    samples("sample",
            cl::desc("Elements to verify of each output of a large problem"),
            cl::init(4096), cl::cat(category));
static cl::opt<std::string>
    device("device",
           cl::desc("Where to run: cpu, cuda, or auto for a GPU if there is "
                    "one that can"),
           cl::init("auto"), cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    driver("cuda-driver",
           cl::desc("Library to call the CUDA driver through, by default "
                    "libcuda.so.1"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    cpu("cpu", cl::desc("Processor to compile for, such as x86-64-v2"),
        cl::init("host"), cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    pipelineOptions("pipeline-options", cl::desc("Options of the pipelines"),
                    cl::value_desc("text"), cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs a function of cutl ops on seeded random inputs\n");

  mlir::DialectRegistry registry;
  mlir::cutl::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  // Errors speak of names and sizes; the op around them is in the input.
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  std::string message;
  auto file = mlir::openInputFile(inputFile, &message);
  if (!file) {
    llvm::errs() << "cutl-run: " << message << "\n";
    return 1;
  }
  mlir::cutl::RunOptions options;
  options.function = functionName;
  options.shape.assign(shape.begin(), shape.end());
  options.verify = verify;
  options.time = timeRuns;
  options.seed = seed;
  options.samples = samples;
  options.device = device;
  options.driver = driver;
  options.cpu = cpu;
  options.pipelineOptions = pipelineOptions;

  bool isBundle = llvm::StringRef(inputFile).ends_with(".cutlb");
  std::string bytes = isBundle ? file->getBuffer().str() : "";
  if (!isBundle)
    sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  if (isBundle)
    return failed(mlir::cutl::runBundle(&context, inputFile, bytes, options,
                                        llvm::outs()));
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(*sources, &context);
  if (!module)
    return 1;
  return failed(mlir::cutl::runFunction(*module, options, llvm::outs()));
}
