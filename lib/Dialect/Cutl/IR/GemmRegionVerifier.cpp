//===- GemmRegionVerifier.cpp - Constraints on the epilogue region -------===//
//
// C7 to C9 and C13 of cutl.gemm, which speak of the region; the other
// constraints are in GemmVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cutl;
namespace ti = ::cutl::targetinfo;

/// C7: operand and accumulator types form a triple of the table.
static LogicalResult verifyAccumulator(GemmOp op, Type accumulator) {
  Type a = getElementTypeOrSelf(op.getA().getType());
  Type b = getElementTypeOrSelf(op.getBs().front().getType());
  const ti::DataType *recordA = lookupDataType(a, op.getASignedness());
  const ti::DataType *recordB = lookupDataType(b, op.getBSignedness());
  for (auto [record, operand, type] : {std::tuple(recordA, "a", a),
                                       std::tuple(recordB, "b", b)})
    if (!record || record->isScale())
      return op.emitOpError("expected ")
             << operand << " to have an element type of the data-type table, "
             << "got " << type;
  std::vector<const ti::DataType *> legal =
      ti::legalAccumulators(*recordA, *recordB);
  if (legal.empty())
    return op.emitOpError("expected element types that can be multiplied, got ")
           << recordA->name << " and " << recordB->name;
  bool isLegal = llvm::any_of(legal, [&](const ti::DataType *record) {
    return getMLIRType(op.getContext(), *record) == accumulator;
  });
  if (!isLegal)
    return op.emitOpError("expected the accumulator of ")
           << recordA->name << " and " << recordB->name << " to be "
           << ti::joinNames(legal) << ", got " << accumulator;
  for (unsigned i = 1 + op.getBs().size(),
                e = i + op.getScales().size() + op.getZeros().size();
       i < e; ++i) {
    Type element = getElementTypeOrSelf(op->getOperand(i).getType());
    if (!isa<FloatType>(element))
      continue;
    if (!isa<FloatType>(accumulator))
      return op.emitOpError("expected a floating-point accumulator with ")
             << op.getOperandName(i) << " of type " << element << ", got "
             << accumulator;
    if (element.getIntOrFloatBitWidth() > accumulator.getIntOrFloatBitWidth())
      return op.emitOpError("expected ")
             << op.getOperandName(i) << " to be no wider than the accumulator, "
             << accumulator << ", got " << element;
  }
  if (op.getSaturate() && !isa<IntegerType>(accumulator))
    return op.emitOpError("expected an integer accumulator with 'saturate', "
                          "got ")
           << accumulator;
  return success();
}

LogicalResult GemmOp::verifyRegions() {
  Block *body = getBody();
  unsigned numAccumulators = getNumAccumulators();
  // C8: block arguments.
  size_t expected = numAccumulators + getAux().size();
  if (body->getNumArguments() != expected)
    return emitOpError("expected ")
           << expected << " region arguments (" << numAccumulators
           << " accumulator(s), " << getAux().size()
           << " auxiliary), got " << body->getNumArguments();
  Type accumulator = getAccumulatorType();
  if (failed(verifyAccumulator(*this, accumulator)))
    return failure();
  for (unsigned i = 1; i < numAccumulators; ++i)
    if (body->getArgument(i).getType() != accumulator)
      return emitOpError("expected all accumulators to have one type, but "
                         "region argument 0 is ")
             << accumulator << " and region argument " << i << " is "
             << body->getArgument(i).getType();
  for (auto [i, aux] : llvm::enumerate(getAux())) {
    Type element = getElementTypeOrSelf(aux.getType());
    Type argument = body->getArgument(numAccumulators + i).getType();
    if (argument != element)
      return emitOpError("expected region argument ")
             << numAccumulators + i << " to have the element type of aux[" << i
             << "], " << element << ", got " << argument;
  }
  // C9: yielded values.
  auto yield = dyn_cast<YieldOp>(body->getTerminator());
  if (!yield)
    return emitOpError("expected the region to end in 'cutl.yield', got '")
           << body->getTerminator()->getName() << "'";
  if (yield.getValues().size() != getOuts().size())
    return emitOpError("expected one yielded value per output, got ")
           << yield.getValues().size() << " for " << getOuts().size()
           << " outputs";
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    Type element = getElementTypeOrSelf(getOuts()[i].getType());
    if (value.getType() != element)
      return emitOpError("expected yielded value ")
             << i << " to have the element type of outs[" << i << "], "
             << element << ", got " << value.getType();
  }
  // C13: admitted ops.
  auto isScalar = [](Type type) {
    return isa<FloatType>(type) ||
           (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
  };
  for (Operation &op : body->without_terminator()) {
    for (Type type : op.getResultTypes())
      if (isa<EpilogueOpInterface>(op) && !isScalar(type))
        return emitOpError("expected ops of the epilogue region to work on "
                           "floats and signless integers of up to 64 bits, "
                           "but '")
               << op.getName() << "' gives " << type;
    if (!isa<EpilogueOpInterface>(op)) {
      InFlightDiagnostic diag =
          emitOpError("expected only admitted ops in the epilogue region, got '")
          << op.getName() << "'";
      diag.attachNote(op.getLoc())
          << "admitted are the epilogue ops of cutl and the scalar ops of "
             "arith and math that EpilogueOpInterface covers";
      return diag;
    }
  }
  return success();
}
