//===- RepackKernel.cpp - A kernel that copies an operand into rows -------===//
//
// A CTA copies tiles of 64x64 elements through shared memory: it reads along the
// dimension in which the source is contiguous, one element a thread since any
// alignment is legal, and writes 16 bytes along rows. Rows of the tile in shared
// memory are an odd number of words long, so that threads which have a column
// each meet in no bank.
//
//===----------------------------------------------------------------------===//

#include "RepackKernel.h"

#include "Barriers.h"
#include "EpilogueElements.h"
#include "SharedArray.h"
#include "Signature.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr int64_t kThreads = 256;
/// Rows and columns of a tile.
static constexpr int64_t kTile = 64;
/// Bytes of what a thread writes at once.
static constexpr int64_t kVector = 16;

namespace {

class RepackEmitter {
public:
  RepackEmitter(gpu::GPUFuncOp function, tile::RepackOp op, bool isProgrammatic)
      : builder(function), e(builder, op.getLoc()), function(function), op(op),
        isProgrammatic(isProgrammatic),
        bytes(op.getSource().getType().getElementTypeBitWidth() / 8),
        pitch(kTile * bytes + std::max<int64_t>(bytes, 4)),
        rank(op.getTarget().getType().getRank()) {}

  LLVM::LLVMFuncOp emit();

private:
  bool readsAlongRows();
  LLVM::LLVMFuncOp createFunction();
  void bind(LLVM::LLVMFuncOp kernel);
  Value getShared(Value row, Value column);
  void emitRead(Value source, Value firstRow, Value firstColumn);
  void emitWrite(Value target, Value firstRow, Value firstColumn);
  void emitTile(Value tile);

  OpBuilder builder;
  Emit e;
  gpu::GPUFuncOp function;
  tile::RepackOp op;
  bool isProgrammatic;
  /// Of an element.
  int64_t bytes;
  /// Of the tile in shared memory, in bytes.
  int64_t pitch;
  int64_t rank;
  Value shared, source, target, thread;
  /// i64: extents and strides by dimension of the target, in elements.
  SmallVector<Value> extents, sourceStrides, targetStrides;
};

SmallVector<int64_t> getStrides(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  return strides;
}

} // namespace

/// Whether neighbours of a row of the target are neighbours of the source;
/// otherwise those of a column are, as far as its type says.
bool RepackEmitter::readsAlongRows() {
  SmallVector<int64_t> strides = getStrides(op.getSource().getType());
  return strides[op.getPermutation()[rank - 2]] != 1;
}

LLVM::LLVMFuncOp RepackEmitter::createFunction() {
  KernelSignature signature(builder);
  signature.addPointer(0);
  signature.addPointer(1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    signature.addSize(1, dim);
    signature.addGridDim(1, dim, dim + 2 < rank ? 1 : kTile);
  }
  for (int64_t argument : {0, 1}) {
    auto type = cast<MemRefType>(function.getArgument(argument).getType());
    for (auto [dim, stride] : llvm::enumerate(getStrides(type)))
      if (ShapedType::isDynamic(stride))
        signature.addStride(argument, dim);
  }
  signature.threads = kThreads;
  signature.isProgrammatic = isProgrammatic;
  return signature.createFunction(e, function.getName());
}

void RepackEmitter::bind(LLVM::LLVMFuncOp kernel) {
  unsigned next = 0;
  auto take = [&] { return Value(kernel.getArgument(next++)); };
  source = take();
  target = take();
  for (int64_t dim = 0; dim < rank; ++dim)
    extents.push_back(e.sext64(take()));
  auto takeStrides = [&](MemRefType type) {
    SmallVector<Value> strides;
    for (int64_t stride : getStrides(type))
      strides.push_back(ShapedType::isDynamic(stride) ? take()
                                                      : e.i64(stride));
    return strides;
  };
  SmallVector<Value> own = takeStrides(op.getSource().getType());
  for (int64_t dim : op.getPermutation())
    sourceStrides.push_back(own[dim]);
  targetStrides = takeStrides(op.getTarget().getType());
}

/// Where an element of the tile is; indices are i32.
Value RepackEmitter::getShared(Value row, Value column) {
  return e.advance(shared, e.add(e.mul(row, pitch), e.mul(column, bytes)));
}

/// Brings a tile to shared memory, from the source's element at its origin on.
/// What lies outside is zero.
void RepackEmitter::emitRead(Value origin, Value firstRow, Value firstColumn) {
  Type type = e.b.getIntegerType(bytes * 8);
  bool alongRows = readsAlongRows();
  Value inner = e.rem(thread, kTile), outer = e.div(thread, kTile);
  SmallVector<Value> values, places;
  // All loads before the first store, so that they are under way together.
  for (int64_t i = 0; i < kTile; i += kThreads / kTile) {
    Value other = e.add(outer, i);
    Value row = alongRows ? other : inner, column = alongRows ? inner : other;
    Value rowIndex = e.add(firstRow, e.zext64(row));
    Value columnIndex = e.add(firstColumn, e.zext64(column));
    Value isInside = e.both(e.less(rowIndex, extents[rank - 2]),
                            e.less(columnIndex, extents[rank - 1]));
    Value offset = e.add(e.mul(rowIndex, sourceStrides[rank - 2]),
                         e.mul(columnIndex, sourceStrides[rank - 1]));
    values.push_back(emitLoadIf(e, isInside, type,
                                e.advance(origin, e.mul(offset, bytes))));
    places.push_back(getShared(row, column));
  }
  for (auto [value, place] : llvm::zip_equal(values, places))
    LLVM::StoreOp::create(e.b, e.loc, value, place, bytes);
}

