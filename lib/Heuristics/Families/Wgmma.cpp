//===- Wgmma.cpp - configurations of the wgmma family ---------------------===//
//
// Warp-specialised kernels with one producer warpgroup and one to three
// consumers: their clusters, and what such a kernel needs in order to run.
//
//===----------------------------------------------------------------------===//

#include "Family.h"

#include "WgmmaTiles.h"
#include "cutl/Heuristics/CostModel.h"

#include "../Arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

using namespace cutl::heuristics;
using cutl::targetinfo::MmaAtom;
using cutl::targetinfo::Target;

namespace {

/// Whether a box row of `operand` straddles cache lines.
bool straddlesLines(const Operand &operand) {
  return operand.rowAlignment() != 0 && operand.rowAlignment() % 128 != 0;
}

/// Rows and columns of CTAs that may share operands.
constexpr std::pair<int64_t, int64_t> kClusters[] = {
    {2, 1}, {1, 2}, {4, 1}, {2, 2}, {1, 4}};

/// Rows, columns and parts of k of CTAs that divide k.
struct Division {
  int64_t m, n, k;
};
constexpr Division kDivisions[] = {{1, 1, 2}, {1, 1, 4}, {1, 1, 8},
                                   {2, 1, 2}, {1, 2, 2}, {2, 1, 4},
                                   {1, 2, 4}, {4, 1, 2}, {1, 4, 2}};

/// Stages of k in a part below which its start is all of it.
constexpr int64_t kLeastIterations = 4;

/// Tiles of neighbouring rows that share columns in the L2 cache. More rows do
/// not pay where much besides the operands goes through it: results while k is
/// short, auxiliary operands and further results.
int64_t getRasterGroup(const Problem &problem) {
  constexpr int64_t kLongRowBytes = 4096;
  bool isLong = problem.guessedK() * problem.operandBits() / 8 >= kLongRowBytes;
  bool hasMore =
      problem.epilogue.auxBytesPerElement > 0 || problem.outputs.size() > 1;
  return isLong && !hasMore ? 16 : 8;
}

class Wgmma final : public Family {
public:
  std::vector<TileConfig> enumerate(const Problem &problem,
                                    const Target &target,
                                    bool shareOperands) const override;
  std::optional<BrokenRule> findBrokenRule(const Problem &problem,
                                           const MmaAtom &atom,
                                           const TileConfig &config,
                                           const Target &target) const override;
  bool isPreferred(const TileConfig &config) const override {
    return config.kernel == KernelKind::Pingpong && config.ctaM == 128 &&
           config.ctaN >= 144 && config.ctaN <= 208;
  }
};

/// Builds a message and a mended configuration for one field.
class Rule {
public:
  Rule(const TileConfig &config, int64_t TileConfig::*field)
      : mended(config), field(field) {}

