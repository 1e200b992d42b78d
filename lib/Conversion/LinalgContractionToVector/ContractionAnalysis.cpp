//===- ContractionAnalysis.cpp - Recognising contractions -----------------===//
//
// Splits a linalg.generic on memrefs into the two factors of a contraction.
//
//===----------------------------------------------------------------------===//

#include "ContractionAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::cutl;

/// Returns the operands of `value` if `Op` defines it.
template <typename Op>
static std::optional<std::pair<Value, Value>> matchBinary(Value value) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return std::nullopt;
  return std::make_pair(op.getLhs(), op.getRhs());
}

/// Fills in the slice and the inputs of `factor` from its value.
static LogicalResult collectSlice(linalg::GenericOp op, Factor &factor,
                                  std::string &reason) {
  Block *body = op.getBody();
  llvm::SmallPtrSet<Operation *, 8> inSlice;
  llvm::SmallSetVector<unsigned, 4> inputs;
  SmallVector<Value> worklist = {factor.value};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() != body)
        continue;
      if (arg.getArgNumber() >= op.getNumDpsInputs()) {
        reason = "a factor reads the accumulator";
        return failure();
      }
      inputs.insert(arg.getArgNumber());
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (def->getBlock() != body || !inSlice.insert(def).second)
      continue;
    if (def->getNumRegions() != 0 || !isPure(def) ||
        isa<linalg::IndexOp>(def)) {
      reason = "'" + def->getName().getStringRef().str() +
               "' in a factor is not a pure function of the inputs";
      return failure();
    }
    llvm::append_range(worklist, def->getOperands());
  }
  for (Operation &inner : *body)
    if (inSlice.contains(&inner))
      factor.slice.push_back(&inner);
  factor.inputs = inputs.takeVector();
  llvm::sort(factor.inputs);
  return success();
}

/// The loop dimensions that the inputs of `factor` depend on.
static llvm::SmallBitVector usedDims(linalg::GenericOp op,
                                     const Factor &factor) {
  llvm::SmallBitVector dims(op.getNumLoops());
  for (unsigned input : factor.inputs) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(input));
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (map.isFunctionOfDim(dim))
        dims.set(dim);
  }
  return dims;
}

std::optional<std::pair<unsigned, unsigned>>
cutl::findExtent(linalg::GenericOp op, unsigned dim) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned operand = maps.size(); operand-- > 0;) {
    if (!isa<MemRefType>(op->getOperand(operand).getType()))
      continue;
    if (auto position = maps[operand].getResultPosition(
            getAffineDimExpr(dim, op.getContext())))
      return std::make_pair(operand, *position);
  }
  return std::nullopt;
}

/// Splits the yielded value into `acc + l * r`.
static std::optional<std::pair<Value, Value>> matchBody(linalg::GenericOp op,
                                                        Type type) {
  Block *body = op.getBody();
  Value yielded = body->getTerminator()->getOperand(0);
  Value acc = body->getArgument(op.getNumDpsInputs());
  bool isFloat = isa<FloatType>(type);
  auto sum = isFloat ? matchBinary<arith::AddFOp>(yielded)
                     : matchBinary<arith::AddIOp>(yielded);
  if (!sum)
    return std::nullopt;
  if (sum->second == acc)
    std::swap(sum->first, sum->second);
  if (sum->first != acc)
    return std::nullopt;
  Operation *product = sum->second.getDefiningOp();
  if (!product || product->getBlock() != body)
    return std::nullopt;
  return isFloat ? matchBinary<arith::MulFOp>(sum->second)
                 : matchBinary<arith::MulIOp>(sum->second);
}

FailureOr<Contraction> cutl::analyzeContraction(linalg::GenericOp op,
                                                std::string &reason) {
  auto fail = [&](const Twine &message) -> FailureOr<Contraction> {
    reason = message.str();
    return failure();
  };
  if (!op.hasPureBufferSemantics())
    return fail("expected memref operands");
  if (op.getNumDpsInits() != 1)
    return fail("expected one output, got " + Twine(op.getNumDpsInits()));
  if (op.getNumReductionLoops() != 1 ||
      op.getNumParallelLoops() + 1 != op.getNumLoops())
    return fail("expected one reduction dimension and parallel ones");

  Contraction result;
  result.op = op;
  auto outType = cast<MemRefType>(op.getDpsInitOperand(0)->get().getType());
  result.type = outType.getElementType();
  if (!result.type.isF32() && !result.type.isF64() &&
      !result.type.isSignlessInteger(32) && !result.type.isSignlessInteger(64))
    return fail("expected an accumulator of f32, f64, i32 or i64");
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto memref = dyn_cast<MemRefType>(input->get().getType());
    if (!memref && !input->get().getType().isIntOrFloat())
      return fail("expected memrefs and scalars as inputs");
    if (op.getMatchingIndexingMap(input).getNumSymbols() != 0)
      return fail("expected indexing maps without symbols");
  }
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!outMap.isProjectedPermutation() ||
      outMap.getNumResults() != op.getNumParallelLoops())
    return fail("expected an output indexed once by every parallel dimension");
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction)
      result.reductionDim = dim;
    if (!findExtent(op, dim))
      return fail("expected dimension " + Twine(dim) +
                  " to index an operand by itself");
  }
  if (outMap.isFunctionOfDim(result.reductionDim))
    return fail("expected an output indexed once by every parallel dimension");

  auto factors = matchBody(op, result.type);
  if (!factors)
    return fail("expected a body that yields the accumulator plus a product");
  result.rows.value = factors->first;
  result.columns.value = factors->second;
  if (failed(collectSlice(op, result.rows, reason)) ||
      failed(collectSlice(op, result.columns, reason)))
    return failure();

  // Vectors run along the output's last dimension when one factor alone owns
  // it; the product commutes, so that factor becomes the columns.
  llvm::SmallBitVector rowDims = usedDims(op, result.rows);
  llvm::SmallBitVector columnDims = usedDims(op, result.columns);
  SmallVector<unsigned> outDims;
  for (AffineExpr expr : outMap.getResults())
    outDims.push_back(cast<AffineDimExpr>(expr).getPosition());
  auto isLane = [](unsigned dim, const llvm::SmallBitVector &mine,
                   const llvm::SmallBitVector &other) {
    return mine.test(dim) && !other.test(dim);
  };
  if (!outDims.empty() && isLane(outDims.back(), rowDims, columnDims)) {
    std::swap(result.rows, result.columns);
    std::swap(rowDims, columnDims);
  }
  // Of several candidates on one side the innermost in the output is taken and
  // the others are looped over like batch dimensions.
  for (unsigned dim : llvm::reverse(outDims)) {
    if (!result.columns.laneDim && isLane(dim, columnDims, rowDims))
      result.columns.laneDim = dim;
    else if (!result.rows.laneDim && isLane(dim, rowDims, columnDims))
      result.rows.laneDim = dim;
  }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (dim != result.reductionDim && result.rows.laneDim != dim &&
        result.columns.laneDim != dim)
      result.batchDims.push_back(dim);
  return result;
}
