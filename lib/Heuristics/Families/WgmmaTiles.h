//===- WgmmaTiles.h - the cta tiles of the wgmma family ---------*- C++ -*-===//
//
// Which tiles there are, and how their rings fill the shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_HEURISTICS_FAMILIES_WGMMATILES_H
#define CUTL_LIB_HEURISTICS_FAMILIES_WGMMATILES_H

#include "cutl/Heuristics/TileConfig.h"
#include "cutl/TargetInfo/Targets.h"

#include <vector>

namespace cutl::heuristics {

/// Accumulator registers of each consumer thread in the largest kernel that
/// does not spill. Results of further outputs wait in registers as well.
int64_t accumulatorLimit(const TileConfig &config, const Problem &problem);

/// Gives up staging buffers, then stages, until the shared memory suffices, and
/// takes back the buffers that still fit.
void fitSharedMemory(TileConfig &config, const Problem &problem, int64_t limit);

/// Every tile whose accumulators fit the registers, without clusters, the
/// preferred of equals first. Rings are as deep as pays in the memory that there
/// is.
std::vector<TileConfig> makeTiles(const Problem &problem,
                                  const targetinfo::Target &target);

} // namespace cutl::heuristics

#endif // CUTL_LIB_HEURISTICS_FAMILIES_WGMMATILES_H
