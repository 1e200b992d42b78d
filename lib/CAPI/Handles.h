//===- Handles.h - What the C interface's handles point to -------*- C++ -*-===//

#ifndef CUTL_LIB_CAPI_HANDLES_H
#define CUTL_LIB_CAPI_HANDLES_H

#include "cutl-c/Compiler.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/TargetInfo/DataTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace mlir::cutl::capi {

/// A diagnostic as kept for the caller.
struct StoredDiagnostic {
  CutlSeverity severity;
  std::string message;
  std::string location;
};

/// Records what MLIR reports on this thread while it lives, notes included,
/// after forgetting what an earlier call left.
class DiagnosticScope {
public:
  explicit DiagnosticScope(CutlContext &context);
  ~DiagnosticScope();

private:
  CutlContext &context;
  mlir::DiagnosticEngine::HandlerID handler;
};

/// Adds an error without a location and gives back `status`.
CutlStatus report(CutlContext &context, CutlStatus status,
                  const llvm::Twine &message);

/// Runs a function's body; an exception becomes a status.
template <typename Body>
CutlStatus guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return CUTL_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUTL_ERROR_INTERNAL;
  }
}

/// The record of a type; null for none and for an unknown enumerator.
const ::cutl::targetinfo::DataType *getRecord(CutlDataType type);
/// The enumerator of a record.
CutlDataType getEnumerator(const ::cutl::targetinfo::DataType &record);

using BuildPipeline = void (*)(mlir::OpPassManager &, const PipelineOptions &);

/// Runs a pipeline, with options as text, on a copy of a module. Reports what is
/// wrong with the options.
CutlStatus lowerCopy(CutlModule &module, const char *text, BuildPipeline build,
                     mlir::OwningOpRef<mlir::ModuleOp> &lowered);

} // namespace mlir::cutl::capi

struct CutlContext {
  CutlContext();

  // Outlives the MLIR context, which may report until it is gone.
  std::vector<mlir::cutl::capi::StoredDiagnostic> diagnostics;
  mlir::MLIRContext mlir;
};

struct CutlModule {
  CutlContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> op;
};

#endif // CUTL_LIB_CAPI_HANDLES_H
