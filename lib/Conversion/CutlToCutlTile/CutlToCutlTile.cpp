//===- CutlToCutlTile.cpp - What each CTA of a kernel does ---------------===//

#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTCUTLTOCUTLTILE
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// Refuses what the tile level cannot state.
static LogicalResult checkTileForm(GemmOp op) {
  auto refuse = [&](const Twine &what) -> LogicalResult {
    return op.emitOpError() << what << " has no tile form yet";
  };
  if (op.getSplit() != Split::None)
    return op.emitOpError("expected a split B to have become two in "
                          "convert-cutl-to-cutl-tile; run "
                          "cutl-outline-kernels first");
  if (!op.getScales().empty())
    return refuse("scales(…)");
  if (!op.getZeros().empty())
    return refuse("zeros(…)");
  if (op.getMath() != MathMode::Exact)
    return refuse("compute(math = " + stringifyMathMode(op.getMath()) + ")");
  if (op.getSaturate())
    return refuse("compute(saturate)");
  if (op.getConfigAttr().toTileConfig().clusterK > 1 &&
      op.getScheduleAttr().splitsK())
    return op.emitOpError("expected a schedule whose units do not meet in the "
                          "workspace with a cluster along k in "
                          "convert-cutl-to-cutl-tile, got ")
           << op.getScheduleAttr();
  if (op.getPromote())
    return refuse("compute(promote = " + Twine(*op.getPromote()) + ")");
  for (unsigned i = 0; i < 1 + op.getBs().size(); ++i) {
    Type element = getElementTypeOrSelf(op->getOperand(i).getType());
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
      return op.emitOpError()
             << op.getOperandName(i) << " with elements of type " << element
             << " has no tile form yet; f16, bf16, f32 and f64 have one";
  }
  return success();
}

static LogicalResult check(GemmOp op) {
  if (op.hasTensorForm())
    return op.emitOpError("expected memrefs in convert-cutl-to-cutl-tile, got "
                          "tensors; run cutl-bufferize, then "
                          "cutl-outline-kernels first");
  if (failed(requirePhase(op, Phase::Configured, "convert-cutl-to-cutl-tile")))
    return failure();
  if (!isa<gpu::GPUFuncOp>(op->getParentOp()))
    return op.emitOpError("expected to stand in a kernel in "
                          "convert-cutl-to-cutl-tile, got '")
           << op->getParentOp()->getName()
           << "'; run cutl-outline-kernels first";
  return checkTileForm(op);
}

static void convert(GemmOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  GemmOperands operands = op.getGemmOperands();
  GemmDomain domain = op.getDomain();
  SmallVector<Value> extents;
  for (unsigned dim = 0; dim < domain.getRank(); ++dim)
    extents.push_back(getValueOrCreateConstantIndexOp(
        builder, loc, op.getExtent(builder, loc, dim)));

  auto loop = tile::WorkLoopOp::create(builder, loc, extents,
                                       op.getConfigAttr(),
                                       op.getScheduleAttr());
  builder.setInsertionPointToStart(&loop.getBody().front());
  SmallVector<Type> accumulators(
      op.getNumAccumulators(),
      tile::AccType::get(builder.getContext(),
                         {loop.getTileM(), loop.getTileN()},
                         op.getAccumulatorType()));
  auto mainloop = tile::MainloopOp::create(
      builder, loc, accumulators, loop.getOffsets(), loop.getKBegin(),
      loop.getKEnd(), operands.a, operands.bs);
  SmallVector<Value> offsets(loop.getOffsets());
  ValueRange sums = mainloop.getAccumulators();
  if (loop.getClusterK() > 1) {
    SmallVector<Type> shares(
        accumulators.size(),
        tile::AccType::get(builder.getContext(),
                           {loop.getShareM(), loop.getShareN()},
                           op.getAccumulatorType()));
    Value &start =
        offsets[loop.getConfig().getSwapOperands() ? domain.m() : domain.n()];
    auto sum = tile::ClusterSumOp::create(builder, loc, shares,
                                          builder.getIndexType(), sums, start,
                                          /*barriers=*/IntegerAttr());
    sums = sum.getSums();
    start = sum.getStart();
  }
  auto epilogue = tile::EpilogueOp::create(builder, loc, offsets, sums,
                                           operands.aux, operands.outs);
  epilogue.getBody().takeBody(op.getEpilogue());
  Operation *yield = epilogue.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  tile::YieldOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  op.erase();
}

namespace {

struct ConvertCutlToCutlTilePass final
    : mlir::cutl::impl::ConvertCutlToCutlTileBase<ConvertCutlToCutlTilePass> {
  using ConvertCutlToCutlTileBase::ConvertCutlToCutlTileBase;

  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    bool ok = true;
    getOperation()->walk([&](GemmOp op) {
      ok &= succeeded(check(op));
      gemms.push_back(op);
    });
    if (!ok)
      return signalPassFailure();
    llvm::for_each(gemms, convert);
    numConverted += gemms.size();
  }
};

} // namespace
