//===- EpilogueElements.cpp - The epilogue's values of one thread ---------===//

#include "EpilogueElements.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static int64_t getBytes(Type type) { return type.getIntOrFloatBitWidth() / 8; }

Value mlir::cutl::nvvm::emitBatchPointer(Emit &e, const EpilogueOperand &operand,
                                   const Unit &unit) {
  Value pointer = operand.value;
  for (auto [dim, arrayDim] : llvm::enumerate(operand.batchDims))
    if (arrayDim)
      pointer = e.advance(
          pointer, e.mul(e.mul(e.sext64(unit.starts[dim]),
                               operand.strides[*arrayDim]),
                         getBytes(operand.elementType)));
  return pointer;
}

EpilogueElements::EpilogueElements(Emit &e, StagedKernel &kernel,
                                   const EpilogueInputs &inputs,
                                   const ConsumerThread &thread,
                                   const Unit &unit,
                                   ArrayRef<Value> accumulators)
    : e(e), kernel(kernel), inputs(inputs), accumulators(accumulators),
      blocks(kernel.getColumns() / 8), rows(kernel.getSlabs() * 2),
      columns(blocks * 2), results(kernel.getSlabs() * blocks * 4),
      packed(results.size() / 2), loads(inputs.parameters->aux.size()) {
  const KernelParameters &parameters = *inputs.parameters;
  lastRow = e.add(parameters.extents[kernel.getRowDim()], -1);
  lastColumn = e.add(parameters.extents[kernel.getColumnDim()], -1);
  Value row = e.add(unit.starts[kernel.getRowDim()], thread.firstRow);
  firstRow =
      e.add(e.add(row, e.mul(thread.warp, 16)), e.shr(thread.lane, 2));
  firstColumn = e.add(unit.starts[kernel.getColumnDim()],
                      e.shl(e.bitAnd(thread.lane, 3), 1));
  for (const EpilogueOperand &aux : parameters.aux)
    pointers.push_back(aux.isScalar ? aux.value
                                    : emitBatchPointer(e, aux, unit));
}

bool EpilogueElements::readsMatrix() const {
  return llvm::any_of(inputs.parameters->aux, [](const EpilogueOperand &aux) {
    return aux.rowDim && aux.columnDim;
  });
}

Value EpilogueElements::getRow(int64_t slab, int64_t half) {
  Value &row = rows[slab * 2 + half];
  if (!row)
    row = e.sext64(
        e.minSigned(e.add(firstRow, slab * kSlab + half * 8), lastRow));
  return row;
}

Value EpilogueElements::getColumn(int64_t block, int64_t which) {
  Value &column = columns[block * 2 + which];
  if (!column)
    column =
        e.sext64(e.minSigned(e.add(firstColumn, block * 8 + which), lastColumn));
  return column;
}

/// The element of an auxiliary operand, loaded once per row, column or element,
/// as its map has it.
Value EpilogueElements::getAux(unsigned number, Element element) {
  const EpilogueOperand &operand = inputs.parameters->aux[number];
  if (operand.isScalar)
    return operand.value;
  auto [slab, half, block, which] = element;
  int64_t row = operand.rowDim ? slab * 2 + half : 0;
  int64_t column = operand.columnDim ? block * 2 + which : 0;
  Value &loaded = loads[number][{row, column}];
  if (loaded)
    return loaded;
  int64_t bytes = getBytes(operand.elementType);
  Value pointer = pointers[number];
  if (operand.rowDim)
    pointer = e.advance(
        pointer, e.mul(e.mul(getRow(slab, half),
                             operand.strides[*operand.rowDim]),
                       bytes));
  if (operand.columnDim)
    pointer = e.advance(
        pointer, e.mul(e.mul(getColumn(block, which),
                             operand.strides[*operand.columnDim]),
                       bytes));
  loaded = LLVM::LoadOp::create(e.b, e.loc, operand.elementType, pointer, bytes);
  return loaded;
}

size_t EpilogueElements::getIndex(Element element) const {
  auto [slab, half, block, which] = element;
  return ((slab * blocks + block) * 2 + half) * 2 + which;
}

Value EpilogueElements::getResult(Element element) {
  Value &result = results[getIndex(element)];
  if (result)
    return result;
  Block &body = kernel.epilogue.getBody().front();
  IRMapping mapping;
  unsigned products = kernel.getNumProducts();
  for (unsigned i = 0; i < products; ++i)
    mapping.map(body.getArgument(i),
                accumulators[i * results.size() + getIndex(element)]);
  for (unsigned i = 0; i < loads.size(); ++i)
    mapping.map(body.getArgument(products + i), getAux(i, element));
  for (Operation &op : body.without_terminator())
    e.b.clone(op, mapping);
  return result = mapping.lookup(body.getTerminator()->getOperand(0));
}

Value EpilogueElements::getPacked(int64_t slab, int64_t half, int64_t block) {
  Value &pair = packed[getIndex({slab, half, block, 0}) / 2];
  if (!pair)
    pair = pack(getResult({slab, half, block, 0}),
                getResult({slab, half, block, 1}));
  return pair;
}

Value EpilogueElements::pack(Value low, Value high) {
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