  BrokenRule report(const char *name, const std::string &expected,
                    int64_t nearest) {
    std::ostringstream os;
    os << "expected " << expected << ", got " << mended.*field
       << "; nearest legal value is " << nearest;
    mended.*field = nearest;
    return {name, os.str(), mended};
  }

private:
  TileConfig mended;
  int64_t TileConfig::*field;
};

int64_t nearestOf(std::initializer_list<int64_t> legal, int64_t value) {
  // Clamped first, so that the distance cannot overflow.
  value = std::clamp<int64_t>(value, 0, int64_t(1) << 32);
  int64_t best = *legal.begin();
  for (int64_t candidate : legal)
    if (std::llabs(candidate - value) < std::llabs(best - value))
      best = candidate;
  return best;
}

/// The largest power of two not above `value`, at least one.
int64_t floorPowerOfTwo(int64_t value) {
  int64_t power = 1;
  while (power <= value / 2)
    power *= 2;
  return power;
}

bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

std::optional<BrokenRule> checkTile(const Problem &problem, const MmaAtom &atom,
                                    const TileConfig &config) {
  bool coop = config.kernel == KernelKind::Cooperative;
  std::string kind = kernelKindName(config.kernel);
  if (config.ctaM != 64 && config.ctaM != 128 && config.ctaM != 192 &&
      config.ctaM != 256)
    return Rule(config, &TileConfig::ctaM)
        .report("cta_m", "cta m to be 64, 128, 192 or 256",
                nearestOf({64, 128, 192, 256}, config.ctaM));
  // Each cooperative consumer owns one or two slabs of 64 rows, a pingpong or
  // lone consumer the whole tile.
  if (coop && config.ctaM < 128)
    return Rule(config, &TileConfig::ctaM)
        .report("kernel_rows",
                "cta m to be 128, 192 or 256 with a cooperative kernel", 128);
  if (!coop && config.ctaM > 128)
    return Rule(config, &TileConfig::ctaM)
        .report("kernel_rows",
                "cta m to be 64 or 128 with a " + kind + " kernel", 128);
  if (!atom.isLegalN(config.ctaN)) {
    std::string steps =
        atom.nCoarseFrom
            ? "a multiple of 8 up to 24 and of 16 above, at most 256, for " +
                  std::string(atom.a) + " operands"
            : "a multiple of 8 from 8 to 256";
    int64_t clamped = std::clamp<int64_t>(config.ctaN, 0, 512);
    return Rule(config, &TileConfig::ctaN)
        .report("cta_n", "cta n to be " + steps, atom.nearestLegalN(clamped));
  }
  int64_t atomK = problem.swizzleAtomK();
  if (config.ctaK < atomK || config.ctaK % atomK != 0) {
    int64_t down = config.ctaK / atomK * atomK;
    bool roundUp = config.ctaK - down > atomK / 2;
    int64_t nearest = std::max(atomK, down);
    // Huge values keep their lower neighbour; the shared memory rule follows.
    if (roundUp && config.ctaK < int64_t(1) << 32)
      nearest = std::max(atomK, down + atomK);
    return Rule(config, &TileConfig::ctaK)
        .report("cta_k",
                "cta k to be a multiple of " + std::to_string(atomK) +
                    " (128 bytes of K)",
                nearest);
  }
  return std::nullopt;
}

/// Promotion ends with a stage, or stages with a promotion.
std::optional<BrokenRule> checkPromotion(const Problem &problem,
                                         const TileConfig &config) {
  if (!problem.promote || config.ctaK % *problem.promote == 0 ||
      *problem.promote % config.ctaK == 0)
    return std::nullopt;
  return Rule(config, &TileConfig::ctaK)
      .report("promote",
              "cta k to divide or to be a multiple of the " +
                  std::to_string(*problem.promote) +
                  " elements after which sums are promoted",
              problem.swizzleAtomK());
}

/// "2x1", with a third extent where it is not one.
std::string clusterText(const TileConfig &config) {
  std::string text =
      std::to_string(config.clusterM) + "x" + std::to_string(config.clusterN);
  return config.clusterK == 1 ? text
                              : text + "x" + std::to_string(config.clusterK);
}

/// A cluster of more than `limit` CTAs.
BrokenRule reportCluster(const char *name, const std::string &expected,
                         const TileConfig &config, int64_t limit) {
  TileConfig mended = config;
  while (mended.clusterSize() > limit)
    (mended.clusterK > 1   ? mended.clusterK
     : mended.clusterN > 1 ? mended.clusterN
                           : mended.clusterM) /= 2;
  std::ostringstream os;
  os << expected << ", got " << clusterText(config) << " = "
     << config.clusterSize() << "; nearest legal cluster is "
     << clusterText(mended);
  return {name, os.str(), mended};
}

std::optional<BrokenRule> checkClusterAndRaster(const Problem &problem,
                                                const TileConfig &config,
                                                const Target &target) {
  int64_t limit = target.maxClusterSize;
  for (auto [field, name] : {std::pair(&TileConfig::clusterM, "cluster m"),
                             std::pair(&TileConfig::clusterN, "cluster n"),
                             std::pair(&TileConfig::clusterK, "cluster k")}) {
    int64_t size = config.*field;
    if (!isPowerOfTwo(size) || size > limit)
      return Rule(config, field)
          .report("cluster",
                  std::string(name) + " to be a power of two from 1 to " +
                      std::to_string(limit) + " on " + target.name,
                  floorPowerOfTwo(std::clamp<int64_t>(size, 1, limit)));
  }
  if (config.clusterSize() > limit) {
    std::ostringstream os;
    os << "expected a cluster of at most " << limit << " ctas on "
       << target.name;
    return reportCluster("cluster", os.str(), config, limit);
  }
  if (problem.smBudget && config.clusterSize() > *problem.smBudget) {
    std::ostringstream os;
    os << "expected a cluster of at most " << *problem.smBudget
       << " ctas with sm_budget = " << *problem.smBudget;
    return reportCluster("sm_budget", os.str(), config,
                         std::max<int64_t>(*problem.smBudget, 1));
  }
  if (config.rasterGroup < 1)
    return Rule(config, &TileConfig::rasterGroup)
        .report("raster", "raster group to be at least 1", 1);
  return std::nullopt;
}

/// A row of results has the same bits in every tile, wherever it stands there:
/// each element is summed by the same instructions over k in ascending order. Two
/// things could still depend on m: which operand the instruction has on its left,
/// and how many rows of zeros a last stage adds to a k that does not fill it.
std::optional<BrokenRule> checkInvariance(const Problem &problem,
                                          const TileConfig &config) {
  if (!problem.batchInvariant)
    return std::nullopt;
  if (config.swapOperands) {
    TileConfig mended = config;
    mended.swapOperands = false;
    return BrokenRule{"batch_invariant",
                      "expected operands in the roles that they have for every "
                      "m with batch_invariant, got swap_operands = true; "
                      "nearest legal value is false",
                      mended};
  }
  int64_t atomK = problem.swizzleAtomK();
  if (config.ctaK != atomK)
    return Rule(config, &TileConfig::ctaK)
        .report("batch_invariant",
                "cta k to be " + std::to_string(atomK) +
                    ", as for every m with batch_invariant",
                atomK);
  return std::nullopt;
}

/// Each CTA of a cluster loads a slice of what several of them read, in whole
/// groups of eight rows of a box.
std::optional<BrokenRule> checkSlices(const Problem &problem,
                                      const TileConfig &config) {
  auto check = [&](const Operand &operand, int64_t extent,
                   int64_t TileConfig::*field,
                   const char *name) -> std::optional<BrokenRule> {
    int64_t slices = config.*field;
    int64_t rows = operand.major == Major::MN ? config.ctaK : extent;
    if (rows % (8 * slices) == 0)
      return std::nullopt;
    int64_t nearest = slices;
    while (rows % (8 * nearest) != 0)
      nearest /= 2;
    return Rule(config, field)
        .report("cluster_slices",
                std::string(name) + " to divide " + std::to_string(rows / 8) +
                    ", the groups of eight rows that its ctas share",
                std::max<int64_t>(nearest, 1));
  };
  const Operand &rowOperand = config.swapOperands ? problem.b : problem.a;
  const Operand &columnOperand = config.swapOperands ? problem.a : problem.b;
  if (auto broken = check(rowOperand, config.ctaM, &TileConfig::clusterN,
                          "cluster n"))
    return broken;
  return check(columnOperand, config.ctaN, &TileConfig::clusterM, "cluster m");
}

/// CTAs that divide k meet once in each unit, in the memory of the ring, and
/// finish whole blocks of columns each.
std::optional<BrokenRule> checkShares(const Problem &problem,
                                      const TileConfig &config) {
  if (config.clusterK == 1)
    return std::nullopt;
  Rule rule(config, &TileConfig::clusterK);
  if (problem.batchInvariant)
    return rule.report("batch_invariant",
                       "cluster k to be 1, as for every m with batch_invariant",
                       1);
  // Its warpgroups work on different units.
  if (config.kernel == KernelKind::Pingpong)
    return rule.report("cluster_kernel",
                       "cluster k to be 1 with a pingpong kernel", 1);
  if (config.ctaN % (8 * config.clusterK) != 0) {
    int64_t nearest = config.clusterK;
    while (config.ctaN % (8 * nearest) != 0)
      nearest /= 2;
    return rule.report("cluster_shares",
                       "cluster k to divide " +
                           std::to_string(config.ctaN / 8) +
                           ", the blocks of eight columns that its ctas share",
                       nearest);
  }
  int64_t sumBits = problem.accumulator ? problem.accumulator->storageBits : 32;
  int64_t sums =
      product({config.ctaM, config.ctaN, problem.accumulators, sumBits}) / 8;
  int64_t rowBytes = product({config.ctaK, problem.operandBits()}) / 8;
  int64_t stage = std::max<int64_t>(
      product({sum({config.ctaM, product({config.ctaN, problem.accumulators})}),
               rowBytes}),
      1);
  if (product({config.stages, stage}) < sums)
    return Rule(config, &TileConfig::stages)
        .report("cluster_sums",
                "stages to have room for the tile's sums, which its cluster "
                "adds up in their place",
                ceilDiv(sums, stage));
  return std::nullopt;
}

std::optional<BrokenRule> checkResources(const Problem &problem,
                                         const MmaAtom &atom,
                                         const TileConfig &config,
                                         const Target &target) {
  if (config.stages < 2)
    return Rule(config, &TileConfig::stages)
        .report("stages", "stages to be at least 2", 2);
  if (config.epilogueBuffers < 1)
    return Rule(config, &TileConfig::epilogueBuffers)
        .report("epilogue_buffers", "epilogue buffers to be at least 1", 1);

  int64_t registers = config.accumulatorRegisters(problem);
  int64_t registerLimit = accumulatorLimit(config, problem);
  if (registers > registerLimit) {
    TileConfig mended = config;
    auto isTooWide = [&] {
      return !atom.isLegalN(mended.ctaN) ||
             mended.accumulatorRegisters(problem) > registerLimit;
    };
    while (mended.ctaN > 8 && isTooWide())
      mended.ctaN -= 8;
    std::ostringstream os;
    os << "expected at most " << registerLimit
       << " accumulator registers per thread, got " << registers
       << " with cta n " << config.ctaN;
    if (isTooWide())
      os << "; no cta n is legal with " << problem.accumulators
         << " accumulators";
    else
      os << "; nearest legal cta n is " << mended.ctaN;
    return BrokenRule{"accumulator_registers", os.str(), mended};
  }

  int64_t limit = target.sharedMemoryPerCta;
  int64_t bytes = config.sharedMemoryBytes(problem);
  if (bytes > limit) {
    TileConfig mended = config;
    // Straight to a depth that could fit, however many stages were asked for.
    mended.stages = std::min<int64_t>(mended.stages, 64);
    mended.epilogueBuffers = std::min<int64_t>(mended.epilogueBuffers, 64);
    fitSharedMemory(mended, problem, limit);
    if (mended.sharedMemoryBytes(problem) > limit)
      mended.ctaK = problem.swizzleAtomK();
    std::ostringstream os;
    os << "expected at most " << limit << " bytes of shared memory on "
       << target.name << ", got " << bytes << " with " << config.stages
       << " stages";
    if (mended.sharedMemoryBytes(problem) > limit)
      os << "; no number of stages is legal with this tile";
    else
      os << "; nearest legal configuration has " << mended.stages
         << " stages of " << mended.ctaK << " in k and "
         << mended.epilogueBuffers << " epilogue buffer"
         << (mended.epilogueBuffers == 1 ? "" : "s");
    return BrokenRule{"shared_memory", os.str(), mended};
  }
  return std::nullopt;
}

} // namespace