/// Writes a tile from shared memory, to the target's element at its batch.
void RepackEmitter::emitWrite(Value origin, Value firstRow,
                              Value firstColumn) {
  Type i32 = e.b.getI32Type();
  int64_t perRow = kTile * bytes / kVector;
  for (int64_t first = 0; first < kTile * perRow; first += kThreads) {
    Value number = e.add(thread, first);
    Value row = e.div(number, perRow);
    Value column = e.mul(e.rem(number, perRow), kVector / bytes);
    Value rowIndex = e.add(firstRow, e.zext64(row));
    Value columnIndex = e.add(firstColumn, e.zext64(column));
    Value isInside = e.both(e.less(rowIndex, extents[rank - 2]),
                            e.less(columnIndex, extents[rank - 1]));
    e.ifThen(isInside, [&] {
      SmallVector<Value> words;
      Value place = getShared(row, column);
      for (int64_t word = 0; word < kVector / 4; ++word)
        words.push_back(LLVM::LoadOp::create(e.b, e.loc, i32,
                                             e.advance(place, word * 4), 4));
      Value offset = e.add(e.mul(rowIndex, targetStrides[rank - 2]),
                           columnIndex);
      LLVM::StoreOp::create(e.b, e.loc, e.vector(words),
                            e.advance(origin, e.mul(offset, bytes)), kVector);
    });
  }
}

/// Copies tile number `tile` (i64): columns first, then rows, then batches.
void RepackEmitter::emitTile(Value tile) {
  Value columns = e.ceilDiv(extents[rank - 1], kTile);
  Value rows = e.ceilDiv(extents[rank - 2], kTile);
  Value firstColumn = e.mul(e.rem(tile, columns), kTile);
  Value rest = e.div(tile, columns);
  Value firstRow = e.mul(e.rem(rest, rows), kTile);
  rest = e.div(rest, rows);
  Value from = source, to = target;
  for (int64_t dim = rank - 2; dim-- > 0;) {
    Value index = dim == 0 ? rest : e.rem(rest, extents[dim]);
    rest = e.div(rest, extents[dim]);
    from = e.advance(from, e.mul(e.mul(index, sourceStrides[dim]), bytes));
    to = e.advance(to, e.mul(e.mul(index, targetStrides[dim]), bytes));
  }
  emitRead(from, firstRow, firstColumn);
  emitCtaBarrier(e);
  emitWrite(to, firstRow, firstColumn);
  // The tile's place is filled anew.
  emitCtaBarrier(e);
}

LLVM::LLVMFuncOp RepackEmitter::emit() {
  Type i32 = builder.getI32Type();
  LLVM::GlobalOp array =
      createSharedArray(e, (function.getName() + "_tile").str(),
                        builder.getI8Type(), kTile * pitch);
  LLVM::LLVMFuncOp kernel = createFunction();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(kernel.addEntryBlock(builder));
  if (isProgrammatic)
    emitWaitForPrerequisites(e);
  bind(kernel);
  shared = LLVM::AddressOfOp::create(builder, e.loc, array);
  thread = NVVM::ThreadIdXOp::create(builder, e.loc, i32);
  Value tiles = e.i64(1);
  for (int64_t dim = 0; dim < rank; ++dim)
    tiles = e.mul(tiles, dim + 2 < rank ? extents[dim]
                                        : e.ceilDiv(extents[dim], kTile));
  e.loop(e.zext64(NVVM::BlockIdXOp::create(builder, e.loc, i32)), tiles,
         e.zext64(NVVM::GridDimXOp::create(builder, e.loc, i32)), {},
         [&](Value tile, ValueRange) -> SmallVector<Value> {
           emitTile(tile);
           return {};
         });
  LLVM::ReturnOp::create(builder, e.loc, ValueRange{});
  return kernel;
}

FailureOr<LLVM::LLVMFuncOp>
mlir::cutl::nvvm::emitRepackKernel(gpu::GPUFuncOp function,
                                   tile::RepackOp repack, bool isProgrammatic) {
  Block &body = function.getBody().front();
  if (body.getOperations().size() != 2 || body.getNumArguments() != 2 ||
      repack.getSource() != body.getArgument(0) ||
      repack.getTarget() != body.getArgument(1))
    return repack.emitOpError("expected to be the whole of a kernel of its "
                              "operands in convert-cutl-tile-to-nvvm");
  Type element = repack.getSource().getType().getElementType();
  if (element.getIntOrFloatBitWidth() > 64)
    return repack.emitOpError("has no lowering yet for ")
           << element << "; types of 8, 16, 32 and 64 bits have one";
  return RepackEmitter(function, repack, isProgrammatic).emit();
}
