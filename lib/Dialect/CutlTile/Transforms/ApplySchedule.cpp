//===- ApplySchedule.cpp - cutl-apply-schedule ---------------------------===//

#include "FixupWorkspace.h"
#include "PartialResults.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLAPPLYSCHEDULE
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;
using mlir::cutl::Combiner;
using mlir::cutl::GemmDomain;
using mlir::cutl::LaunchKernelOp;

static constexpr StringRef kPassName = "cutl-apply-schedule";

/// The accumulator that an output has, as it is or rounded; null if the region
/// does more.
static Value getSum(EpilogueOp epilogue, unsigned output) {
  Block &body = epilogue.getBody().front();
  Value value = body.getTerminator()->getOperand(output);
  if (auto rounding = value.getDefiningOp<arith::TruncFOp>())
    value = rounding.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  bool isAccumulator =
      argument && argument.getArgNumber() < epilogue.getAccumulators().size();
  return isAccumulator ? value : Value();
}

static LogicalResult check(WorkLoopOp loop, EpilogueOp epilogue) {
  GemmDomain domain = loop.getDomain();
  if (domain.getNumBatch() == GemmDomain::kMaxBatch)
    return loop.emitOpError("expected fewer than ")
           << GemmDomain::kMaxBatch
           << " batch dimensions beside the parts of k in " << kPassName;
  for (unsigned i = 0; i < epilogue.getOuts().size(); ++i)
    if (epilogue.isReduced(i) || !getSum(epilogue, i))
      return epilogue.emitOpError("expected outs[")
             << i << "] to be a sum over k or that rounded in " << kPassName
             << ", where " << loop.getSchedule()
             << " leaves the sum to another kernel";
  return success();
}

/// Puts the part of k in front of the batch dimensions of everything.
static void addPartDimension(WorkLoopOp loop, int64_t parts) {
  OpBuilder builder(loop);
  SmallVector<Value> extents = {
      arith::ConstantIndexOp::create(builder, loop.getLoc(), parts)};
  llvm::append_range(extents, loop.getExtents());
  loop.getExtentsMutable().assign(extents);
  loop.setPartsAttr(builder.getI64IntegerAttr(parts));
  Block &body = loop.getBody().front();
  Value part = body.insertArgument(0u, builder.getIndexType(), loop.getLoc());
  auto shift = [&](auto op) {
    SmallVector<Value> offsets = {part};
    llvm::append_range(offsets, op.getOffsets());
    op.getOffsetsMutable().assign(offsets);
    SmallVector<AffineMap> maps;
    for (AffineMap map :
         op.getIndexingMaps().template getAsValueRange<AffineMapAttr>())
      maps.push_back(map.shiftDims(1));
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  };
  for (Operation &op : body) {
    if (auto mainloop = dyn_cast<MainloopOp>(op))
      shift(mainloop);
    else if (auto epilogue = dyn_cast<EpilogueOp>(op))
      shift(epilogue);
  }
}

/// Leaves the sums of the parts of k to a kernel of their own.
static LogicalResult separateParts(gpu::GPUFuncOp kernel, EpilogueOp epilogue,
                                   int64_t parts,
                                   ArrayRef<LaunchKernelOp> launches) {
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  if (failed(check(loop, epilogue)))
    return failure();
  for (unsigned i = 0; i < epilogue.getOuts().size(); ++i)
    if (failed(getOutputArgument(kernel, epilogue, i, kPassName)))
      return failure();
  addPartDimension(loop, parts);
  MLIRContext *context = kernel.getContext();
  Operation *yield = epilogue.getBody().front().getTerminator();
  // What is launched last comes first.
  for (unsigned i = epilogue.getOuts().size(); i-- > 0;) {
    yield->setOperand(i, getSum(epilogue, i));
    PartialDim part = {getAffineDimExpr(0, context), parts};
    makePartial(kernel, epilogue, i,
                *getOutputArgument(kernel, epilogue, i, kPassName), part,
                mlir::cutl::CombinerAttr::get(context, Combiner::Add), launches);
  }
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(epilogue.getBody().front().without_terminator())))
    if (op.use_empty())
      op.erase();
  return success();
}

namespace {
struct ApplySchedulePass final
    : mlir::cutl::tile::impl::CutlApplyScheduleBase<ApplySchedulePass> {
  using CutlApplyScheduleBase::CutlApplyScheduleBase;

  void runOnOperation() override {
    BundleKernels bundle(getOperation());
    for (auto [kernel, epilogue] : bundle.kernels) {
      auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
      SmallVector<LaunchKernelOp> launches = bundle.launches.lookup(kernel);
      if (loop.splitsK() && loop.getOps<FixupOp>().empty()) {
        if (failed(addFixup(kernel, epilogue, launches)))
          return signalPassFailure();
      } else if (!loop.isScheduleApplied()) {
        if (failed(separateParts(kernel, epilogue,
                                 loop.getSchedule().getNumParts(), launches)))
          return signalPassFailure();
      } else {
        continue;
      }
      ++numApplied;
    }
  }
};
} // namespace
