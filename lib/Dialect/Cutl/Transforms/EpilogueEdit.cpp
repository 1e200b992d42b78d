//===- EpilogueEdit.cpp - A gemm with another epilogue --------------------===//

#include "EpilogueEdit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::cutl;

/// Looks through ops that give each element of a tensor the same number; the
/// number, or the value itself.
static Value getUniformNumber(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    // A fill may convert its number.
    if (fill.value().getType() == element)
      return fill.value();
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  if (auto elements = value.getDefiningOp<tensor::FromElementsOp>())
    if (elements.getElements().size() == 1)
      return elements.getElements().front();
  return value;
}

std::optional<TypedAttr> mlir::cutl::getUniformConstant(Value value) {
  auto constant = getUniformNumber(value).getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    if (elements.empty() || !elements.isSplat())
      return std::nullopt;
    return dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  }
  if (isa<FloatAttr, IntegerAttr>(constant.getValue()))
    return constant.getValue();
  return std::nullopt;
}

EpilogueEdit::EpilogueEdit(GemmOp op) : op(op), operands(op.getGemmOperands()) {
  operands.aux.clear();
  operands.outs.clear();
}

int64_t EpilogueEdit::getAlignment(unsigned operandIndex) const {
  std::optional<ArrayRef<int64_t>> alignments =
      GemmOp(op).getOperandAlignments();
  return alignments ? (*alignments)[operandIndex] : 0;
}

EpilogueSource EpilogueEdit::addAux(const GemmInput &input, int64_t alignment) {
  if (std::optional<TypedAttr> constant = getUniformConstant(input.value))
    return *constant;
  GemmInput source = input;
  Value number = getUniformNumber(input.value);
  if (!isa<ShapedType>(number.getType())) {
    source = {number,
              AffineMap::get(input.map.getNumDims(), 0, op->getContext())};
    alignment = 0;
    // A number that was read from memory is read there.
    if (auto extract = number.getDefiningOp<tensor::ExtractOp>())
      if (extract.getIndices().empty() && op.hasTensorForm())
        source.value = extract.getTensor();
  }
  for (auto [i, aux] : llvm::enumerate(operands.aux)) {
    if (aux.value != source.value || aux.map != source.map)
      continue;
    auxAlignments[i] = std::max(auxAlignments[i], alignment);
    return static_cast<unsigned>(i);
  }
  operands.aux.push_back(source);
  auxAlignments.push_back(alignment);
  return static_cast<unsigned>(operands.aux.size() - 1);
}

EpilogueSource EpilogueEdit::keepAux(unsigned i) {
  unsigned index =
      op->getNumOperands() - op.getOuts().size() - op.getAux().size() + i;
  return addAux({op.getAux()[i], op.getMap(index)}, getAlignment(index));
}

void EpilogueEdit::addOut(const GemmOutput &out) {
  int64_t alignment = 0;
  unsigned firstOut = op->getNumOperands() - op.getOuts().size();
  for (auto [i, own] : llvm::enumerate(op.getOuts()))
    if (own == out.value)
      alignment = std::max(alignment, getAlignment(firstOut + i));
  operands.outs.push_back(out);
  outAlignments.push_back(alignment);
}

void EpilogueEdit::keepOut(unsigned i) {
  unsigned index = op->getNumOperands() - op.getOuts().size() + i;
  addOut({{op.getOuts()[i], op.getMap(index)}, op.getCombiner(i)});
}

bool EpilogueEdit::keepsDomain() const {
  for (unsigned dim = 0; dim < operands.getDomain().getNumBatch(); ++dim) {
    auto uses = [&](const GemmInput &input) {
      return input.map.isFunctionOfDim(dim);
    };
    if (!uses(operands.a) && llvm::none_of(operands.bs, uses) &&
        llvm::none_of(operands.aux, uses) && llvm::none_of(operands.outs, uses))
      return false;
  }
  return true;
}

