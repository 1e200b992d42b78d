//===- ElementwiseOp.cpp - Tensor ops as functions of elements ------------===//

#include "ElementwiseOp.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::cutl;

static bool isEpilogueNumber(Type type) {
  return isa<FloatType>(type) ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

std::string mlir::cutl::whyNotAdmitted(Operation &op) {
  std::string name = op.getName().getStringRef().str();
  if (!isa<EpilogueOpInterface>(op))
    return "an epilogue does not admit '" + name + "'";
  for (Type type : op.getResultTypes())
    if (!isEpilogueNumber(getElementTypeOrSelf(type)))
      return "'" + name +
             "' gives something else than a float or a signless integer of up "
             "to 64 bits";
  return "";
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Combiner getCombiner(Operation *op, std::string &reason) {
  using namespace arith;
  auto hasFlags = [&](FastMathFlags flags) {
    auto fastMath = cast<ArithFastMathInterface>(op).getFastMathFlagsAttr();
    return fastMath && bitEnumContainsAll(fastMath.getValue(), flags);
  };
  Type type = op->getResult(0).getType();
  if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 1) {
    reason = "it reduces booleans";
    return Combiner::None;
  }
  if (isa<FloatType>(type) &&
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type)) {
    reason = "an output of its element type is never reduced";
    return Combiner::None;
  }
  if (isa<AddFOp>(op)) {
    if (!hasFlags(FastMathFlags::reassoc)) {
      reason = "a sum of floats is made in another order only under fast-math "
               "'reassoc'";
      return Combiner::None;
    }
    if (type.getIntOrFloatBitWidth() < 32 &&
        !hasFlags(FastMathFlags::contract)) {
      reason = "a sum of narrow floats is made in f32, which leaves out "
               "roundings and needs fast-math 'contract'";
      return Combiner::None;
    }
    return Combiner::Add;
  }
  if (isa<MaxNumFOp, MinNumFOp>(op)) {
    if (!hasFlags(FastMathFlags::nnan)) {
      reason = "it ignores NaN, which a reduced output keeps, and has no "
               "fast-math 'nnan'";
      return Combiner::None;
    }
    return isa<MaxNumFOp>(op) ? Combiner::Max : Combiner::Min;
  }
  if (isa<AddIOp>(op))
    return Combiner::Add;
  if (isa<MaximumFOp, MaxSIOp>(op))
    return Combiner::Max;
  if (isa<MinimumFOp, MinSIOp>(op))
    return Combiner::Min;
  reason = "no combiner of an output does what '" +
           op->getName().getStringRef().str() + "' does";
  return Combiner::None;
}

bool ElementwiseOp::matchReduction(std::string &reason) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (results.size() != 1) {
    reason = "it reduces to several results at once";
    return false;
  }
  OpOperand *init = linalgOp.getDpsInitOperand(0);
  BlockArgument current = linalgOp.getMatchingBlockArgument(init);
  Operation *yield = linalgOp.getBlock()->getTerminator();
  Operation *combine = yield->getOperand(0).getDefiningOp();
  if (!combine || combine->getBlock() != linalgOp.getBlock() ||
      combine->getNumOperands() != 2 || !combine->hasOneUse() ||
      !current.hasOneUse() || *current.getUsers().begin() != combine) {
    reason = "it does not combine each element with what has been reduced by "
             "one op";
    return false;
  }
  results[0].combiner = getCombiner(combine, reason);
  combinerOp = combine;
  return results[0].combiner != Combiner::None;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

bool ElementwiseOp::matchLinalg(std::string &reason) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (!linalgOp.hasPureTensorSemantics()) {
    reason = "it does not work on tensors alone";
    return false;
  }
  numDims = linalgOp.getNumLoops();
  bool isReduction = linalgOp.getNumReductionLoops() != 0;
  if (linalgOp.getNumParallelLoops() + linalgOp.getNumReductionLoops() !=
      numDims) {
    reason = "it has loops that are neither parallel nor reductions";
    return false;
  }
  for (OpOperand &init : linalgOp.getDpsInitsMutable())
    results.push_back({linalgOp.getMatchingIndexingMap(&init), init.get()});
  if (isReduction && !matchReduction(reason))
    return false;

  Block *body = linalgOp.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!linalgOp.payloadUsesValueFromOperand(&operand) ||
        (isReduction && linalgOp.isDpsInit(&operand)))
      continue;
    inputs.push_back(
        {operand.get(), linalgOp.getMatchingIndexingMap(&operand)});
    bodyInputs.push_back(linalgOp.getMatchingBlockArgument(&operand));
  }
  // Numbers from outside are inputs of every element; constants are cloned.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    if (!isEpilogueNumber(value.getType())) {
      reason = "its body uses a value from outside that is not a number";
      return false;
    }
    inputs.push_back({value, AffineMap::get(numDims, 0, op->getContext())});
    bodyInputs.push_back(value);
  }
  for (Operation &scalar : body->without_terminator()) {
    if (&scalar == combinerOp)
      continue;
    if (reason = whyNotAdmitted(scalar); !reason.empty())
      return false;
  }
  return checkMaps(reason);
}

