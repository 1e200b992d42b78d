//===- VerifyConfig.cpp - cutl-verify-config -----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Heuristics/Heuristics.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLVERIFYCONFIG
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;

static LogicalResult verifyConfig(ProblemOpInterface op) {
  const ::cutl::targetinfo::Target &target = *TargetAttr::lookup(op).getRecord();
  h::Problem problem = op.getProblem();
  h::TileConfig config = op.getConfigAttr().toTileConfig();
  if (std::optional<h::Violation> violation =
          h::checkConfig(problem, config, target)) {
    InFlightDiagnostic diag = op->emitOpError("has a configuration that cannot "
                                              "run on ")
                              << target.name << " (" << violation->rule
                              << "): " << violation->message;
    if (violation->nearest)
      diag.attachNote() << "nearest that can: "
                        << TileConfigAttr::get(op->getContext(),
                                               *violation->nearest);
    return diag;
  }
  std::string reason =
      op.getScheduleAttr().checkSchedule(problem, config, target);
  if (!reason.empty())
    return op->emitOpError("has a schedule that cannot run on ")
           << target.name << ": " << reason;
  return success();
}

namespace {
struct VerifyConfigPass final
    : mlir::cutl::impl::CutlVerifyConfigBase<VerifyConfigPass> {
  using CutlVerifyConfigBase::CutlVerifyConfigBase;

  void runOnOperation() override {
    bool failedAny = false;
    getOperation()->walk([&](ProblemOpInterface op) {
      if (failed(requirePhase(op, Phase::Configured, getArgument())) ||
          failed(verifyConfig(op)))
        failedAny = true;
    });
    if (failedAny)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
