//===- FuseEpilogue.cpp - cutl-fuse-epilogue ------------------------------===//

#include "ConsumerFusion.h"
#include "cutl/Dialect/Cutl/Transforms/EpiloguePatterns.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLFUSEEPILOGUE
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

namespace {
/// An op that computes an auxiliary operand and can be done in the region.
struct Producer {
  ElementwiseOp op;
  /// The domain dimension of each of its dimensions.
  SmallVector<unsigned> dims;
  unsigned result;
};
} // namespace

/// What computes an auxiliary operand, if it can be fused; otherwise `reason`
/// says why, or nothing where nobody would expect it.
static std::optional<Producer> findProducer(GemmOp op, unsigned aux,
                                            std::string &reason) {
  Value value = op.getAux()[aux];
  Operation *def = value.getDefiningOp();
  unsigned firstAux =
      op->getNumOperands() - op.getOuts().size() - op.getAux().size();
  if (!def || !isa<RankedTensorType>(value.getType()) ||
      def->getBlock() != op->getBlock())
    return std::nullopt;
  std::string notElementwise;
  std::optional<ElementwiseOp> elementwise =
      ElementwiseOp::get(def, notElementwise);
  if (!elementwise) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(def);
    if (linalgOp && linalgOp.getNumReductionLoops() == 0)
      reason = notElementwise;
    return std::nullopt;
  }
  if (elementwise->isReduction())
    return std::nullopt;
  // Computed for others too, it is better read than computed twice.
  for (OpOperand &use : def->getUses())
    if (use.getOwner() != op || use.getOperandNumber() < firstAux ||
        use.getOperandNumber() >= firstAux + op.getAux().size()) {
      reason = "something else uses it too";
      return std::nullopt;
    }
  Producer producer{*elementwise, {}, cast<OpResult>(value).getResultNumber()};
  AffineMap own = elementwise->getResults()[producer.result].map;
  AffineMap map = op.getMap(firstAux + aux);
  producer.dims.resize(elementwise->getNumDims());
  for (unsigned i = 0; i < own.getNumResults(); ++i)
    producer.dims[own.getDimPosition(i)] = map.getDimPosition(i);
  ExtentCheck extents(op);
  bool agree = true;
  for (const GemmInput &input : elementwise->getInputs()) {
    if (auto type = dyn_cast<RankedTensorType>(input.value.getType());
        type && type.getEncoding())
      return std::nullopt;
    agree &= extents.add(
        input.value.getType(),
        composeWithDomain(input.map, producer.dims, op.getDomain()));
  }
  if (!agree) {
    reason = "its static sizes disagree with those of the gemm or with what is "
             "promised about them";
    return std::nullopt;
  }
  return producer;
}

