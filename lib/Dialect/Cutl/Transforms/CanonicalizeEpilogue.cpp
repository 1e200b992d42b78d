//===- CanonicalizeEpilogue.cpp - cutl-canonicalize-epilogue --------------===//
//
// Constants are folded by the ops themselves; what is here needs to see the
// gemm or several ops. No pattern distributes a scale over a sum, or moves one
// across anything but another scale.
//
//===----------------------------------------------------------------------===//

#include "EpilogueEdit.h"
#include "cutl/Dialect/Cutl/Transforms/EpiloguePatterns.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLCANONICALIZEEPILOGUE
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {

//===----------------------------------------------------------------------===//
// Operands and outputs
//===----------------------------------------------------------------------===//

/// Drops outputs without a use, then auxiliary operands that are dead, constant
/// or there twice.
struct SimplifyOperands final : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    EpilogueEdit edit(op);
    SmallVector<unsigned> keptOuts;
    for (unsigned i = 0; i < op.getOuts().size(); ++i)
      if (!op.hasTensorForm() || !op.getResult(i).use_empty())
        keptOuts.push_back(i);
    // An op none of whose results is used is not for this pattern to remove.
    if (keptOuts.empty())
      return failure();
    SmallVector<std::optional<EpilogueSource>> sources(op.getAux().size());
    for (unsigned i = 0; i < op.getAux().size(); ++i) {
      Value argument = op.getBody()->getArgument(op.getNumAccumulators() + i);
      if (!argument.use_empty())
        sources[i] = edit.keepAux(i);
    }
    for (unsigned i : keptOuts)
      edit.keepOut(i);
    bool isSame = keptOuts.size() == op.getOuts().size() &&
                  llvm::equal(edit.getAux(), op.getAux(),
                              [](const GemmInput &input, Value aux) {
                                return input.value == aux;
                              });
    // The last operand with a batch dimension says how large it is.
    if (isSame || !edit.keepsDomain())
      return failure();

    GemmOp simplified = edit.create(rewriter, [&](OpBuilder &builder,
                                                  ValueRange accumulators) {
      SmallVector<Value> arguments(accumulators);
      for (auto [i, source] : llvm::enumerate(sources)) {
        // An argument without a use needs no value.
        Value argument = op.getBody()->getArgument(op.getNumAccumulators() + i);
        arguments.push_back(source ? edit.emit(builder, *source) : argument);
      }
      SmallVector<Value> values = edit.cloneRegion(builder, arguments);
      SmallVector<Value> yielded;
      for (unsigned i : keptOuts)
        yielded.push_back(values[i]);
      return yielded;
    });
    for (auto [k, i] : llvm::enumerate(keptOuts))
      if (op.hasTensorForm())
        rewriter.replaceAllUsesWith(op.getResult(i), simplified.getResult(k));
    UnusedDefs given;
    given.add(op.getAux());
    given.add(op.getOuts());
    rewriter.eraseOp(op);
    given.erase(rewriter);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Scalar ops
//===----------------------------------------------------------------------===//

/// (x · a) · b to x · (a·b), which rounds once where there were two roundings.
struct FoldNestedScaling final : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getLhs().getDefiningOp<arith::MulFOp>();
    llvm::APFloat a(0.0), b(0.0);
    if (!isa<FloatType>(outer.getType()) || !inner ||
        !outer->getParentOfType<GemmOp>() ||
        !matchPattern(outer.getRhs(), m_ConstantFloat(&b)) ||
        !matchPattern(inner.getRhs(), m_ConstantFloat(&a)))
      return failure();
    arith::FastMathFlags flags = outer.getFastmath() & inner.getFastmath();
    if (!arith::bitEnumContainsAll(flags, arith::FastMathFlags::reassoc))
      return failure();
    // Factors that go out of range together give infinity or zero for an x
    // whose product with the first alone is an ordinary number.
    llvm::APFloat product = a;
    product.multiply(b, llvm::APFloat::rmNearestTiesToEven);
    if (!product.isNormal())
      return failure();
    Value factor = arith::ConstantOp::create(
        rewriter, outer.getLoc(), FloatAttr::get(outer.getType(), product));
    auto scaled = arith::MulFOp::create(rewriter, outer.getLoc(),
                                        inner.getLhs(), factor, flags);
    rewriter.replaceOp(outer, scaled);
    return success();
  }
};

/// What a linear combination is for a constant beta. Its formula is computed in
/// f32 for narrower types and rounded once, so that only what has one rounding
/// becomes ops of such a type.
struct SimplifyLinearCombination final : OpRewritePattern<LinearCombinationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearCombinationOp op,
                                PatternRewriter &rewriter) const override {
    llvm::APFloat alpha(0.0), beta(0.0);
    if (!matchPattern(op.getBeta(), m_ConstantFloat(&beta)))
      return failure();
    bool alphaIsOne = matchPattern(op.getAlpha(), m_ConstantFloat(&alpha)) &&
                      alpha.isExactlyValue(1.0);
    bool betaIsOne = beta.isExactlyValue(1.0);
    bool isNarrow = op.getType().getIntOrFloatBitWidth() < 32;
    bool roundsOnce = beta.isZero() || (alphaIsOne && betaIsOne);
    if (isNarrow &&
        (!roundsOnce || !isa<Float16Type, BFloat16Type>(op.getType())))
      return failure();
    auto scale = [&](Value factor, Value value, bool isOne) {
      return isOne ? value
                   : arith::MulFOp::create(rewriter, op.getLoc(), factor, value)
                         .getResult();
    };
    Value result = scale(op.getAlpha(), op.getAcc(), alphaIsOne);
    // With beta of zero the value of c has no influence, whatever it is.
    if (!beta.isZero())
      result = arith::AddFOp::create(rewriter, op.getLoc(), result,
                                     scale(op.getBeta(), op.getC(), betaIsOne));
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::cutl::populateCanonicalizeEpiloguePatterns(
    RewritePatternSet &patterns) {
  patterns.add<FoldNestedScaling, SimplifyLinearCombination, SimplifyOperands>(
      patterns.getContext());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CanonicalizeEpiloguePass final
    : mlir::cutl::impl::CutlCanonicalizeEpilogueBase<CanonicalizeEpiloguePass> {
  using CutlCanonicalizeEpilogueBase::CutlCanonicalizeEpilogueBase;

  void runOnOperation() override {
    int64_t before = countOperands();
    RewritePatternSet patternSet(&getContext());
    populateCanonicalizeEpiloguePatterns(patternSet);
    FrozenRewritePatternSet patterns(std::move(patternSet));
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    // An op that was equal to another can have been all that kept an operand,
    // and operands that became one make ops equal.
    for (bool changed = true; changed;) {
      SmallVector<Operation *> ops;
      SmallVector<GemmOp> gemms;
      getOperation()->walk([&](GemmOp gemm) {
        ops.push_back(gemm);
        for (Operation &scalar : gemm.getBody()->without_terminator())
          ops.push_back(&scalar);
      });
      changed = false;
      if (failed(applyOpPatternsGreedily(ops, patterns, config, &changed)))
        return signalPassFailure();
      getOperation()->walk([&](GemmOp gemm) { gemms.push_back(gemm); });
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance;
      for (GemmOp gemm : gemms) {
        bool found = false;
        eliminateCommonSubExpressions(rewriter, dominance, gemm, &found);
        changed |= found;
      }
    }
    numDropped += before - countOperands();
  }

private:
  int64_t countOperands() {
    int64_t count = 0;
    getOperation()->walk(
        [&](GemmOp op) { count += op.getAux().size() + op.getOuts().size(); });
    return count;
  }
};
} // namespace
