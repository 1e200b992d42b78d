//===- Splits.cpp - whether a division of k pays --------------------------===//

#include "cutl/Heuristics/Heuristics.h"

#include "Arithmetic.h"
#include "Families/Family.h"

#include <algorithm>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

/// Launching the kernel that adds the parts, and the rate at which they are
/// written and read, most of them in the L2 cache; constants fitted to
/// benchmarks/data/divided-k-h200.csv.
static constexpr double kCombineUs = 2.09;
static constexpr double kCombineBytesPerUs = 2.99e6;
/// How much longer short units take in clusters, which start and end together.
static constexpr double kClusteredPartsUs = .97;
/// What is gained has to be more than the model may be wrong by.
static constexpr double kWorthwhile = .9;
/// A part that is shorter does not outlast its own start.
static constexpr int64_t kLeastIterations = 2;

/// The product whose batches are the parts, and whose results are their sums.
static Problem makeParts(const Problem &problem, const TileConfig &config,
                         int64_t parts) {
  Problem part = problem;
  int64_t iterations = ceilDiv(problem.k, config.ctaK);
  part.k = ceilDiv(iterations, parts) * config.ctaK;
  part.batch = product({problem.batch, parts});
  part.a.matrices = part.b.matrices = std::nullopt;
  part.epilogue = EpilogueCost();
  for (Output &output : part.outputs)
    output.type = problem.accumulator;
  return part;
}

/// The time to add the parts and write the results.
static double getCombineUs(const Problem &problem, const TileConfig &config,
                           int64_t parts) {
  double elements = double(problem.m) * problem.n * problem.batch;
  double bytes = elements * parts * problem.accumulator->storageBits / 8;
  return kCombineUs + bytes / kCombineBytesPerUs +
         (config.clusterSize() > 1 ? kClusteredPartsUs : 0);
}

Split cutl::heuristics::estimateSplit(const Problem &problem,
                                      const TileConfig &config, int64_t parts,
                                      const Target &target) {
  Cost cost = estimateCost(makeParts(problem, config, parts), config, target);
  double us = cost.predictedUs + getCombineUs(problem, config, parts);
  return {config, parts, us, cost};
}

std::optional<Split> cutl::heuristics::chooseSplit(const Problem &problem,
                                                   const Target &target,
                                                   double wholeUs) {
  bool isStatic =
      problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
  // Where k is divided follows from m.
  if (!isStatic || !problem.roundsSums || problem.batchInvariant ||
      problem.outputs.size() != 1)
    return std::nullopt;
  FamilyChoice choice = chooseAtom(problem, target);
  if (!choice.atom)
    return std::nullopt;
  std::optional<Split> best;
  for (const TileConfig &config : enumerateConfigs(
           problem, choice, target, /*shareOperands=*/true)) {
    // Parts are written as f32 rows by the copy engine, beside each other.
    if (config.swapOperands || config.kernel == KernelKind::Pingpong ||
        config.clusterK > 1)
      continue;
    int64_t rows = ceilDiv(ceilDiv(problem.m, config.ctaM), config.clusterM);
    int64_t columns = ceilDiv(ceilDiv(problem.n, config.ctaN), config.clusterN);
    int64_t units = product({rows, columns, problem.batch});
    int64_t workers = target.residentCtas(config.clusterSize());
    if (problem.smBudget)
      workers = std::min(workers, *problem.smBudget);
    workers /= config.clusterSize();
    int64_t iterations = ceilDiv(problem.k, config.ctaK);
    for (int64_t waves : {1, 2}) {
      int64_t parts =
          std::min(workers * waves / units, iterations / kLeastIterations);
      if (parts < 2)
        continue;
      Problem part = makeParts(problem, config, parts);
      if (findBrokenRule(part, choice, config, target))
        continue;
      Split split = estimateSplit(problem, config, parts, target);
      if (split.predictedUs < wholeUs * kWorthwhile &&
          (!best || split.predictedUs < best->predictedUs))
        best = split;
    }
  }
  return best;
}
