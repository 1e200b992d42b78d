//===- SelectConfig.cpp - cutl-select-config -----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/Cutl/Transforms/SuitableConfigs.h"
#include "cutl/Heuristics/Heuristics.h"
#include "cutl/Heuristics/Variants.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLSELECTCONFIG
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;

namespace {
struct SelectConfigPass final
    : mlir::cutl::impl::CutlSelectConfigBase<SelectConfigPass> {
  using CutlSelectConfigBase::CutlSelectConfigBase;

  void runOnOperation() override {
    if (variants < 1) {
      getOperation()->emitError("expected variants of ")
          << getArgument() << " to be at least 1, got " << variants.getValue();
      return signalPassFailure();
    }
    bool failedAny = false;
    getOperation()->walk([&](ProblemOpInterface op) {
      if (failed(requirePhase(op, Phase::Targeted, getArgument())) ||
          failed(configure(op)))
        failedAny = true;
    });
    if (failedAny)
      signalPassFailure();
  }

private:
  LogicalResult configure(ProblemOpInterface op);
  bool configureByExtents(ProblemOpInterface op, const h::Problem &problem,
                          const ::cutl::targetinfo::Target &target);
};
} // namespace

static std::string describe(const h::Candidate &candidate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << candidate.config.str()
     << llvm::formatv(
            " (predicted {0:F2} us, {1} CTA tiles in {2} waves, {3} bytes of "
            "shared memory, {4:F1} MB moved at least, limited by {5}, "
            "which takes {6:F2} us)",
            candidate.cost.predictedUs, candidate.cost.ctas,
            candidate.cost.waves, candidate.cost.sharedMemoryBytes,
            candidate.cost.compulsoryBytes / 1e6,
            h::limiterName(candidate.cost.limiter), candidate.cost.limiterUs);
  return text;
}

/// What the caller demands, which narrows the choice.
static std::string describeDemands(const h::Problem &problem) {
  std::string text;
  if (problem.batchInvariant)
    text += ", batch invariant";
  if (problem.smBudget)
    text += ", on at most " + std::to_string(*problem.smBudget) + " SMs";
  return text;
}

static void emitRemark(ProblemOpInterface op, StringRef text) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("TileConfig")
                     .category("cutl-select-config")
                     .function(function ? function.getName() : ""))
      << text;
}

/// A division of k that is chosen, without the configuration of whole tiles
/// that it is better than.
static std::string describe(const h::Split &split) {
  return llvm::formatv("{0} parts of k with {1} (predicted {2:F2} us, of which "
                       "{3:F2} us to add the parts)",
                       split.parts, split.config.str(), split.predictedUs,
                       split.predictedUs - split.cost.predictedUs);
}

/// Whether times of a schedule are those of whole tiles, which it divides.
static bool isOfWholeTiles(ScheduleAttrInterface schedule) {
  return schedule && !isa<DataParallelAttr>(schedule) &&
         schedule.getNumParts() == 1;
}

h::Cost mlir::cutl::estimateCost(ScheduleAttrInterface schedule,
                                 const h::Problem &problem,
                                 const h::TileConfig &config,
                                 const ::cutl::targetinfo::Target &target) {
  bool isStatic =
      problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
  if (!schedule || schedule.getNumParts() == 1 || !isStatic)
    return h::estimateCost(problem, config, target);
  h::Split split =
      h::estimateSplit(problem, config, schedule.getNumParts(), target);
  split.cost.predictedUs = split.predictedUs;
  return split.cost;
}

void mlir::cutl::keepSuitable(std::vector<h::Candidate> &candidates,
                              ScheduleAttrInterface schedule,
                              const h::Problem &problem,
                              const ::cutl::targetinfo::Target &target) {
  auto isUnsuitable = [&](const h::Candidate &candidate) {
    // What divides k need not divide it twice.
    bool dividesTwice =
        schedule.getNumParts() > 1 && candidate.config.clusterK > 1;
    return dividesTwice ||
           !schedule.checkSchedule(problem, candidate.config, target).empty();
  };
  if (llvm::all_of(candidates, isUnsuitable))
    return;
  llvm::erase_if(candidates, isUnsuitable);
  if (schedule.getNumParts() == 1)
    return;
  for (h::Candidate &candidate : candidates)
    candidate.cost = estimateCost(schedule, problem, candidate.config, target);
  llvm::stable_sort(candidates,
                    [](const h::Candidate &lhs, const h::Candidate &rhs) {
                      return lhs.cost.predictedUs < rhs.cost.predictedUs;
                    });
}

namespace {
/// What there is to choose from, best first, and a division of k where that is
/// better.
struct Choice {
  h::Ranked ranked;
  std::optional<h::Split> split;
};
} // namespace

/// Chooses beside a schedule that was given, or with one, if it is null.
static Choice choose(const h::Problem &problem,
                     const ::cutl::targetinfo::Target &target,
                     ScheduleAttrInterface given, MLIRContext *context) {
  Choice choice{h::rankConfigs(problem, target), std::nullopt};
  std::vector<h::Candidate> &candidates = choice.ranked.candidates;
  if (candidates.empty())
    return choice;
  if (!given) {
    choice.split =
        h::chooseSplit(problem, target, candidates.front().cost.predictedUs);
    if (choice.split &&
        !SplitKAttr::get(context, choice.split->parts)
             .checkSchedule(problem, choice.split->config, target)
             .empty())
      choice.split.reset();
    return choice;
  }
  keepSuitable(candidates, given, problem, target);
  return choice;
}

