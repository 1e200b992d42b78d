//===- KernelPlan.cpp - Ring, shared memory and roles of a kernel ---------===//

#include "KernelPlan.h"
#include "cutl/TargetInfo/Targets.h"

using namespace mlir::cutl::nvvm;

static OperandStage planOperand(int64_t extent, const TileShape &tile,
                                bool kMajor) {
  OperandStage stage;
  stage.kMajor = kMajor;
  int64_t span = kSwizzleSpan / tile.elementBytes;
  int64_t contiguous = kMajor ? tile.k : extent;
  stage.boxRows = kMajor ? extent : tile.k;
  stage.boxes = (contiguous + span - 1) / span;
  stage.boxBytes = stage.boxRows * kSwizzleSpan;
  return stage;
}

static RolePlan planRoles(const TileShape &tile) {
  RolePlan roles;
  roles.consumers = tile.kernel == Kernel::Single ? 1 : 2;
  roles.consumerRows =
      tile.kernel == Kernel::Cooperative ? tile.m / 2 : tile.m;
  // The registers of a thread that only starts copies, and what is left for
  // the others; ptxas spills no configuration that fits these.
  int64_t accumulators = roles.slabs() * tile.n / 2;
  if (roles.consumers == 1) {
    roles.producerRegisters = 40;
    roles.consumerRegisters = 248;
  } else {
    roles.producerRegisters = accumulators > 128 ? 24 : 40;
    roles.consumerRegisters = accumulators > 128 ? 240 : 232;
  }
  return roles;
}

static std::string expected(const char *what, const std::string &rule,
                            int64_t got) {
  return std::string("expected ") + what + " " + rule + ", got " +
         std::to_string(got);
}

static std::optional<std::string> checkTile(const TileShape &tile) {
  if (tile.n < 8 || tile.n > 256 || tile.n % 8 != 0)
    return expected("tile n", "to be a multiple of 8 from 8 to 256", tile.n);
  int64_t span = kSwizzleSpan / tile.elementBytes;
  if (tile.k < span || tile.k % span != 0)
    return expected("tile k", "to be a multiple of " + std::to_string(span),
                    tile.k);
  // An MN-major box holds as many rows as the tile has k; the descriptor's
  // offset between boxes is that of 64 rows.
  if ((!tile.aKMajor || !tile.bKMajor) && tile.k != 64)
    return expected("tile k", "to be 64 with an MN-major operand", tile.k);
  int64_t rows = tile.kernel == Kernel::Cooperative ? 2 * kSlab : kSlab;
  if (tile.m < rows || tile.m % rows != 0)
    return expected("tile m", "to be a multiple of " + std::to_string(rows),
                    tile.m);
  if (tile.m > 256)
    return expected("tile m", "to be at most 256", tile.m);
  if (tile.stages < 2)
    return expected("stages", "to be at least 2", tile.stages);
  if (tile.store == StoreKind::Tma &&
      (tile.outputBytes != 2 || tile.n < 64))
    return std::string("expected a 16-bit output and tile n of at least 64 for "
                       "a tensor store, got ") +
           std::to_string(8 * tile.outputBytes) + " bits and " +
           std::to_string(tile.n);
  return std::nullopt;
}

std::optional<std::string> mlir::cutl::nvvm::makePlan(const TileShape &tile,
                                                      KernelPlan &plan) {
  if (auto error = checkTile(tile))
    return error;
  plan.tile = tile;
  plan.roles = planRoles(tile);
  int64_t accumulators = plan.roles.slabs() * tile.n / 2;
  if (accumulators > 208)
    return expected("accumulator registers of a thread", "to be at most 208",
                    accumulators);

  plan.ring.stages = tile.stages;
  plan.ring.a = planOperand(tile.m, tile, tile.aKMajor);
  plan.ring.b = planOperand(tile.n, tile, tile.bKMajor);
  plan.ring.readers = tile.kernel == Kernel::Cooperative ? 2 : 1;

  SharedMemoryPlan &shared = plan.shared;
  shared.a = 0;
  shared.b = shared.a + tile.stages * plan.ring.a.bytes();
  shared.staging = shared.b + tile.stages * plan.ring.b.bytes();
  if (tile.store == StoreKind::Tma) {
    shared.buffers = tile.epilogueBuffers;
    shared.stagingBufferBytes = plan.roles.consumerRows * kSwizzleSpan;
  }
  shared.fullBarriers =
      shared.staging +
      plan.roles.consumers * shared.buffers * shared.stagingBufferBytes;
  shared.emptyBarriers = shared.fullBarriers + 8 * tile.stages;
  shared.total = shared.emptyBarriers + 8 * tile.stages;
  int64_t limit =
      ::cutl::targetinfo::lookupChip("sm_90a")->sharedMemoryPerCta;
  if (shared.total > limit)
    return expected("shared memory",
                    "to be at most " + std::to_string(limit) +
                        " bytes",
                    shared.total);
  return std::nullopt;
}