bool ElementwiseOp::matchMappable(std::string &reason) {
  if (reason = whyNotAdmitted(*op); !reason.empty())
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  numDims = type.getRank();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(numDims, op->getContext());
  for (Value operand : op->getOperands())
    inputs.push_back(
        {operand, isa<RankedTensorType>(operand.getType())
                      ? identity
                      : AffineMap::get(numDims, 0, op->getContext())});
  results.push_back({identity, Value()});
  return checkMaps(reason);
}

/// Whether a map has only results that are dimensions, each once, and, where
/// `type` has an extent of one, the constant 0.
static bool isSelection(AffineMap map, Type type) {
  llvm::SmallBitVector seen(map.getNumDims());
  auto shaped = dyn_cast<ShapedType>(type);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() != 0 || !shaped || shaped.getDimSize(i) != 1)
        return false;
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return map.getNumSymbols() == 0;
}

bool ElementwiseOp::checkMaps(std::string &reason) const {
  for (const GemmInput &input : inputs) {
    if (!isEpilogueNumber(getElementTypeOrSelf(input.value.getType()))) {
      reason = "it reads something else than floats and signless integers of "
               "up to 64 bits";
      return false;
    }
    if (!isSelection(input.map, input.value.getType())) {
      reason = "it reads an operand in another way than an element per "
               "iteration, in some order of the dimensions";
      return false;
    }
  }
  for (const ElementwiseResult &result : results)
    if (!result.map.isProjectedPermutation() ||
        (!isReduction() && !result.map.isPermutation())) {
      reason = "it does not write each element of its result once";
      return false;
    }
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getEncoding() || tensor.getRank() > 8) {
      reason = "its result has an encoding or more than 8 dimensions";
      return false;
    }
  }
  return true;
}

std::optional<ElementwiseOp> ElementwiseOp::get(Operation *op,
                                                std::string &reason) {
  ElementwiseOp result;
  result.op = op;
  if (isa<linalg::LinalgOp>(op)) {
    if (!result.matchLinalg(reason))
      return std::nullopt;
    return result;
  }
  if (op->getNumResults() == 1 && op->getNumOperands() != 0 &&
      isa<RankedTensorType>(op->getResult(0).getType()) &&
      OpTrait::hasElementwiseMappableTraits(op)) {
    if (!result.matchMappable(reason))
      return std::nullopt;
    return result;
  }
  reason = "it is no elementwise op";
  return std::nullopt;
}

SmallVector<Value> ElementwiseOp::emit(OpBuilder &builder,
                                       ValueRange elements) const {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  IRMapping mapping;
  if (!linalgOp) {
    for (auto [input, element] : llvm::zip_equal(inputs, elements))
      mapping.map(input.value, element);
    Operation *scalar = builder.clone(*op, mapping);
    Value result = scalar->getResult(0);
    result.setType(getElementTypeOrSelf(result.getType()));
    return {result};
  }
  for (auto [value, element] : llvm::zip_equal(bodyInputs, elements))
    mapping.map(value, element);
  for (Operation &scalar : linalgOp.getBlock()->without_terminator())
    if (&scalar != combinerOp)
      builder.clone(scalar, mapping);
  if (combinerOp) {
    BlockArgument current =
        linalgOp.getMatchingBlockArgument(linalgOp.getDpsInitOperand(0));
    unsigned which = combinerOp->getOperand(0) == current ? 1 : 0;
    return {mapping.lookup(combinerOp->getOperand(which))};
  }
  SmallVector<Value> values;
  for (Value value : linalgOp.getBlock()->getTerminator()->getOperands())
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}
