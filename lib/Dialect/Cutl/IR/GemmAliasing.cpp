//===- GemmAliasing.cpp - Memrefs that a gemm must not share -------------===//

#include "cutl/Dialect/Cutl/IR/GemmAliasing.h"
#include "cutl/Dialect/Cutl/IR/MapSyntax.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cutl;

/// Whether two values are the same memory for reasons that their definitions
/// show.
static bool isSameMemory(Value lhs, Value rhs) {
  auto strip = [](Value value) {
    while (auto cast = value.getDefiningOp<memref::CastOp>())
      value = cast.getSource();
    return value;
  };
  lhs = strip(lhs);
  rhs = strip(rhs);
  if (lhs == rhs)
    return true;
  auto lhsView = lhs.getDefiningOp<memref::SubViewOp>();
  auto rhsView = rhs.getDefiningOp<memref::SubViewOp>();
  return lhsView && rhsView &&
         lhsView.getMixedOffsets() == rhsView.getMixedOffsets() &&
         lhsView.getMixedSizes() == rhsView.getMixedSizes() &&
         lhsView.getMixedStrides() == rhsView.getMixedStrides() &&
         isSameMemory(lhsView.getSource(), rhsView.getSource());
}

static std::string getMapText(GemmOp op, unsigned operand) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printNamedMap(os, op.getMap(operand), op.getDomain().getNames());
  return text;
}

LogicalResult mlir::cutl::verifyNoAliasing(GemmOp op) {
  if (op.hasTensorForm())
    return success();
  unsigned firstOut = op.getNumOperands() - op.getOuts().size();
  unsigned firstAux = firstOut - op.getAux().size();
  for (unsigned out = firstOut; out < op.getNumOperands(); ++out)
    for (unsigned i = 0; i < out; ++i) {
      if (!isa<MemRefType>(op->getOperand(i).getType()) ||
          !isSameMemory(op->getOperand(i), op->getOperand(out)))
        continue;
      std::string outName = op.getOperandName(out), name = op.getOperandName(i);
      if (i < firstAux || i >= firstOut)
        return op.emitOpError("expected ")
               << outName << " not to be " << name
               << (i < firstOut ? ": it would be overwritten while it is read"
                                : ": both would be written");
      Combiner combiner = op.getCombiner(out - firstOut);
      if (op.getMap(i) == op.getMap(out) && combiner == Combiner::None)
        continue;
      InFlightDiagnostic diag = op.emitOpError("expected ")
                                << outName << " and " << name
                                << ", the same memory, to have equal maps "
                                   "without a combiner, got "
                                << getMapText(op, out);
      if (combiner != Combiner::None)
        diag << " " << stringifyCombiner(combiner);
      return diag << " and " << getMapText(op, i);
    }
  return success();
}
