//===- Targets.h - typed view of the chip table -----------------*- C++ -*-===//
//
// What each known chip is: limits, instruction families, rates.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGETINFO_TARGETS_H
#define CUTL_TARGETINFO_TARGETS_H

#include "cutl/TargetInfo/MmaAtoms.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cutl::targetinfo {

/// One record of Targets.td, where the fields are explained.
struct Target {
  const char *name;
  /// Compute capability times ten.
  uint16_t sm;
  /// Whether the name ends in "a": code runs on that generation alone.
  bool archSpecific;
  uint32_t sharedMemoryPerCta;
  uint32_t sharedMemoryPerSm;
  uint32_t registersPerSm;
  uint32_t maxThreadsPerCta;
  uint16_t maxClusterSize;
  bool hasTma;
  /// The first `familyCount` entries, the preferred one first.
  MmaFamily families[4];
  uint8_t familyCount;
  /// First PTX ISA version that knows the chip, times ten.
  uint16_t minPtx;
  uint32_t smCount;
  /// SMs that clusters of four or more CTAs can occupy.
  uint32_t clusteredSmCount;
  uint32_t l2Bytes;
  uint32_t peakTflops;
  uint32_t dramGbps;

  bool hasFamily(MmaFamily family) const;
  /// How many CTAs can be resident, one to an SM, in clusters of `clusterSize`.
  int64_t residentCtas(int64_t clusterSize) const;
};

/// Every chip, in order of compute capability.
const std::vector<const Target *> &allChips();

/// Finds a chip by its exact name ("sm_90a"), or null.
const Target *lookupChip(std::string_view name);

/// The known chip whose name is closest to `name`: the same generation where
/// the name has a number, else the fewest edits.
const Target &nearestChip(std::string_view name);

/// "unknown chip 'sm_90'; nearest known is 'sm_90a'".
std::string unknownChipMessage(std::string_view name);

} // namespace cutl::targetinfo

#endif // CUTL_TARGETINFO_TARGETS_H
