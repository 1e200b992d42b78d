//===- Heuristics.cpp - ranking and checking configurations ---------------===//
//
// Chooses the instruction family, asks it for candidates and orders them.
//
//===----------------------------------------------------------------------===//

#include "cutl/Heuristics/Heuristics.h"

#include "Families/Family.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

/// Predictions this close are equal: the measurements behind the model repeat
/// no better.
static constexpr double kNoise = 1.015;
/// Predictions this close say nothing of which is better.
static constexpr double kTie = .005;
/// How much more a preferred kernel may multiply.
static constexpr double kWorkNoise = 1.01;

const Family *cutl::heuristics::lookupFamily(MmaFamily family) {
  return family == MmaFamily::Wgmma ? &wgmmaFamily() : nullptr;
}

/// "bf16", or "f16 x s8" where the operands differ.
static std::string operandNames(const Problem &problem) {
  std::string names = problem.a.type->name;
  if (problem.a.type != problem.b.type)
    names += std::string(" x ") + problem.b.type->name;
  return names;
}

/// Why an operand has to be repacked; empty if it has not.
static std::string getRepackReason(const Operand &operand,
                                   const MmaAtom &atom, bool wantsKMajor) {
  if (operand.major == Major::Strided)
    return "which has no contiguous dimension that is m, n or k";
  if (wantsKMajor && operand.major != Major::K)
    return std::string("which is ") + majorName(operand.major) + ", while " +
           familyName(atom.family) + " takes " + operand.type->name +
           " k_major";
  int64_t alignment = operand.rowAlignment();
  if (alignment % 16 != 0)
    return "whose rows start at multiples of " + std::to_string(alignment) +
           " bytes, not 16";
  return "";
}

/// Whether sums may be promoted every `interval` of k: after whole instructions
/// that divide 128 bytes of k, or after whole such rows.
static bool isLegalInterval(int64_t interval, int64_t instruction,
                            int64_t row) {
  return interval > 0 && interval % instruction == 0 &&
         (row % interval == 0 || interval % row == 0);
}

/// What is wrong with the promotion interval; empty if nothing is.
static std::string checkPromotion(const Problem &problem, const MmaAtom &atom) {
  int64_t row = problem.swizzleAtomK();
  if (!problem.promote || isLegalInterval(*problem.promote, atom.k, row))
    return "";
  int64_t nearest = atom.k;
  for (int64_t next = atom.k; next <= row; next += atom.k)
    if (isLegalInterval(next, atom.k, row) && next <= *problem.promote)
      nearest = next;
  if (*problem.promote > row)
    nearest = *problem.promote / row * row;
  return "expected sums to be promoted every " + std::to_string(atom.k) +
         " elements of k times a divisor of " + std::to_string(row / atom.k) +
         ", or every multiple of " + std::to_string(row) + ", got " +
         std::to_string(*problem.promote) + "; nearest legal value is " +
         std::to_string(nearest);
}

FamilyChoice cutl::heuristics::chooseAtom(const Problem &problem,
                                          const Target &target) {
  if (!problem.a.type || !problem.b.type || !problem.accumulator)
    return {nullptr, "expected element types for a, b and the accumulator"};

  std::string chip = target.name;
  if (problem.transformsOperands)
    return {nullptr,
            "operands that are changed before they are multiplied (by "
                     "zero points, or rounded from f32 to bf16 or f16) need to "
                     "pass through registers, for which no family on " +
                         chip + " has configurations yet"};
  if (problem.productsPerStep > 1)
    return {nullptr, "several products per step of k (tf32x3) have no "
                     "configurations on " +
                         chip + " yet"};
  std::vector<const MmaAtom *> atoms = lookupMmaAtoms(
      *problem.a.type, *problem.b.type, *problem.accumulator, target);
  if (atoms.empty())
    return {nullptr, operandNames(problem) + " into " +
                         problem.accumulator->name + " has no mma atom on " +
                         chip};

  for (const MmaAtom *atom : atoms) {
    if (!lookupFamily(atom->family))
      continue;
    std::string broken = checkPromotion(problem, *atom);
    if (!broken.empty())
      return {nullptr, broken};
    return {atom, "", getRepackReason(problem.a, *atom, atom->aKMajor),
            getRepackReason(problem.b, *atom, atom->bKMajor)};
  }

  std::string preferred = familyName(target.families[0]);
  std::string family = familyName(atoms.front()->family);
  std::string subject = operandNames(problem);
  if (preferred != family)
    return {nullptr, subject + " has no " + preferred + " atom on " + chip +
                         "; its family is " + family +
                         ", which has no configurations yet"};
  return {nullptr, "the family of " + subject + " on " + chip + " is " +
                       family + ", which has no configurations yet"};
}

