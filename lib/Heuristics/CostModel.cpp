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

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <ostream>

using namespace cutl::heuristics;
using cutl::targetinfo::Target;

namespace {

/// Launch, prologue and the first loads.
constexpr double kLaunchUs = 4.0;
/// Share of the paper DRAM rate that a streaming kernel reaches.
constexpr double kDramEfficiency = 4000.0 / 4800.0;
/// Converting and storing 128x256 results of 16 bits with two warpgroups.
constexpr double kEpilogueUs = 1.5;
constexpr double kEpilogueElements = 128.0 * 256.0;
/// How much longer threads take to write elements than the copy engine, which
/// takes rows from this length on.
constexpr double kElementStores = 4.0;
constexpr double kShortestRowBytes = 64.0;
constexpr double kPartialSectors = 1.05;
/// What passing the tensor cores to the other pingpong warpgroup costs, and how
/// much more for every KiB that the ring is too small to bridge it: the loads
/// of the next tile run ahead only as far as the ring holds them.
constexpr double kHandoverUs = .31;
constexpr double kHandoverUsPerKiB = .035;
constexpr double kBridgingRingKiB = 172.0;
/// What CTAs of a cluster wait for each other: at the start and the end, and for
/// each 128-byte row of K.
constexpr double kClusterUs = .5;
constexpr double kClusterAtomUs = .02;
/// How sharp the crossing from one limit to another is.
constexpr double kOverlap = 8.0;
/// The clock under load, lanes of an SM, and its special function rate.
constexpr double kClockPerUs = 1600.0;
constexpr double kLanes = 128.0;
constexpr double kSpecialPerClock = 16.0;

/// Microseconds that a cta tile spends on one 128-byte row of K at loaded
/// clocks.
struct AtomTime {
  int64_t n;
  double us;
};

// Below 64 columns the loads decide, so these follow the measured rate of
// operand rows rather than the tensor cores; up to 64x64 tiles have two rows of
// K to a stage. From 128x128 on every tile runs at one power-limited rate, so
// that the time follows the area; 128x128 with its many changes of hands, 136
// and 152 were a little slower, and 256 rows beyond 128 columns by 7%, for which
// only three stages fit.
constexpr AtomTime k64Rows[] = {{8, .08},   {16, .09},  {32, .107},  {64, .135},
                                {72, .168}, {96, .17},  {112, .19}, {128, .195}, {168, .25},
                                {192, .29}, {256, .37}};
constexpr AtomTime k128Rows[] = {{64, .25},   {96, .28},   {104, .30},
                                 {112, .326}, {120, .347}, {128, .367},
                                 {136, .393}, {144, .405}, {152, .438},
                                 {160, .45},  {256, .72}};
constexpr AtomTime k192Rows[] = {
    {64, .375}, {96, .445}, {128, .54}, {192, .81}, {256, 1.08}};
constexpr AtomTime k256Rows[] = {
    {64, .50}, {96, .57}, {128, .73}, {136, .83}, {160, .975}, {192, 1.17}};

/// Interpolates in `table`; outside it the time follows the area.
template <size_t size>
double interpolate(const AtomTime (&table)[size], double n) {
  const AtomTime &first = table[0];
  const AtomTime &last = table[size - 1];
  if (n <= first.n)
    return first.us;
  if (n >= last.n)
    return last.us * n / last.n;
  for (size_t i = 1; i < size; ++i) {
    const AtomTime &low = table[i - 1];
    const AtomTime &high = table[i];
    if (n <= high.n)
      return low.us + (high.us - low.us) * (n - low.n) / (high.n - low.n);
  }
  return last.us;
}

double tensorUs(int64_t rows, double columns) {
  if (rows <= 64)
    return interpolate(k64Rows, columns);
  if (rows <= 128)
    return interpolate(k128Rows, columns);
  if (rows <= 192)
    return interpolate(k192Rows, columns);
  return interpolate(k256Rows, columns);
}

/// Microseconds for which one 128-byte operand row occupies the copy engine: a
/// row that straddles cache lines costs more.
double rowUs(int64_t alignment) {
  if (alignment == 0 || alignment % 128 == 0)
    return .75e-3;
  if (alignment % 64 == 0)
    return 1.39e-3;
  if (alignment % 32 == 0)
    return 1.48e-3;
  return 2.25e-3;
}

/// Whether the copy engine can load an operand so aligned.
bool needsRepack(const Operand &operand) {
  return operand.rowAlignment() != 0 && operand.rowAlignment() % 16 != 0;
}

/// The time in which the copy engine loads `extent` rows of an operand for one
/// 128-byte atom of k. Rows that are contiguous come in whole boxes, and each
/// tile of them starts at a multiple of their bytes.
double loadUs(const Problem &problem, const Operand &operand, int64_t extent) {
  int64_t alignment = operand.rowAlignment();
  if (operand.major != Major::MN)
    return extent * rowUs(alignment);
  int64_t box = problem.swizzleAtomK();
  int64_t bytes = extent * problem.operandBits() / 8;
  return double(ceilDiv(extent, box) * box) *
         rowUs(std::gcd(alignment == 0 ? 128 : alignment, bytes));
}

double bytesOf(const cutl::targetinfo::DataType *type, double elements) {
  return type ? elements * type->storageBits / 8 : 0;
}

/// The time of two things that run side by side: near that of the longer, but
/// neither is ever quite hidden by one about as long.
double overlap(double lhs, double rhs) {
  double longer = std::max(lhs, rhs), shorter = std::min(lhs, rhs);
  if (longer <= 0)
    return 0;
  return longer * std::pow(1 + std::pow(shorter / longer, kOverlap), 1 / kOverlap);
}

/// Whether rows of a result's tile are too short for the copy engine, so that
/// threads write elements.
bool isNarrow(const Problem &problem, int64_t ctaN) {
  for (const Output &output : problem.outputs)
    if (bytesOf(output.type, ctaN) < kShortestRowBytes)
      return true;
  return false;
}

/// The time in which one cta tile's results are finished by `warpgroups`.
double tileEpilogueUs(const Problem &problem, double elements,
                      int64_t warpgroups) {
  // A third warpgroup was not seen to store faster.
  double share = 2.0 / std::min<int64_t>(warpgroups, 2);
  double bytes = problem.epilogue.auxBytesPerElement;
  for (const Output &output : problem.outputs)
    bytes += bytesOf(output.type, 1);
  double store = kEpilogueUs * elements / kEpilogueElements * bytes / 2;
  // The warpgroups of a CTA issue to all four schedulers of the SM; only the
  // latency that a single one cannot hide makes it slower.
  double math =
      problem.epilogue.flopsPerElement * elements / (kLanes * kClockPerUs);
  if (problem.epilogue.transcendental)
    math = std::max(math, elements / (kSpecialPerClock * kClockPerUs));
  return share * (store + math);
}

} // namespace

