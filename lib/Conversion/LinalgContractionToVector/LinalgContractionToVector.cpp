//===- LinalgContractionToVector.cpp - Contractions to vectors ------------===//
//
// Lowers linalg contractions on memrefs to packed, register-blocked loops.
//
//===----------------------------------------------------------------------===//

#include "cutl/Conversion/LinalgContractionToVector.h"

#include "ContractionAnalysis.h"
#include "PackFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTLINALGCONTRACTIONTOVECTOR
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {

using Options = ConvertLinalgContractionToVectorOptions;

/// Sizes of the register tile and of the packed blocks, in elements.
struct Blocking {
  int64_t vector;     // elements of a vector register
  int64_t rows, cols; // register tile
  int64_t m, n, k;    // packed blocks; m and n are whole register tiles
};

/// Emits the loops of one contraction at the insertion point.
class ContractionEmitter {
public:
  ContractionEmitter(OpBuilder &builder, const Contraction &contraction,
                     const Options &options)
      : contraction(contraction), op(contraction.op), e(builder, op.getLoc()),
        output(op.getDpsInitOperand(0)->get()),
        outMap(op.getMatchingIndexingMap(op.getDpsInitOperand(0))) {
    chooseBlocking(options);
  }

  void emit();

private:
  void chooseBlocking(const Options &options);
  int64_t staticExtent(std::optional<unsigned> dim);
  Value extent(std::optional<unsigned> dim);
  Value allocate(ArrayRef<int64_t> shape, Operation *anchor);

  void emitBatchLoops(unsigned depth);
  void emitBlocks();
  void emitRegisterTile(Value row, Value col, Value rowBlock, Value colBlock,
                        Value depth);
  void emitKernel(Value tile, Value rowBlock, Value colBlock, Value depth);
  Value multiplyAdd(Value row, Value col, Value acc);

  /// Copies the part of the tile at (row, col) that exists, out of the output
  /// or back into it.
  void copyTile(Value row, Value col, bool fromOutput);
  SmallVector<Value> outputIndex(Value row, Value col);
  Value outputTile(Value row, Value col);
  /// Whether a whole tile can be read and written in the output itself.
  bool tileIsDirect();

  const Contraction &contraction;
  linalg::GenericOp op;
  LoopEmitter e;
  Value output;
  AffineMap outMap;
  Blocking blocking;
  std::unique_ptr<FactorPacker> packRows, packCols;
  Value rowPanel, colPanel, scratch;
  /// Extents of all loop dimensions and the current indices of the outer ones.
  Value numRows, numCols, numK;
  SmallVector<Value> point;
};

} // namespace

int64_t ContractionEmitter::staticExtent(std::optional<unsigned> dim) {
  if (!dim)
    return 1;
  auto [operand, position] = *findExtent(op, *dim);
  return cast<MemRefType>(op->getOperand(operand).getType())
      .getDimSize(position);
}

Value ContractionEmitter::extent(std::optional<unsigned> dim) {
  if (!dim)
    return e.constant(1);
  int64_t known = staticExtent(dim);
  if (!ShapedType::isDynamic(known))
    return e.constant(known);
  auto [operand, position] = *findExtent(op, *dim);
  return memref::DimOp::create(e.b, e.loc, op->getOperand(operand),
                               e.constant(position));
}

void ContractionEmitter::chooseBlocking(const Options &options) {
  int64_t bits = contraction.type.getIntOrFloatBitWidth();
  blocking.vector = options.vectorBits / bits;
  blocking.cols = 2 * blocking.vector;
  // As many rows as leave registers for one row of the right panel and a
  // broadcast: 16 registers up to 256 bits, where the 128-bit form also needs
  // one for the product (no fused multiply-add there), and 32 above.
  blocking.rows = options.vectorBits == 128   ? 4
                  : options.vectorBits == 256 ? 6
                                              : 12;
  auto clamp = [](int64_t block, int64_t known) {
    return ShapedType::isDynamic(known)
               ? block
               : std::min(block, std::max<int64_t>(known, 1));
  };
  int64_t rows = staticExtent(contraction.rows.laneDim);
  int64_t cols = staticExtent(contraction.columns.laneDim);
  blocking.rows = clamp(blocking.rows, rows);
  blocking.m = llvm::alignTo(clamp(options.blockM, rows), blocking.rows);
  blocking.n = llvm::alignTo(clamp(options.blockN, cols), blocking.cols);
  blocking.k = clamp(std::max<int64_t>(options.blockK * 32 / bits, 1),
                     staticExtent(contraction.reductionDim));
}

