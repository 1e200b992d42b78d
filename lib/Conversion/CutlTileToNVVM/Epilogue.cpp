//===- Epilogue.cpp - From accumulators to the output ---------------------===//
//
// The region runs in registers, on the elements that a thread's accumulators
// are. Auxiliary operands are read at positions clamped to the extents: what
// lies outside is computed and never stored.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "Barriers.h"
#include "CopyTma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

namespace {

int64_t byteSize(Type type) { return type.getIntOrFloatBitWidth() / 8; }

/// Columns of a staging buffer.
constexpr int64_t kStagingColumns = 64;
/// Named barriers of the warpgroups' epilogues; the first few are taken by the
/// order of the mainloops.
constexpr int64_t kEpilogueBarrier = 4;

/// One row or column of the tile as a thread sees it.
struct Position {
  /// Index in the problem, i32.
  Value index;
  /// Clamped into the extent, i64.
  Value clamped;
  /// Whether it lies inside.
  Value inside;
};

class TileEpilogue {
public:
  TileEpilogue(Emit &e, const KernelPlan &plan, const EpilogueInputs &inputs,
               const ConsumerThread &thread, TileOrigin origin,
               ArrayRef<Value> accumulators)
      : e(e), plan(plan), inputs(inputs), thread(thread), origin(origin),
        accumulators(accumulators), blocks(plan.tile.n / 8),
        rows(plan.roles.slabs() * 2), columns(plan.tile.n / 4),
        results(accumulators.size()), packed(accumulators.size() / 2),
        loads(inputs.aux.size()) {
    lastRow = e.add(inputs.m, -1);
    lastColumn = e.add(inputs.n, -1);
    firstRow = e.add(e.add(origin.m, e.mul(thread.warp, 16)),
                     e.shr(thread.lane, 2));
    firstColumn = e.add(origin.n, e.shl(e.bitAnd(thread.lane, 3), 1));
  }

  void emitTensorStores();
  void emitGuardedStores();

private:
  /// Row `half` (the upper or the one eight below) of a slab.
  const Position &getRow(int64_t slab, int64_t half) {
    Position &row = rows[slab * 2 + half];
    if (!row.index)
      row = makePosition(e.add(firstRow, slab * kSlab + half * 8), lastRow,
                         inputs.m);
    return row;
  }

  /// Column `which` of the two of an eight-column block.
  const Position &getColumn(int64_t block, int64_t which) {
    Position &column = columns[block * 2 + which];
    if (!column.index)
      column = makePosition(e.add(firstColumn, block * 8 + which), lastColumn,
                            inputs.n);
    return column;
  }

  Position makePosition(Value index, Value last, Value extent) {
    return {index, e.sext64(e.minSigned(index, last)), e.less(index, extent)};
  }

  Value stride(const EpilogueOperand &operand, unsigned dim) {
    return operand.strideValues[dim];
  }

  Value address(const EpilogueOperand &operand, const Position &row,
                const Position &column) {
    Value pointer = operand.value;
    int64_t bytes = byteSize(operand.elementType);
    if (operand.mDim)
      pointer = e.advance(
          pointer,
          e.mul(e.mul(row.clamped, stride(operand, *operand.mDim)), bytes));
    if (operand.nDim)
      pointer = e.advance(
          pointer,
          e.mul(e.mul(column.clamped, stride(operand, *operand.nDim)), bytes));
    return pointer;
  }

  /// The element of an auxiliary operand, loaded once per row, column or
  /// element, as its map has it.
  Value getAux(unsigned number, int64_t slab, int64_t half, int64_t block,
               int64_t which) {
    const EpilogueOperand &operand = inputs.aux[number];
    if (operand.isScalar)
      return operand.value;
    int64_t row = operand.mDim ? slab * 2 + half : 0;
    int64_t column = operand.nDim ? block * 2 + which : 0;
    Value &loaded = loads[number][{row, column}];
    if (!loaded)
      loaded = LLVM::LoadOp::create(
          e.b, e.loc, operand.elementType,
          address(operand, getRow(slab, half), getColumn(block, which)),
          byteSize(operand.elementType));
    return loaded;
  }

