//===- CutlToLinalg.cpp - The meaning of cutl ops in linalg --------------===//

#include "cutl/Conversion/CutlToLinalg.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Conversion/ProductBody.h"
#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/GemmAliasing.h"
#include "cutl/Dialect/Cutl/IR/GemmSlicing.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTCUTLTOLINALG
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// Rewrites one gemm.
class GemmLowering {
public:
  GemmLowering(PatternRewriter &rewriter, GemmOp op, GemmOperands operands)
      : rewriter(rewriter), loc(op.getLoc()), op(op),
        operands(std::move(operands)), domain(op.getDomain()) {}

  /// Emits everything and returns the results of the tensor form.
  SmallVector<Value> lower();

private:
  bool isTensor() { return op.hasTensorForm(); }

  /// The accumulators are laid out like the first whole output, so that the
  /// epilogue runs along contiguous memory on both.
  AffineMap getAccumulatorMap();
  Value createBuffer(AffineMap map, Type elementType);
  Value createFill(Value destination, TypedAttr value);
  Value createReduction(unsigned output);
  /// Converts every element of `source` into `destination`.
  Value createRounding(Value source, Value destination);
  Value createProduct(unsigned which, AffineMap map, Type elementType);
  /// The epilogue for the outputs `which`, which are all whole or one reduction.
  SmallVector<Value> createEpilogue(ArrayRef<unsigned> which,
                                    ArrayRef<Value> destinations);

  /// A map over the whole domain as a map over the epilogue's, without k.
  AffineMap dropK(AffineMap map) {
    return AffineMap::get(domain.getRank() - 1, 0, map.getResults(),
                          op.getContext());
  }

  PatternRewriter &rewriter;
  Location loc;
  GemmOp op;
  GemmOperands operands;
  GemmDomain domain;
  SmallVector<Value, 2> accumulators;
  AffineMap accumulatorMap;
};

} // namespace

AffineMap GemmLowering::getAccumulatorMap() {
  for (const GemmOutput &out : operands.outs)
    if (out.combiner == Combiner::None)
      return out.map;
  return AffineMap::getMultiDimIdentityMap(domain.getRank(), op.getContext())
      .dropResult(domain.k());
}

Value GemmLowering::createBuffer(AffineMap map, Type elementType) {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : map.getResults())
    sizes.push_back(
        op.getExtent(rewriter, loc, cast<AffineDimExpr>(expr).getPosition()));
  if (isTensor())
    return tensor::EmptyOp::create(rewriter, loc, sizes, elementType);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::AllocOp::create(rewriter, loc,
                                 MemRefType::get(shape, elementType), dynamic,
                                 rewriter.getI64IntegerAttr(64));
}

Value GemmLowering::createFill(Value destination, TypedAttr value) {
  Value constant = arith::ConstantOp::create(rewriter, loc, value);
  auto fill = linalg::FillOp::create(rewriter, loc, constant, destination);
  return isTensor() ? fill.getResult(0) : destination;
}

Value GemmLowering::createProduct(unsigned which, AffineMap map,
                                  Type elementType) {
  Value zero = createFill(createBuffer(map, elementType),
                          cast<TypedAttr>(rewriter.getZeroAttr(elementType)));
  SmallVector<Value> inputs = {operands.a.value, operands.bs[which].value};
  SmallVector<AffineMap> maps = {operands.a.map, operands.bs[which].map};
  ProductInputs indices;
  auto add = [&](const SmallVector<GemmScale, 2> &list, unsigned target,
                 std::optional<unsigned> &index) {
    for (const GemmScale &scale : list) {
      if (scale.target != target)
        continue;
      index = inputs.size();
      inputs.push_back(scale.value);
      maps.push_back(scale.map);
    }
  };
  add(operands.scales, 0, indices.scaleA);
  add(operands.zeros, 0, indices.zeroA);
  add(operands.scales, 1 + which, indices.scaleB);
  add(operands.zeros, 1 + which, indices.zeroB);
  maps.push_back(map);
  SmallVector<utils::IteratorType> iterators(domain.getRank(),
                                             utils::IteratorType::parallel);
  iterators[domain.k()] = utils::IteratorType::reduction;
  GemmCompute compute = op.getGemmCompute();
  auto generic = linalg::GenericOp::create(
      rewriter, loc, isTensor() ? TypeRange(zero.getType()) : TypeRange(),
      inputs, zero, maps, iterators,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        Value sum = createProductBody(builder, bodyLoc, compute, indices,
                                      arguments.drop_back(), arguments.back());
        linalg::YieldOp::create(builder, bodyLoc, sum);
      });
  return isTensor() ? generic.getResult(0) : zero;
}