/// The operation before which buffers used by `op` can be allocated so that
/// sequential loops around it reuse them.
static Operation *findAllocationAnchor(Operation *op) {
  while (
      isa_and_present<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(
          op->getParentOp()))
    op = op->getParentOp();
  return op;
}

Value ContractionEmitter::allocate(ArrayRef<int64_t> shape, Operation *anchor) {
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPoint(anchor);
  Value buffer = memref::AllocOp::create(
      e.b, e.loc, MemRefType::get(shape, contraction.type),
      e.b.getI64IntegerAttr(64));
  e.b.setInsertionPointAfter(anchor);
  memref::DeallocOp::create(e.b, e.loc, buffer);
  return buffer;
}

void ContractionEmitter::emit() {
  Operation *anchor = findAllocationAnchor(op);
  const Blocking &t = blocking;
  rowPanel = allocate({t.m / t.rows, t.k, t.rows}, anchor);
  colPanel = allocate({t.n / t.cols, t.k, t.cols}, anchor);
  scratch = allocate({t.rows, t.cols}, anchor);

  numRows = extent(contraction.rows.laneDim);
  numCols = extent(contraction.columns.laneDim);
  numK = extent(contraction.reductionDim);
  packRows = std::make_unique<FactorPacker>(e, contraction, contraction.rows);
  packCols =
      std::make_unique<FactorPacker>(e, contraction, contraction.columns);
  point.assign(op.getNumLoops(), e.constant(0));
  emitBatchLoops(0);
}

void ContractionEmitter::emitBatchLoops(unsigned depth) {
  if (depth == contraction.batchDims.size())
    return emitBlocks();
  unsigned dim = contraction.batchDims[depth];
  e.loop(e.constant(0), extent(dim), 1, [&](Value index) {
    point[dim] = index;
    emitBatchLoops(depth + 1);
  });
}

void ContractionEmitter::emitBlocks() {
  const Blocking &t = blocking;
  Value zero = e.constant(0);
  auto move = [&](std::optional<unsigned> dim, Value index) {
    if (dim)
      point[*dim] = index;
  };
  e.loop(zero, numCols, t.n, [&](Value n0) {
    Value cols = e.min(e.sub(numCols, n0), e.constant(t.n));
    e.loop(zero, numK, t.k, [&](Value k0) {
      Value depth = e.min(e.sub(numK, k0), e.constant(t.k));
      move(contraction.columns.laneDim, n0);
      move(contraction.reductionDim, k0);
      packCols->pack(point, cols, depth, colPanel);
      e.loop(zero, numRows, t.m, [&](Value m0) {
        Value rows = e.min(e.sub(numRows, m0), e.constant(t.m));
        move(contraction.rows.laneDim, m0);
        packRows->pack(point, rows, depth, rowPanel);
        Value rowBlocks = e.b.createOrFold<arith::CeilDivUIOp>(
            e.loc, rows, e.constant(t.rows));
        Value colBlocks = e.b.createOrFold<arith::CeilDivUIOp>(
            e.loc, cols, e.constant(t.cols));
        e.loop(zero, colBlocks, 1, [&](Value colBlock) {
          Value col = e.add(n0, e.mul(colBlock, e.constant(t.cols)));
          e.loop(zero, rowBlocks, 1, [&](Value rowBlock) {
            Value row = e.add(m0, e.mul(rowBlock, e.constant(t.rows)));
            emitRegisterTile(row, col, rowBlock, colBlock, depth);
          });
        });
      });
    });
  });
}

SmallVector<Value> ContractionEmitter::outputIndex(Value row, Value col) {
  SmallVector<Value> index;
  for (AffineExpr expr : outMap.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    index.push_back(dim == contraction.rows.laneDim      ? row
                    : dim == contraction.columns.laneDim ? col
                                                         : point[dim]);
  }
  return index;
}

