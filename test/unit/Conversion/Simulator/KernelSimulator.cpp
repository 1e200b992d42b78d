//===- KernelSimulator.cpp - Runs the protocol of a kernel ----------------===//

#include "KernelSimulator.h"
#include "Machine.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace cutltest;

uint32_t cutltest::getAccumulator(const TileProducts &products,
                                  int64_t warpInGroup, unsigned lane,
                                  unsigned index, bool hasExactSums) {
  const Product &first = products.front();
  uint64_t hash = products.size();
  auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  for (int64_t start : first.leftStart)
    mix(start);
  for (int64_t start : first.rightStart)
    mix(start);
  mix(warpInGroup);
  mix(lane);
  mix(index);
  // Integers of 20 bits, of which any sixteen have a sum of 24; none is zero.
  if (hasExactSums)
    return llvm::bit_cast<uint32_t>(
        float(int32_t(hash % (1 << 20) | 1) - (1 << 19)));
  // Any sign and mantissa, and exponents that make most sums inexact.
  uint32_t exponent = 127 + (hash >> 40) % 16;
  return (uint32_t(hash) & 0x807fffff) | exponent << 23;
}

namespace {

/// Chooses who goes next. Some seeds make some warps, or the copy engine, much
/// slower than others, and some complete a store only once nothing else moves.
class Scheduler {
public:
  Scheduler(const LaunchInfo &launch, Machine &machine, uint64_t seed)
      : launch(launch), machine(machine), random(seed),
        blockedAt(machine.getNumWarps(), kNever),
        isStarted(launch.ctas / launch.clusterSize, !launch.mayRunFew) {
    delaysStores = random() % 2;
    for (size_t i = 0; i <= machine.getNumWarps(); ++i)
      weights.push_back(uint64_t(1) << (4 * (random() % 3)));
    if (!launch.mayRunFew)
      return;
    // One cluster at a time, some, or all, whatever their numbers.
    mostRunning = 1 + random() % isStarted.size();
    if (random() % 3 == 0)
      mostRunning = 1;
    for (size_t cluster = 0; cluster < isStarted.size(); ++cluster)
      waiting.push_back(cluster);
    std::shuffle(waiting.begin(), waiting.end(), random);
    startClusters();
  }

  void run();

private:
  static constexpr uint64_t kNever = ~uint64_t(0);
  static constexpr uint64_t kMaxSteps = 20'000'000;
  /// Who can move: a warp, or the copy engine, which is the last number.
  bool canMove(size_t who) {
    if (who == machine.getNumWarps())
      return delaysStores ? machine.hasPendingLoads()
                          : machine.hasPendingCopies();
    return !machine.hasFinished(who) && blockedAt[who] != version &&
           isStarted[machine.getCta(who) / launch.clusterSize];
  }
  /// Starts those for which there is room.
  void startClusters() {
    size_t running = 0;
    for (size_t cluster = 0; cluster < isStarted.size(); ++cluster) {
      bool hasEnded = true;
      for (int64_t rank = 0; rank < launch.clusterSize; ++rank)
        hasEnded &= machine.hasEnded(cluster * launch.clusterSize + rank);
      running += isStarted[cluster] && !hasEnded;
    }
    for (; running < mostRunning && !waiting.empty(); ++running) {
      isStarted[waiting.back()] = true;
      waiting.pop_back();
      ++version;
    }
  }

  const LaunchInfo &launch;
  Machine &machine;
  std::mt19937_64 random;
  std::vector<uint64_t> weights;
  bool delaysStores;
  /// A warp that is blocked stays so until something else has moved.
  std::vector<uint64_t> blockedAt;
  uint64_t version = 0;
  /// By cluster.
  std::vector<bool> isStarted;
  std::vector<size_t> waiting;
  size_t mostRunning = 0;
};

} // namespace

void Scheduler::run() {
  size_t engine = machine.getNumWarps();
  std::vector<size_t> candidates;
  for (uint64_t step = 0; machine.error.empty(); ++step) {
    if (step == kMaxSteps) {
      machine.error = "the kernel does not end";
      return;
    }
    candidates.clear();
    uint64_t total = 0;
    for (size_t who = 0; who <= engine; ++who)
      if (canMove(who)) {
        candidates.push_back(who);
        total += weights[who];
      }
    if (candidates.empty()) {
      if (!machine.hasPendingCopies())
        return machine.finish();
      machine.finishCopy(random(), /*loads=*/false);
      ++version;
      continue;
    }
    uint64_t choice = random() % total;
    size_t chosen = candidates.front();
    for (size_t who : candidates) {
      chosen = who;
      if (choice < weights[who])
        break;
      choice -= weights[who];
    }
    if (chosen == engine) {
      machine.finishCopy(random(), delaysStores);
      ++version;
    } else if (machine.step(chosen)) {
      ++version;
      if (machine.hasFinished(chosen) && !waiting.empty())
        startClusters();
    } else {
      blockedAt[chosen] = version;
    }
  }
}

SimulationResult cutltest::simulate(const LaunchInfo &launch, uint64_t seed) {
  SimtProgram program(launch.kernel);
  if (!program.getError().empty())
    return {program.getError(), {}, {}, {}};
  Machine machine(launch, program);
  Scheduler(launch, machine, seed).run();
  return {machine.error, std::move(machine.tiles), std::move(machine.negated),
          std::move(machine.tickets)};
}
