//===- EpilogueElements.cpp - The epilogue's values of one thread ---------===//

#include "EpilogueElements.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

int64_t mlir::cutl::nvvm::getElementBytes(Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

Value mlir::cutl::nvvm::getOffset(Emit &e, const EpilogueOperand &operand,
                                  unsigned dim, Value index) {
  return e.mul(e.mul(e.sext64(index), operand.strides[dim]),
               getElementBytes(operand.elementType));
}

Value mlir::cutl::nvvm::emitFromBits(Emit &e, Type type, Value bits) {
  return bits.getType() == type
             ? bits
             : arith::BitcastOp::create(e.b, e.loc, type, bits);
}

Value mlir::cutl::nvvm::emitLoadIf(Emit &e, Value condition, Type type,
                                   Value pointer) {
  int64_t bytes = getElementBytes(type);
  // PTX has no registers of 8 bits.
  Type registerType = e.b.getIntegerType(std::max<int64_t>(bytes, 2) * 8);
  StringRef zero = bytes == 8 ? "mov.b64 $0, 0; "
                   : bytes == 4 ? "mov.b32 $0, 0; " : "mov.b16 $0, 0; ";
  StringRef constraints = bytes == 8   ? "=&l,b,l"
                          : bytes == 4 ? "=&r,b,l" : "=&h,b,l";
  std::string load =
      ("@$1 ld.global.b" + Twine(bytes * 8) + " $0, [$2];").str();
  // What is loaded may be stored over later on.
  Value loaded = e.inlineAsm(registerType, (zero + load).str(), constraints,
                             {condition, pointer}, /*sideEffects=*/true);
  if (bytes == 1)
    loaded = LLVM::TruncOp::create(e.b, e.loc, e.b.getI8Type(), loaded);
  return emitFromBits(e, type, loaded);
}

static Value emitLoad(Emit &e, Type type, Value pointer) {
  int64_t bytes = getElementBytes(type);
  Value bits = LLVM::LoadOp::create(
      e.b, e.loc, e.b.getIntegerType(8 * bytes), pointer, bytes);
  return emitFromBits(e, type, bits);
}

Value mlir::cutl::nvvm::emitBatchPointer(Emit &e, const EpilogueOperand &operand,
                                   const Unit &unit) {
  Value pointer = operand.value;
  for (auto [dim, arrayDim] : llvm::enumerate(operand.batchDims))
    if (arrayDim)
      pointer = e.advance(
          pointer, getOffset(e, operand, *arrayDim, unit.starts[dim]));
  return pointer;
}

/// Whether one instruction does this for two numbers.
static bool isRounding(arith::TruncFOp op) {
  Type type = op.getType();
  return op.getIn().getType().isF32() && (type.isF16() || type.isBF16()) &&
         (!op.getRoundingmode() ||
          *op.getRoundingmode() == arith::RoundingMode::to_nearest_even);
}

/// Two f32 rounded to numbers of `type`, as a vector.
static Value emitRoundPair(Emit &e, Type type, Value low, Value high) {
  return e.intrinsic(VectorType::get(2, type),
                     type.isBF16() ? "llvm.nvvm.ff2bf16x2.rn"
                                   : "llvm.nvvm.ff2f16x2.rn",
                     {high, low});
}

EpilogueElements::EpilogueElements(Emit &e, StagedKernel &kernel,
                                   const EpilogueInputs &inputs,
                                   const ConsumerThread &thread,
                                   const Unit &unit, AuxLoads &auxLoads)
    : e(e), kernel(kernel), inputs(inputs), auxLoads(auxLoads),
      blocks(kernel.getShareColumns() / 8), slabs(kernel.getSlabs()),
      columnsLeftInRow(slabs * 2),
      results(kernel.getNumOutputs() * getNumElements()),
      packed(results.size() / 2),
      rowPointers(inputs.parameters->aux.size(), SmallVector<Value>(slabs * 2)),
      loads(inputs.parameters->aux.size()) {
  const KernelParameters &parameters = *inputs.parameters;
  Value row = e.add(e.add(unit.starts[kernel.getRowDim()], thread.firstRow),
                    e.add(e.mul(thread.warp, 16), e.shr(thread.lane, 2)));
  Value column = e.add(unit.starts[kernel.getColumnDim()],
                       e.shl(e.bitAnd(thread.lane, 3), 1));
  rowsLeft = e.sub(parameters.extents[kernel.getRowDim()], row);
  columnsLeft = e.sub(parameters.extents[kernel.getColumnDim()], column);
  for (auto [i, aux] : llvm::enumerate(parameters.aux)) {
    Value pointer = aux.value;
    bool isLoaded = kernel.epilogue.getLoad(i).has_value();
    gates.push_back(isLoaded ? Value() : emitGate(e, kernel, parameters, i));
    if (!aux.isScalar && !isLoaded) {
      pointer = emitBatchPointer(e, aux, unit);
      if (aux.rowDim)
        pointer = e.advance(pointer, getOffset(e, aux, *aux.rowDim, row));
      if (aux.columnDim)
        pointer = e.advance(pointer, getOffset(e, aux, *aux.columnDim, column));
    }
    pointers.push_back(pointer);
  }
  Block &body = kernel.epilogue.getBody().front();
  for (auto op : body.getOps<arith::TruncFOp>()) {
    // What is no more than stored is rounded when it is packed.
    auto isStored = [&](OpOperand &use) {
      return use.getOwner() == body.getTerminator() &&
             !kernel.epilogue.isReduced(use.getOperandNumber());
    };
    if (isRounding(op) && !llvm::all_of(op->getUses(), isStored))
      roundings.insert(op);
  }
}

/// Rows of the thread: two in each slab, eight apart.
static int64_t getRowOffset(int64_t row) {
  return row / 2 * kSlab + row % 2 * 8;
}

Value EpilogueElements::getColumnsLeft(int64_t row) {
  Value &left = columnsLeftInRow[row];
  if (!left)
    left = e.select(e.less(e.i32(getRowOffset(row)), rowsLeft), columnsLeft,
                    e.i32(0));
  return left;
}

Value EpilogueElements::getRowPointer(unsigned number, int64_t row) {
  Value &pointer = rowPointers[number][row];
  if (!pointer) {
    const EpilogueOperand &operand = inputs.parameters->aux[number];
    pointer = e.advance(pointers[number],
                        getOffset(e, operand, *operand.rowDim,
                                  e.i32(getRowOffset(row))));
  }
  return pointer;
}

/// A count holds the gate for a whole row: a predicate that all loads share
/// would be one register too many in the widest tiles.
Value EpilogueElements::getGatedColumns(unsigned number,
                                        std::optional<int64_t> row) {
  if (Value count = gatedColumns.lookup({number, row.value_or(-1)}))
    return count;
  Value count =
      row ? e.select(e.less(e.i32(getRowOffset(*row)), rowsLeft),
                     getGatedColumns(number, std::nullopt), e.i32(0))
          : e.select(gates[number], columnsLeft, e.i32(0));
  return gatedColumns[{number, row.value_or(-1)}] = count;
}

/// The element of an auxiliary operand, loaded once per row, column or element,
/// as its map has it.
Value EpilogueElements::getAux(unsigned number, Element element) {
  const EpilogueOperand &operand = inputs.parameters->aux[number];
  if (operand.isScalar)
    return operand.value;
  if (kernel.epilogue.getLoad(number))
    return auxLoads.getElement(number, element);
  int64_t row = operand.rowDim ? element.slab * 2 + element.half : 0;
  int64_t column = operand.columnDim ? element.block * 8 + element.which : 0;
  Value &loaded = loads[number][{row, column}];
  if (loaded)
    return loaded;
  Value pointer =
      operand.rowDim ? getRowPointer(number, row) : pointers[number];
  if (operand.columnDim)
    pointer = e.advance(
        pointer, getOffset(e, operand, *operand.columnDim, e.i32(column)));
  Value inside;
  Value gate = gates[number];
  if (operand.columnDim && gate) {
    inside = e.less(e.i32(column),
                    getGatedColumns(number, operand.rowDim
                                                ? std::optional(row)
                                                : std::nullopt));
  } else if (operand.columnDim) {
    inside = e.less(e.i32(column),
                    operand.rowDim ? getColumnsLeft(row) : columnsLeft);
  } else {
    if (operand.rowDim)
      inside = e.less(e.i32(getRowOffset(row)), rowsLeft);
    if (gate)
      inside = inside ? e.both(inside, gate) : gate;
  }
  if (inside)
    loaded = emitLoadIf(e, inside, operand.elementType, pointer);
  else
    loaded = emitLoad(e, operand.elementType, pointer);
  return loaded;
}

void EpilogueElements::loadVectors(const tile::Subtile &subtile) {
  for (auto [number, operand] : llvm::enumerate(inputs.parameters->aux)) {
    if (operand.isScalar || kernel.epilogue.getLoad(number) ||
        operand.rowDim.has_value() == operand.columnDim.has_value())
      continue;
    if (operand.columnDim) {
      for (int64_t block = subtile.firstBlock; block < subtile.getEndBlock();
           ++block)
        for (int64_t which : {0, 1})
          getAux(number, {0, 0, block, which});
      continue;
    }
    for (int64_t slab = 0; slab < slabs; ++slab)
      for (int64_t half : {0, 1})
        getAux(number, {slab, half, 0, 0});
  }
}

size_t EpilogueElements::getIndex(Element element) const {
  auto [slab, half, block, which] = element;
  return ((slab * blocks + block) * 2 + half) * 2 + which;
}

Value EpilogueElements::getResult(unsigned output, Element element) {
  Value *result = &results[getIndex(element)];
  if (!*result) {
    if (roundings.empty()) {
      computeResults(element);
    } else {
      element.which = 0;
      computeResults(element, /*count=*/2);
    }
  }
  return result[output * getNumElements()];
}

void EpilogueElements::computeResults(Element first, int64_t count) {
  Block &body = kernel.epilogue.getBody().front();
  unsigned products = kernel.getNumProducts();
  size_t index = getIndex(first);
  SmallVector<IRMapping, 2> mappings(count);
  for (auto [which, mapping] : llvm::enumerate(mappings)) {
    Element element = first;
    element.which += which;
    for (unsigned i = 0; i < products; ++i)
      mapping.map(body.getArgument(i),
                  accumulators[i * getNumElements() + index + which]);
    for (unsigned i = 0; i < loads.size(); ++i)
      mapping.map(body.getArgument(products + i), getAux(i, element));
  }
  for (Operation &op : body.without_terminator()) {
    if (!roundings.contains(&op)) {
      for (IRMapping &mapping : mappings)
        e.b.clone(op, mapping);
      continue;
    }
    auto rounding = cast<arith::TruncFOp>(op);
    Value pair = emitRoundPair(e, rounding.getType(),
                               mappings[0].lookup(rounding.getIn()),
                               mappings[1].lookup(rounding.getIn()));
    for (auto [which, mapping] : llvm::enumerate(mappings))
      mapping.map(rounding.getResult(), LLVM::ExtractElementOp::create(
                                            e.b, e.loc, pair, e.i32(which)));
  }
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    for (auto [which, mapping] : llvm::enumerate(mappings))
      results[i * getNumElements() + index + which] = mapping.lookup(value);
}

Value EpilogueElements::getPacked(unsigned output, int64_t slab, int64_t half,
                                  int64_t block) {
  Value &pair =
      packed[(output * getNumElements() + getIndex({slab, half, block, 0})) /
             2];
  if (!pair)
    pair = pack(getResult(output, {slab, half, block, 0}),
                getResult(output, {slab, half, block, 1}));
  return pair;
}

Value EpilogueElements::pack(Value low, Value high) {
  Type type = low.getType();
  auto lowTrunc = low.getDefiningOp<arith::TruncFOp>();
  auto highTrunc = high.getDefiningOp<arith::TruncFOp>();
  auto rounds = [](arith::TruncFOp op) { return op && isRounding(op); };
  Value pair;
  if (rounds(lowTrunc) && rounds(highTrunc)) {
    // One conversion for both; the scalar ones become dead.
    pair = emitRoundPair(e, type, lowTrunc.getIn(), highTrunc.getIn());
  } else {
    pair = LLVM::PoisonOp::create(e.b, e.loc, VectorType::get(2, type));
    pair = LLVM::InsertElementOp::create(e.b, e.loc, pair, low, e.i32(0));
    pair = LLVM::InsertElementOp::create(e.b, e.loc, pair, high, e.i32(1));
  }
  return LLVM::BitcastOp::create(e.b, e.loc, e.b.getI32Type(), pair);
}
