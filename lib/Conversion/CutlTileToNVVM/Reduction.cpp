//===- Reduction.cpp - The reduced outputs of one tile --------------------===//
//
// Each element of the output is combined in one warp, in an order that is the
// same for every tile, and written once.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Blocks that are combined over rows at a time: as many as a warp has rows of
/// lanes, each of which ends up with one of them.
static constexpr int64_t kGroup = 8;

Reduction::Reduction(Emit &e, StagedKernel &kernel, unsigned output,
                     const EpilogueInputs &inputs,
                     const ConsumerThread &thread, const Unit &unit,
                     EpilogueElements &elements)
    : e(e), kernel(kernel), output(output),
      array(inputs.parameters->outputs[output].array),
      extents(inputs.parameters->extents), thread(thread), unit(unit),
      elements(elements), combiner(kernel.epilogue.getCombiner(output)) {
  AffineMap map = kernel.epilogue.getOutput(output).map;
  auto drops = [&](unsigned arrayDim) {
    return decomposeMapResult(map.getResult(arrayDim))->divisor != 1;
  };
  dropsRows = drops(*array.rowDim);
  dropsColumns = drops(*array.columnDim);
  identity = arith::ConstantOp::create(
      e.b, e.loc, getCombinerIdentity(e.b, combiner, array.elementType));
  pointer = emitBatchPointer(e, array, unit);
  if (dropsColumns)
    sums.assign(kernel.getSlabs() * (dropsRows ? 1 : 2), Value());
}

Value Reduction::combine(Value current, Value value) {
  return current ? createCombine(e.b, e.loc, combiner, current, value) : value;
}

Value Reduction::getValue(Element element) {
  Value value = e.select(elements.isInside(element),
                         elements.getResult(output, element), identity);
  if (combiner != Combiner::AMax)
    return value;
  // The first value is combined with none.
  return createCombine(e.b, e.loc, combiner, identity, value);
}