/// Clones the ops of an epilogue that are `needed`, expanding those of the
/// dialect.
static void cloneEpilogue(OpBuilder &builder, IRMapping &mapping, Block &body,
                          const llvm::SmallDenseSet<Value> &needed) {
  for (Operation &op : body.without_terminator()) {
    Value result = op.getResult(0);
    if (!needed.contains(result))
      continue;
    SmallVector<Value> inputs;
    for (Value operand : op.getOperands())
      inputs.push_back(mapping.lookup(operand));
    if (Value expanded =
            cast<EpilogueOpInterface>(op).expandToArith(builder, inputs))
      mapping.map(result, expanded);
    else
      builder.clone(op, mapping);
  }
}

SmallVector<Value>
GemmLowering::createEpilogue(ArrayRef<unsigned> which,
                             ArrayRef<Value> destinations) {
  Block *body = op.getBody();
  auto yield = cast<YieldOp>(body->getTerminator());
  SmallVector<Value> inputs(accumulators.begin(), accumulators.end());
  SmallVector<AffineMap> maps(accumulators.size(), dropK(accumulatorMap));
  // Auxiliary operands that no chosen output needs are left out: a reduction
  // must not read what it does not use.
  llvm::SmallDenseSet<Value> needed;
  SmallVector<Value> worklist;
  for (unsigned i : which)
    worklist.push_back(yield.getValues()[i]);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!needed.insert(value).second)
      continue;
    if (Operation *def = value.getDefiningOp())
      llvm::append_range(worklist, def->getOperands());
  }
  SmallVector<BlockArgument> auxArguments;
  for (auto [i, aux] : llvm::enumerate(operands.aux)) {
    BlockArgument argument =
        body->getArgument(op.getNumAccumulators() + i);
    if (!needed.contains(argument))
      continue;
    auxArguments.push_back(argument);
    inputs.push_back(aux.value);
    maps.push_back(dropK(aux.map));
  }
  SmallVector<utils::IteratorType> iterators(domain.getRank() - 1,
                                             utils::IteratorType::parallel);
  SmallVector<Type> resultTypes;
  for (auto [i, destination] : llvm::zip_equal(which, destinations)) {
    AffineMap map = dropK(operands.outs[i].map);
    maps.push_back(map);
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      if (!map.isFunctionOfDim(dim))
        iterators[dim] = utils::IteratorType::reduction;
    if (isTensor())
      resultTypes.push_back(destination.getType());
  }

  auto generic = linalg::GenericOp::create(
      rewriter, loc, resultTypes, inputs, destinations, maps, iterators,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        IRMapping mapping;
        for (unsigned i = 0; i < accumulators.size(); ++i)
          mapping.map(body->getArgument(i),
                      finishAccumulator(builder, bodyLoc, op.getGemmCompute(),
                                        arguments[i]));
        for (auto [i, argument] : llvm::enumerate(auxArguments))
          mapping.map(argument, arguments[accumulators.size() + i]);
        cloneEpilogue(builder, mapping, *body, needed);
        SmallVector<Value> results;
        for (auto [position, i] : llvm::enumerate(which)) {
          Value value = mapping.lookup(yield.getValues()[i]);
          Value current =
              arguments.take_back(which.size())[position];
          results.push_back(createCombine(builder, bodyLoc,
                                          operands.outs[i].combiner, current,
                                          value));
        }
        linalg::YieldOp::create(builder, bodyLoc, results);
      });
  return SmallVector<Value>(generic.getResults());
}

