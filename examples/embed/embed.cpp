//===- embed.cpp - cutl inside another compiler, in C++ ------------------===//
//
// Parses a module, gives each operation its configuration for a chip, lowers
// the module for the CPU, and prints both forms.
//
//===----------------------------------------------------------------------===//

#include "cutl/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult
runAndPrint(ModuleOp module, const cutl::PipelineOptions &options,
            void (*build)(OpPassManager &, const cutl::PipelineOptions &)) {
  PassManager pm(module.getContext());
  build(pm, options);
  if (failed(pm.run(module)))
    return failure();
  module->print(llvm::outs());
  return success();
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    llvm::errs() << "usage: embed-cpp FILE.mlir [OPTIONS]\n";
    return 2;
  }
  // One struct holds the options of every pipeline. Set its fields, or parse.
  cutl::PipelineOptions options;
  if (failed(options.parseFromString(argc == 3 ? argv[2] : "chip=sm_90a")))
    return 2;

  // A compiler with dialects and passes of its own registers them here too.
  DialectRegistry registry;
  cutl::registerAllDialects(registry);
  MLIRContext context(registry);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
  });

  // Remarks say why a configuration was chosen.
  remark::RemarkCategories everything;
  everything.passed = everything.missed = everything.analysis =
      everything.failed = ".*";
  if (failed(remark::enableOptimizationRemarks(
          context, /*streamer=*/nullptr,
          std::make_unique<remark::RemarkEmittingPolicyAll>(), everything,
          /*printAsEmitRemarks=*/true)))
    return 2;

  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module ||
      failed(runAndPrint(*module, options, cutl::buildConfigurePipeline)))
    return 1;
  // A GPU's code and a CPU's start from the same module.
  OwningOpRef<ModuleOp> kernels = module->clone();
  if (failed(runAndPrint(*kernels, options, cutl::buildToPTXPipeline)) ||
      failed(runAndPrint(*module, options, cutl::buildToCPUPipeline)))
    return 1;
  return 0;
}
