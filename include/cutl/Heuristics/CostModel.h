//===- CostModel.h - predicted time of a configuration ----------*- C++ -*-===//
//
// A pure function from (problem, configuration, chip) to a cost breakdown.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_HEURISTICS_COSTMODEL_H
#define CUTL_HEURISTICS_COSTMODEL_H

#include "cutl/Heuristics/Problem.h"
#include "cutl/Heuristics/TileConfig.h"
#include "cutl/TargetInfo/Targets.h"

#include <cstdint>
#include <iosfwd>

namespace cutl::heuristics {

/// What bounds the predicted time: the longest of the times that make it up.
enum class Limiter : uint8_t {
  /// Starting the kernel, and the CTAs of its clusters together.
  Launch,
  /// What a CTA does by itself, where at least half of the chip has no tile.
  Tiles,
  /// The rate of the tensor cores.
  Tensor,
  /// The rate at which rows of operands arrive in shared memory.
  Loads,
  /// Bytes that the L2 cache hands to all multiprocessors together.
  Cache,
  /// Bytes that cross DRAM, copies of unaligned operands included.
  Memory,
  /// The part of the epilogue that no mainloop hides.
  Epilogue,
};

/// One word: "launch", "tiles", "tensor", "loads", "cache", "memory" or
/// "epilogue".
const char *limiterName(Limiter limiter);

struct Cost {
  /// Cta tiles of the problem, those that fill up clusters included.
  int64_t ctas = 0;
  /// Rounds that the resident CTAs need for them.
  int64_t waves = 0;
  /// Stages that one cta tile consumes.
  int64_t kIterations = 0;
  double mainloopUs = 0;
  /// Bytes of every operand and result, each counted once.
  double compulsoryBytes = 0;
  /// Time to move every operand and result through DRAM once.
  double memoryFloorUs = 0;
  /// The part of the epilogue that no mainloop hides.
  double epilogueUs = 0;
  /// The copies of operands that are repacked.
  double repackUs = 0;
  double predictedUs = 0;
  int64_t sharedMemoryBytes = 0;
  /// Elements of output computed over elements wanted, 1 when no tile is
  /// padded.
  double paddedWork = 1;
  /// How many cta tiles read each element of the longer operand.
  int64_t streamReads = 0;
  Limiter limiter = Limiter::Launch;
  /// What the limiter would take by itself, the rest of the prediction apart.
  double limiterUs = 0;
};

std::ostream &operator<<(std::ostream &os, const Cost &cost);

/// CTAs of a configuration that run at once: whole clusters, as many as the
/// chip holds and the problem's budget of SMs allows, at least one CTA.
int64_t residentCtas(const Problem &problem, const TileConfig &config,
                     const targetinfo::Target &target);

/// Predicts how long `problem` takes under `config`. Meaningful for
/// configurations that the family's legality check accepts; total otherwise.
Cost estimateCost(const Problem &problem, const TileConfig &config,
                  const targetinfo::Target &target);

} // namespace cutl::heuristics

#endif // CUTL_HEURISTICS_COSTMODEL_H
