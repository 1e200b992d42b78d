//===- Stages.cpp - Forms of a module through the C interface -------------===//

#include "cutl/Pipelines/Stages.h"
#include "Handles.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Pipelines/EntryCalls.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::cutl::capi;

CutlStatus mlir::cutl::capi::lowerCopy(CutlModule &module, const char *text,
                                       BuildPipeline build,
                                       OwningOpRef<ModuleOp> &lowered) {
  CutlContext &context = *module.context;
  PipelineOptions options;
  std::string message;
  llvm::raw_string_ostream messages(message);
  if (failed(options.parseFromString(text ? text : "", messages)))
    return report(context, CUTL_ERROR_PARSE, StringRef(message).trim());
  lowered = cast<ModuleOp>(module.op.get()->clone());
  PassManager manager(&context.mlir, ModuleOp::getOperationName());
  build(manager, options);
  return failed(manager.run(*lowered)) ? CUTL_ERROR_COMPILE : CUTL_OK;
}

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

CutlStatus cutlModuleCompileBundle(CutlModule *module, const char *options,
                                   CutlTextCallback callback, void *userData) {
  return cutlModuleEmit(module, "bundle", options, callback, userData);
}

CutlStatus cutlModuleGetCall(CutlModule *module, const char *function,
                             const char *text, CutlCallCallback callback,
                             void *userData) {
  if (!module || !function || !callback)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    OwningOpRef<ModuleOp> lowered;
    if (CutlStatus status =
            lowerCopy(*module, text, mlir::cutl::buildToTiledPipeline, lowered))
      return status;
    FailureOr<mlir::cutl::EntryCall> call =
        mlir::cutl::getEntryCall(*lowered, function);
    if (failed(call))
      return CUTL_ERROR_COMPILE;
    callback(call->entry.c_str(), call->arguments.data(),
             call->arguments.size(), call->numArguments, userData);
    return CUTL_OK;
  });
}
