//===- NarrowFunctions.cpp - Expands functions whose result is rounded ---===//

#include "Expansions.h"

#include "cutl/Conversion/CutlMathToNVVM.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

Value mlir::cutl::expandNarrowMath(OpBuilder &builder, Operation *op,
                                   NarrowPrecision precision,
                                   const HardwareMath &hardware) {
  Location loc = op->getLoc();
  FloatEmit e(builder, loc, builder.getF32Type(), hardware);
  Type type = op->getResult(0).getType();
  Value x = op->getOperand(0);
  if (type != e.type)
    x = arith::ExtFOp::create(builder, loc, e.type, x);
  Value result = emitNarrow(e, op, x, precision);
  return type == e.type
             ? result
             : Value(arith::TruncFOp::create(builder, loc, type, result));
}

unsigned mlir::cutl::expandNarrowMath(Operation *root,
                                      const HardwareMath &hardware) {
  // All are found first: what replaces one is not among the uses that let
  // another be.
  SmallVector<std::pair<Operation *, NarrowPrecision>> found;
  root->walk([&](Operation *op) {
    if (!getNarrowError(op, NarrowPrecision::Fine))
      return;
    if (std::optional<NarrowPrecision> precision = getNarrowUse(op))
      found.push_back({op, *precision});
  });
  for (auto [op, precision] : found) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(
        expandNarrowMath(builder, op, precision, hardware));
    op->erase();
  }
  return found.size();
}
