//===- Stages.cpp - Forms of a module on its way down ---------------------===//

#include "cutl/Pipelines/Stages.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Target/Bundle/BundleBuilder.h"
#include "cutl/Target/Bundle/BundlePrinter.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::cutl;

static LogicalResult writeModule(ModuleOp module, const StageOptions &,
                                 raw_ostream &os) {
  module->print(os);
  os << "\n";
  return success();
}

static LogicalResult writeBundle(ModuleOp module, const StageOptions &,
                                 raw_ostream &os) {
  FailureOr<std::string> bytes = exportBundle(module);
  if (failed(bytes))
    return failure();
  os << *bytes;
  return success();
}

static LogicalResult writeBundleText(ModuleOp module, const StageOptions &,
                                     raw_ostream &os) {
  FailureOr<BuiltBundle> bundle = buildBundle(module);
  if (failed(bundle))
    return failure();
  printBundle(bundle->get(), os);
  return success();
}

static void buildNothing(OpPassManager &, const PipelineOptions &) {}

static void buildAttachTarget(OpPassManager &pm,
                              const PipelineOptions &options) {
  pm.addPass(createCutlAttachTarget({options.chip}));
}

static void buildToLinalg(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createConvertCutlToLinalg());
}

static const Stage kStages[] = {
    {"raw", "", "as it is", false, buildNothing, writeModule},
    {"targeted", "", "with the chip", true, buildAttachTarget, writeModule},
    {"configured", "", "with tiles and schedules", true, buildConfigurePipeline,
     writeModule},
    {"linalg", "cpu", "as linalg operations", false, buildToLinalg,
     writeModule},
    {"bundle", "cuda", "the file that the runtime loads", true,
     buildToPTXPipeline, writeBundle},
    {"bundle-text", "cuda", "what that file holds, for people", true,
     buildToPTXPipeline, writeBundleText},
    {"llvm", "cpu", "in the LLVM dialect", false, buildToCPUPipeline,
     writeModule},
};

ArrayRef<Stage> mlir::cutl::getStages() { return kStages; }

StringRef mlir::cutl::getStageOfFile(StringRef path) {
  return llvm::StringSwitch<StringRef>(llvm::sys::path::extension(path))
      .Case(".cutlb", "bundle")
      .Case(".ptx", "ptx")
      .Case(".cubin", "cubin")
      .Default("");
}

static FailureOr<const Stage *> findStage(ModuleOp module, StringRef name,
                                          StringRef device) {
  if (!device.empty() && device != "cpu" && device != "cuda")
    return module.emitError("expected device to be cpu or cuda, got '")
           << device << "'";
  const Stage *found = nullptr;
  SmallVector<StringRef> names;
  for (const Stage &stage : kStages) {
    bool fits =
        device.empty() || stage.device.empty() || stage.device == device;
    if (fits && !llvm::is_contained(names, stage.name))
      names.push_back(stage.name);
    if (fits && stage.name == name && (!found || stage.device == "cuda"))
      found = &stage;
  }
  if (found)
    return found;
  InFlightDiagnostic diagnostic = module.emitError("expected the stage to be ")
                                  << "one of " << llvm::join(names, ", ");
  if (!device.empty())
    diagnostic << " for device " << device;
  return diagnostic << ", got '" << name << "'";
}

LogicalResult mlir::cutl::emitStage(ModuleOp module, StringRef name,
                                    const StageOptions &options,
                                    raw_ostream &os) {
  FailureOr<const Stage *> stage = findStage(module, name, options.device);
  if (failed(stage))
    return failure();
  bool namesChip = module->hasAttr(CutlDialect::kTargetAttrName);
  if ((*stage)->needsChip && options.chip.empty() && !namesChip)
    return module.emitError("expected a chip, as in chip=sm_90a, for stage ")
           << name;
  PassManager pm(module.getContext());
  (*stage)->build(pm, options);
  if (failed(pm.run(module)))
    return failure();
  return (*stage)->write(module, options, os);
}
