//===- StagedKernel.cpp - Parts of a staged kernel ------------------------===//

#include "StagedKernel.h"

#include "cutl/Dialect/CutlTile/IR/SharedMemory.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr StringLiteral kPass = "convert-cutl-tile-to-nvvm";

/// The passes that lead to phase `staged`, in order.
static constexpr StringLiteral kStagingPasses =
    "cutl-tile-select-transfers, cutl-tile-pipeline, "
    "cutl-tile-specialize-warps, "
    "then cutl-tile-allocate-smem";

/// Finds the ops; false if one is missing or there is one too many.
static bool collect(StagedKernel &kernel) {
  bool unique = true;
  auto keep = [&](auto &slot, Operation *op) {
    using Op = std::remove_reference_t<decltype(slot)>;
    if (auto match = dyn_cast<Op>(op)) {
      unique &= !slot;
      slot = match;
    }
  };
  kernel.function.walk([&](Operation *op) {
    keep(kernel.ring, op);
    keep(kernel.load, op);
    keep(kernel.multiply, op);
    keep(kernel.clusterSum, op);
    keep(kernel.fixup, op);
    keep(kernel.epilogue, op);
    if (auto role = dyn_cast<tile::WarpgroupsOp>(op))
      keep(role.getRole() == tile::Role::Producer ? kernel.producer
                                                  : kernel.consumer,
           op);
  });
  return unique && kernel.ring && kernel.load && kernel.multiply &&
         kernel.epilogue && kernel.producer && kernel.consumer &&
         kernel.multiply->getParentOp() == kernel.epilogue->getParentOp() &&
         kernel.producer->isAncestor(kernel.load) &&
         kernel.consumer->isAncestor(kernel.multiply);
}

/// What partial results become is what the epilogue works on.
static LogicalResult checkFixup(StagedKernel &kernel) {
  tile::EpilogueOp epilogue = kernel.epilogue;
  tile::FixupOp fixup = kernel.fixup;
  if (!kernel.loop.isScheduleApplied())
    return kernel.loop.emitOpError("expected the form of ")
           << kernel.loop.getSchedule() << " in " << kPass
           << "; run cutl-apply-schedule first";
  if (!fixup) {
    if (kernel.loop.splitsK())
      return kernel.loop.emitOpError("expected a fixup with schedule ")
             << kernel.loop.getSchedule() << " in " << kPass
             << "; run cutl-apply-schedule first";
    if (epilogue.getCondition())
      return epilogue.emitOpError("expected no condition without a fixup");
    return success();
  }
  if (fixup.getAccumulators() != kernel.multiply.getResults())
    return fixup.emitOpError("expected the accumulators of ")
           << kernel.multiply->getName() << " in " << kPass;
  if (fixup.getSlot() != kernel.loop.getSlot() ||
      fixup.getFirst() != kernel.loop.getFirstSlot() ||
      fixup.getCount() != kernel.loop.getContributors())
    return fixup.emitOpError("expected the slots of its work loop in ")
           << kPass;
  if (fixup.getTurnstile() && !fixup.getTicket())
    return fixup.emitOpError("expected a ticket in ")
           << kPass << "; run cutl-tile-allocate-smem first";
  if (epilogue.getAccumulators() != fixup.getSums() ||
      epilogue.getCondition() != fixup.getLast())
    return epilogue.emitOpError("expected the sums of ")
           << fixup->getName() << " as accumulators, and its last result as the "
           << "condition in " << kPass;
  for (unsigned i = 0; i < epilogue.getAux().size(); ++i)
    if (epilogue.getLoad(i))
      return epilogue.emitOpError("expected elements in loads with a condition, "
                                  "got outs[")
             << *epilogue.getLoad(i) << "] for aux[" << i << "]";
  return success();
}

/// With a cluster along k its sums are what the epilogue works on.
static LogicalResult checkClusterSum(StagedKernel &kernel) {
  tile::ClusterSumOp sum = kernel.clusterSum;
  if (kernel.getClusterParts() == 1)
    return success();
  if (!sum)
    return kernel.loop.emitOpError("expected a sum over the cluster with ")
           << kernel.loop.getConfig() << " in " << kPass;
  if (!sum.getBarriers())
    return sum.emitOpError("expected barriers in ")
           << kPass << "; run cutl-tile-allocate-smem first";
  if (sum.getAccumulators() != kernel.multiply.getResults() ||
      sum.getFrom() != kernel.loop.getOffsets()[kernel.getColumnDim()])
    return sum.emitOpError("expected the accumulators of ")
           << kernel.multiply->getName() << " and where the tile starts in "
           << kPass;
  if (kernel.epilogue.getAccumulators() != sum.getSums() ||
      kernel.epilogue.getOffsets()[kernel.getColumnDim()] != sum.getStart())
    return kernel.epilogue.emitOpError("expected the sums and the start of ")
           << sum->getName() << " in " << kPass;
  return success();
}