bool EpilogueEdit::overwritesInputs() const {
  unsigned numFactors = GemmOp(op)->getNumOperands() -
                        GemmOp(op).getAux().size() -
                        GemmOp(op).getOuts().size();
  OperandRange factors = GemmOp(op)->getOperands().take_front(numFactors);
  return llvm::any_of(operands.outs, [&](const GemmOutput &out) {
    return out.value &&
           (llvm::is_contained(factors, out.value) ||
            llvm::any_of(operands.aux, [&](const GemmInput &aux) {
              return aux.value == out.value &&
                     (aux.map != out.map || out.combiner != Combiner::None);
            }));
  });
}

/// An operand whose map reads index 0 of some dimensions, without them.
static GemmInput dropConstantDims(OpBuilder &builder, Location loc,
                                  const GemmInput &input) {
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> shape;
  for (auto [i, expr] : llvm::enumerate(input.map.getResults())) {
    if (!isa<AffineDimExpr>(expr))
      continue;
    kept.push_back(expr);
    shape.push_back(cast<ShapedType>(input.value.getType()).getDimSize(i));
  }
  if (kept.size() == input.map.getNumResults())
    return input;
  auto type =
      RankedTensorType::get(shape, getElementTypeOrSelf(input.value.getType()));
  return {
      tensor::createCanonicalRankReducingExtractSliceOp(builder, loc,
                                                        input.value, type),
      AffineMap::get(input.map.getNumDims(), 0, kept, builder.getContext())};
}

GemmOp EpilogueEdit::create(
    RewriterBase &rewriter,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  Location loc = op->getLoc();
  for (GemmInput &aux : operands.aux)
    aux = dropConstantDims(rewriter, loc, aux);
  GemmCompute compute = op.getGemmCompute();
  if (!compute.operandAlignments.empty()) {
    compute.operandAlignments.truncate(
        op->getNumOperands() - op.getAux().size() - op.getOuts().size());
    llvm::append_range(compute.operandAlignments, auxAlignments);
    llvm::append_range(compute.operandAlignments, outAlignments);
  }
  auto result = GemmOp::create(
      rewriter, loc, operands, compute,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        auxArguments = arguments.drop_front(op.getNumAccumulators());
        YieldOp::create(
            builder, bodyLoc,
            body(builder, arguments.take_front(op.getNumAccumulators())));
      });
  if (op.getConfigAttr())
    result.setConfigAttr(op.getConfigAttr());
  if (op.getVariantsAttr())
    result.setVariantsAttr(op.getVariantsAttr());
  if (op.getScheduleAttr())
    result.setScheduleAttr(op.getScheduleAttr());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return result;
}

Value EpilogueEdit::emit(OpBuilder &builder,
                         const EpilogueSource &source) const {
  if (auto *index = std::get_if<unsigned>(&source))
    return auxArguments[*index];
  return arith::ConstantOp::create(builder, op->getLoc(),
                                   std::get<TypedAttr>(source));
}

SmallVector<Value> EpilogueEdit::cloneRegion(OpBuilder &builder,
                                             ValueRange arguments) const {
  Block *body = GemmOp(op).getBody();
  IRMapping mapping;
  mapping.map(body->getArguments(), arguments);
  for (Operation &scalar : body->without_terminator())
    builder.clone(scalar, mapping);
  SmallVector<Value> values;
  for (Value value : body->getTerminator()->getOperands())
    values.push_back(mapping.lookup(value));
  return values;
}

void UnusedDefs::add(ValueRange values) {
  for (Value value : values)
    if (Operation *def = value.getDefiningOp();
        isa_and_nonnull<tensor::EmptyOp, tensor::DimOp, tensor::SplatOp,
                        tensor::ExtractOp, tensor::FromElementsOp,
                        linalg::FillOp, arith::ConstantOp>(def))
      defs.insert(def);
}

void UnusedDefs::erase(PatternRewriter &rewriter) {
  while (!defs.empty()) {
    Operation *def = defs.pop_back_val();
    if (!isOpTriviallyDead(def))
      continue;
    SmallVector<Value> operands(def->getOperands());
    rewriter.eraseOp(def);
    add(operands);
  }
}
