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

/// The longest k over which no sum of products of 8-bit integers leaves the
/// range of 32 bits.
static int64_t getLongestExactK(GemmOp op) {
  auto isUnsigned = [](Signedness sign) {
    return sign == Signedness::Unsigned;
  };
  bool unsignedA = isUnsigned(op.getASignedness());
  bool unsignedB = isUnsigned(op.getBSignedness());
  int64_t largest = (unsignedA ? 255 : 128) * (unsignedB ? 255 : 128);
  // With operands of different signs the largest products are negative, of
  // which one more fits.
  int64_t range = (int64_t(1) << 31) - (unsignedA == unsignedB ? 1 : 0);
  return range / largest;
}

/// Sums that saturate are those that wrap as long as none leaves the range.
static LogicalResult checkSaturation(GemmOp op) {
  int64_t longest = getLongestExactK(op);
  int64_t k = op.getStaticExtent(op.getDomain().k());
  if (!ShapedType::isDynamic(k) && k <= longest)
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError(
          "compute(saturate) over a k whose sums may leave the range "
          "of i32 has no tile form yet: expected k to be known and "
          "at most ")
      << longest << ", got ";
  if (ShapedType::isDynamic(k))
    return diagnostic << "one that is not known";
  return diagnostic << k;
}

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
  if (op.getMath() == MathMode::TF32x3)
    return refuse("compute(math = " + stringifyMathMode(op.getMath()) + ")");
  if (op.getSaturate() && failed(checkSaturation(op)))
    return failure();
  if (op.getConfigAttr().toTileConfig().clusterK > 1 &&
      op.getScheduleAttr().splitsK())
    return op.emitOpError("expected a schedule whose units do not meet in the "
                          "workspace with a cluster along k in "
                          "convert-cutl-to-cutl-tile, got ")
           << op.getScheduleAttr();
  for (unsigned i = 0; i < 1 + op.getBs().size(); ++i) {
    Type element = getElementTypeOrSelf(op->getOperand(i).getType());
    if (element.getIntOrFloatBitWidth() % 8 != 0)
      return op.emitOpError()
             << op.getOperandName(i) << " with elements of type " << element
             << " has no tile form yet; types of whole bytes have one";
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

/// How products are formed, where the types do not say it; null if they do.
static tile::ComputeAttr getCompute(GemmOp op) {
  bool isPlain = op.getMath() == MathMode::Exact && !op.getPromote() &&
                 op.getASignedness() == Signedness::Signed &&
                 op.getBSignedness() == Signedness::Signed;
  if (isPlain)
    return {};
  return tile::ComputeAttr::get(op.getContext(), op.getMath(),
                                op.getASignedness(), op.getBSignedness(),
                                op.getPromote());
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
      loop.getKEnd(), operands.a, operands.bs, getCompute(op));
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