/// Whether the CTAs of a cluster may divide k with some gain: each has enough
/// left to do, and all of them run at once.
static bool mayDivide(const Problem &problem, const TileConfig &config,
                      const Target &target) {
  if (config.kernel == KernelKind::Pingpong || problem.batchInvariant)
    return false;
  return ceilDiv(problem.guessedK(), config.ctaK) >=
             product({kLeastIterations, config.clusterK}) &&
         estimateCost(problem, config, target).waves <= 1;
}

std::vector<TileConfig> Wgmma::enumerate(const Problem &problem,
                                         const Target &target,
                                         bool shareOperands) const {
  std::vector<TileConfig> configs;
  shareOperands |= straddlesLines(problem.a) || straddlesLines(problem.b);
  for (TileConfig config : makeTiles(problem, target)) {
    // A lone consumer's swapped tile streams one operand, once. Other swapped
    // tiles gain only where loads are the limit.
    bool streams = config.swapOperands && config.kernel == KernelKind::Single;
    if (config.swapOperands && !streams && !shareOperands)
      continue;
    config.rasterGroup = getRasterGroup(problem);
    configs.push_back(config);
    for (const Division &division : kDivisions) {
      TileConfig divided = config;
      divided.clusterM = division.m;
      divided.clusterN = division.n;
      divided.clusterK = division.k;
      if (mayDivide(problem, divided, target))
        configs.push_back(divided);
    }
    if (!shareOperands || streams)
      continue;
    // CTAs that share operands load fewer rows, which pays only where loads are
    // the limit.
    for (auto [m, n] : kClusters) {
      config.clusterM = m;
      config.clusterN = n;
      configs.push_back(config);
    }
  }
  return configs;
}

std::optional<BrokenRule> Wgmma::findBrokenRule(const Problem &problem,
                                                const MmaAtom &atom,
                                                const TileConfig &config,
                                                const Target &target) const {
  if (auto broken = checkTile(problem, atom, config))
    return broken;
  if (auto broken = checkPromotion(problem, config))
    return broken;
  if (auto broken = checkInvariance(problem, config))
    return broken;
  if (auto broken = checkClusterAndRaster(problem, config, target))
    return broken;
  if (auto broken = checkSlices(problem, config))
    return broken;
  if (auto broken = checkShares(problem, config))
    return broken;
  return checkResources(problem, atom, config, target);
}

const Family &cutl::heuristics::wgmmaFamily() {
  static const Wgmma family;
  return family;
}