std::vector<TileConfig> cutl::heuristics::enumerateConfigs(
    const Problem &problem, const FamilyChoice &choice, const Target &target,
    bool shareOperands) {
  TileConfig repacking;
  repacking.repackA = !choice.repackA.empty();
  repacking.repackB = !choice.repackB.empty();
  std::vector<TileConfig> configs =
      lookupFamily(choice.atom->family)
          ->enumerate(repacking.afterRepack(problem), target, shareOperands);
  for (TileConfig &config : configs) {
    config.repackA = repacking.repackA;
    config.repackB = repacking.repackB;
  }
  return configs;
}

/// "[a, b]".
static std::string repackText(bool a, bool b) {
  return std::string("[") + (a ? "a" : "") + (a && b ? ", " : "") +
         (b ? "b" : "") + "]";
}

/// An operand that has to be repacked and is not.
static std::optional<BrokenRule> checkRepack(const FamilyChoice &choice,
                                             const TileConfig &config) {
  bool lacksA = !choice.repackA.empty() && !config.repackA;
  bool lacksB = !choice.repackB.empty() && !config.repackB;
  if (!lacksA && !lacksB)
    return std::nullopt;
  TileConfig mended = config;
  mended.repackA |= lacksA;
  mended.repackB |= lacksB;
  std::string operand = lacksA ? "a, " + choice.repackA : "b, " + choice.repackB;
  return BrokenRule{"repack",
                    "expected repack to list " + operand + ", got " +
                        repackText(config.repackA, config.repackB) +
                        "; nearest legal value is " +
                        repackText(mended.repackA, mended.repackB),
                    mended};
}

std::optional<BrokenRule> cutl::heuristics::findBrokenRule(
    const Problem &problem, const FamilyChoice &choice,
    const TileConfig &config, const Target &target) {
  if (auto broken = checkRepack(choice, config))
    return broken;
  return lookupFamily(choice.atom->family)
      ->findBrokenRule(config.afterRepack(problem), *choice.atom, config,
                       target);
}

/// What the busiest multiprocessor multiplies, in elements of results.
static double getWork(const Candidate &candidate) {
  return double(candidate.cost.waves) * candidate.config.ctaM *
         candidate.config.ctaN;
}

/// Orders candidates whose predictions count as equal to that of `best`.
static auto tieKey(const Candidate &candidate, const Family &family,
                   const Candidate &bestCandidate) {
  const Cost &best = bestCandidate.cost;
  const TileConfig &config = candidate.config;
  const Cost &cost = candidate.cost;
  double area = double(config.ctaM) * config.ctaN;
  // A larger tile loads less for the same work, so it comes first where the
  // predictions agree to the last digit that means anything.
  double excess = std::floor((cost.predictedUs / best.predictedUs - 1) / kTie);
  // Of a narrow tile and the same tile swapped, which are predicted alike, the
  // swapped one was never slower, and up to a tenth faster.
  bool turns = config.swapOperands && config.kernel == KernelKind::Single;
  if (best.memoryFloorUs >= best.mainloopUs + best.epilogueUs)
    // Every candidate streams the operands in about the same time. Rows of
    // padding and reading the long one twice are what could still get in the
    // way.
    return std::make_tuple(excess, cost.paddedWork, double(!turns),
                           double(cost.streamReads), -area);
  // What a preferred kernel hides of its epilogue is less certain than what it
  // multiplies in vain.
  bool preferred =
      family.isPreferred(config) &&
      getWork(candidate) <= getWork(bestCandidate) * kWorkNoise;
  return std::make_tuple(double(!preferred), excess, -area, cost.predictedUs,
                         double(!turns));
}