const char *cutl::heuristics::limiterName(Limiter limiter) {
  switch (limiter) {
  case Limiter::Launch:
    return "launch";
  case Limiter::Tensor:
    return "tensor";
  case Limiter::Loads:
    return "loads";
  case Limiter::Memory:
    return "memory";
  case Limiter::Epilogue:
    return "epilogue";
  }
  return "unknown";
}

Cost cutl::heuristics::estimateCost(const Problem &problem,
                                    const TileConfig &config,
                                    const Target &target) {
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
  int64_t clusterSize = product({clusterM, clusterN});
  int64_t tilesM =
      product({ceilDiv(ceilDiv(rowExtent, ctaM), clusterM), clusterM});
  int64_t tilesN =
      product({ceilDiv(ceilDiv(columnExtent, ctaN), clusterN), clusterN});
  // Each further group of a ragged extent ends in a tile of its own.
  if (tilesM > 0)
    tilesM = sum({tilesM, std::max<int64_t>(problem.groups, 1) - 1});
  cost.ctas = product({tilesM, tilesN, batch});
  int64_t resident = target.residentCtas(clusterSize);
  if (problem.smBudget)
    resident = std::min(resident, *problem.smBudget / clusterSize * clusterSize);
  resident = std::max<int64_t>(resident, 1);
  cost.waves = ceilDiv(cost.ctas, resident);
  cost.kIterations = ceilDiv(k, ctaK);

  // How often the operand with more bytes is read, once per tile across it.
  bool rowsLarger = rowExtent >= columnExtent;
  cost.streamReads = rowsLarger ? tilesN : tilesM;

  double outputs = double(m) * n * batch;
  double computed = double(cost.ctas) * ctaM * ctaN;
  cost.paddedWork = outputs > 0 ? computed / outputs : 1;

  // Mainloop of one tile: the tensor cores or the copy engine, per 128-byte row
  // of K. Several B widen the tile.
  double atoms = double(cost.kIterations) * ctaK / problem.swizzleAtomK();
  double rows = double(ctaM) * (config.swapOperands ? problem.accumulators : 1);
  double columns = double(ctaN) * (config.swapOperands ? 1 : problem.accumulators);
  double tensor = tensorUs(ctaM, columns) * (rows / ctaM) *
                  std::max<int64_t>(problem.productsPerStep, 1);
  double loads =
      rows / ctaM / clusterN * loadUs(problem, rowOperand, ctaM) +
      columns / ctaN / clusterM * loadUs(problem, columnOperand, ctaN);
  double tileUs = atoms * std::max(tensor, loads);
  if (clusterSize > 1)
    tileUs += atoms * kClusterAtomUs;
  cost.mainloopUs = cost.waves * tileUs;

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
  double repacked = (needsRepack(problem.a) ? aBytes : 0) +
                    (needsRepack(problem.b) ? bBytes : 0);
  cost.repackUs = 2 * repacked / dramBytesPerUs;

  // Pingpong hides an epilogue behind the other warpgroup's mainloop, all but
  // the last one and what is longer than that mainloop.
  double elements = double(ctaM) * ctaN;
  bool storesElements = !config.swapOperands && isNarrow(problem, ctaN);
  if (storesElements)
    elements *= kElementStores;
  if (config.kernel == KernelKind::Pingpong) {
    double ringKiB = double(config.stages) * ctaK * problem.operandBits() / 8 *
                     (rows + columns) / 1024;
    double handover =
        kHandoverUs +
        kHandoverUsPerKiB * std::max(0.0, kBridgingRingKiB - ringKiB);
    cost.mainloopUs += cost.waves * handover;
    double one = tileEpilogueUs(problem, elements, 1);
    if (cost.waves > 0)
      cost.epilogueUs = one + (cost.waves - 1) * std::max(0.0, one - tileUs);
  } else {
    cost.epilogueUs = cost.waves * tileEpilogueUs(problem, elements,
                                                  config.consumerWarpgroups());
  }

  double compute = cost.mainloopUs + cost.epilogueUs;
  double work = overlap(compute, cost.memoryFloorUs);
  // Elements are written in parts of sectors, which other work does not hide.
  if (storesElements)
    work *= kPartialSectors;
  cost.predictedUs = kLaunchUs + cost.repackUs + work;
  if (clusterSize > 1)
    cost.predictedUs += kClusterUs;
  if (work < kLaunchUs / 4)
    cost.limiter = Limiter::Launch;
  else if (cost.memoryFloorUs >= compute)
    cost.limiter = Limiter::Memory;
  else if (cost.epilogueUs > cost.mainloopUs)
    cost.limiter = Limiter::Epilogue;
  else
    cost.limiter = loads > tensor ? Limiter::Loads : Limiter::Tensor;
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
  return os << ", limited by " << limiterName(cost.limiter);
}
