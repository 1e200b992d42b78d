//===- SpecializeWarps.cpp - cutl-tile-specialize-warps -------------------===//

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/Heuristics/TileConfig.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILESPECIALIZEWARPS
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;

namespace {
/// Registers of a thread of each role.
struct Registers {
  int64_t producer, consumer;
};
} // namespace

/// A producer only starts copies; the consumers get what it leaves of the 64 Ki
/// registers of a multiprocessor. ptxas spills no legal configuration with
/// these.
static Registers getRegisters(int64_t consumers, int64_t accumulators) {
  if (consumers == 1)
    return {40, 248};
  if (consumers == 3)
    return {32, 160};
  return accumulators > 128 ? Registers{24, 240} : Registers{40, 232};
}

/// The loop with only those of its ops for which `keeps` holds. The others have
/// no uses among them.
static void cloneLoop(OpBuilder &builder, WorkLoopOp loop,
                      function_ref<bool(Operation &)> keeps) {
  IRMapping mapping;
  auto copy = cast<WorkLoopOp>(builder.cloneWithoutRegions(*loop));
  Block &body = copy.getRegion().emplaceBlock();
  for (BlockArgument argument : loop.getBody().getArguments())
    mapping.map(argument,
                body.addArgument(argument.getType(), argument.getLoc()));
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  for (Operation &op : loop.getBody().front())
    if (keeps(op))
      inner.clone(op, mapping);
}

static void specialize(WorkLoopOp loop, LoadOp load, MultiplyOp multiply) {
  ::cutl::heuristics::TileConfig config = loop.getConfig().toTileConfig();
  int64_t consumers = config.consumerWarpgroups();
  int64_t accumulators = config.rowsPerWarpgroup() * config.ctaN / 128 *
                         multiply.getAccumulators().size();
  // What is promoted is added to sums of its own.
  if (ComputeAttr compute = multiply.getComputeAttr();
      compute && compute.getPromote())
    accumulators *= 2;
  Registers registers = getRegisters(consumers, accumulators);
  bool pingpong = config.kernel == ::cutl::heuristics::KernelKind::Pingpong;
  auto ring = load.getRing().getDefiningOp<RingOp>();
  ring.setReaders(pingpong ? 1 : consumers);

  OpBuilder builder(loop);
  auto addRole = [&](Role role, int64_t count, int64_t perThread,
                     function_ref<bool(Operation &)> keeps) {
    auto op = WarpgroupsOp::create(builder, loop.getLoc(), role, count,
                                   perThread);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&op.getBody());
    cloneLoop(builder, loop, keeps);
  };
  addRole(Role::Producer, 1, registers.producer,
          [](Operation &op) { return isa<LoadOp>(op); });
  addRole(Role::Consumer, consumers, registers.consumer,
          [](Operation &op) { return !isa<LoadOp>(op); });
  loop.erase();
}

namespace {

struct SpecializeWarpsPass final
    : mlir::cutl::tile::impl::CutlTileSpecializeWarpsBase<SpecializeWarpsPass> {
  using CutlTileSpecializeWarpsBase::CutlTileSpecializeWarpsBase;

  void runOnOperation() override {
    SmallVector<WorkLoopOp> loops;
    getOperation().walk([&](WorkLoopOp op) { loops.push_back(op); });
    for (WorkLoopOp loop : loops) {
      if (isa<WarpgroupsOp>(loop->getParentOp()))
        continue;
      LoadOp load;
      MultiplyOp multiply;
      loop.walk([&](LoadOp op) { load = op; });
      loop.walk([&](MultiplyOp op) { multiply = op; });
      if (!load || !multiply || !load.getRing().getDefiningOp<RingOp>()) {
        loop.emitOpError("expected phase 'staged' in "
                         "cutl-tile-specialize-warps, got 'tiled'; run "
                         "cutl-tile-pipeline first");
        return signalPassFailure();
      }
      specialize(loop, load, multiply);
    }
  }
};

} // namespace
