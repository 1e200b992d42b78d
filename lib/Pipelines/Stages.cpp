//===- Stages.cpp - Forms of a module on its way down ---------------------===//

#include "cutl/Pipelines/Stages.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/Cutl/Transforms/PrintSchedule.h"
#include "cutl/Target/Bundle/BundleBuilder.h"
#include "cutl/Target/Bundle/BundlePrinter.h"
#include "cutl/Target/GPU/Passes.h"
#include "cutl/Target/GPU/Serialize.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static void buildNothing(OpPassManager &, const StageOptions &) {}

static void buildTargeted(OpPassManager &pm, const StageOptions &options) {
  pm.addPass(createCutlAttachTarget({options.chip}));
}

static void buildConfigured(OpPassManager &pm, const StageOptions &options) {
  buildConfigurePipeline(pm, options);
}

static void buildTiled(OpPassManager &pm, const StageOptions &options) {
  buildToTiledPipeline(pm, options);
}

static void buildStaged(OpPassManager &pm, const StageOptions &options) {
  buildToTiledPipeline(pm, options);
  buildStagePipeline(pm);
}

static void buildNVVM(OpPassManager &pm, const StageOptions &options) {
  buildToTiledPipeline(pm, options);
  buildLowerToNVVMPipeline(pm, options);
}

static void buildCode(OpPassManager &pm, const StageOptions &options,
                      CodeFormat format) {
  buildNVVM(pm, options);
  CutlSerializeKernelsOptions serialize;
  serialize.format = format;
  serialize.ptxas = options.ptxas;
  pm.addPass(createCutlSerializeKernels(serialize));
}

static void buildPtx(OpPassManager &pm, const StageOptions &options) {
  buildCode(pm, options, CodeFormat::Ptx);
}

static void buildCubin(OpPassManager &pm, const StageOptions &options) {
  buildCode(pm, options, CodeFormat::Cubin);
}

static void buildForBundle(OpPassManager &pm, const StageOptions &options) {
  buildCode(pm, options,
            options.format == "cubin" ? CodeFormat::Cubin : CodeFormat::Ptx);
}

static void buildLinalg(OpPassManager &pm, const StageOptions &) {
  pm.addPass(createConvertCutlToLinalg());
}

static void buildHost(OpPassManager &pm, const StageOptions &options) {
  buildToCPUPipeline(pm, options);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static LogicalResult writeModule(ModuleOp module, const StageOptions &,
                                 raw_ostream &os) {
  module->print(os);
  os << "\n";
  return success();
}

/// What there is no code for: a module without products.
static LogicalResult failWithoutKernels(ModuleOp module) {
  return module.emitError("expected a module with products to compile for a "
                          "GPU, got none");
}

static LogicalResult writeLLVM(ModuleOp module, const StageOptions &,
                               raw_ostream &os) {
  std::string text;
  WalkResult walked = module.walk([&](gpu::GPUModuleOp kernels) {
    FailureOr<std::string> translated = translateToLLVMIRText(kernels);
    if (failed(translated))
      return WalkResult::interrupt();
    text += *translated;
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (text.empty())
    return failWithoutKernels(module);
  os << text;
  return success();
}

/// The code of each module of kernels; text one after the other.
static LogicalResult writeCode(ModuleOp module, const StageOptions &,
                               raw_ostream &os) {
  SmallVector<gpu::ObjectAttr> objects;
  module.walk([&](gpu::BinaryOp binary) {
    for (Attribute object : binary.getObjects())
      objects.push_back(cast<gpu::ObjectAttr>(object));
  });
  if (objects.empty())
    return failWithoutKernels(module);
  bool isText = objects.front().getFormat() == gpu::CompilationTarget::Assembly;
  if (!isText && objects.size() > 1)
    return module.emitError("expected one function with products, which a "
                            "cubin holds, got ")
           << objects.size();
  for (gpu::ObjectAttr object : objects) {
    // Text has the null that the driver wants after it.
    StringRef code = object.getObject().getValue();
    os << (isText ? code.rtrim('\0') : code);
  }
  return success();
}

static LogicalResult writeBundle(ModuleOp module, const StageOptions &options,
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

static LogicalResult writeSchedule(ModuleOp module, const StageOptions &,
                                   raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(printSchedules(module, /*asSvg=*/true, "stage schedule", stream)))
    return failure();
  if (text.empty())
    return failWithoutKernels(module);
  os << text;
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const Stage kStages[] = {
    {"raw", "", "as it is", false, buildNothing, writeModule},
    {"targeted", "", "with the chip", true, buildTargeted, writeModule},
    {"configured", "", "with tiles and schedules", true, buildConfigured,
     writeModule},
    {"schedule", "cuda", "a drawing, as SVG: which CTA does what, when", true,
     buildConfigured, writeSchedule},
    {"tiled", "cuda", "kernels: what each CTA does", true, buildTiled,
     writeModule},
    {"staged", "cuda", "kernels: rings, roles and shared memory", true,
     buildStaged, writeModule},
    {"nvvm", "cuda", "kernels in the LLVM and NVVM dialects", true, buildNVVM,
     writeModule},
    {"llvm", "cuda", "kernels as LLVM IR", true, buildNVVM, writeLLVM},
    {"ptx", "cuda", "kernels as PTX", true, buildPtx, writeCode},
    {"cubin", "cuda", "kernels as machine code, by ptxas", true, buildCubin,
     writeCode},
    {"bundle", "cuda", "the file that the runtime loads", true, buildForBundle,
     writeBundle},
    {"bundle-text", "cuda", "what that file holds, for people", true,
     buildForBundle, writeBundleText},
    {"linalg", "cpu", "as linalg operations", false, buildLinalg, writeModule},
    {"llvm", "cpu", "in the LLVM dialect", false, buildHost, writeModule},
};

ArrayRef<Stage> mlir::cutl::getStages() { return kStages; }

StringRef mlir::cutl::getStageOfFile(StringRef path) {
  return llvm::StringSwitch<StringRef>(llvm::sys::path::extension(path))
      .Case(".cutlb", "bundle")
      .Case(".ptx", "ptx")
      .Case(".cubin", "cubin")
      .Case(".svg", "schedule")
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
  if (options.format != "ptx" && options.format != "cubin")
    return module.emitError("expected format to be ptx or cubin, got '")
           << options.format << "'";
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
