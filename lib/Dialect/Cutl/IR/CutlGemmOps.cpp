//===- CutlGemmOps.cpp - Accessors and interfaces of cutl.gemm -----------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// GemmDomain
//===----------------------------------------------------------------------===//

std::string GemmDomain::getName(unsigned dim) const {
  if (dim == m())
    return "m";
  if (dim == n())
    return "n";
  if (dim == k())
    return "k";
  return numBatch == 1 ? "b" : "b" + std::to_string(dim);
}

SmallVector<std::string> GemmDomain::getNames() const {
  SmallVector<std::string> names;
  for (unsigned dim = 0; dim < getRank(); ++dim)
    names.push_back(getName(dim));
  return names;
}

std::optional<unsigned> GemmDomain::lookup(StringRef name) const {
  for (unsigned dim = 0; dim < getRank(); ++dim)
    if (getName(dim) == name)
      return dim;
  if (numBatch == 1 && name == "b0")
    return 0;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

void GemmOp::build(
    OpBuilder &builder, OperationState &state, const GemmOperands &operands,
    const GemmCompute &compute,
    function_ref<void(OpBuilder &, Location, ValueRange)> epilogue) {
  MLIRContext *context = builder.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  SmallVector<AffineMap> maps;
  auto add = [&](const GemmInput &input) {
    state.addOperands(input.value);
    maps.push_back(input.map);
  };
  add(operands.a);
  llvm::for_each(operands.bs, add);
  SmallVector<int64_t> scaleTargets, zeroTargets;
  for (const GemmScale &scale : operands.scales) {
    add(scale);
    scaleTargets.push_back(scale.target);
  }
  for (const GemmScale &zero : operands.zeros) {
    add(zero);
    zeroTargets.push_back(zero.target);
  }
  llvm::for_each(operands.aux, add);
  SmallVector<Attribute> combiners;
  for (const GemmOutput &out : operands.outs) {
    add(out);
    combiners.push_back(CombinerAttr::get(context, out.combiner));
    if (isa<RankedTensorType>(out.value.getType()))
      state.addTypes(out.value.getType());
  }

  int32_t segments[] = {1,
                        int32_t(operands.bs.size()),
                        int32_t(operands.scales.size()),
                        int32_t(operands.zeros.size()),
                        int32_t(operands.aux.size()),
                        int32_t(operands.outs.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.combiners = builder.getArrayAttr(combiners);
  properties.scale_targets = builder.getDenseI64ArrayAttr(scaleTargets);
  properties.zero_targets = builder.getDenseI64ArrayAttr(zeroTargets);
  if (compute.split != Split::None)
    properties.split = SplitAttr::get(context, compute.split);
  if (compute.math != MathMode::Exact)
    properties.math = MathModeAttr::get(context, compute.math);
  if (compute.aSignedness != Signedness::Signed)
    properties.a_signedness =
        SignednessAttr::get(context, compute.aSignedness);
  if (compute.bSignedness != Signedness::Signed)
    properties.b_signedness =
        SignednessAttr::get(context, compute.bSignedness);
  if (compute.saturate)
    properties.saturate = builder.getUnitAttr();
  if (compute.promote)
    properties.promote = builder.getI64IntegerAttr(*compute.promote);
  if (llvm::any_of(compute.dimDivisors, [](int64_t d) { return d != 1; }))
    properties.dim_divisors = builder.getDenseI64ArrayAttr(compute.dimDivisors);
  if (llvm::any_of(compute.operandAlignments, [](int64_t a) { return a != 0; }))
    properties.operand_alignments =
        builder.getDenseI64ArrayAttr(compute.operandAlignments);
  if (!compute.deterministic)
    properties.deterministic = builder.getBoolAttr(false);
  if (compute.batchInvariant)
    properties.batch_invariant = builder.getUnitAttr();
  if (compute.smBudget)
    properties.sm_budget = builder.getI64IntegerAttr(*compute.smBudget);

  Type accumulator = compute.accumulator;
  if (!accumulator)
    accumulator = getDefaultAccumulatorType(
        getElementTypeOrSelf(operands.a.value.getType()), compute.aSignedness,
        getElementTypeOrSelf(operands.bs.front().value.getType()),
        compute.bSignedness);
  // A pair that has no accumulator is reported by the verifier.
  if (!accumulator)
    accumulator = builder.getF32Type();
  size_t numAccumulators =
      compute.split == Split::None ? operands.bs.size() : 2;
  SmallVector<Type> argTypes(numAccumulators, accumulator);
  for (const GemmInput &aux : operands.aux)
    argTypes.push_back(getElementTypeOrSelf(aux.value.getType()));
  SmallVector<Location> locs(argTypes.size(), state.location);
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(state.addRegion(), {}, argTypes, locs);
  epilogue(builder, state.location, body->getArguments());
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

GemmDomain GemmOp::getDomain() {
  unsigned rank = getMap(0u).getNumDims();
  return GemmDomain(rank < 3 ? 0 : rank - 3);
}

AffineMap GemmOp::getMap(unsigned operandIndex) {
  return cast<AffineMapAttr>(getIndexingMaps()[operandIndex]).getValue();
}

Combiner GemmOp::getCombiner(unsigned output) {
  return cast<CombinerAttr>(getCombiners()[output]).getValue();
}

unsigned GemmOp::getNumAccumulators() {
  return getSplit() == Split::None ? getBs().size() : 2;
}

Type GemmOp::getAccumulatorType() { return getBody()->getArgument(0).getType(); }

GemmOperands GemmOp::getGemmOperands() {
  GemmOperands operands;
  unsigned index = 0;
  auto next = [&](Value value) { return GemmInput{value, getMap(index++)}; };
  operands.a = next(getA());
  for (Value b : getBs())
    operands.bs.push_back(next(b));
  for (auto [value, target] : llvm::zip_equal(getScales(), getScaleTargets()))
    operands.scales.push_back({next(value), target});
  for (auto [value, target] : llvm::zip_equal(getZeros(), getZeroTargets()))
    operands.zeros.push_back({next(value), target});
  for (Value aux : getAux())
    operands.aux.push_back(next(aux));
  for (auto [i, out] : llvm::enumerate(getOuts()))
    operands.outs.push_back({next(out), getCombiner(i)});
  return operands;
}

GemmCompute GemmOp::getGemmCompute() {
  GemmCompute compute;
  compute.accumulator = getAccumulatorType();
  compute.split = getSplit();
  compute.math = getMath();
  compute.aSignedness = getASignedness();
  compute.bSignedness = getBSignedness();
  compute.saturate = getSaturate();
  compute.promote = getPromote();
  if (getDimDivisors())
    llvm::append_range(compute.dimDivisors, *getDimDivisors());
  if (getOperandAlignments())
    llvm::append_range(compute.operandAlignments, *getOperandAlignments());
  compute.deterministic = getDeterministic();
  compute.batchInvariant = getBatchInvariant();
  compute.smBudget = getSmBudget();
  return compute;
}

/// Calls `visit` with every (operand, operand dimension) that has exactly the
/// extent of domain dimension `dim`, in the order A, B, outs, aux, until it
/// returns true. Rows of a split B have twice the extent and are left out.
static bool visitExtents(GemmOp op, unsigned dim,
                         function_ref<bool(Value, unsigned)> visit) {
  GemmOperands operands = op.getGemmOperands();
  auto visitOperand = [&](const GemmInput &input) {
    for (auto [i, expr] : llvm::enumerate(input.map.getResults()))
      if (expr == getAffineDimExpr(dim, op.getContext()) &&
          visit(input.value, i))
        return true;
    return false;
  };
  if (visitOperand(operands.a))
    return true;
  bool splitRows = op.getSplit() != Split::None && dim == op.getDomain().n();
  if (!splitRows)
    for (const GemmInput &b : operands.bs)
      if (visitOperand(b))
        return true;
  for (const GemmOutput &out : operands.outs)
    if (visitOperand(out))
      return true;
  for (const GemmInput &aux : operands.aux)
    if (visitOperand(aux))
      return true;
  return false;
}

/// The operand dimension that holds the rows of a split B.
static unsigned getSplitRowsDim(GemmOp op) {
  AffineExpr n = getAffineDimExpr(op.getDomain().n(), op.getContext());
  return *op.getMap(1u).getResultPosition(n);
}

int64_t GemmOp::getStaticExtent(unsigned dim) {
  int64_t extent = ShapedType::kDynamic;
  visitExtents(*this, dim, [&](Value value, unsigned i) {
    extent = cast<ShapedType>(value.getType()).getDimSize(i);
    return !ShapedType::isDynamic(extent);
  });
  if (ShapedType::isDynamic(extent) && getSplit() != Split::None &&
      dim == getDomain().n()) {
    int64_t rows = cast<ShapedType>(getBs().front().getType())
                       .getDimSize(getSplitRowsDim(*this));
    if (!ShapedType::isDynamic(rows))
      extent = rows / 2;
  }
  return extent;
}

static OpFoldResult getDimOf(OpBuilder &builder, Location loc, Value value,
                             unsigned i) {
  if (isa<TensorType>(value.getType()))
    return tensor::getMixedSize(builder, loc, value, i);
  return memref::getMixedSize(builder, loc, value, i);
}

OpFoldResult GemmOp::getExtent(OpBuilder &builder, Location loc, unsigned dim) {
  int64_t extent = getStaticExtent(dim);
  if (!ShapedType::isDynamic(extent))
    return builder.getIndexAttr(extent);
  OpFoldResult result;
  visitExtents(*this, dim, [&](Value value, unsigned i) {
    result = getDimOf(builder, loc, value, i);
    return true;
  });
  if (result)
    return result;
  // Only the rows of a split B name this dimension.
  OpFoldResult rows =
      getDimOf(builder, loc, getBs().front(), getSplitRowsDim(*this));
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  return affine::makeComposedFoldedAffineApply(builder, loc, s0.floorDiv(2),
                                               {rows});
}

std::string GemmOp::getOperandName(unsigned index) {
  auto name = [](StringRef clause, unsigned i, unsigned count) {
    return count == 1 && (clause == "b")
               ? clause.str()
               : clause.str() + "[" + std::to_string(i) + "]";
  };
  if (index == 0)
    return "a";
  --index;
  std::pair<StringRef, unsigned> clauses[] = {
      {"b", getBs().size()},     {"scales", getScales().size()},
      {"zeros", getZeros().size()}, {"aux", getAux().size()},
      {"outs", getOuts().size()}};
  for (auto [clause, count] : clauses) {
    if (index < count)
      return name(clause, index, count);
    index -= count;
  }
  return "operand";
}

int64_t GemmOp::getDivisor(unsigned dim) {
  int64_t promised = getDimDivisors() ? (*getDimDivisors())[dim] : 1;
  int64_t extent = getStaticExtent(dim);
  // An extent of zero is divisible by everything; keep the promise.
  return ShapedType::isDynamic(extent) || extent == 0 ? promised : extent;
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  unsigned firstOut = getNumOperands() - getOuts().size();
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (operand.getOperandNumber() < firstOut)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult
GemmOp::reifyResultShapes(OpBuilder &builder,
                          ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts())
    if (isa<RankedTensorType>(out.getType()))
      shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  return success();
}

static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// Entries along domain dimension `dim` per unit of its extent: two for the rows
/// of a split B and its scales, otherwise one.
static int64_t getEntriesPerUnit(GemmOp op, unsigned operandIndex,
                                 unsigned dim) {
  unsigned firstAux =
      1 + op.getBs().size() + op.getScales().size() + op.getZeros().size();
  return op.getSplit() != Split::None && dim == op.getDomain().n() &&
                 operandIndex >= 1 && operandIndex < firstAux
             ? 2
             : 1;
}

bool GemmOp::canHaveExtent(unsigned dim, int64_t size) {
  int64_t extent = getStaticExtent(dim);
  if (!ShapedType::isDynamic(extent))
    return size == extent;
  if (size % getDivisor(dim) != 0)
    return false;
  unsigned firstScale = 1 + getBs().size();
  unsigned firstAux = firstScale + getScales().size() + getZeros().size();
  for (unsigned scale = firstScale; scale < firstAux; ++scale)
    for (auto [j, expr] : llvm::enumerate(getMap(scale).getResults())) {
      GemmMapResult own = *decomposeMapResult(expr);
      if (own.dim != dim)
        continue;
      auto type = cast<ShapedType>((*this)->getOperand(scale).getType());
      if (!type.isDynamicDim(j) &&
          type.getDimSize(j) !=
              ceilDiv(size * getEntriesPerUnit(*this, scale, dim), own.divisor))
        return false;
    }
  return true;
}

/// Whether the op would still verify if operand dimension `i` of an operand had
/// the static extent `size`, where it is dynamic now. It would not if the extent
/// contradicts what another operand or a promise says; such a program is wrong,
/// but to say so is not for a rewrite.
static bool agreesWithExtents(GemmOp op, unsigned operandIndex, unsigned i,
                              int64_t size) {
  GemmMapResult result = *decomposeMapResult(op.getMap(operandIndex).getResult(i));
  unsigned firstScale = 1 + op.getBs().size();
  unsigned firstAux = firstScale + op.getScales().size() + op.getZeros().size();
  int64_t perUnit = getEntriesPerUnit(op, operandIndex, result.dim);
  if (operandIndex >= firstScale && operandIndex < firstAux) {
    int64_t extent = op.getStaticExtent(result.dim);
    return ShapedType::isDynamic(extent) ||
           size == ceilDiv(extent * perUnit, result.divisor);
  }
  return size % perUnit == 0 && op.canHaveExtent(result.dim, size / perUnit);
}

/// Whether an input may be replaced by what it was cast from.
static bool canTakeSource(GemmOp op, OpOperand &operand, Value source) {
  auto type = cast<ShapedType>(operand.get().getType());
  for (auto [i, size] :
       llvm::enumerate(cast<ShapedType>(source.getType()).getShape()))
    if (type.isDynamicDim(i) && !ShapedType::isDynamic(size) &&
        !agreesWithExtents(op, operand.getOperandNumber(), i, size))
      return false;
  return true;
}

namespace {

/// Takes the operand of a cast that only forgets static sizes or strides.
/// Tensor casts are folded into every op in destination style by the tensor
/// dialect.
struct FoldCastIntoGemm final : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    unsigned numInputs = op.getNumOperands() - op.getOuts().size();
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands().take_front(numInputs)) {
      auto cast = operand.get().getDefiningOp<memref::CastOp>();
      if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast) ||
          !canTakeSource(op, operand, cast.getSource()))
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getSource()); });
      changed = true;
    }
    return success(changed);
  }
};

} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldCastIntoGemm>(context);
}
