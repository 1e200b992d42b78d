//===- AllocateSmem.cpp - cutl-tile-allocate-smem -------------------------===//

#include "cutl/Dialect/CutlTile/IR/SharedMemory.h"
#include "cutl/Dialect/CutlTile/Transforms/EpilogueSteps.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/TargetInfo/Targets.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILEALLOCATESMEM
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;

namespace {

/// The ops of a kernel that take shared memory.
struct Users {
  RingOp ring;
  WarpgroupsOp consumer;
  EpilogueOp epilogue;
  /// Null without a cluster along k.
  ClusterSumOp clusterSum;
  /// Null where units do not meet in a workspace.
  FixupOp fixup;
};

} // namespace

static FailureOr<Users> findUsers(gpu::GPUFuncOp kernel) {
  Users users;
  kernel.walk([&](Operation *op) {
    if (auto ring = dyn_cast<RingOp>(op))
      users.ring = ring;
    else if (auto epilogue = dyn_cast<EpilogueOp>(op))
      users.epilogue = epilogue;
    else if (auto sum = dyn_cast<ClusterSumOp>(op))
      users.clusterSum = sum;
    else if (auto fixup = dyn_cast<FixupOp>(op))
      users.fixup = fixup;
    else if (auto role = dyn_cast<WarpgroupsOp>(op);
             role && role.getRole() == Role::Consumer)
      users.consumer = role;
  });
  if (!users.ring || !users.consumer || !users.epilogue)
    return kernel.emitOpError("expected a ring and warpgroups with roles in "
                              "cutl-tile-allocate-smem; run cutl-tile-pipeline, "
                              "then cutl-tile-specialize-warps first");
  if (!users.epilogue.getStores())
    return users.epilogue.emitOpError(
        "expected stores in cutl-tile-allocate-smem; run "
        "cutl-tile-select-transfers first");
  return users;
}

static LogicalResult allocate(gpu::GPUFuncOp kernel) {
  FailureOr<Users> users = findUsers(kernel);
  if (failed(users))
    return failure();
  Builder builder(kernel.getContext());
  auto target = mlir::cutl::TargetAttr::lookup(kernel);
  if (!target)
    return users->ring.emitOpError("expected a target in "
                                   "cutl-tile-allocate-smem, got none; run "
                                   "cutl-attach-target first");
  RingType ring = users->ring.getRing().getType();
  auto loop = cast<WorkLoopOp>(users->epilogue->getParentOp());
  ::cutl::heuristics::TileConfig config = loop.getConfig().toTileConfig();

  int64_t next = 0;
  auto take = [&](int64_t bytes, int64_t alignment) {
    int64_t start = llvm::alignTo(next, alignment);
    next = start + bytes;
    return start;
  };
  SmallVector<int64_t> operands;
  for (StageType operand : ring.getOperands())
    operands.push_back(
        take(ring.getStages() * operand.getBytes(), kBoxAlignment));
  int64_t consumers = users->consumer.getCount();
  // Outputs are staged one after the other in the same buffers.
  int64_t bufferBytes = 0;
  for (unsigned i = 0; i < users->epilogue.getOuts().size(); ++i)
    if (!users->epilogue.isReduced(i))
      bufferBytes = std::max<int64_t>(
          bufferBytes, getOutputStaging(users->epilogue, i,
                                        config.rowsPerWarpgroup())
                           .getBytes());
  bufferBytes = llvm::alignTo(bufferBytes, kBoxAlignment);
  int64_t buffers = config.epilogueBuffers;
  int64_t staging = take(bufferBytes * buffers * consumers, kBoxAlignment);
  int64_t full = take(kBarrierBytes * ring.getStages(), kBarrierBytes);
  int64_t empty = take(kBarrierBytes * ring.getStages(), kBarrierBytes);
  int64_t loads =
      countLoads(getEpilogueSteps(users->epilogue, config.rowsPerWarpgroup()));
  int64_t barriers =
      loads ? take(kBarrierBytes * loads * consumers, kBarrierBytes) : -1;
  if (users->clusterSum)
    users->clusterSum.setBarriers(
        take(kBarrierBytes * (consumers + 1), kBarrierBytes));
  if (users->fixup && users->fixup.getTurnstile())
    users->fixup.setTicket(take(kTicketBytes, kTicketBytes));

  int64_t limit = target.getRecord()->sharedMemoryPerCta;
  if (next > limit)
    return users->ring.emitOpError("expected at most ")
           << limit << " bytes of shared memory on " << target.getChip()
           << ", got "
           << next << " with " << ring.getStages() << " stages of "
           << ring.getStageBytes() << " bytes and " << buffers
           << " epilogue buffers of " << bufferBytes;
  users->ring.setLayoutAttr(RingLayoutAttr::get(builder.getContext(), operands,
                                                full, empty));
  users->epilogue.setStagingAttr(StagingAttr::get(
      builder.getContext(), staging, bufferBytes, buffers, barriers));
  kernel->setAttr(CutlTileDialect::kSharedBytesAttrName,
                  builder.getI64IntegerAttr(next));
  return success();
}

namespace {

struct AllocateSmemPass final
    : mlir::cutl::tile::impl::CutlTileAllocateSmemBase<AllocateSmemPass> {
  using CutlTileAllocateSmemBase::CutlTileAllocateSmemBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && !findCombine(kernel.getBody()) &&
          !findRepack(kernel.getBody()) &&
          failed(allocate(kernel)))
        return signalPassFailure();
  }
};

} // namespace