/// The problem by which candidates are ordered. Columns that are reduced over n
/// are summed tile by tile, so that batch invariance keeps the choice of a tile
/// from what m says.
static Problem getRankedProblem(const Problem &problem) {
  Problem ranked = problem;
  if (problem.batchInvariant && problem.reductions > 0) {
    ranked.m = kDynamic;
    if (ranked.a.major == Major::MN)
      ranked.a.pitchAlignment = 0;
  }
  return ranked;
}

Ranked cutl::heuristics::rankConfigs(const Problem &actual,
                                     const Target &target) {
  Problem problem = getRankedProblem(actual);
  FamilyChoice choice = chooseAtom(problem, target);
  if (!choice.atom)
    return {{}, choice.error};
  const Family &family = *lookupFamily(choice.atom->family);

  std::vector<Candidate> candidates;
  for (const TileConfig &config : enumerateConfigs(problem, choice, target))
    if (!findBrokenRule(problem, choice, config, target))
      candidates.push_back({config, estimateCost(problem, config, target)});
  if (candidates.empty())
    return {{},
            operandNames(problem) + " with " +
                std::to_string(problem.accumulators) +
                " accumulators fits no configuration of " +
                familyName(choice.atom->family) + " on " + target.name};

  // By prediction first, in the family's order where that is exactly equal.
  std::vector<size_t> order(candidates.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto byPrediction = [&](size_t lhs, size_t rhs) {
    return std::make_tuple(candidates[lhs].cost.predictedUs, lhs) <
           std::make_tuple(candidates[rhs].cost.predictedUs, rhs);
  };
  std::sort(order.begin(), order.end(), byPrediction);

  // Then the ties with the best among themselves.
  const Candidate best = candidates[order.front()];
  auto tied = std::find_if(order.begin(), order.end(), [&](size_t i) {
    return candidates[i].cost.predictedUs > best.cost.predictedUs * kNoise;
  });
  std::sort(order.begin(), tied, [&](size_t lhs, size_t rhs) {
    auto left = tieKey(candidates[lhs], family, best);
    auto right = tieKey(candidates[rhs], family, best);
    return std::tie(left, lhs) < std::tie(right, rhs);
  });

  Ranked ranked;
  for (size_t i : order)
    ranked.candidates.push_back(
        {candidates[i].config,
         estimateCost(actual, candidates[i].config, target)});
  return ranked;
}

std::optional<Violation> cutl::heuristics::checkConfig(const Problem &problem,
                                                       const TileConfig &config,
                                                       const Target &target) {
  FamilyChoice choice = chooseAtom(problem, target);
  if (!choice.atom)
    return Violation{"family", choice.error, std::nullopt};
  if (problem.smBudget &&
      (*problem.smBudget < 1 || *problem.smBudget > target.smCount))
    return Violation{"sm_budget",
                     "expected sm_budget to be 1 to " +
                         std::to_string(target.smCount) + " on " + target.name +
                         ", got " + std::to_string(*problem.smBudget) +
                         "; nearest legal value is " +
                         std::to_string(std::clamp<int64_t>(
                             *problem.smBudget, 1, target.smCount)),
                     std::nullopt};
  auto broken = findBrokenRule(problem, choice, config, target);
  if (!broken)
    return std::nullopt;
  Violation violation{broken->rule, broken->message, std::nullopt};
  // Mending one rule may break a later one; each has a handful of fields to
  // move, so this settles in a few rounds or never.
  for (int round = 0; round < 16; ++round) {
    TileConfig mended = broken->mended;
    broken = findBrokenRule(problem, choice, mended, target);
    if (!broken) {
      violation.nearest = mended;
      break;
    }
  }
  return violation;
}
