//===- FixupWorkspace.cpp - Where the units of a tile meet ---------------===//

#include "FixupWorkspace.h"

#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "cutl/Dialect/CutlTile/IR/WorkSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

static constexpr StringRef kPassName = "cutl-apply-schedule";

/// Computes in the entry what the kernel computes from its arguments.
static FailureOr<Value> computeOnHost(OpBuilder &builder, Value value,
                                      IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) || op->getNumRegions() != 0)
    return failure();
  for (Value operand : op->getOperands())
    if (failed(computeOnHost(builder, operand, mapping)))
      return failure();
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Adds what a launch works on behind its operands.
static LogicalResult addWorkspace(LaunchKernelOp launch, gpu::GPUFuncOp kernel,
                                  WorkLoopOp loop, MemRefType partialsType,
                                  MemRefType arrivalsType) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  IRMapping mapping;
  for (auto [argument, operand] :
       llvm::zip(kernel.getArguments(), launch.getArguments()))
    mapping.map(argument, operand);
  SmallVector<Value> extents;
  for (Value extent : loop.getExtents()) {
    FailureOr<Value> value = computeOnHost(builder, extent, mapping);
    if (failed(value))
      return loop.emitOpError("expected extents that follow from the kernel's "
                              "arguments in ")
             << kPassName;
    extents.push_back(*value);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto times = [&](Value value, int64_t factor) -> Value {
    if (factor == 1)
      return value;
    return arith::MulIOp::create(builder, loc, value, constant(factor));
  };
  ::cutl::heuristics::TileConfig config = loop.getConfig().toTileConfig();
  WorkSpace space = emitWorkSpace(builder, loc, loop, extents);
  Value workers = ResidentCtasOp::create(builder, loc, builder.getIndexType(),
                                         launch.getKernelAttr());
  if (std::optional<int64_t> budget = launch.getSmBudget())
    workers = arith::MinUIOp::create(builder, loc, workers, constant(*budget));
  if (config.clusterSize() != 1)
    workers = arith::DivUIOp::create(builder, loc, workers,
                                     constant(config.clusterSize()));
  auto schedule = cast<ScheduleEmissionInterface>(loop.getSchedule());
  Value grid = schedule.emitGridSize(builder, loc, space, workers);
  Value slots = schedule.emitSlotCount(builder, loc, space, workers);
  Value rows = times(slots, config.clusterSize());
  // A warpgroup with rows of its own counts on its own.
  Value counters = times(rows, config.ctaM / config.rowsPerWarpgroup());
  // In front of the counters is the one that CTAs draw their numbers from.
  if (loop.getSchedule().takesTurns())
    counters = arith::AddIOp::create(builder, loc, counters, constant(1));
  Value partials =
      memref::AllocOp::create(builder, loc, partialsType, ValueRange(rows));
  Value arrivals =
      memref::AllocOp::create(builder, loc, arrivalsType, ValueRange(counters));
  // What units add to begins as nothing.
  if (loop.getSchedule().addsAsUnitsArrive())
    MemsetOp::create(builder, loc, partials, 0);
  MemsetOp::create(builder, loc, arrivals, 0);
  launch.getArgumentsMutable().append({partials, arrivals});
  launch.getGridMutable().assign(times(grid, config.clusterSize()));
  return success();
}

LogicalResult mlir::cutl::tile::addFixup(gpu::GPUFuncOp kernel,
                                         EpilogueOp epilogue,
                                         ArrayRef<LaunchKernelOp> launches) {
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  if (!isa<ScheduleEmissionInterface>(loop.getSchedule()))
    return loop.emitOpError("expected the emission of ")
           << loop.getSchedule() << " to be registered in " << kPassName;
  if (epilogue.getCondition())
    return epilogue.emitOpError("expected no condition before ") << kPassName;
  OpBuilder builder(epilogue);
  auto type = cast<AccType>(epilogue.getAccumulators().front().getType());
  int64_t elements = type.getShape()[0] * type.getShape()[1] *
                     int64_t(epilogue.getAccumulators().size());
  auto partialsType =
      MemRefType::get({ShapedType::kDynamic, elements}, type.getElementType());
  auto arrivalsType =
      MemRefType::get({ShapedType::kDynamic}, builder.getI32Type());
  for (LaunchKernelOp launch : launches)
    if (failed(addWorkspace(launch, kernel, loop, partialsType, arrivalsType)))
      return failure();
  unsigned argument = kernel.getNumArguments();
  for (Type type : {partialsType, arrivalsType})
    (void)kernel.insertArgument(kernel.getNumArguments(), type,
                                DictionaryAttr(), epilogue.getLoc());
  auto fixup = FixupOp::create(
      builder, epilogue.getLoc(), epilogue.getAccumulators(), loop.getSlot(),
      loop.getFirstSlot(), loop.getContributors(), kernel.getArgument(argument),
      kernel.getArgument(argument + 1), loop.getSchedule().addsAsUnitsArrive(),
      loop.getSchedule().takesTurns(), /*ticket=*/IntegerAttr());
  epilogue.getAccumulatorsMutable().assign(fixup.getSums());
  epilogue.getConditionMutable().assign(fixup.getLast());
  return success();
}