  static int64_t index(int64_t blocks, int64_t slab, int64_t half,
                       int64_t block, int64_t which) {
    return ((slab * blocks + block) * 2 + half) * 2 + which;
  }

  /// The region's value for one element.
  Value getResult(int64_t slab, int64_t half, int64_t block, int64_t which) {
    Value &result = results[index(blocks, slab, half, block, which)];
    if (result)
      return result;
    IRMapping mapping;
    mapping.map(inputs.body->getArgument(0),
                accumulators[index(blocks, slab, half, block, which)]);
    for (unsigned i = 0; i < inputs.aux.size(); ++i)
      mapping.map(inputs.body->getArgument(1 + i),
                  getAux(i, slab, half, block, which));
    for (Operation &op : inputs.body->without_terminator())
      e.b.clone(op, mapping);
    Value yielded = inputs.body->getTerminator()->getOperand(0);
    return result = mapping.lookupOrDefault(yielded);
  }

  /// Two neighbouring elements of a row in one register, i32.
  Value getPacked(int64_t slab, int64_t half, int64_t block) {
    Value &pair = packed[index(blocks, slab, half, block, 0) / 2];
    if (!pair)
      pair = pack(getResult(slab, half, block, 0),
                  getResult(slab, half, block, 1));
    return pair;
  }

  Value pack(Value low, Value high) {
    Type type = low.getType();
    auto pairType = VectorType::get(2, type);
    auto lowTrunc = low.getDefiningOp<arith::TruncFOp>();
    auto highTrunc = high.getDefiningOp<arith::TruncFOp>();
    auto rounds = [](arith::TruncFOp op) {
      return op && op.getIn().getType().isF32() &&
             (!op.getRoundingmode() ||
              *op.getRoundingmode() == arith::RoundingMode::to_nearest_even);
    };
    Value pair;
    if (rounds(lowTrunc) && rounds(highTrunc)) {
      // One conversion for both; the scalar ones become dead.
      pair = e.intrinsic(pairType,
                         type.isBF16() ? "llvm.nvvm.ff2bf16x2.rn"
                                       : "llvm.nvvm.ff2f16x2.rn",
                         {highTrunc.getIn(), lowTrunc.getIn()});
    } else {
      pair = LLVM::PoisonOp::create(e.b, e.loc, pairType);
      pair = LLVM::InsertElementOp::create(e.b, e.loc, pair, low, e.i32(0));
      pair = LLVM::InsertElementOp::create(e.b, e.loc, pair, high, e.i32(1));
    }
    return LLVM::BitcastOp::create(e.b, e.loc, e.b.getI32Type(), pair);
  }

  /// How many of the leader's latest groups may still read shared memory when
  /// sub-tile `subtile` is staged: those behind the last use of its buffer.
  int64_t getPendingStores(int64_t subtile, int64_t subtiles) const {
    int64_t buffers = plan.shared.buffers;
    if (subtile >= buffers)
      return buffers - 1;
    // Its buffer's last use in the tile before.
    int64_t last = subtiles - 1;
    while (last % buffers != subtile % buffers)
      --last;
    return subtiles - 1 - last + subtile;
  }

  void emitStage(Value buffer, int64_t firstBlock);

  Emit &e;
  const KernelPlan &plan;
  const EpilogueInputs &inputs;
  const ConsumerThread &thread;
  TileOrigin origin;
  ArrayRef<Value> accumulators;
  int64_t blocks;
  Value firstRow, firstColumn, lastRow, lastColumn;
  SmallVector<Position> rows, columns;
  SmallVector<Value> results, packed;
  SmallVector<DenseMap<std::pair<int64_t, int64_t>, Value>> loads;
};

} // namespace

