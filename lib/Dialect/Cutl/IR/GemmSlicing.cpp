//===- GemmSlicing.cpp - Sub-problems of a gemm --------------------------===//

#include "cutl/Dialect/Cutl/IR/GemmSlicing.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::cutl;

static Value createSlice(OpBuilder &builder, Location loc, Value source,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes,
                         ArrayRef<OpFoldResult> strides) {
  // No constant offset is within an extent of zero, as the ops verify; one that
  // they do not see the value of may stand there.
  SmallVector<OpFoldResult> legal(offsets);
  for (auto [offset, extent] : llvm::zip_equal(
           legal, cast<ShapedType>(source.getType()).getShape()))
    if (std::optional<int64_t> value = getConstantIntValue(offset);
        value && extent == 0)
      offset = arith::ConstantIndexOp::create(builder, loc, *value).getResult();
  if (isa<RankedTensorType>(source.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, source, legal, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, source, legal, sizes, strides);
}

static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                          Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return tensor::getMixedSizes(builder, loc, value);
  return memref::getMixedSizes(builder, loc, value);
}

static OpFoldResult apply(OpBuilder &builder, Location loc, AffineExpr expr,
                          ArrayRef<OpFoldResult> symbols) {
  return affine::makeComposedFoldedAffineApply(builder, loc, expr, symbols);
}

//===----------------------------------------------------------------------===//
// Split B
//===----------------------------------------------------------------------===//

namespace {

/// Cuts the rows of a split B, or of its scale or zero, into two.
class SplitDecomposition {
public:
  SplitDecomposition(OpBuilder &builder, Location loc, GemmOp op)
      : builder(builder), loc(loc), op(op), domain(op.getDomain()) {}

  /// The part of `input` that belongs to accumulator `which`.
  GemmInput take(const GemmInput &input, unsigned which);

private:
  OpBuilder &builder;
  Location loc;
  GemmOp op;
  GemmDomain domain;
};

} // namespace

GemmInput SplitDecomposition::take(const GemmInput &input, unsigned which) {
  MLIRContext *context = op.getContext();
  std::optional<unsigned> position;
  int64_t divisor = 1;
  for (auto [i, expr] : llvm::enumerate(input.map.getResults())) {
    GemmMapResult result = *decomposeMapResult(expr);
    if (result.dim == domain.n()) {
      position = i;
      divisor = result.divisor;
    }
  }
  // Not indexed by rows: both accumulators use all of it.
  if (!position)
    return input;

  bool halves = op.getSplit() == Split::Halves;
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, input.value);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  AffineMap map = input.map;
  if (divisor != 1 && !halves) {
    // Rows 2n and 2n + 1 share a block of an even number of rows (C12).
    AffineExpr n = getAffineDimExpr(domain.n(), context);
    SmallVector<AffineExpr> results(map.getResults());
    results[*position] = divisor == 2 ? n : n.floorDiv(divisor / 2);
    return GemmInput{input.value, AffineMap::get(map.getNumDims(), 0, results,
                                                 context)};
  }
  AffineExpr rows = builder.getAffineSymbolExpr(0);
  OpFoldResult half = apply(builder, loc, rows.floorDiv(2), {sizes[*position]});
  sizes[*position] = half;
  if (halves) {
    if (which == 1)
      offsets[*position] = half;
  } else {
    offsets[*position] = builder.getIndexAttr(which);
    strides[*position] = builder.getIndexAttr(2);
  }
  return GemmInput{
      createSlice(builder, loc, input.value, offsets, sizes, strides), map};
}

GemmOperands mlir::cutl::decomposeSplit(OpBuilder &builder, Location loc,
                                        GemmOp op) {
  GemmOperands operands = op.getGemmOperands();
  if (op.getSplit() == Split::None)
    return operands;
  SplitDecomposition decomposition(builder, loc, op);
  GemmInput whole = operands.bs.front();
  operands.bs = {decomposition.take(whole, 0), decomposition.take(whole, 1)};
  auto splitScales = [&](SmallVector<GemmScale, 2> &scales) {
    SmallVector<GemmScale, 2> result;
    for (const GemmScale &scale : scales) {
      if (scale.target == 0) {
        result.push_back(scale);
        continue;
      }
      for (unsigned which : {0u, 1u})
        result.push_back(
            {decomposition.take(scale, which), 1 + int64_t(which)});
    }
    scales = std::move(result);
  };
  splitScales(operands.scales);
  splitScales(operands.zeros);
  return operands;
}

//===----------------------------------------------------------------------===//
// Slices of the domain
//===----------------------------------------------------------------------===//

static Value sliceOperand(OpBuilder &builder, Location loc,
                          const GemmInput &input,
                          ArrayRef<OpFoldResult> domainOffsets,
                          ArrayRef<OpFoldResult> domainSizes) {
  if (!isa<ShapedType>(input.value.getType()) ||
      input.map.getNumResults() == 0)
    return input.value;
  SmallVector<OpFoldResult> offsets, sizes;
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  for (AffineExpr expr : input.map.getResults()) {
    GemmMapResult result = *decomposeMapResult(expr);
    OpFoldResult offset = domainOffsets[result.dim];
    OpFoldResult size = domainSizes[result.dim];
    if (result.divisor != 1) {
      offset = apply(builder, loc, s0.floorDiv(result.divisor), {offset});
      size = apply(builder, loc, s0.ceilDiv(result.divisor), {size});
    }
    offsets.push_back(offset);
    sizes.push_back(size);
  }
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return createSlice(builder, loc, input.value, offsets, sizes, strides);
}

GemmOperands mlir::cutl::sliceOperands(OpBuilder &builder, Location loc,
                                       const GemmOperands &operands,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  GemmOperands sliced = operands;
  auto slice = [&](GemmInput &input) {
    input.value = sliceOperand(builder, loc, input, offsets, sizes);
  };
  slice(sliced.a);
  llvm::for_each(sliced.bs, slice);
  llvm::for_each(sliced.scales, slice);
  llvm::for_each(sliced.zeros, slice);
  llvm::for_each(sliced.aux, slice);
  llvm::for_each(sliced.outs, slice);
  return sliced;
}

int64_t mlir::cutl::getTileGranularity(GemmOp op, unsigned dim) {
  int64_t granularity = 1;
  for (AffineMap map : op.getIndexingMaps().getAsValueRange<AffineMapAttr>())
    for (AffineExpr expr : map.getResults())
      if (auto result = decomposeMapResult(expr);
          result && result->dim == dim) {
        int64_t factor =
            result->divisor / std::gcd(granularity, result->divisor);
        // Beyond every extent no tile but the whole starts at a multiple.
        if (llvm::MulOverflow(granularity, factor, granularity))
          return std::numeric_limits<int64_t>::max();
      }
  return granularity;
}
