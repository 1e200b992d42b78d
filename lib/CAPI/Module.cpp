//===- Module.cpp - Modules of the C interface ---------------------------===//

#include "Handles.h"
#include "cutl/Pipelines/Pipelines.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::cutl::capi;

CutlStatus cutlModuleParse(CutlContext *context, const char *data,
                           size_t length, const char *name,
                           CutlModule **module) {
  if (!context || !module || (!data && length > 0))
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    DiagnosticScope scope(*context);
    // The parser wants a null after the text, which the caller need not have.
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
        StringRef(data, length), name ? name : "<input>");
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
    OwningOpRef<ModuleOp> op =
        parseSourceFile<ModuleOp>(sources, ParserConfig(&context->mlir));
    if (!op)
      return CUTL_ERROR_PARSE;
    *module = new CutlModule{context, std::move(op)};
    return CUTL_OK;
  });
}

CutlStatus cutlModuleClone(const CutlModule *module, CutlModule **clone) {
  if (!module || !clone)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    *clone = new CutlModule{module->context,
                            cast<ModuleOp>(module->op.get()->clone())};
    return CUTL_OK;
  });
}

void cutlModuleDestroy(CutlModule *module) { delete module; }

CutlStatus cutlModulePrint(const CutlModule *module, CutlTextCallback callback,
                           void *userData) {
  if (!module || !callback)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->op.get()->print(stream);
    stream << '\n';
    callback(text.data(), text.size(), userData);
    return CUTL_OK;
  });
}

CutlStatus cutlModuleWriteBytecode(const CutlModule *module,
                                   CutlTextCallback callback, void *userData) {
  if (!module || !callback)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    DiagnosticScope scope(*module->context);
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    if (failed(writeBytecodeToFile(module->op.get(), stream)))
      return CUTL_ERROR_INTERNAL;
    callback(bytes.data(), bytes.size(), userData);
    return CUTL_OK;
  });
}

/// Makes the project's passes and the common simplifications known by name.
static void registerPasses() {
  mlir::cutl::registerAllPasses();
  registerCanonicalizerPass();
  registerCSEPass();
}

CutlStatus cutlModuleRunPipeline(CutlModule *module, const char *pipeline) {
  if (!module || !pipeline)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    registerPasses();
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    std::string message;
    llvm::raw_string_ostream stream(message);
    PassManager manager(&context.mlir, ModuleOp::getOperationName());
    // A pipeline that names its anchor op stands for the whole manager.
    StringRef text = StringRef(pipeline).trim();
    LogicalResult parsed = success();
    if (text.starts_with("builtin.module(")) {
      FailureOr<OpPassManager> whole = parsePassPipeline(text, stream);
      parsed = whole;
      if (succeeded(whole))
        static_cast<OpPassManager &>(manager) = std::move(*whole);
    } else {
      parsed = parsePassPipeline(text, manager, stream);
    }
    if (failed(parsed))
      return report(context, CUTL_ERROR_PARSE, StringRef(message).trim());

    OwningOpRef<ModuleOp> result(cast<ModuleOp>(module->op.get()->clone()));
    if (failed(manager.run(*result)))
      return CUTL_ERROR_COMPILE;
    module->op = std::move(result);
    return CUTL_OK;
  });
}
