//===- TileConfig.h - how one kernel is tiled -------------------*- C++ -*-===//
//
// The decision that the heuristics rank and the IR carries.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_HEURISTICS_TILECONFIG_H
#define CUTL_HEURISTICS_TILECONFIG_H

#include "cutl/Heuristics/Problem.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace cutl::heuristics {

/// How the consumer warpgroups of a CTA share its work.
enum class KernelKind : uint8_t {
  /// All of them work on one cta tile, each on its own rows.
  Cooperative,
  /// Two of them take whole cta tiles in turn, so that one multiplies while the
  /// other runs its epilogue.
  Pingpong,
  /// There is only one.
  Single,
};

/// "cooperative", "pingpong" or "single".
const char *kernelKindName(KernelKind kind);

/// The dimension along which neighbouring CTAs walk inside a raster group.
enum class RasterOrder : uint8_t { M, N };

/// "m" or "n".
const char *rasterOrderName(RasterOrder order);

/// Of the number that a CTA draws and keeps in shared memory, where the
/// schedule has units take turns.
constexpr int64_t kTicketBytes = 4;

/// Bytes that divide the address of every row of a repacked operand: rows share
/// no cache line.
constexpr int64_t kRepackedAlignment = 128;

struct TileConfig {
  int64_t ctaM = 128;
  int64_t ctaN = 128;
  /// Elements of K in one stage.
  int64_t ctaK = 64;
  int64_t stages = 4;
  KernelKind kernel = KernelKind::Cooperative;
  int64_t clusterM = 1;
  int64_t clusterN = 1;
  /// CTAs that divide the k of each unit and add up what they have, each in a
  /// share of the tile's columns.
  int64_t clusterK = 1;
  RasterOrder raster = RasterOrder::M;
  /// Tiles in a raster group, counted along `raster`.
  int64_t rasterGroup = 8;
  /// Staging buffers of each consumer warpgroup, each 128 bytes (64 columns of
  /// a 16-bit result) wide.
  int64_t epilogueBuffers = 1;
  /// Whether B takes the place of A: ctaM then tiles the problem's n and ctaN
  /// its m, which suits few rows.
  bool swapOperands = false;
  /// Whether a copy of A, or of every B, is what the kernel reads: aligned rows
  /// along k.
  bool repackA = false;
  bool repackB = false;

  bool operator==(const TileConfig &other) const;
  bool operator!=(const TileConfig &other) const { return !(*this == other); }

  int64_t clusterSize() const { return clusterM * clusterN * clusterK; }
  /// Columns of the cta tile that one CTA finishes.
  int64_t shareN() const { return clusterK > 1 ? ctaN / clusterK : ctaN; }
  int64_t consumerWarpgroups() const;
  /// Rows of the cta tile that one consumer warpgroup accumulates.
  int64_t rowsPerWarpgroup() const;
  /// Threads of a CTA: the consumers and one producer warpgroup.
  int64_t threads() const { return 128 * (1 + consumerWarpgroups()); }
  /// 128-byte rows of K in one stage.
  int64_t kAtomsPerStage(const Problem &problem) const {
    return ctaK / problem.swizzleAtomK();
  }
  /// The problem with the operands as the kernel reads them.
  Problem afterRepack(const Problem &problem) const;
  /// Dynamic shared memory: rings of A and B, epilogue staging, barriers. What
  /// a schedule takes besides, a ticket, is not among it.
  int64_t sharedMemoryBytes(const Problem &problem) const;
  /// 32-bit registers that the accumulators take in each consumer thread.
  int64_t accumulatorRegisters(const Problem &problem) const;

  /// "128x200x64 pingpong, 4 stages", with what differs from the default.
  std::string str() const;
};

std::ostream &operator<<(std::ostream &os, const TileConfig &config);

} // namespace cutl::heuristics

#endif // CUTL_HEURISTICS_TILECONFIG_H
