//===- SeedFault.cpp - Makes kernels of phase `tiled` wrong --------------===//

#include "TestPasses.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_TESTCUTLSEEDFAULT
#include "TestPasses.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// Uses `after`, computed by `compute` at the start of the loop's body, where
/// `value` was used.
static void replaceInBody(tile::WorkLoopOp loop, Value value,
                          function_ref<Value(OpBuilder &)> compute) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  OpBuilder builder = OpBuilder::atBlockBegin(&loop.getBody().front());
  Value after = compute(builder);
  for (OpOperand *use : uses)
    use->set(after);
}

static void dropLastKTile(tile::WorkLoopOp loop) {
  Value begin = loop.getKBegin(), end = loop.getKEnd();
  replaceInBody(loop, end, [&](OpBuilder &builder) -> Value {
    Location loc = loop.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    // All steps before the one that holds the last element.
    Value length = arith::SubIOp::create(builder, loc, end, begin);
    Value last = arith::SubIOp::create(builder, loc, length, constant(1));
    Value positive = arith::MaxSIOp::create(builder, loc, last, constant(0));
    Value steps = arith::DivUIOp::create(builder, loc, positive,
                                         constant(loop.getTileK()));
    Value kept =
        arith::MulIOp::create(builder, loc, steps, constant(loop.getTileK()));
    return arith::AddIOp::create(builder, loc, begin, kept);
  });
}

static void repeatTile(tile::WorkLoopOp loop) {
  Value m = loop.getOffsets()[loop.getDomain().m()];
  replaceInBody(loop, m, [&](OpBuilder &builder) -> Value {
    Location loc = loop.getLoc();
    Value tile = arith::ConstantIndexOp::create(builder, loc, loop.getTileM());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value before = arith::SubIOp::create(builder, loc, m, tile);
    return arith::MaxSIOp::create(builder, loc, before, zero);
  });
}

static void shiftTailMask(tile::WorkLoopOp loop, unsigned dim, int64_t by) {
  OpBuilder builder(loop);
  Value offset = arith::ConstantIndexOp::create(builder, loop.getLoc(), by);
  OpOperand &extent = loop.getExtentsMutable()[dim];
  extent.set(
      arith::AddIOp::create(builder, loop.getLoc(), extent.get(), offset));
}

/// Every unit of a tile takes itself for the only one.
static void skipFixup(tile::WorkLoopOp loop) {
  for (auto fixup : loop.getOps<tile::FixupOp>()) {
    OpBuilder builder(fixup);
    fixup.getCountMutable().assign(
        arith::ConstantIndexOp::create(builder, fixup.getLoc(), 1));
  }
}

/// What counts arrivals, or what units add to, is not zero when a kernel
/// starts.
static void keep(Operation *root, bool sums) {
  SmallVector<MemsetOp> memsets;
  root->walk([&](MemsetOp op) {
    if (isa<FloatType>(getElementTypeOrSelf(op.getDestination())) == sums)
      memsets.push_back(op);
  });
  for (MemsetOp op : memsets)
    op.erase();
}

namespace {

struct TestCutlSeedFaultPass final
    : mlir::cutl::impl::TestCutlSeedFaultBase<TestCutlSeedFaultPass> {
  using TestCutlSeedFaultBase::TestCutlSeedFaultBase;

  void runOnOperation() override {
    bool ok = true;
    if (fault == "keep-arrivals" || fault == "keep-sums")
      return keep(getOperation(), /*sums=*/fault == "keep-sums");
    getOperation()->walk(
        [&](tile::WorkLoopOp loop) { ok &= succeeded(seed(loop)); });
    if (!ok)
      signalPassFailure();
  }

private:
  LogicalResult seed(tile::WorkLoopOp loop) {
    if (fault == "drop-last-k-tile") {
      dropLastKTile(loop);
      return success();
    }
    if (fault == "repeat-tile") {
      repeatTile(loop);
      return success();
    }
    if (fault == "skip-fixup") {
      skipFixup(loop);
      return success();
    }
    std::optional<unsigned> position = loop.getDomain().lookup(dim);
    if (fault == "tail-mask" && position &&
        *position >= loop.getDomain().getNumBatch()) {
      shiftTailMask(loop, *position, by);
      return success();
    }
    return loop.emitOpError("expected fault to be drop-last-k-tile, "
                            "repeat-tile, skip-fixup, keep-arrivals, "
                            "keep-sums, or tail-mask of m, n or k, got '")
           << fault << "' of '" << dim << "'";
  }
};

} // namespace