/// The value that the lane has whose number differs in the bits of `lanes`.
static Value emitExchange(Emit &e, Value value, int64_t lanes) {
  Type type = value.getType();
  int64_t bits = type.getIntOrFloatBitWidth();
  Type i32 = e.b.getI32Type();
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(e.b, e.loc, i32, e.i32(-1), word,
                                e.i32(lanes), e.i32(31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Type whole = e.b.getIntegerType(bits);
  Value word = type == whole
                   ? value
                   : arith::BitcastOp::create(e.b, e.loc, whole, value);
  if (bits < 32) {
    word = exchange(arith::ExtUIOp::create(e.b, e.loc, i32, word));
    word = arith::TruncIOp::create(e.b, e.loc, whole, word);
  } else if (bits == 32) {
    word = exchange(word);
  } else {
    Value low = arith::TruncIOp::create(e.b, e.loc, i32, word);
    Value high = arith::TruncIOp::create(e.b, e.loc, i32, e.shr(word, 32));
    word = arith::OrIOp::create(e.b, e.loc, e.zext64(exchange(low)),
                                e.shl(e.zext64(exchange(high)), 32));
  }
  return type == whole ? word
                       : arith::BitcastOp::create(e.b, e.loc, type, word);
}

Value Reduction::combineLanes(Value value, ArrayRef<int64_t> lanes) {
  for (int64_t lane : lanes)
    value = combine(value, emitExchange(e, value, lane));
  return value;
}

Value Reduction::getWarpRow(int64_t slab) {
  Value row = e.add(unit.starts[kernel.getRowDim()], thread.firstRow);
  return e.add(e.add(row, e.mul(thread.warp, tile::kWarpRows)), slab * kSlab);
}

/// `row` and `column` are where in the output, i32.
void Reduction::store(Value condition, Value row, Value column, Value value) {
  int64_t bytes = array.elementType.getIntOrFloatBitWidth() / 8;
  auto offset = [&](Value index, unsigned dim) {
    return e.mul(e.mul(e.sext64(index), array.strides[dim]), bytes);
  };
  e.ifThen(condition, [&] {
    Value address = e.advance(pointer, offset(row, *array.rowDim));
    address = e.advance(address, offset(column, *array.columnDim));
    LLVM::StoreOp::create(e.b, e.loc, value, address, bytes);
  });
}

/// Combines over columns: each row's values, or those of all rows of a slab.
void Reduction::addColumns(int64_t firstBlock, int64_t count) {
  for (int64_t block = firstBlock; block < firstBlock + count; ++block)
    for (int64_t slab = 0; slab < kernel.getSlabs(); ++slab)
      for (int64_t half : {0, 1})
        for (int64_t which : {0, 1}) {
          Value &sum = sums[dropsRows ? slab : slab * 2 + half];
          sum = combine(sum, getValue({slab, half, block, which}));
        }
}

/// Combines over the rows of a warp. Lanes that are 4, 8 and 16 apart have other
/// rows of the same columns; each exchange leaves a lane half of its columns.
void Reduction::addRows(int64_t firstBlock, int64_t count) {
  Value laneRow = e.shr(thread.lane, 2);
  for (int64_t slab = 0; slab < kernel.getSlabs(); ++slab) {
    SmallVector<Value> totals;
    for (int64_t which : {0, 1}) {
      SmallVector<Value> values;
      for (int64_t block = firstBlock; block < firstBlock + kGroup; ++block)
        values.push_back(block < firstBlock + count
                             ? combine(getValue({slab, 0, block, which}),
                                       getValue({slab, 1, block, which}))
                             : identity);
      for (int64_t bit = kGroup / 2; bit > 0; bit /= 2) {
        Value isUpper = e.compare(arith::CmpIPredicate::ne,
                                  e.bitAnd(laneRow, bit), e.i32(0));
        SmallVector<Value> kept;
        for (int64_t i = 0; i < bit; ++i) {
          Value low = values[i], high = values[i + bit];
          Value got =
              emitExchange(e, e.select(isUpper, low, high), bit * 4);
          kept.push_back(combine(e.select(isUpper, high, low), got));
        }
        values = kept;
      }
      totals.push_back(values.front());
    }
    // The lane has block `laneRow` of the group.
    Value warpRow = getWarpRow(slab);
    Value hasRows = e.less(warpRow, extents[kernel.getRowDim()]);
    if (count < kGroup)
      hasRows = e.both(hasRows, e.less(laneRow, e.i32(count)));
    Value column = e.add(
        e.add(unit.starts[kernel.getColumnDim()], firstBlock * 8),
        e.add(e.shl(laneRow, 3), e.shl(e.bitAnd(thread.lane, 3), 1)));
    for (int64_t which : {0, 1}) {
      Value at = e.add(column, which);
      store(e.both(hasRows, e.less(at, extents[kernel.getColumnDim()])),
            e.div(warpRow, tile::kWarpRows), at, totals[which]);
    }
  }
}

void Reduction::advance(int64_t block) {
  int64_t blocks = kernel.getShareColumns() / 8;
  while (nextBlock < block) {
    int64_t count = std::min(kGroup, blocks - nextBlock);
    // A group waits until all of it is there.
    if (nextBlock + count > block)
      return;
    if (dropsColumns)
      addColumns(nextBlock, count);
    else
      addRows(nextBlock, count);
    nextBlock += count;
  }
}

void Reduction::finish() {
  advance(kernel.getShareColumns() / 8);
  if (!dropsColumns)
    return;
  Value column =
      e.div(unit.starts[kernel.getColumnDim()], kernel.getShareColumns());
  // A tile of a cluster may lie beyond the extents as a whole.
  Value hasColumns = e.less(unit.starts[kernel.getColumnDim()],
                            extents[kernel.getColumnDim()]);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value row = getWarpRow(dropsRows ? i : i / 2), writes;
    if (dropsRows) {
      sum = combineLanes(sum, {1, 2, 4, 8, 16});
      writes = e.both(e.equal(thread.lane, 0),
                      e.less(row, extents[kernel.getRowDim()]));
      row = e.div(row, tile::kWarpRows);
    } else {
      sum = combineLanes(sum, {1, 2});
      row = e.add(e.add(row, e.shr(thread.lane, 2)), i % 2 * 8);
      writes = e.both(e.equal(e.bitAnd(thread.lane, 3), 0),
                      e.less(row, extents[kernel.getRowDim()]));
    }
    store(e.both(writes, hasColumns), row, column, sum);
  }
}
