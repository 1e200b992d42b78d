//===- VerifyConfig.cpp - cutl-verify-config -----------------------------===//

#include "cutl/Dialect/Cutl/Transforms/VerifyConfig.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/ScheduleForms.h"
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

/// Whether the schedule adds in an order that the problem allows.
static LogicalResult verifyOrder(ProblemOpInterface op,
                                 const h::Problem &problem,
                                 const h::TileConfig &config) {
  ScheduleAttrInterface schedule = op.getScheduleAttr();
  auto refuse = [&](StringRef rule, StringRef expected,
                    Attribute nearest) -> LogicalResult {
    return op->emitOpError("has a schedule that it does not allow (")
           << rule << "): expected " << expected << ", got " << schedule
           << "; nearest legal schedule is " << nearest;
  };
  if (problem.batchInvariant && schedule.dividesByTiles())
    return refuse("batch_invariant",
                  "a division of k that does not depend on m",
                  DataParallelAttr::get(op->getContext()));
  if (problem.deterministic && schedule.addsAsUnitsArrive()) {
    const ::cutl::targetinfo::Target &target =
        *TargetAttr::lookup(op).getRecord();
    ScheduleAttrInterface fixed = getFixedOrderForm(schedule);
    bool canRun = fixed.checkSchedule(problem, config, target).empty();
    return refuse("deterministic", "sums in a fixed order",
                  canRun ? Attribute(fixed)
                         : DataParallelAttr::get(op->getContext()));
  }
  return success();
}

LogicalResult mlir::cutl::verifyConfig(ProblemOpInterface op,
                                       TileConfigAttr attribute) {
  const ::cutl::targetinfo::Target &target = *TargetAttr::lookup(op).getRecord();
  h::Problem problem = op.getProblem();
  h::TileConfig config = attribute.toTileConfig();
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
  if (failed(verifyOrder(op, problem, config)))
    return failure();
  std::string reason =
      op.getScheduleAttr().checkSchedule(problem, config, target);
  if (!reason.empty())
    return op->emitOpError("has a schedule that cannot run on ")
           << target.name << ": " << reason;
  return success();
}

/// Whether configurations may differ from call to call: where they are all that
/// does, and a row does not depend on them.
static LogicalResult verifyVariants(ProblemOpInterface op) {
  ArrayAttr variants = op.getVariantsAttr();
  if (!variants)
    return success();
  for (auto variant : variants.getAsRange<VariantAttr>())
    if (failed(verifyConfig(op, variant.getConfig())))
      return failure();
  if (!isa<DataParallelAttr>(op.getScheduleAttr()))
    return op->emitOpError("has variants that it does not allow (schedule): "
                           "expected ")
           << DataParallelAttr::get(op->getContext()) << " with variants, got "
           << op.getScheduleAttr();
  if (op.getProblem().reductions > 0)
    return op->emitOpError("has variants that it does not allow (reductions): "
                           "expected one configuration where results are "
                           "reduced");
  return success();
}

/// Where another kernel adds the parts of k, whether it can do all that is done
/// to the sums: round them.
static LogicalResult verifyParts(GemmOp op) {
  if (op.getScheduleAttr().getNumParts() == 1)
    return success();
  // CTAs of a cluster that divide k have no workspace to meet in.
  Attribute nearest = DataParallelAttr::get(op.getContext());
  if (op.getConfigAttr().toTileConfig().clusterK == 1)
    nearest = getMeetingForm(op.getScheduleAttr());
  auto refuse = [&](const Twine &expected) -> LogicalResult {
    return op.emitOpError("has a schedule that it does not allow (parts): "
                          "expected ")
           << expected << " with " << op.getScheduleAttr()
           << "; nearest legal schedule is " << nearest;
  };
  if (op.getDomain().getNumBatch() == GemmDomain::kMaxBatch)
    return refuse("fewer than " + Twine(GemmDomain::kMaxBatch) +
                  " batch dimensions");
  for (unsigned i = 0; i < op.getOuts().size(); ++i)
    if (!op.isSum(i))
      return refuse("outs[" + Twine(i) +
                    "] to be a sum over k or that rounded");
  return success();
}

/// What kernels have no code for, whatever their configuration.
static LogicalResult verifyForm(GemmOp op) {
  if (failed(verifyParts(op)))
    return failure();
  GemmDomain domain = op.getDomain();
  h::Problem problem = op.getProblem();
  if (op.getSplit() == Split::Interleaved && problem.b.major == h::Major::MN) {
    // A half has every other row, which the copy engine cannot skip along n.
    return op.emitOpError("expected b[0] of split(interleaved) to be "
                          "contiguous along 'k' on GPUs, got 'n' contiguous; "
                          "bring b in as (n, k), or use split(halves)");
  }
  GemmOperands operands = op.getGemmOperands();
  for (auto [i, aux] : llvm::enumerate(operands.aux)) {
    Type type = aux.value.getType();
    if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16)
      return op.emitOpError("has no lowering yet for the number aux[")
             << i << "] of " << type
             << " on GPUs; expected f16, bf16 or f32, or a tensor of rank 0";
  }
  for (auto [i, out] : llvm::enumerate(operands.outs))
    if (out.combiner != Combiner::None && out.map.isFunctionOfDim(domain.m()) &&
        out.map.isFunctionOfDim(domain.n()))
      return op.emitOpError("has no lowering yet for outs[")
             << i << "] on GPUs, which reduces batches alone; expected a "
             << "reduction to drop 'm', 'n' or both";
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
          failed(verifyConfig(op, op.getConfigAttr())) ||
          failed(verifyVariants(op)) ||
          (isa<GemmOp>(op) && failed(verifyForm(cast<GemmOp>(op)))))
        failedAny = true;
    });
    if (failedAny)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