/// Warpgroups and readers of the ring are those of the configuration: barriers
/// that wait for others would wait for ever.
static LogicalResult checkRoles(StagedKernel &kernel) {
  int64_t producers = kernel.producer.getCount();
  int64_t consumers = kernel.config.consumerWarpgroups();
  if (producers != 1 || kernel.getConsumers() != consumers)
    return kernel.consumer.emitOpError("expected 1 producer and ")
           << consumers << " consumers, those of the configuration, got "
           << producers << " and " << kernel.getConsumers();
  int64_t readers = kernel.isPingpong() ? 1 : consumers;
  if (!kernel.ring.getReaders())
    return kernel.ring.emitOpError("expected readers in ")
           << kPass << "; run cutl-tile-specialize-warps first";
  if (int64_t(*kernel.ring.getReaders()) != readers)
    return kernel.ring.emitOpError("expected readers(")
           << readers << ") with this configuration, got "
           << int64_t(*kernel.ring.getReaders());
  return success();
}

/// Operands are arguments of the kernel, which the host passes.
static LogicalResult checkArguments(StagedKernel &kernel) {
  auto check = [&](Operation *op, Value value) -> LogicalResult {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &kernel.function.getBody().front())
      return success();
    return op->emitOpError("expected its operands to be arguments of the "
                           "kernel, got one that the kernel computes");
  };
  for (Value input : kernel.load.getInputs())
    if (failed(check(kernel.load, input)))
      return failure();
  if (kernel.fixup)
    for (Value operand :
         {kernel.fixup.getPartials(), kernel.fixup.getArrivals()})
      if (failed(check(kernel.fixup, operand)))
        return failure();
  for (ValueRange operands : {ValueRange(kernel.epilogue.getAux()),
                              ValueRange(kernel.epilogue.getOuts())})
    for (Value operand : operands)
      if (failed(check(kernel.epilogue, operand)))
        return failure();
  return success();
}

/// A reduced output has what one warp or one tile combines.
static LogicalResult checkReduction(StagedKernel &kernel, unsigned output) {
  tile::EpilogueOp epilogue = kernel.epilogue;
  if (epilogue.crossesTiles(output))
    return epilogue.emitOpError("expected each element of outs[")
           << output << "] to come from one tile in " << kPass
           << "; run cutl-tile-split-reductions first";
  Type element = getElementTypeOrSelf(epilogue.getOuts()[output].getType());
  if (!llvm::is_contained({16, 32, 64}, element.getIntOrFloatBitWidth()))
    return epilogue.emitOpError("has no lowering yet for the reduced outs[")
           << output << "] of " << element
           << "; types of 16, 32 and 64 bits have one";
  int64_t rows = 1, columns = 1;
  for (AffineExpr expr : epilogue.getOutput(output).map.getResults()) {
    GemmMapResult result = *decomposeMapResult(expr);
    if (result.dim == kernel.getRowDim())
      rows = result.divisor;
    else if (result.dim == kernel.getColumnDim())
      columns = result.divisor;
  }
  bool isWhole = rows == 1 && columns == 1;
  if (isWhole || (rows != 1 && rows != tile::kWarpRows) ||
      (columns != 1 && columns != kernel.getShareColumns()))
    return epilogue.emitOpError("expected the reduced outs[")
           << output << "] to combine " << tile::kWarpRows << " rows or "
           << kernel.getShareColumns() << " columns of the tile, or both, got "
           << rows << " and " << columns;
  return success();
}

