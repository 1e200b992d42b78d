//===- TileForCPU.cpp - cutl-tile-for-cpu --------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/GemmAliasing.h"
#include "cutl/Dialect/Cutl/IR/GemmSlicing.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLTILEFORCPU
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {
struct TileForCPUPass final : mlir::cutl::impl::CutlTileForCPUBase<TileForCPUPass> {
  using CutlTileForCPUBase::CutlTileForCPUBase;

  void runOnOperation() override {
    for (int64_t size : {int64_t(tileM), int64_t(tileN)})
      if (size < 1) {
        getOperation().emitError("expected tile-m and tile-n to be at least 1, "
                                 "got ")
            << size;
        return signalPassFailure();
      }
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp op) {
      if (!op.hasTensorForm())
        gemms.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GemmOp op : gemms) {
      if (failed(verifyNoAliasing(op)) || failed(tile(rewriter, op)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult tile(IRRewriter &rewriter, GemmOp op);
};
} // namespace

LogicalResult TileForCPUPass::tile(IRRewriter &rewriter, GemmOp op) {
  GemmDomain domain = op.getDomain();
  SmallVector<utils::IteratorType> types = op.getLoopIteratorTypes();
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < domain.getRank(); ++dim) {
    int64_t size = dim == domain.m() ? tileM : dim == domain.n() ? tileN : 1;
    size = llvm::alignTo(size, getTileGranularity(op, dim));
    int64_t extent = op.getStaticExtent(dim);
    bool isWhole = types[dim] == utils::IteratorType::reduction ||
                   (!ShapedType::isDynamic(extent) && extent <= size);
    sizes.push_back(rewriter.getIndexAttr(isWhole ? 0 : size));
  }
  if (llvm::all_of(sizes,
                   [](OpFoldResult size) { return isZeroInteger(size); }))
    return success();
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.eraseOp(op);
  ++numTiled;
  return success();
}
