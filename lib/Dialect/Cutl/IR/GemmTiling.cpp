//===- GemmTiling.cpp - TilingInterface of cutl.gemm ---------------------===//
//
// A gemm can be cut along every dimension that all of its outputs keep. The
// tiled op is a gemm on slices of the operands with the same region.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/GemmSlicing.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::cutl;

SmallVector<utils::IteratorType> GemmOp::getLoopIteratorTypes() {
  GemmDomain domain = getDomain();
  SmallVector<utils::IteratorType> types(domain.getRank(),
                                         utils::IteratorType::parallel);
  for (const GemmOutput &out : getGemmOperands().outs)
    for (unsigned dim = 0; dim < domain.getRank(); ++dim)
      if (!out.map.isFunctionOfDim(dim))
        types[dim] = utils::IteratorType::reduction;
  return types;
}

SmallVector<Range> GemmOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> ranges;
  for (unsigned dim = 0; dim < getDomain().getRank(); ++dim)
    ranges.push_back({builder.getIndexAttr(0),
                      getExtent(builder, getLoc(), dim),
                      builder.getIndexAttr(1)});
  return ranges;
}

/// Whether `offset` is known to be a multiple of `divisor`: a constant, or the
/// induction variable of a loop that starts at and steps by multiples of it.
static bool isMultipleOf(OpFoldResult offset, int64_t divisor) {
  if (divisor == 1)
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return *constant % divisor == 0;
  auto argument = dyn_cast<BlockArgument>(cast<Value>(offset));
  if (!argument)
    return false;
  auto loop =
      dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  if (!loop)
    return false;
  std::optional<SmallVector<Value>> ivs = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> lows = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!ivs || !lows || !steps)
    return false;
  for (auto [iv, low, step] : llvm::zip(*ivs, *lows, *steps)) {
    if (iv != argument)
      continue;
    std::optional<int64_t> lowValue = getConstantIntValue(low);
    std::optional<int64_t> stepValue = getConstantIntValue(step);
    return lowValue && stepValue && *lowValue % divisor == 0 &&
           *stepValue % divisor == 0;
  }
  return false;
}

FailureOr<TilingResult>
GemmOp::getTiledImplementation(OpBuilder &builder,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  GemmDomain domain = getDomain();
  SmallVector<utils::IteratorType> types = getLoopIteratorTypes();
  for (unsigned dim = 0; dim < domain.getRank(); ++dim) {
    int64_t extent = getStaticExtent(dim);
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    bool isPart = !isConstantIntValue(offsets[dim], 0) ||
                  (size && !ShapedType::isDynamic(extent) && *size != extent);
    if (types[dim] == utils::IteratorType::reduction && isPart)
      return emitOpError("expected no tiling along '")
             << domain.getName(dim) << "', over which it reduces";
    int64_t granularity = getTileGranularity(*this, dim);
    if (!isMultipleOf(offsets[dim], granularity))
      return emitOpError("expected tiles along '")
             << domain.getName(dim) << "' to start at multiples of "
             << granularity << ", the block of its scales or zeros";
  }

  GemmOperands whole = decomposeSplit(builder, getLoc(), *this);
  GemmOperands sliced =
      sliceOperands(builder, getLoc(), whole, offsets, sizes);
  GemmCompute compute = getGemmCompute();
  compute.split = Split::None;
  // Promises speak of whole extents and of the operands' base addresses.
  compute.dimDivisors.clear();
  compute.operandAlignments.clear();
  auto tiled = GemmOp::create(
      builder, getLoc(), sliced, compute,
      [&](OpBuilder &nested, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(getBody()->getArguments(), arguments);
        for (Operation &op : *getBody())
          nested.clone(op, mapping);
      });
  tiled->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  tiled.setConfigAttr(getConfigAttr());
  tiled.setScheduleAttr(getScheduleAttr());

  TilingResult result;
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled.getResults());
  for (Value operand : tiled.getOperands())
    if (Operation *slice = operand.getDefiningOp();
        slice && !llvm::is_contained(getOperands(), operand))
      result.generatedSlices.push_back(slice);
  return result;
}

LogicalResult GemmOp::getResultTilePosition(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  AffineMap map = getGemmOperands().outs[resultNumber].map;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = decomposeMapResult(expr)->dim;
    resultOffsets.push_back(offsets[dim]);
    resultSizes.push_back(sizes[dim]);
  }
  return success();
}

LogicalResult GemmOp::getIterationDomainTileFromResultTile(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  SmallVector<Range> ranges = getIterationDomain(builder);
  for (const Range &range : ranges) {
    domainOffsets.push_back(range.offset);
    domainSizes.push_back(range.size);
  }
  AffineMap map = getGemmOperands().outs[resultNumber].map;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    unsigned dim = decomposeMapResult(expr)->dim;
    domainOffsets[dim] = offsets[i];
    domainSizes[dim] = sizes[i];
  }
  return success();
}

FailureOr<TilingResult>
GemmOp::generateResultTileValue(OpBuilder &builder, unsigned resultNumber,
                                ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromResultTile(
          builder, resultNumber, offsets, sizes, domainOffsets, domainSizes)))
    return failure();
  FailureOr<TilingResult> tiled =
      getTiledImplementation(builder, domainOffsets, domainSizes);
  if (failed(tiled))
    return failure();
  tiled->tiledValues = {tiled->tiledValues[resultNumber]};
  return tiled;
}