/// Refuses what has no lowering.
static LogicalResult checkForm(StagedKernel &kernel) {
  tile::EpilogueOp epilogue = kernel.epilogue;
  auto hasBits = [](Value value, ArrayRef<unsigned> widths) {
    return llvm::is_contained(
        widths, getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth());
  };
  for (auto [i, out] : llvm::enumerate(epilogue.getOuts())) {
    if (epilogue.isReduced(i)) {
      if (failed(checkReduction(kernel, i)))
        return failure();
    } else if (!hasBits(out, {8, 16, 32})) {
      return epilogue.emitOpError("has no lowering yet for outs[")
             << i << "] of " << getElementTypeOrSelf(out.getType())
             << "; types of 8, 16 and 32 bits have one";
    }
  }
  for (auto [i, aux] : llvm::enumerate(epilogue.getAux()))
    if (!hasBits(aux, {8, 16, 32, 64}))
      return epilogue.emitOpError("has no lowering yet for aux[")
             << i << "] of " << getElementTypeOrSelf(aux.getType())
             << "; types of 8, 16, 32 and 64 bits have one";
  // Each CTA of a cluster loads a slice of what several of them read, in whole
  // swizzle atoms of eight rows.
  int64_t clusterRows = kernel.getClusterRows();
  int64_t clusterColumns = kernel.getClusterColumns();
  auto checkSlices = [&](unsigned operand, int64_t slices) -> LogicalResult {
    int64_t rows = kernel.getStage(operand).getBoxRows();
    if (rows % (8 * slices) == 0)
      return success();
    return kernel.load.emitOpError("expected the rows of operand ")
           << operand << "'s boxes to be a multiple of " << 8 * slices
           << " with a cluster of " << clusterRows << "x" << clusterColumns
           << ", got " << rows;
  };
  if (failed(checkSlices(kernel.getLhs(), clusterColumns)))
    return failure();
  for (unsigned i = 0; i < kernel.getNumProducts(); ++i)
    if (failed(checkSlices(kernel.getRhs(i), clusterRows)))
      return failure();
  return success();
}

/// What is loaded into the buffers of an output fits and arrives in time, and
/// only the copy engine has used them.
static LogicalResult checkLoads(StagedKernel &kernel) {
  tile::EpilogueOp epilogue = kernel.epilogue;
  bool anyLoad = false, anyElements = false;
  for (unsigned aux = 0; aux < epilogue.getAux().size(); ++aux) {
    std::optional<unsigned> output = epilogue.getLoad(aux);
    if (!output)
      continue;
    anyLoad = true;
    if (!tile::canShareBuffers(epilogue, aux, *output,
                               kernel.getConsumerRows()))
      return epilogue.emitOpError("expected loads(elements) for aux[")
             << aux << "], which does not fit the buffers of outs[" << *output
             << "]";
  }
  for (unsigned i = 0; i < kernel.getNumOutputs(); ++i)
    anyElements |= !epilogue.isReduced(i) && !kernel.storesTensor(i);
  if (!anyLoad)
    return success();
  if (anyElements)
    return epilogue.emitOpError("expected stores(tensor) for all outputs "
                                "beside loads that share their buffers");
  if (epilogue.getStagingAttr().getBarriers() < 0)
    return epilogue.emitOpError("expected barriers in staging beside loads "
                                "that share buffers; run "
                                "cutl-tile-allocate-smem after "
                                "cutl-tile-select-transfers");
  if (!tile::arriveInTime(epilogue, kernel.getConsumerRows(),
                          epilogue.getStagingAttr().getBuffers()))
    return epilogue.emitOpError("expected more buffers for its loads, got ")
           << epilogue.getStagingAttr().getBuffers();
  return success();
}

namespace {

/// Bytes of shared memory that an op of the kernel takes.
struct Place {
  Operation *op;
  std::string name;
  int64_t start, bytes, alignment;
};

} // namespace

