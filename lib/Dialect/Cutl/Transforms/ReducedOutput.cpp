//===- ReducedOutput.cpp - Reductions as outputs of a gemm ----------------===//

#include "ReducedOutput.h"
#include "EpilogueEdit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::cutl;

static bool hasFlag(Operation *op, arith::FastMathFlags flag) {
  return arith::bitEnumContainsAll(
      cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue(),
      flag);
}

/// Whether reducing from this number gives what an output reduced by `combiner`
/// gives, which starts from the combiner's identity.
static bool isIdentity(TypedAttr attr, Combiner combiner, Operation *combine) {
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    llvm::APFloat value = number.getValue();
    bool ignoresSign = hasFlag(combine, arith::FastMathFlags::nsz);
    switch (combiner) {
    case Combiner::Add:
    case Combiner::AMax:
      return value.isZero() && (!value.isNegative() || ignoresSign);
    case Combiner::Max:
      return value.isInfinity() && value.isNegative();
    case Combiner::Min:
      return value.isInfinity() && !value.isNegative();
    case Combiner::None:
      return false;
    }
  }
  if (auto number = dyn_cast<IntegerAttr>(attr)) {
    const llvm::APInt &value = number.getValue();
    switch (combiner) {
    case Combiner::Add:
      return value.isZero();
    case Combiner::Max:
      return value.isMinSignedValue();
    case Combiner::Min:
      return value.isMaxSignedValue();
    case Combiner::AMax:
    case Combiner::None:
      return false;
    }
  }
  return false;
}

/// Whether a number, or each element of a tensor, is seen to be a magnitude.
static bool isMagnitude(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto linalgOp =
        dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!linalgOp)
      return false;
    for (OpOperand *input : linalgOp.getDpsInputOperands())
      if (linalgOp.getMatchingBlockArgument(input) == argument)
        return isMagnitude(input->get());
    return false;
  }
  Operation *def = value.getDefiningOp();
  unsigned i = cast<OpResult>(value).getResultNumber();
  if (auto gemm = dyn_cast<GemmOp>(def))
    return gemm.getCombiner(i) == Combiner::None &&
           isMagnitude(gemm.getBody()->getTerminator()->getOperand(i));
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(def))
    return linalgOp.getNumReductionLoops() == 0 &&
           isMagnitude(linalgOp.getBlock()->getTerminator()->getOperand(i));
  return isa<math::AbsFOp>(def);
}

ReducedOutput mlir::cutl::getReducedOutput(const ElementwiseOp &reduction) {
  const ElementwiseResult &result = reduction.getResults().front();
  Operation *combine = reduction.getCombinerOp();
  std::optional<TypedAttr> start = getUniformConstant(result.destination);
  // The largest magnitude starts from 0, of a maximum that is no identity.
  if (result.combiner == Combiner::Max && start &&
      isIdentity(*start, Combiner::AMax, combine) &&
      llvm::any_of(combine->getOperands(), isMagnitude))
    return {Combiner::AMax, Value()};
  if (start && isIdentity(*start, result.combiner, combine))
    return {result.combiner, Value()};
  return {result.combiner, result.destination};
}

std::string mlir::cutl::whyStartStays(const ElementwiseOp &reduction) {
  Operation *combine = reduction.getCombinerOp();
  if (!isa<arith::AddFOp>(combine) ||
      hasFlag(combine, arith::FastMathFlags::nsz))
    return "";
  std::optional<TypedAttr> start =
      getUniformConstant(reduction.getResults().front().destination);
  auto number = start ? dyn_cast<FloatAttr>(*start) : FloatAttr();
  if (number && !number.getValue().isNegZero())
    return "";
  return "a sum that starts from -0.0 can be -0.0, that of an output cannot, "
         "and it has no fast-math 'nsz'";
}

Value mlir::cutl::combineWithStart(RewriterBase &rewriter,
                                   const ElementwiseOp &reduction,
                                   Value reduced) {
  Operation *combine = reduction.getCombinerOp();
  Value start = reduction.getResults().front().destination;
  auto type = cast<RankedTensorType>(start.getType());
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, combine->getLoc(), type, reduced, start,
      SmallVector<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        Operation *combined = builder.clone(*combine);
        combined->setOperands({elements[1], elements[0]});
        linalg::YieldOp::create(builder, loc, combined->getResults());
      });
  return generic.getResult(0);
}
