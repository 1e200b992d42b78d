//===- CostModel.cpp - predicted time of a configuration ------------------===//
//
// A wave model: rounds of resident CTAs, each paying its k iterations, against
// the time to move the operands once. The constants were measured on an H200
// with bf16 operands; times scale with the operand row of 128 bytes, so that
// other types need no table of their own.
//
//===----------------------------------------------------------------------===//

#include "cutl/Heuristics/CostModel.h"

#include "Arithmetic.h"
#include "MainloopRates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <numeric>
#include <ostream>

using namespace cutl::heuristics;
using cutl::targetinfo::Target;

namespace {

/// Launch, prologue and the first loads.
constexpr double kLaunchUs = 1.78;
/// Share of the paper DRAM rate that a streaming kernel reaches.
constexpr double kDramEfficiency = 4500.0 / 4800.0;
/// What the L2 cache delivers to all multiprocessors together.
constexpr double kCacheBytesPerUs = 2.13e7;
/// Converting and storing 128x256 results of 16 bits with two warpgroups.
constexpr double kEpilogueUs = 1.65;
constexpr double kEpilogueElements = 128.0 * 256.0;
/// How much longer threads take to write elements than the copy engine, which
/// takes rows from this length on.
constexpr double kElementStores = 18.0;
constexpr double kShortestRowBytes = 64.0;
/// How much longer rows of a tile take to store that do not start at a sector
/// of 32 bytes: the cache merges the ends of two.
constexpr double kPartialSectors = 1.3;
/// How much longer a wide tile takes to store whose operands are swapped: its
/// elements turn on their way through shared memory.
constexpr double kTurnedStores = 1.25;
/// What passing the tensor cores to the other pingpong warpgroup costs, and how
/// much more for every KiB that the ring is too small to bridge it: the loads
/// of the next tile run ahead only as far as the ring holds them.
constexpr double kHandoverUs = .157;
constexpr double kHandoverUsPerKiB = .003;
constexpr double kBridgingRingKiB = 172.0;
/// The part of an epilogue's arithmetic by which it holds up the mainloop that
/// hides it: instructions share the schedulers. Small tiles feel all of it.
constexpr double kHiddenMath = .3;
constexpr double kHiddenMathOfSmallTile = .9;
constexpr double kSmallTileElements = 128.0 * 128.0;
/// What CTAs of a cluster wait for each other: at the start and the end, and for
/// each atom of k.
constexpr double kPairUs = .741;
constexpr double kPairAtomUs = .0333;
constexpr double kClusterUs = .876;
constexpr double kSquareClusterAtomUs = .0192;
/// What CTAs pay that divide k: for waiting for each other, and for passing
/// their sums on, of which each stores a tile and reads as much; and what it
/// adds if they share operands too, or are as many as a cluster can be.
constexpr double kMeetingUs = 1.0;
constexpr double kMeetingElementsPerUs = 6.99e3;
constexpr double kMeetingAndSharingUs = .297;
constexpr double kLargeMeetingUs = .256;
constexpr int64_t kLargeMeeting = 8;
/// How sharp the crossing from one limit to another is: of the time to compute
/// and that of DRAM, and of a tile's time and that of the L2 cache.
constexpr double kMemoryOverlap = 4.0;
/// As the first, where CTAs that divide k start and end together.
constexpr double kDividedMemoryOverlap = 2.2;
constexpr double kCacheOverlap = 3.63;
/// Beyond these an epilogue can keep few elements in flight.
constexpr int64_t kManyAccumulators = 176;
/// What a warpgroup waits for its products, and until it issues the next, where
/// it promotes them.
constexpr double kPromotionUs = .06;
/// The clock under load, lanes of an SM, and its special function rate.
constexpr double kClockPerUs = 1600.0;
constexpr double kLanes = 128.0;
constexpr double kSpecialPerClock = 16.0;

/// Launching a kernel that repacks an operand.
constexpr double kRepackUs = 2;

double bytesOf(const cutl::targetinfo::DataType *type, double elements) {
  return type ? elements * type->storageBits / 8 : 0;
}

/// The time of two things that run side by side: near that of the longer, but
/// neither is ever quite hidden by one about as long.
double overlap(double lhs, double rhs, double sharpness) {
  double longer = std::max(lhs, rhs), shorter = std::min(lhs, rhs);
  if (longer <= 0)
    return 0;
  return longer *
         std::pow(1 + std::pow(shorter / longer, sharpness), 1 / sharpness);
}

/// Whether rows of a result's tile are too short for the copy engine, so that
/// threads write elements.
bool isNarrow(const Problem &problem, int64_t ctaN) {
  for (const Output &output : problem.outputs)
    if (bytesOf(output.type, ctaN) < kShortestRowBytes)
      return true;
  return false;
}

/// Whether rows of a result's tile start within sectors.
bool startsWithinSectors(const Problem &problem, const TileConfig &config) {
  constexpr int64_t kSectorBytes = 32;
  int64_t columns = config.swapOperands ? config.ctaM : config.shareN();
  for (const Output &output : problem.outputs) {
    int64_t alignment =
        std::gcd(output.addressAlignment, output.pitchAlignment);
    alignment = std::gcd(alignment, int64_t(bytesOf(output.type, columns)));
    if (alignment % kSectorBytes != 0)
      return true;
  }
  return false;
}

/// The time of an epilogue's arithmetic on `elements` by a whole SM.
double mathUs(const Problem &problem, double elements) {
  double math =
      problem.epilogue.flopsPerElement * elements / (kLanes * kClockPerUs);
  // Special functions overlap with about half of the rest.
  if (problem.epilogue.transcendental)
    math += elements / (kSpecialPerClock * kClockPerUs) / 2;
  return math;
}

/// The time of an atom of k whose sums are promoted. A warpgroup multiplies and
/// adds in turn; the other one of a cooperative kernel does so meanwhile, but
/// two that take tiles in turn do not multiply at once.
double promotedUs(const Problem &problem, const TileConfig &config,
                  double tensorUs, double elements) {
  double perAtom = double(problem.swizzleAtomK()) / *problem.promote;
  double add = perAtom * (elements / (kLanes * kClockPerUs) + kPromotionUs);
  if (config.kernel == KernelKind::Cooperative)
    return std::max(tensorUs, tensorUs / 2 + add / 2);
  return tensorUs + add;
}

/// The time in which the results of one cta tile are finished.
double tileEpilogueUs(const Problem &problem, const TileConfig &config) {
  double elements = double(config.ctaM) * config.shareN();
  // Loads are waited for, stores are not.
  double bytes = 2 * problem.epilogue.auxBytesPerElement;
  for (const Output &output : problem.outputs)
    bytes += bytesOf(output.type, 1);
  double store = kEpilogueUs * elements / kEpilogueElements * bytes / 2;
  if (!config.swapOperands && isNarrow(problem, config.shareN()))
    store *= kElementStores;
  if (config.swapOperands && config.kernel == KernelKind::Pingpong)
    store *= kTurnedStores;
  double merging =
      startsWithinSectors(problem, config) ? store * (kPartialSectors - 1) : 0;
  // Two warpgroups keep all schedulers busy, as does one with few rows; of a
  // large tile one alone does not hide its own latencies, least of all where the
  // accumulators leave it few registers.
  double alone = 1;
  if (config.kernel == KernelKind::Pingpong && config.ctaM > 64)
    alone = config.accumulatorRegisters(problem) > kManyAccumulators ? 3 : 2;
  return alone * (store + mathUs(problem, elements)) + merging;
}

/// One of the times that make up a prediction.
struct Limit {
  Limiter limiter;
  double us;
};

/// Names the longest of `limits` in `cost`.
void setLimiter(Cost &cost, std::initializer_list<Limit> limits,
                int64_t resident) {
  Limit longest = *std::max_element(
      limits.begin(), limits.end(),
      [](const Limit &lhs, const Limit &rhs) { return lhs.us < rhs.us; });
  // More tiles side by side would shorten what each CTA does for itself.
  bool isOfCtas = longest.limiter == Limiter::Tensor ||
                  longest.limiter == Limiter::Loads ||
                  longest.limiter == Limiter::Epilogue;
  if (isOfCtas && cost.ctas <= resident / 2)
    longest = {Limiter::Tiles, cost.mainloopUs + cost.epilogueUs};
  cost.limiter = longest.limiter;
  cost.limiterUs = longest.us;
}

} // namespace