/// Writes 64 columns from `firstBlock` on into a buffer, rows of 128 bytes in
/// the copy engine's 128-byte swizzle.
void TileEpilogue::emitStage(Value buffer, int64_t firstBlock) {
  Value rowInBuffer =
      e.add(e.mul(thread.warp, 16), e.bitAnd(thread.lane, 15));
  Value rowStart = e.advance(buffer, e.mul(rowInBuffer, kSwizzleSpan));
  Value chunk = e.shl(e.bitXor(e.shr(thread.lane, 4),
                               e.bitAnd(thread.lane, 7)),
                      4);
  MLIRContext *context = e.b.getContext();
  for (int64_t slab = 0; slab < plan.roles.slabs(); ++slab) {
    Value start = e.advance(rowStart, slab * kSlab * kSwizzleSpan);
    for (int64_t block = 0; block < kStagingColumns / 8; block += 2) {
      SmallVector<Value> sources;
      for (int64_t next : {block, block + 1})
        for (int64_t half : {0, 1})
          sources.push_back(getPacked(slab, half, firstBlock + next));
      Value address =
          e.advance(start, e.bitXor(chunk, e.i32(block << 4)));
      NVVM::StMatrixOp::create(
          e.b, e.loc, address, sources, NVVM::MMALayout::row,
          NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
          NVVM::LdStMatrixEltType::B16);
    }
  }
}

void TileEpilogue::emitTensorStores() {
  int64_t width = plan.tile.n;
  int64_t subtiles = (width + kStagingColumns - 1) / kStagingColumns;
  Value barrier = e.add(thread.consumer, kEpilogueBarrier);
  bool overlaps = width % kStagingColumns != 0;
  bool readsMatrix = llvm::any_of(inputs.aux, [](const EpilogueOperand &aux) {
    return aux.mDim && aux.nDim;
  });
  // The last sub-tile overlaps its neighbour and writes the same values again.
  // An auxiliary matrix may be the output, so it is read before the first
  // store then.
  if (overlaps && readsMatrix)
    for (int64_t slab = 0; slab < plan.roles.slabs(); ++slab)
      for (int64_t block = 0; block < blocks; ++block)
        for (int64_t half : {0, 1})
          getPacked(slab, half, block);
  for (int64_t subtile = 0; subtile < subtiles; ++subtile) {
    int64_t column = std::min(subtile * kStagingColumns,
                              width - kStagingColumns);
    Value buffer = e.advance(inputs.staging,
                             subtile % plan.shared.buffers *
                                 plan.shared.stagingBufferBytes);
    e.ifThen(thread.isLeader, [&] {
      emitStoreWaitRead(e, getPendingStores(subtile, subtiles));
    });
    emitNamedBarrier(e, barrier, kWarpgroup);
    emitStage(buffer, column / 8);
    emitFenceSharedProxy(e);
    emitNamedBarrier(e, barrier, kWarpgroup);
    e.ifThen(thread.isLeader, [&] {
      emitBoxStore(e, buffer, inputs.outputMap, e.add(origin.n, column),
                   origin.m);
      emitStoreCommit(e);
    });
  }
}

void TileEpilogue::emitGuardedStores() {
  const EpilogueOperand &output = *inputs.output;
  int64_t bytes = byteSize(output.elementType);
  std::string store = "@$0 st.global.b" + std::to_string(8 * bytes) +
                      " [$1], $2;";
  const char *constraints = bytes == 2 ? "b,l,h" : "b,l,r";
  for (int64_t slab = 0; slab < plan.roles.slabs(); ++slab)
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t half : {0, 1})
        for (int64_t which : {0, 1}) {
          const Position &row = getRow(slab, half);
          const Position &column = getColumn(block, which);
          Value bits = LLVM::BitcastOp::create(
              e.b, e.loc, e.b.getIntegerType(8 * bytes),
              getResult(slab, half, block, which));
          e.inlineAsm(store, constraints,
                      {e.both(row.inside, column.inside),
                       address(output, row, column), bits});
        }
}

void cutl::nvvm::emitEpilogue(Emit &e, const KernelPlan &plan,
                              const EpilogueInputs &inputs,
                              const ConsumerThread &thread, TileOrigin origin,
                              ArrayRef<Value> accumulators) {
  TileEpilogue epilogue(e, plan, inputs, thread, origin, accumulators);
  if (plan.tile.store == StoreKind::Tma)
    epilogue.emitTensorStores();
  else
    epilogue.emitGuardedStores();
}