Value GemmLowering::createReduction(unsigned output) {
  const GemmOutput &out = operands.outs[output];
  Type element = getElementTypeOrSelf(out.value.getType());
  // A long sum in a narrow type stops growing; it is made in f32.
  Type sumType = getCombinedType(out.combiner, element);
  bool isNarrow = sumType != element;
  Value destination =
      isNarrow ? createBuffer(out.map, sumType) : Value(out.value);
  Value sum = createFill(
      destination, getCombinerIdentity(rewriter, out.combiner, sumType));
  SmallVector<Value> reduced = createEpilogue(output, sum);
  if (isTensor())
    sum = reduced.front();
  if (!isNarrow)
    return sum;
  Value rounded = createRounding(sum, out.value);
  if (!isTensor())
    memref::DeallocOp::create(rewriter, loc, sum);
  return rounded;
}

Value GemmLowering::createRounding(Value source, Value destination) {
  int64_t rank = cast<ShapedType>(source.getType()).getRank();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc,
      isTensor() ? TypeRange(destination.getType()) : TypeRange(), source,
      destination, SmallVector<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        Value rounded = arith::TruncFOp::create(
            builder, bodyLoc, arguments[1].getType(), arguments[0]);
        linalg::YieldOp::create(builder, bodyLoc, rounded);
      });
  return isTensor() ? generic.getResult(0) : destination;
}

SmallVector<Value> GemmLowering::lower() {
  accumulatorMap = getAccumulatorMap();
  Type sumType = getSumType(op.getGemmCompute());
  for (unsigned i = 0; i < operands.bs.size(); ++i)
    accumulators.push_back(createProduct(i, accumulatorMap, sumType));

  SmallVector<Value> results(operands.outs.size());
  SmallVector<unsigned> whole;
  SmallVector<Value> wholeDestinations;
  // Reductions first: an auxiliary operand may alias a whole output.
  for (unsigned i = 0; i < operands.outs.size(); ++i) {
    const GemmOutput &out = operands.outs[i];
    if (out.combiner == Combiner::None) {
      whole.push_back(i);
      wholeDestinations.push_back(out.value);
      continue;
    }
    results[i] = createReduction(i);
  }
  if (!whole.empty()) {
    SmallVector<Value> written = createEpilogue(whole, wholeDestinations);
    for (auto [i, value] : llvm::zip(whole, written))
      results[i] = value;
  }
  if (isTensor())
    return results;
  for (Value accumulator : accumulators)
    memref::DeallocOp::create(rewriter, loc, accumulator);
  return {};
}

namespace {

struct LowerGemm final : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(verifyNoAliasing(op)))
      return failure();
    GemmOperands operands = decomposeSplit(rewriter, op.getLoc(), op);
    SmallVector<Value> results = GemmLowering(rewriter, op, operands).lower();
    if (results.empty())
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, results);
    return success();
  }
};

struct ConvertCutlToLinalgPass final
    : mlir::cutl::impl::ConvertCutlToLinalgBase<ConvertCutlToLinalgPass> {
  using ConvertCutlToLinalgBase::ConvertCutlToLinalgBase;

  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation()->walk([&](GemmOp op) { gemms.push_back(op); });
    RewritePatternSet patterns(&getContext());
    populateCutlToLinalgPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    bool remains = false;
    getOperation()->walk([&](GemmOp op) { remains = true; });
    if (remains)
      return signalPassFailure();
    numRewritten += gemms.size();
  }
};

} // namespace

void mlir::cutl::populateCutlToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGemm>(patterns.getContext());
}