bool ContractionEmitter::tileIsDirect() {
  auto type = cast<MemRefType>(output.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return contraction.rows.laneDim && contraction.columns.laneDim &&
         outMap.getResults().back() ==
             getAffineDimExpr(*contraction.columns.laneDim,
                              type.getContext()) &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

/// The type through which the kernel sees a tile, wherever it lies.
static MemRefType getTileType(const Blocking &t, MemRefType base) {
  return MemRefType::get({t.rows, t.cols}, base.getElementType(),
                         StridedLayoutAttr::get(base.getContext(),
                                                ShapedType::kDynamic,
                                                {ShapedType::kDynamic, 1}),
                         base.getMemorySpace());
}

Value ContractionEmitter::outputTile(Value row, Value col) {
  auto type = cast<MemRefType>(output.getType());
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(outputIndex(row, col));
  SmallVector<OpFoldResult> sizes(type.getRank(), e.b.getIndexAttr(1));
  SmallVector<OpFoldResult> strides(type.getRank(), e.b.getIndexAttr(1));
  for (auto [i, expr] : llvm::enumerate(outMap.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == contraction.rows.laneDim)
      sizes[i] = e.b.getIndexAttr(blocking.rows);
    else if (dim == contraction.columns.laneDim)
      sizes[i] = e.b.getIndexAttr(blocking.cols);
  }
  // The strides are spelt out rather than inferred, since extents of one make
  // it ambiguous which dimensions a rank reduction drops.
  auto full = cast<MemRefType>(
      memref::SubViewOp::inferResultType(type, offsets, sizes, strides));
  auto [fullStrides, fullOffset] = full.getStridesAndOffset();
  SmallVector<int64_t> tileStrides;
  for (auto [i, expr] : llvm::enumerate(outMap.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == contraction.rows.laneDim || dim == contraction.columns.laneDim)
      tileStrides.push_back(fullStrides[i]);
  }
  auto reduced = MemRefType::get(
      {blocking.rows, blocking.cols}, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), fullOffset, tileStrides),
      type.getMemorySpace());
  Value tile = memref::SubViewOp::create(e.b, e.loc, reduced, output, offsets,
                                         sizes, strides);
  return memref::CastOp::create(e.b, e.loc, getTileType(blocking, type), tile);
}

void ContractionEmitter::copyTile(Value row, Value col, bool fromOutput) {
  Value zero = e.constant(0);
  Value rows = e.min(e.sub(numRows, row), e.constant(blocking.rows));
  Value cols = e.min(e.sub(numCols, col), e.constant(blocking.cols));
  e.loop(zero, rows, 1, [&](Value i) {
    e.loop(zero, cols, 1, [&](Value j) {
      SmallVector<Value> outer = outputIndex(e.add(row, i), e.add(col, j));
      SmallVector<Value> inner = {i, j};
      if (fromOutput) {
        Value element = memref::LoadOp::create(e.b, e.loc, output, outer);
        memref::StoreOp::create(e.b, e.loc, element, scratch, inner);
      } else {
        Value element = memref::LoadOp::create(e.b, e.loc, scratch, inner);
        memref::StoreOp::create(e.b, e.loc, element, output, outer);
      }
    });
  });
}

void ContractionEmitter::emitRegisterTile(Value row, Value col, Value rowBlock,
                                          Value colBlock, Value depth) {
  if (!tileIsDirect()) {
    copyTile(row, col, /*fromOutput=*/true);
    emitKernel(scratch, rowBlock, colBlock, depth);
    copyTile(row, col, /*fromOutput=*/false);
    return;
  }
  // One kernel serves whole tiles and cut ones: only where it finds its
  // accumulators differs.
  auto fits = [&](Value start, int64_t size, Value end) -> Value {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sle,
                                 e.add(start, e.constant(size)), end);
  };
  Value whole =
      arith::AndIOp::create(e.b, e.loc, fits(row, blocking.rows, numRows),
                            fits(col, blocking.cols, numCols));
  MemRefType tileType =
      getTileType(blocking, cast<MemRefType>(output.getType()));
  auto choice = scf::IfOp::create(e.b, e.loc, TypeRange(tileType), whole,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(e.b, e.loc, outputTile(row, col));
    e.b.setInsertionPointToStart(choice.elseBlock());
    copyTile(row, col, /*fromOutput=*/true);
    Value cast = memref::CastOp::create(e.b, e.loc, tileType, scratch);
    scf::YieldOp::create(e.b, e.loc, cast);
  }
  emitKernel(choice.getResult(0), rowBlock, colBlock, depth);
  Value cut = arith::XOrIOp::create(
      e.b, e.loc, whole,
      arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
  e.branch(cut, [&] { copyTile(row, col, /*fromOutput=*/false); });
}

