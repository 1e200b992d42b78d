//===- Context.cpp - Contexts and diagnostics of the C interface ---------===//

#include "Handles.h"
#include "cutl/Pipelines/Pipelines.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::cutl::capi;

namespace {

/// Keeps each remark as a diagnostic of the context's last call.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(CutlContext &context) : context(context) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  CutlContext &context;
};

} // namespace

/// `file:line:column`, or nothing for a location without one.
static std::string getLocationText(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  // A module as a whole has no line.
  if (!file || file.getLine() == 0)
    return "";
  return (Twine(file.getFilename().getValue()) + ":" + Twine(file.getLine()) +
          ":" + Twine(file.getColumn()))
      .str();
}

/// What the remark says, without the names that filters go by.
static std::string getRemarkText(const remark::detail::Remark &remark) {
  std::string text;
  for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
    if (!text.empty())
      text += "; ";
    if (argument.key != "Remark")
      text += argument.key + ": ";
    text += argument.val;
  }
  return text;
}

void RemarkCollector::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  context.diagnostics.push_back({CUTL_SEVERITY_REMARK, getRemarkText(remark),
                                 getLocationText(remark.getLocation())});
}

static CutlSeverity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return CUTL_SEVERITY_ERROR;
  case DiagnosticSeverity::Warning:
    return CUTL_SEVERITY_WARNING;
  case DiagnosticSeverity::Note:
    return CUTL_SEVERITY_NOTE;
  case DiagnosticSeverity::Remark:
    return CUTL_SEVERITY_REMARK;
  }
  llvm_unreachable("unknown severity");
}

static StoredDiagnostic store(const Diagnostic &diagnostic) {
  return {getSeverity(diagnostic.getSeverity()), diagnostic.str(),
          getLocationText(diagnostic.getLocation())};
}

DiagnosticScope::DiagnosticScope(CutlContext &context) : context(context) {
  context.diagnostics.clear();
  handler = context.mlir.getDiagEngine().registerHandler(
      [&context](Diagnostic &diagnostic) {
        context.diagnostics.push_back(store(diagnostic));
        for (const Diagnostic &note : diagnostic.getNotes())
          context.diagnostics.push_back(store(note));
      });
}

DiagnosticScope::~DiagnosticScope() {
  context.mlir.getDiagEngine().eraseHandler(handler);
}

CutlStatus mlir::cutl::capi::report(CutlContext &context, CutlStatus status,
                              const Twine &message) {
  context.diagnostics.push_back({CUTL_SEVERITY_ERROR, message.str(), ""});
  return status;
}

/// One thread: modules are small, and a library that starts threads cannot be
/// used after a fork.
CutlContext::CutlContext() : mlir(MLIRContext::Threading::DISABLED) {}

CutlStatus cutlContextCreate(CutlContext **context) {
  if (!context)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    auto created = std::make_unique<CutlContext>();
    DialectRegistry registry;
    mlir::cutl::registerAllDialects(registry);
    created->mlir.appendDialectRegistry(registry);
    created->mlir.loadAllAvailableDialects();
    // Messages name what they are about; the whole op would hide them.
    created->mlir.printOpOnDiagnostic(false);
    remark::RemarkCategories everything;
    everything.passed = everything.missed = everything.analysis =
        everything.failed = ".*";
    if (failed(remark::enableOptimizationRemarks(
            created->mlir, std::make_unique<RemarkCollector>(*created),
            std::make_unique<remark::RemarkEmittingPolicyAll>(), everything)))
      return CUTL_ERROR_INTERNAL;
    *context = created.release();
    return CUTL_OK;
  });
}

void cutlContextDestroy(CutlContext *context) { delete context; }

size_t cutlContextNumDiagnostics(const CutlContext *context) {
  return context ? context->diagnostics.size() : 0;
}

CutlStatus cutlContextGetDiagnostic(const CutlContext *context, size_t index,
                                    CutlDiagnostic *diagnostic) {
  if (!context || !diagnostic || index >= context->diagnostics.size())
    return CUTL_ERROR_INVALID_ARGUMENT;
  const StoredDiagnostic &stored = context->diagnostics[index];
  *diagnostic = {stored.severity, stored.message.c_str(),
                 stored.location.c_str()};
  return CUTL_OK;
}
