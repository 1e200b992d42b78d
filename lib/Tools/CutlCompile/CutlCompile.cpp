//===- CutlCompile.cpp - Compiling a module to a stage -------------------===//

#include "cutl/Tools/CutlCompile.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Pipelines/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {
/// One stage of lowering, and the passes that lead to it from the dialect.
struct Stage {
  StringRef name;
  bool needsChip;
  void (*build)(OpPassManager &pm, const PipelineOptions &options);
};
} // namespace

static const Stage kStages[] = {
    {"raw", false, [](OpPassManager &, const PipelineOptions &) {}},
    {"targeted", true,
     [](OpPassManager &pm, const PipelineOptions &options) {
       pm.addPass(createCutlAttachTarget({options.chip}));
     }},
    {"configured", true, buildConfigurePipeline},
    {"linalg", false,
     [](OpPassManager &pm, const PipelineOptions &) {
       pm.addPass(createConvertCutlToLinalg());
     }},
    {"llvm", false, buildToCPUPipeline},
};

/// Stages that are planned and cannot be emitted yet.
static const StringRef kGpuStages[] = {"scheduled", "tiled", "staged", "nvvm",
                                       "ptx",       "cubin", "bundle"};

static FailureOr<const Stage *> findStage(ModuleOp module, StringRef name) {
  for (const Stage &stage : kStages)
    if (stage.name == name)
      return &stage;
  if (llvm::is_contained(kGpuStages, name))
    return module.emitError("emit=")
           << name
           << " needs the GPU lowering, which this version does not have";
  return module.emitError("expected emit to be one of ")
         << llvm::join(
                llvm::map_range(kStages,
                                [](const Stage &s) { return s.name.str(); }),
                ", ")
         << ", got '" << name << "'";
}

LogicalResult mlir::cutl::compileModule(ModuleOp module,
                                        const CompileOptions &options) {
  FailureOr<const Stage *> stage = findStage(module, options.emit);
  if (failed(stage))
    return failure();
  PipelineOptions pipelineOptions;
  if (failed(pipelineOptions.parseFromString(options.pipelineOptions)))
    return failure();
  if (!options.chip.empty())
    pipelineOptions.chip = options.chip;
  bool namesChip = module->hasAttr(CutlDialect::kTargetAttrName);
  if ((*stage)->needsChip && pipelineOptions.chip.empty() && !namesChip)
    return module.emitError("expected a chip, as in --chip=sm_90a, for emit=")
           << options.emit;
  PassManager pm(module.getContext());
  (*stage)->build(pm, pipelineOptions);
  return pm.run(module);
}