Value ContractionEmitter::multiplyAdd(Value row, Value col, Value acc) {
  if (isa<FloatType>(contraction.type))
    return vector::FMAOp::create(e.b, e.loc, row, col, acc);
  return arith::AddIOp::create(e.b, e.loc, acc,
                               arith::MulIOp::create(e.b, e.loc, row, col));
}

void ContractionEmitter::emitKernel(Value tile, Value rowBlock, Value colBlock,
                                    Value depth) {
  const Blocking &t = blocking;
  auto vectorType = VectorType::get({t.vector}, contraction.type);
  SmallVector<Value> accumulators;
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t j = 0; j < t.cols; j += t.vector)
      accumulators.push_back(
          vector::LoadOp::create(e.b, e.loc, vectorType, tile,
                                 ValueRange{e.constant(i), e.constant(j)}));

  auto loop = scf::ForOp::create(e.b, e.loc, e.constant(0), depth,
                                 e.constant(1), accumulators);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    SmallVector<Value> cols, next;
    for (int64_t j = 0; j < t.cols; j += t.vector)
      cols.push_back(
          vector::LoadOp::create(e.b, e.loc, vectorType, colPanel,
                                 ValueRange{colBlock, k, e.constant(j)}));
    for (int64_t i = 0; i < t.rows; ++i) {
      Value element = memref::LoadOp::create(
          e.b, e.loc, rowPanel, ValueRange{rowBlock, k, e.constant(i)});
      Value row = vector::BroadcastOp::create(e.b, e.loc, vectorType, element);
      for (Value col : cols)
        next.push_back(
            multiplyAdd(row, col, loop.getRegionIterArgs()[next.size()]));
    }
    scf::YieldOp::create(e.b, e.loc, next);
  }

  auto results = loop.getResults().begin();
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t j = 0; j < t.cols; j += t.vector)
      vector::StoreOp::create(e.b, e.loc, *results++, tile,
                              ValueRange{e.constant(i), e.constant(j)});
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

LogicalResult cutl::convertContractionToVector(RewriterBase &rewriter,
                                               linalg::GenericOp op,
                                               const Options &options,
                                               std::string *whyNot) {
  std::string reason;
  FailureOr<Contraction> contraction = analyzeContraction(op, reason);
  if (failed(contraction)) {
    if (whyNot)
      *whyNot = reason;
    return rewriter.notifyMatchFailure(op, reason);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ContractionEmitter(rewriter, *contraction, options).emit();
  rewriter.eraseOp(op);
  return success();
}

namespace {

struct ConvertLinalgContractionToVectorPass
    : cutl::impl::ConvertLinalgContractionToVectorBase<
          ConvertLinalgContractionToVectorPass> {
  using ConvertLinalgContractionToVectorBase::
      ConvertLinalgContractionToVectorBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
      return emitError(UnknownLoc::get(context))
             << "expected vector-bits to be 128, 256 or 512, got "
             << vectorBits.getValue();
    for (auto *block : {&blockM, &blockN, &blockK})
      if (block->getValue() < 1 || block->getValue() > 4096)
        return emitError(UnknownLoc::get(context))
               << "expected " << block->getArgStr()
               << " between 1 and 4096, got " << block->getValue();
    return success();
  }

  void runOnOperation() override {
    Options options;
    options.vectorBits = vectorBits;
    options.blockM = blockM;
    options.blockN = blockN;
    options.blockK = blockK;
    SmallVector<linalg::GenericOp> generics;
    getOperation()->walk([&](linalg::GenericOp op) { generics.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : generics) {
      Location loc = op.getLoc();
      std::string reason;
      if (succeeded(
              convertContractionToVector(rewriter, op, options, &reason))) {
        ++numRewritten;
        continue;
      }
      ++numMissed;
      // Elementwise operations are not meant to be contractions.
      if (op.getNumReductionLoops() != 0)
        remark::missed(loc, remark::RemarkOpts::name("ContractionToVector")
                                .category(getArgument()))
            << reason;
    }
  }
};

} // namespace
