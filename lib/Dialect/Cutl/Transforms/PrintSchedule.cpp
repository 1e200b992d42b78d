//===- PrintSchedule.cpp - cutl-print-schedule ---------------------------===//

#include "cutl/Dialect/Cutl/Transforms/PrintSchedule.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/TileSpaces.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/Cutl/Transforms/VerifyConfig.h"
#include "cutl/Heuristics/CostModel.h"
#include "cutl/Schedule/Timeline.h"
#include <sstream>

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLPRINTSCHEDULE
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

static s::Caption makeCaption(ProblemOpInterface op, const h::Problem &problem,
                              const h::TileConfig &config,
                              const s::TileSpace &space, int64_t grid,
                              int64_t workers) {
  s::Caption caption;
  std::ostringstream text;
  text << problem;
  caption.problem = text.str();
  caption.tile = (config.str() + ": " + Twine(space.tiles()) + " tiles of " +
                  Twine(space.kIterations) + " k iterations")
                     .str();
  llvm::raw_string_ostream os(caption.schedule);
  os << op.getScheduleAttr() << " on " << grid << " of the " << workers << " ";
  if (config.clusterSize() > 1) {
    caption.worker = "cluster";
    os << "clusters of " << config.clusterM << "x" << config.clusterN;
    if (config.clusterK > 1)
      os << "x" << config.clusterK;
    os << " ";
  }
  os << "CTAs that run at once";
  return caption;
}

static FailureOr<s::CaptionedTimeline> layOut(ProblemOpInterface op,
                                              StringRef pass) {
  if (failed(requirePhase(op, Phase::Configured, pass)))
    return failure();
  h::Problem problem = op.getProblem();
  for (auto [name, extent] :
       {std::pair("m", problem.m), std::pair("n", problem.n),
        std::pair("k", problem.k), std::pair("batch", problem.batch)})
    if (extent < 0)
      return op->emitOpError("expected static extents in ")
             << pass << ", got a dynamic " << name
             << "; give the operands types of static sizes first";

  const ::cutl::targetinfo::Target &target =
      *TargetAttr::lookup(op).getRecord();
  h::TileConfig config = op.getConfigAttr().toTileConfig();
  ScheduleAttrInterface schedule = op.getScheduleAttr();
  if (failed(verifyConfig(op, op.getConfigAttr())))
    return failure();

  s::TileSpace space = guessTileSpace(problem, config);
  s::Raster raster = getRaster(config);
  int64_t workers = std::max<int64_t>(
      h::residentCtas(problem, config, target) / config.clusterSize(), 1);
  auto scheduler = schedule.makeScheduler(space, raster, workers);
  if (std::optional<std::string> large = s::checkTimeline(*scheduler))
    return op->emitOpError("has a schedule that is too large for ")
           << pass << ": " << *large;
  return s::CaptionedTimeline{
      s::makeTimeline(*scheduler, space, raster, schedule.getNumParts() > 1),
      makeCaption(op, problem, config, space, scheduler->gridSize(), workers)};
}

LogicalResult mlir::cutl::printSchedules(Operation *root, bool asSvg,
                                         StringRef pass, raw_ostream &os) {
  std::vector<s::CaptionedTimeline> timelines;
  bool failedAny = false;
  root->walk([&](ProblemOpInterface op) {
    FailureOr<s::CaptionedTimeline> timeline = layOut(op, pass);
    if (succeeded(timeline))
      timelines.push_back(std::move(*timeline));
    else
      failedAny = true;
  });
  if (failedAny)
    return failure();
  if (timelines.empty())
    return success();
  if (asSvg) {
    os << s::drawTimelines(timelines);
    return success();
  }
  for (const s::CaptionedTimeline &each : timelines)
    os << s::printTimeline(each.timeline, each.caption) << '\n';
  return success();
}

namespace {
struct PrintSchedulePass final
    : mlir::cutl::impl::CutlPrintScheduleBase<PrintSchedulePass> {
  using CutlPrintScheduleBase::CutlPrintScheduleBase;

  void runOnOperation() override {
    if (failed(
            printSchedules(getOperation(), svg, getArgument(), llvm::outs())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
