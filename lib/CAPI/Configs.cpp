//===- Configs.cpp - Configurations through the C interface ---------------===//

#include "Handles.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/SuitableConfigs.h"
#include "cutl/Heuristics/Heuristics.h"

using namespace mlir;
using namespace mlir::cutl::capi;

/// An attribute as text, or no text for none.
static std::string getText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (attribute)
    attribute.print(os);
  return text;
}

/// The one gemm of a module, or null after a report.
static mlir::cutl::GemmOp findGemm(CutlContext &context, ModuleOp module) {
  SmallVector<mlir::cutl::GemmOp> gemms;
  module->walk([&](mlir::cutl::GemmOp op) { gemms.push_back(op); });
  if (gemms.size() == 1)
    return gemms.front();
  report(context, CUTL_ERROR_INVALID_ARGUMENT,
         "expected a module with one cutl.gemm, got " + Twine(gemms.size()));
  return nullptr;
}

CutlStatus cutlModuleGetConfig(CutlModule *module, CutlTextCallback config,
                               void *configData, CutlTextCallback schedule,
                               void *scheduleData) {
  if (!module || !config || !schedule)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    mlir::cutl::GemmOp gemm =
        findGemm(context, cast<ModuleOp>(module->op.get()));
    if (!gemm)
      return CUTL_ERROR_INVALID_ARGUMENT;
    std::string configText = getText(gemm.getConfigAttr());
    std::string scheduleText = getText(gemm.getScheduleAttr());
    config(configText.data(), configText.size(), configData);
    schedule(scheduleText.data(), scheduleText.size(), scheduleData);
    return CUTL_OK;
  });
}

CutlStatus cutlModuleListConfigs(CutlModule *module, const char *text,
                                 CutlConfigCallback callback, void *userData) {
  if (!module || !callback)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    // As the choice sees the problem, with its epilogue simplified.
    OwningOpRef<ModuleOp> lowered;
    if (CutlStatus status =
            lowerCopy(*module, text, mlir::cutl::buildConfigurePipeline, lowered))
      return status;
    mlir::cutl::GemmOp gemm = findGemm(context, *lowered);
    if (!gemm)
      return CUTL_ERROR_INVALID_ARGUMENT;
    ::cutl::heuristics::Ranked ranked = ::cutl::heuristics::rankConfigs(
        gemm.getProblem(), *mlir::cutl::TargetAttr::lookup(gemm).getRecord());
    // A gemm that came with a configuration may have no other.
    if (ranked.candidates.empty())
      return report(context, CUTL_ERROR_COMPILE,
                    "the problem has no tile configuration: " + ranked.error);
    // With a schedule that was given, what suits it, if anything does.
    mlir::cutl::GemmOp given =
        findGemm(context, cast<ModuleOp>(module->op.get()));
    mlir::cutl::ScheduleAttrInterface schedule =
        given ? given.getScheduleAttr() : nullptr;
    if (schedule)
      mlir::cutl::keepSuitable(
          ranked.candidates, schedule, gemm.getProblem(),
          *mlir::cutl::TargetAttr::lookup(gemm).getRecord());
    for (const ::cutl::heuristics::Candidate &candidate : ranked.candidates) {
      Attribute config =
          mlir::cutl::TileConfigAttr::get(&context.mlir, candidate.config);
      callback(getText(config).c_str(), candidate.cost.predictedUs, userData);
    }
    return CUTL_OK;
  });
}