/// Says what was chosen, and what else could have been.
static void remarkChoice(ProblemOpInterface op, const Choice &choice,
                         ScheduleAttrInterface given) {
  const std::vector<h::Candidate> &candidates = choice.ranked.candidates;
  std::string text = "chose ";
  if (choice.split)
    text += describe(*choice.split) + ", rather than ";
  text += describe(candidates.front()) + describeDemands(op.getProblem());
  if (candidates.size() > 1) {
    const h::Candidate &runnerUp = candidates[1];
    bool isTie =
        runnerUp.cost.predictedUs <= candidates.front().cost.predictedUs;
    text += (isTie ? "; runner-up, equal within the model's accuracy, "
                   : "; runner-up ") +
            describe(runnerUp);
  }
  if (isOfWholeTiles(given))
    text += "; times are those of whole tiles";
  emitRemark(op, text);
}

/// Says what was given, and what would have been chosen in its place.
static void remarkKept(ProblemOpInterface op, ScheduleAttrInterface given) {
  MLIRContext *context = op->getContext();
  if (!context->getRemarkEngine())
    return;
  h::Problem problem = op.getProblem();
  const ::cutl::targetinfo::Target &target =
      *TargetAttr::lookup(op).getRecord();
  h::TileConfig config = op.getConfigAttr().toTileConfig();
  // There are no times of what cannot run; cutl-verify-config says why.
  if (h::checkConfig(problem, config, target))
    return;
  std::string text =
      "kept " +
      describe(
          h::Candidate{config, estimateCost(given, problem, config, target)}) +
      describeDemands(problem);
  if (ArrayAttr variants = op.getVariantsAttr())
    for (auto variant : variants.getAsRange<VariantAttr>())
      text += (variant == variants[0] ? ", but " : ", ") +
              variant.toVariant().config.str() + " if " +
              variant.toVariant().guardText();
  Choice choice = choose(problem, target, given, context);
  if (choice.split)
    text += "; the choice would be " + describe(*choice.split);
  else if (choice.ranked.candidates.empty())
    text += "; there is none to choose from";
  else if (config == choice.ranked.candidates.front().config)
    text += "; it would be the choice";
  else
    text +=
        "; the choice would be " + describe(choice.ranked.candidates.front());
  if (problem.m < 0 || problem.n < 0 || problem.k < 0)
    text += "; extents that are not known count as " +
            std::to_string(h::kDynamicGuess);
  if (isOfWholeTiles(given))
    text += "; times are those of whole tiles";
  emitRemark(op, text);
}

/// An entry tries every combination of the variants of its problems.
static constexpr int64_t kMaxCombinations = 64;

/// As many variants as the problem may have beside the others of its function.
static int64_t getMaxVariants(ProblemOpInterface op) {
  int64_t numProblems = 0;
  Operation *scope = op->getParentOfType<FunctionOpInterface>();
  (scope ? scope : op)->walk([&](ProblemOpInterface) { ++numProblems; });
  int64_t most = 1;
  auto fits = [&](int64_t count) {
    int64_t combinations = 1;
    for (int64_t i = 0; i < numProblems && combinations <= kMaxCombinations;
         ++i)
      combinations *= count;
    return combinations <= kMaxCombinations;
  };
  while (most < h::kMaxVariants && fits(most + 1))
    ++most;
  return most;
}

/// Chooses configurations for extents that are known at run time; whether there
/// is more than one.
bool SelectConfigPass::configureByExtents(
    ProblemOpInterface op, const h::Problem &problem,
    const ::cutl::targetinfo::Target &target) {
  // What a reduction leaves to a second kernel follows from the tile.
  if (problem.reductions > 0)
    return false;
  std::vector<h::Variant> chosen =
      h::chooseVariants(problem, target, variants, getMaxVariants(op)).variants;
  if (chosen.size() < 2)
    return false;
  h::TileConfig rest = chosen.back().config;
  chosen.pop_back();
  std::string text = "chose " +
                     describe({rest, h::estimateCost(problem, rest, target)}) +
                     describeDemands(problem);
  SmallVector<Attribute> attributes;
  for (const h::Variant &variant : chosen) {
    attributes.push_back(
        VariantAttr::get(&getContext(), variant.guard,
                         TileConfigAttr::get(&getContext(), variant.config)));
    text += (attributes.size() == 1 ? ", but " : ", ") + variant.config.str() +
            " if " + variant.guardText();
  }
  op.setConfigAttr(TileConfigAttr::get(&getContext(), rest));
  op.setVariantsAttr(ArrayAttr::get(&getContext(), attributes));
  emitRemark(op, text);
  return true;
}

LogicalResult SelectConfigPass::configure(ProblemOpInterface op) {
  ScheduleAttrInterface given = op.getScheduleAttr();
  if (!given)
    op.setScheduleAttr(DataParallelAttr::get(&getContext()));
  if (op.getConfigAttr()) {
    remarkKept(op, given);
    ++numKept;
    return success();
  }
  h::Problem problem = op.getProblem();
  const ::cutl::targetinfo::Target &target =
      *TargetAttr::lookup(op).getRecord();
  Choice choice = choose(problem, target, given, &getContext());
  if (choice.ranked.candidates.empty())
    return op->emitOpError("has no tile configuration: ")
           << choice.ranked.error;
  ++numConfigured;
  if (!given && configureByExtents(op, problem, target))
    return success();
  if (choice.split)
    op.setScheduleAttr(SplitKAttr::get(&getContext(), choice.split->parts));
  op.setConfigAttr(TileConfigAttr::get(
      &getContext(), choice.split ? choice.split->config
                                  : choice.ranked.candidates.front().config));
  remarkChoice(op, choice, given);
  return success();
}
