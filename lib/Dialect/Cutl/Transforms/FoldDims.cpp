//===- FoldDims.cpp - Sizes that are known without their memref ----------===//

#include "FoldDims.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

void mlir::cutl::foldDims(Operation *op) {
  op->walk([](memref::DimOp dim) {
    OpBuilder builder(dim);
    while (Operation *source = dim.getSource().getDefiningOp()) {
      SmallVector<Value> folded;
      if (succeeded(builder.tryFold(dim, folded)) && !folded.empty()) {
        dim->replaceAllUsesWith(folded);
        Operation *index = dim.getIndex().getDefiningOp();
        dim->erase();
        if (index && isOpTriviallyDead(index))
          index->erase();
        return;
      }
      // Looking through a cast changes the op in place.
      if (dim.getSource().getDefiningOp() == source)
        return;
    }
  });
}