namespace {

struct FuseProducer final : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasTensorForm())
      return failure();
    for (unsigned i = 0; i < op.getAux().size(); ++i) {
      std::string reason;
      if (std::optional<Producer> producer = findProducer(op, i, reason))
        if (succeeded(fuse(op, i, *producer, rewriter)))
          return success();
    }
    return failure();
  }

  LogicalResult fuse(GemmOp op, unsigned aux, const Producer &producer,
                     PatternRewriter &rewriter) const {
    EpilogueEdit edit(op);
    SmallVector<EpilogueSource> ownAux(op.getAux().size()), sources;
    for (unsigned i = 0; i < op.getAux().size(); ++i) {
      if (i != aux) {
        ownAux[i] = edit.keepAux(i);
        continue;
      }
      for (const GemmInput &input : producer.op.getInputs())
        sources.push_back(edit.addAux(
            {input.value,
             composeWithDomain(input.map, producer.dims, op.getDomain())}));
    }
    for (unsigned i = 0; i < op.getOuts().size(); ++i)
      edit.keepOut(i);
    if (!edit.keepsDomain() || edit.overwritesInputs())
      return failure();
    Operation *def = producer.op.getOperation();
    UnusedDefs given;
    given.add(def->getOperands());
    for (const GemmInput &input : producer.op.getInputs())
      given.add(input.value);
    GemmOp fused =
        edit.create(rewriter, [&](OpBuilder &builder, ValueRange accumulators) {
          SmallVector<Value> arguments(accumulators);
          for (auto [i, source] : llvm::enumerate(ownAux)) {
            if (i != aux) {
              arguments.push_back(edit.emit(builder, source));
              continue;
            }
            SmallVector<Value> elements;
            for (const EpilogueSource &input : sources)
              elements.push_back(edit.emit(builder, input));
            arguments.push_back(
                producer.op.emit(builder, elements)[producer.result]);
          }
          return edit.cloneRegion(builder, arguments);
        });
    rewriter.replaceOp(op, fused);
    if (isOpTriviallyDead(def))
      rewriter.eraseOp(def);
    given.erase(rewriter);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

struct FuseConsumers final : OpRewritePattern<GemmOp> {
  FuseConsumers(MLIRContext *context, unsigned maxOutputs)
      // First, so that an op between two gemms goes to the one before it.
      : OpRewritePattern(context, /*benefit=*/2), maxOutputs(maxOutputs) {}

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    // What is computed from the size of a result is not computed from the
    // result.
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      changed |= replaceDims(rewriter, op, result, getOutMap(op, i));
    ConsumerFusion fusion(op, maxOutputs);
    if (fusion.find()) {
      fusion.apply(rewriter);
      changed = true;
    }
    return success(changed);
  }

  unsigned maxOutputs;
};

} // namespace

void mlir::cutl::populateFuseEpiloguePatterns(RewritePatternSet &patterns,
                                              unsigned maxOutputs) {
  patterns.add<FuseConsumers>(patterns.getContext(), maxOutputs);
  patterns.add<FuseProducer>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void remarkMissed(Operation *op, StringRef reason) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("EpilogueFusion")
                     .category("cutl-fuse-epilogue")
                     .function(function ? function.getName() : ""))
      << ("'" + op->getName().getStringRef() +
          "' stays beside the gemm: " + reason)
             .str();
}

namespace {
/// Counts the ops on tensors that vanish.
struct FusedOps final : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override {
    bool hasTensors = op->getNumResults() != 0 &&
                      isa<RankedTensorType>(op->getResult(0).getType());
    count += hasTensors && !isa<linalg::FillOp>(op) &&
             (isa<linalg::LinalgOp>(op) ||
              OpTrait::hasElementwiseMappableTraits(op));
  }

  int64_t count = 0;
};

struct FuseEpiloguePass final
    : mlir::cutl::impl::CutlFuseEpilogueBase<FuseEpiloguePass> {
  using CutlFuseEpilogueBase::CutlFuseEpilogueBase;

  void runOnOperation() override {
    SmallVector<Operation *> gemms;
    getOperation()->walk([&](GemmOp op) { gemms.push_back(op); });
    RewritePatternSet patterns(&getContext());
    populateFuseEpiloguePatterns(patterns, maxOutputs);
    // Nothing but gemms and what they take in changes.
    FusedOps fused;
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .setListener(&fused)
        .enableFolding(false);
    if (failed(applyOpPatternsGreedily(gemms, std::move(patterns), config)))
      return signalPassFailure();
    numFused += fused.count;
    getOperation()->walk([&](GemmOp op) { remarkOn(op); });
  }

private:
  void remarkOn(GemmOp op) {
    ConsumerFusion fusion(op, maxOutputs);
    fusion.find();
    for (const auto &[reader, reason] : fusion.getMissed())
      remarkMissed(reader, reason);
    for (unsigned i = 0; i < op.getAux().size(); ++i) {
      std::string reason;
      if (!findProducer(op, i, reason) && !reason.empty())
        remarkMissed(op.getAux()[i].getDefiningOp(), reason);
    }
  }
};
} // namespace