const char *cutl::heuristics::limiterName(Limiter limiter) {
  switch (limiter) {
  case Limiter::Launch:
    return "launch";
  case Limiter::Tiles:
    return "tiles";
  case Limiter::Tensor:
    return "tensor";
  case Limiter::Loads:
    return "loads";
  case Limiter::Cache:
    return "cache";
  case Limiter::Memory:
    return "memory";
  case Limiter::Epilogue:
    return "epilogue";
  }
  return "unknown";
}

int64_t cutl::heuristics::residentCtas(const Problem &problem,
                                       const TileConfig &config,
                                       const Target &target) {
  int64_t clusterSize = std::max<int64_t>(config.clusterSize(), 1);
  int64_t resident = target.residentCtas(clusterSize);
  if (problem.smBudget)
    resident =
        std::min(resident, *problem.smBudget / clusterSize * clusterSize);
  return std::max<int64_t>(resident, 1);
}

Cost cutl::heuristics::estimateCost(const Problem &actual,
                                    const TileConfig &config,
                                    const Target &target) {
  Problem problem = config.afterRepack(actual);
  Cost cost;
  cost.sharedMemoryBytes = config.sharedMemoryBytes(problem);

  int64_t m = problem.guessedM(), n = problem.guessedN(),
          k = problem.guessedK();
  int64_t batch = problem.guessedBatch();
  int64_t rowExtent = config.swapOperands ? n : m;
  int64_t columnExtent = config.swapOperands ? m : n;
  const Operand &rowOperand = config.swapOperands ? problem.b : problem.a;
  const Operand &columnOperand = config.swapOperands ? problem.a : problem.b;

  // Tiles. A cluster is placed whole, so its last members may be padding.
  int64_t ctaM = std::max<int64_t>(config.ctaM, 1);
  int64_t ctaN = std::max<int64_t>(config.ctaN, 1);
  int64_t ctaK = std::max<int64_t>(config.ctaK, 1);
  int64_t clusterM = std::max<int64_t>(config.clusterM, 1);
  int64_t clusterN = std::max<int64_t>(config.clusterN, 1);
  int64_t clusterK = std::max<int64_t>(config.clusterK, 1);
  int64_t clusterSize = product({clusterM, clusterN, clusterK});
  int64_t tilesM =
      product({ceilDiv(ceilDiv(rowExtent, ctaM), clusterM), clusterM});
  int64_t tilesN =
      product({ceilDiv(ceilDiv(columnExtent, ctaN), clusterN), clusterN});
  // Each further group of a ragged extent ends in a tile of its own.
  if (tilesM > 0)
    tilesM = sum({tilesM, std::max<int64_t>(problem.groups, 1) - 1});
  int64_t tiles = product({tilesM, tilesN, batch});
  cost.ctas = product({tiles, clusterK});
  int64_t resident = residentCtas(problem, config, target);
  cost.waves = ceilDiv(cost.ctas, resident);
  cost.kIterations = ceilDiv(ceilDiv(k, ctaK), clusterK);

  // How often the operand with more bytes is read, once per tile across it.
  bool rowsLarger = rowExtent >= columnExtent;
  cost.streamReads = rowsLarger ? tilesN : tilesM;

  double outputs = double(m) * n * batch;
  double computed = double(tiles) * ctaM * ctaN;
  cost.paddedWork = outputs > 0 ? computed / outputs : 1;

  // Mainloop of one tile: the tensor cores or the copy engine, per 128-byte row
  // of K. Several B widen the tile.
  double atoms = double(cost.kIterations) * ctaK / problem.swizzleAtomK();
  double rows = double(ctaM) * (config.swapOperands ? problem.accumulators : 1);
  double columns = double(ctaN) * (config.swapOperands ? 1 : problem.accumulators);
  double tensor = getTensorUs(ctaM, columns) * (rows / ctaM) *
                  std::max<int64_t>(problem.productsPerStep, 1);
  if (problem.promote)
    tensor = promotedUs(problem, config, tensor, rows * columns);
  LoadCost rowLoad = getLoadCost(problem, rowOperand, ctaM);
  LoadCost columnLoad = getLoadCost(problem, columnOperand, ctaN);
  double rowShare = rows / ctaM / clusterN;
  double columnShare = columns / ctaN / clusterM;
  double loads =
      rowShare * rowLoad.engineUs + columnShare * columnLoad.engineUs;
  double atomUs = std::max(tensor, loads);
  if (clusterSize == 2 && clusterK == 1)
    atomUs += kPairAtomUs;
  if (clusterM > 1 && clusterN > 1)
    atomUs += kSquareClusterAtomUs;
  double tileUs = atoms * atomUs;
  double cacheBytes = cost.ctas * atoms *
                      (rowShare * rowLoad.cacheBytes +
                       columnShare * columnLoad.cacheBytes);
  double cacheUs = cacheBytes / kCacheBytesPerUs;
  cost.mainloopUs = overlap(cost.waves * tileUs, cacheUs, kCacheOverlap);

  // Operands and results cross DRAM once.
  double dramBytesPerUs = target.dramGbps * 1e3 * kDramEfficiency;
  double aBytes = bytesOf(problem.a.type,
                          double(m) * k * problem.a.matrices.value_or(batch));
  double bBytes = bytesOf(problem.b.type,
                          double(n) * k * problem.accumulators *
                              problem.b.matrices.value_or(batch));
  double resultBytes = outputs * problem.epilogue.auxBytesPerElement;
  for (const Output &output : problem.outputs)
    resultBytes += bytesOf(output.type, outputs);
  cost.compulsoryBytes = aBytes + bBytes + resultBytes;
  cost.memoryFloorUs = cost.compulsoryBytes / dramBytesPerUs;
  for (auto [repacks, bytes] :
       {std::pair(config.repackA, aBytes), std::pair(config.repackB, bBytes)})
    if (repacks)
      cost.repackUs += kRepackUs + 2 * bytes / dramBytesPerUs;

  // Pingpong hides an epilogue behind the other warpgroup's mainloop, all but
  // the last one, what is longer than that mainloop, and a part of its
  // arithmetic.
  double one = tileEpilogueUs(problem, config);
  if (clusterK > 1)
    one += kMeetingUs +
           double(ctaM) * ctaN * problem.accumulators / kMeetingElementsPerUs;
  if (config.kernel == KernelKind::Pingpong) {
    double ringKiB = double(config.stages) * ctaK * problem.operandBits() / 8 *
                     (rows + columns) / 1024;
    double handover =
        kHandoverUs +
        kHandoverUsPerKiB * std::max(0.0, kBridgingRingKiB - ringKiB);
    cost.mainloopUs += cost.waves * handover;
    double elements = double(ctaM) * ctaN;
    double hidden = mathUs(problem, elements) * (elements <= kSmallTileElements
                                                     ? kHiddenMathOfSmallTile
                                                     : kHiddenMath);
    if (cost.waves > 0)
      cost.epilogueUs =
          one + (cost.waves - 1) * std::max(hidden, one - tileUs);
  } else {
    cost.epilogueUs = cost.waves * one;
  }

  double compute = cost.mainloopUs + cost.epilogueUs;
  double work = overlap(compute, cost.memoryFloorUs,
                        clusterK > 1 ? kDividedMemoryOverlap : kMemoryOverlap);
  double clusterUs = 0;
  if (clusterSize > 1)
    clusterUs = clusterSize == 2 ? kPairUs : kClusterUs;
  if (clusterK > 1 && clusterSize > clusterK)
    clusterUs += kMeetingAndSharingUs;
  if (clusterK > 1 && clusterSize >= kLargeMeeting)
    clusterUs += kLargeMeetingUs;
  cost.predictedUs = kLaunchUs + cost.repackUs + work + clusterUs;

  double waves = cost.waves;
  setLimiter(cost,
             {{Limiter::Launch, kLaunchUs + clusterUs},
              {Limiter::Tensor, waves * atoms * tensor},
              {Limiter::Loads, waves * atoms * loads},
              {Limiter::Cache, cacheUs},
              {Limiter::Memory, cost.memoryFloorUs + cost.repackUs},
              {Limiter::Epilogue, cost.epilogueUs}},
             resident);
  return cost;
}

std::ostream &cutl::heuristics::operator<<(std::ostream &os, const Cost &cost) {
  // Formatted here, so that the stream's own precision does not matter.
  auto us = [&](const char *what, double value) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.1f", value);
    os << ", " << what << ' ' << text << " us";
  };
  os << cost.ctas << " CTA tiles in " << cost.waves << " waves, "
     << cost.kIterations << " k iterations, " << cost.sharedMemoryBytes
     << " bytes of shared memory";
  us("mainloop", cost.mainloopUs);
  us("memory floor", cost.memoryFloorUs);
  us("epilogue", cost.epilogueUs);
  if (cost.repackUs > 0)
    us("repack", cost.repackUs);
  us("predicted", cost.predictedUs);
  os << ", limited by " << limiterName(cost.limiter);
  us("which takes", cost.limiterUs);
  return os;
}