static SmallVector<Place> getPlaces(StagedKernel &kernel) {
  SmallVector<Place> places;
  auto add = [&](Operation *op, const Twine &name, int64_t start,
                 ArrayRef<int64_t> factors, int64_t alignment) {
    int64_t bytes = 1;
    for (int64_t factor : factors)
      if (factor < 0 || llvm::MulOverflow(bytes, factor, bytes))
        bytes = std::numeric_limits<int64_t>::max();
    if (bytes > 0)
      places.push_back({op, name.str(), start, bytes, alignment});
  };
  tile::RingOp ring = kernel.ring;
  tile::RingLayoutAttr layout = ring.getLayoutAttr();
  int64_t stages = kernel.getRingType().getStages();
  int64_t consumers = kernel.getConsumers();
  for (auto [i, start] : llvm::enumerate(layout.getOperands()))
    add(ring, "operand " + Twine(i) + " of the ring", start,
        {stages, kernel.getStage(i).getBytes()}, tile::kBoxAlignment);
  add(ring, "the full barriers", layout.getFull(),
      {stages, tile::kBarrierBytes}, tile::kBarrierBytes);
  add(ring, "the empty barriers", layout.getEmpty(),
      {stages, tile::kBarrierBytes}, tile::kBarrierBytes);
  tile::StagingAttr staging = kernel.epilogue.getStagingAttr();
  add(kernel.epilogue, "the staging buffers", staging.getOffset(),
      {staging.getBytes(), staging.getBuffers(), consumers},
      tile::kBoxAlignment);
  if (kernel.getNumLoads() > 0)
    add(kernel.epilogue, "the barriers of loads", staging.getBarriers(),
        {kernel.getNumLoads(), consumers, tile::kBarrierBytes},
        tile::kBarrierBytes);
  if (kernel.clusterSum)
    add(kernel.clusterSum, "the barriers of the sum over the cluster",
        *kernel.clusterSum.getBarriers(), {consumers + 1, tile::kBarrierBytes},
        tile::kBarrierBytes);
  if (kernel.fixup && kernel.fixup.getTicket())
    add(kernel.fixup, "the ticket", *kernel.fixup.getTicket(),
        {tile::kTicketBytes}, tile::kTicketBytes);
  return places;
}

/// Everything in shared memory lies within it, aligned, and by itself.
static LogicalResult checkPlaces(StagedKernel &kernel) {
  auto total = kernel.function->getAttrOfType<IntegerAttr>(
      tile::CutlTileDialect::kSharedBytesAttrName);
  if (!total)
    return kernel.function.emitOpError("expected ")
           << tile::CutlTileDialect::kSharedBytesAttrName << " in " << kPass
           << "; run cutl-tile-allocate-smem first";
  SmallVector<Place> places = getPlaces(kernel);
  for (const Place &place : places) {
    if (place.start % place.alignment != 0)
      return place.op->emitOpError("expected ")
             << place.name << " at a multiple of " << place.alignment
             << " bytes, got " << place.start;
    if (place.start < 0 || place.start > total.getInt() - place.bytes)
      return place.op->emitOpError("expected ")
             << place.name << " within the " << total.getInt()
             << " bytes of shared memory, got " << place.bytes << " bytes from "
             << place.start;
  }
  for (auto [i, place] : llvm::enumerate(places))
    for (const Place &other : ArrayRef(places).take_front(i))
      if (place.start < other.start + other.bytes &&
          other.start < place.start + place.bytes)
        return place.op->emitOpError("expected ")
               << place.name << " to share no bytes with " << other.name
               << ", got " << place.bytes << " bytes from " << place.start
               << " and " << other.bytes << " from " << other.start;
  return success();
}

FailureOr<StagedKernel>
mlir::cutl::nvvm::matchStagedKernel(gpu::GPUFuncOp function) {
  StagedKernel kernel;
  kernel.function = function;
  if (!collect(kernel))
    return function.emitOpError("expected phase 'staged' in ")
           << kPass << ": one ring, one producer that loads and one group of "
           << "consumers; run " << kStagingPasses << " first";
  if (!kernel.ring.getLayout() || !kernel.epilogue.getStaging())
    return kernel.ring.emitOpError("expected a place in shared memory in ")
           << kPass << "; run cutl-tile-allocate-smem first";
  kernel.loop = cast<tile::WorkLoopOp>(kernel.multiply->getParentOp());
  kernel.config = kernel.loop.getConfig().toTileConfig();
  if (failed(checkRoles(kernel)) || failed(checkClusterSum(kernel)) ||
      failed(checkFixup(kernel)) || failed(checkArguments(kernel)) ||
      failed(checkForm(kernel)))
    return failure();
  for (unsigned i = 0; i < kernel.getNumOutputs(); ++i) {
    if (kernel.epilogue.isReduced(i)) {
      kernel.stagings.emplace_back();
      continue;
    }
    kernel.stagings.push_back(
        tile::getOutputStaging(kernel.epilogue, i, kernel.getConsumerRows()));
    if (kernel.storesTensor(i) && !kernel.stagings.back().fitsTensorMap)
      return kernel.epilogue.emitOpError(
                 "expected stores(elements) for an output that the tensor "
                 "copy engine cannot write, got stores(tensor) for outs[")
             << i << "]";
  }
  if (failed(checkLoads(kernel)))
    return failure();
  kernel.steps =
      tile::getEpilogueSteps(kernel.epilogue, kernel.getConsumerRows());
  if (failed(checkPlaces(kernel)))
    return failure();
  return kernel;
}
