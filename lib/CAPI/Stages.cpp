//===- Stages.cpp - Forms of a module through the C interface -------------===//

#include "cutl/Pipelines/Stages.h"
#include "Handles.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"

using namespace mlir;
using namespace mlir::cutl::capi;

const char *cutlStageName(size_t index) {
  ArrayRef<mlir::cutl::Stage> stages = mlir::cutl::getStages();
  // The names are literals, so that a null follows them.
  return index < stages.size() ? stages[index].name.data() : nullptr;
}

CutlStatus cutlModuleEmit(CutlModule *module, const char *stage,
                          const char *text, CutlTextCallback callback,
                          void *userData) {
  if (!module || !stage || !callback)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    mlir::cutl::StageOptions options;
    std::string message, result;
    llvm::raw_string_ostream messages(message), os(result);
    if (failed(options.parseFromString(text ? text : "", messages)))
      return report(context, CUTL_ERROR_PARSE, StringRef(message).trim());
    OwningOpRef<ModuleOp> lowered(cast<ModuleOp>(module->op.get()->clone()));
    if (failed(mlir::cutl::emitStage(*lowered, stage, options, os)))
      return CUTL_ERROR_COMPILE;
    callback(result.data(), result.size(), userData);
    return CUTL_OK;
  });
}

/// Calls back with an attribute as text, or with no text for none.
static void print(Attribute attribute, CutlTextCallback callback,
                  void *userData) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (attribute)
    attribute.print(os);
  callback(text.data(), text.size(), userData);
}

CutlStatus cutlModuleGetConfig(CutlModule *module, CutlTextCallback config,
                               void *configData, CutlTextCallback schedule,
                               void *scheduleData) {
  if (!module || !config || !schedule)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    SmallVector<mlir::cutl::GemmOp> gemms;
    module->op.get()->walk([&](mlir::cutl::GemmOp op) { gemms.push_back(op); });
    if (gemms.size() != 1)
      return report(context, CUTL_ERROR_INVALID_ARGUMENT,
                    "expected a module with one cutl.gemm, got " +
                        Twine(gemms.size()));
    print(gemms.front().getConfigAttr(), config, configData);
    print(gemms.front().getScheduleAttr(), schedule, scheduleData);
    return CUTL_OK;
  });
}
