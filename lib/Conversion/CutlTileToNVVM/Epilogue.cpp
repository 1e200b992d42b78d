//===- Epilogue.cpp - From accumulators to the output ---------------------===//
//
// The region runs in registers, on the elements that a thread's accumulators
// are. Results are staged in shared memory, part by part, as lines that are
// contiguous in the output, and written from there.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "Barriers.h"
#include "CopyTma.h"
#include "EpilogueElements.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Named barriers of the warpgroups' epilogues; the first few are taken by the
/// order of the mainloops.
static constexpr int64_t kEpilogueBarrier = 4;
static constexpr int64_t kWarps = kWarpgroup / 32;
/// Bytes that a swizzle keeps together.
static constexpr int64_t kChunk = 16;

namespace {

/// The part of a consumer's accumulators that one buffer holds.
struct Subtile {
  int64_t firstSlab, slabs;
  int64_t firstBlock, blocks;
};

class TileEpilogue {
public:
  TileEpilogue(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
               const ConsumerThread &thread, const Unit &unit,
               ArrayRef<Value> accumulators)
      : e(e), kernel(kernel), inputs(inputs), thread(thread), unit(unit),
        staging(kernel.staging),
        elements(e, kernel, inputs, thread, unit, accumulators) {
    addSubtiles();
  }

  void emit();

private:
  void addSubtiles();
  int64_t getPendingStores(int64_t number) const;

  Value swizzle(Value line, Value chunk);
  void emitStage(Value buffer, const Subtile &subtile);
  void emitStagePairs(Value buffer, const Subtile &subtile);
  void emitStageColumns(Value buffer, const Subtile &subtile);
  void emitStageWords(Value buffer, const Subtile &subtile);
  void emitStageWordColumns(Value buffer, const Subtile &subtile);
  void emitMatrixStore(Value address, ArrayRef<Value> sources, bool transpose);

  /// Where a subtile starts in the problem, i32.
  Value getFirstRow(const Subtile &subtile) {
    return e.add(e.add(unit.starts[kernel.getRowDim()], thread.firstRow),
                 subtile.firstSlab * kSlab);
  }
  Value getFirstColumn(const Subtile &subtile) {
    return e.add(unit.starts[kernel.getColumnDim()], subtile.firstBlock * 8);
  }
  void emitTensorStore(Value buffer, const Subtile &subtile);
  void emitElementStores(Value buffer, const Subtile &subtile);

  Emit &e;
  StagedKernel &kernel;
  const EpilogueInputs &inputs;
  const ConsumerThread &thread;
  const Unit &unit;
  const tile::OutputStaging &staging;
  EpilogueElements elements;
  SmallVector<Subtile> subtiles;
};

} // namespace

/// Cuts the consumer's accumulators into what a buffer holds. The last part of
/// a row of them overlaps its neighbour where the tile is no multiple. All rows
/// of some columns come together, here and within a part, so that what is
/// loaded for a column is soon used up.
void TileEpilogue::addSubtiles() {
  int64_t columns = staging.getColumns();
  int64_t slabs = staging.alongRows ? 1 : kernel.getSlabs();
  for (int64_t start = 0; start < kernel.getColumns(); start += columns) {
    int64_t first = std::min(start, kernel.getColumns() - columns);
    for (int64_t slab = 0; slab < kernel.getSlabs(); slab += slabs)
      subtiles.push_back({slab, slabs, first / 8, columns / 8});
  }
}

/// How many of the leader's latest groups may still read shared memory when
/// part `number` is staged: those behind the last use of its buffer.
int64_t TileEpilogue::getPendingStores(int64_t number) const {
  int64_t buffers = kernel.epilogue.getStagingAttr().getBuffers();
  if (number >= buffers)
    return buffers - 1;
  // Its buffer's last use in the tile before.
  int64_t count = subtiles.size(), last = count - 1;
  while (last > 0 && last % buffers != number % buffers)
    --last;
  return count - 1 - last + number;
}

/// The position of 16-byte chunk `chunk` of line `line`, both i32, in bytes
/// from the start of the line. Bits that two chunks differ in are bits that
/// their positions differ in.
Value TileEpilogue::swizzle(Value line, Value chunk) {
  if (staging.getLineBytes() == 128)
    chunk = e.bitXor(chunk, e.bitAnd(line, 7));
  else if (staging.getLineBytes() == 64)
    chunk = e.bitXor(chunk, e.bitAnd(e.shr(line, 1), 3));
  return e.mul(chunk, kChunk);
}

void TileEpilogue::emitMatrixStore(Value address, ArrayRef<Value> sources,
                                   bool transpose) {
  NVVM::StMatrixOp::create(
      e.b, e.loc, address, sources,
      transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
}

/// 16-bit elements, lines along the columns: each store takes 16 rows and one
/// or two blocks.
void TileEpilogue::emitStagePairs(Value buffer, const Subtile &subtile) {
  Value line = e.add(e.mul(thread.warp, 16), e.bitAnd(thread.lane, 15));
  Value start = e.advance(buffer, e.mul(line, staging.getLineBytes()));
  // Lanes 16 and on give the addresses of the second block.
  Value first = swizzle(line, e.shr(thread.lane, 4));
  for (int64_t block = 0; block < subtile.blocks; block += 2) {
    int64_t count = std::min<int64_t>(2, subtile.blocks - block);
    Value offset = e.bitXor(first, e.i32(block * kChunk));
    for (int64_t slab = 0; slab < subtile.slabs; ++slab) {
      SmallVector<Value> sources;
      for (int64_t next = block; next < block + count; ++next)
        for (int64_t half : {0, 1})
          sources.push_back(elements.getPacked(subtile.firstSlab + slab, half,
                                               subtile.firstBlock + next));
      // A slab is a whole number of swizzle patterns.
      Value slabStart = e.advance(start, slab * kSlab * staging.getLineBytes());
      emitMatrixStore(e.advance(slabStart, offset), sources,
                      /*transpose=*/false);
    }
  }
}

/// 16-bit elements, lines down the columns.
void TileEpilogue::emitStageColumns(Value buffer, const Subtile &subtile) {
  Value matrix = e.shr(thread.lane, 3);
  Value inMatrix = e.bitAnd(thread.lane, 7);
  Value chunk = e.add(e.mul(thread.warp, 2), e.bitAnd(matrix, 1));
  // Lines of other blocks are whole swizzle patterns away.
  Value line = e.add(e.mul(e.shr(matrix, 1), 8), inMatrix);
  Value start = e.advance(
      buffer, e.add(e.mul(line, staging.getLineBytes()),
                    swizzle(inMatrix, chunk)));
  for (int64_t block = 0; block < subtile.blocks; block += 2) {
    int64_t count = std::min<int64_t>(2, subtile.blocks - block);
    SmallVector<Value> sources;
    for (int64_t next = block; next < block + count; ++next)
      for (int64_t half : {0, 1})
        sources.push_back(elements.getPacked(subtile.firstSlab, half,
                                             subtile.firstBlock + next));
    emitMatrixStore(e.advance(start, block * 8 * staging.getLineBytes()),
                    sources, /*transpose=*/true);
  }
}

/// 32-bit elements, lines along the columns: two neighbours at a time.
void TileEpilogue::emitStageWords(Value buffer, const Subtile &subtile) {
  OpBuilder &b = e.b;
  auto pairType = VectorType::get(2, b.getI32Type());
  Value rowInSlab =
      e.add(e.mul(thread.warp, 16), e.shr(thread.lane, 2));
  Value pair = e.bitAnd(thread.lane, 3);
  Value start =
      e.advance(buffer, e.add(e.mul(rowInSlab, staging.getLineBytes()),
                              e.shl(e.bitAnd(pair, 1), 3)));
  Value first = swizzle(rowInSlab, e.shr(pair, 1));
  for (int64_t block = 0; block < subtile.blocks; ++block) {
    Value offset = e.bitXor(first, e.i32(block * 2 * kChunk));
    for (int64_t slab = 0; slab < subtile.slabs; ++slab)
      for (int64_t half : {0, 1}) {
        Value values = LLVM::PoisonOp::create(b, e.loc, pairType);
        for (int64_t which : {0, 1}) {
          Value bits = LLVM::BitcastOp::create(
              b, e.loc, b.getI32Type(),
              elements.getResult({subtile.firstSlab + slab, half,
                                  subtile.firstBlock + block, which}));
          values = LLVM::InsertElementOp::create(b, e.loc, values, bits,
                                                 e.i32(which));
        }
        // Eight lines are a whole swizzle pattern.
        Value rowStart = e.advance(
            start, (slab * kSlab + half * 8) * staging.getLineBytes());
        LLVM::StoreOp::create(b, e.loc, values, e.advance(rowStart, offset),
                              /*alignment=*/8);
      }
  }
}

/// 32-bit elements, lines down the columns.
void TileEpilogue::emitStageWordColumns(Value buffer, const Subtile &subtile) {
  Value rowInSlab =
      e.add(e.mul(thread.warp, 16), e.shr(thread.lane, 2));
  Value firstLine = e.shl(e.bitAnd(thread.lane, 3), 1);
  for (int64_t block = 0; block < subtile.blocks; ++block)
    for (int64_t which : {0, 1})
      for (int64_t half : {0, 1}) {
        Value line = e.add(firstLine, block * 8 + which);
        Value offset =
            e.add(e.mul(line, staging.getLineBytes()),
                  e.shl(e.add(rowInSlab, half * 8), 2));
        Value bits = LLVM::BitcastOp::create(
            e.b, e.loc, e.b.getI32Type(),
            elements.getResult({subtile.firstSlab, half,
                                subtile.firstBlock + block, which}));
        LLVM::StoreOp::create(e.b, e.loc, bits, e.advance(buffer, offset),
                              /*alignment=*/4);
      }
}

void TileEpilogue::emitStage(Value buffer, const Subtile &subtile) {
  bool isWord = staging.elementBytes == 4;
  if (staging.alongRows)
    isWord ? emitStageWordColumns(buffer, subtile)
           : emitStageColumns(buffer, subtile);
  else
    isWord ? emitStageWords(buffer, subtile)
           : emitStagePairs(buffer, subtile);
}

void TileEpilogue::emitTensorStore(Value buffer, const Subtile &subtile) {
  const TensorMap &map = inputs.parameters->output;
  SmallVector<Value> coordinates;
  for (unsigned dim : map.dims) {
    if (dim == kernel.getRowDim())
      coordinates.push_back(getFirstRow(subtile));
    else if (dim == kernel.getColumnDim())
      coordinates.push_back(getFirstColumn(subtile));
    else
      coordinates.push_back(unit.starts[dim]);
  }
  e.ifThen(thread.isLeader, [&] {
    emitBoxStore(e, buffer, map.value, coordinates);
    emitStoreCommit(e);
  });
}

/// Each warp takes every fourth line; its lanes take the elements of a line.
void TileEpilogue::emitElementStores(Value buffer, const Subtile &subtile) {
  const EpilogueOperand &output = inputs.parameters->outputOperand;
  OpBuilder &b = e.b;
  int64_t bytes = staging.elementBytes;
  Type bits = b.getIntegerType(8 * bytes);
  Value firstRow = getFirstRow(subtile), firstColumn = getFirstColumn(subtile);
  Value firstLine = staging.alongRows ? firstColumn : firstRow;
  Value firstInLine = staging.alongRows ? firstRow : firstColumn;
  unsigned lineDim =
      staging.alongRows ? kernel.getColumnDim() : kernel.getRowDim();
  unsigned inLineDim =
      staging.alongRows ? kernel.getRowDim() : kernel.getColumnDim();
  Value lineExtent = inputs.parameters->extents[lineDim];
  Value inLineExtent = inputs.parameters->extents[inLineDim];
  Value lineStride =
      e.mul(output.strides[staging.alongRows ? *output.columnDim
                                             : *output.rowDim],
            bytes);
  Value inLineStride =
      e.mul(output.strides[staging.alongRows ? *output.rowDim
                                             : *output.columnDim],
            bytes);
  Value pointer = emitBatchPointer(e, output, unit);
  int64_t perChunk = kChunk / bytes;

  e.loop(thread.warp, e.i32(staging.lines), e.i32(kWarps), {},
         [&](Value line, ValueRange) -> SmallVector<Value> {
           Value start = e.advance(buffer,
                                   e.mul(line, staging.getLineBytes()));
           Value index = e.add(firstLine, line);
           Value lineInside = e.less(index, lineExtent);
           Value lineStart =
               e.advance(pointer, e.mul(e.sext64(index), lineStride));
           for (int64_t part = 0; part < staging.contiguous; part += 32) {
             Value position = e.add(thread.lane, part);
             Value inLine = e.add(firstInLine, position);
             Value inside = e.both(lineInside, e.less(inLine, inLineExtent));
             if (part + 32 > staging.contiguous)
               inside = e.both(
                   inside, e.less(position, e.i32(staging.contiguous)));
             e.ifThen(inside, [&] {
               Value chunk = e.div(position, perChunk);
               Value offset = e.add(
                   swizzle(line, chunk),
                   e.mul(e.rem(position, perChunk), bytes));
               Value value =
                   LLVM::LoadOp::create(b, e.loc, bits,
                                        e.advance(start, offset), bytes);
               Value address = e.advance(
                   lineStart, e.mul(e.sext64(inLine), inLineStride));
               LLVM::StoreOp::create(b, e.loc, value, address, bytes);
             });
           }
           return {};
         });
}

void TileEpilogue::emit() {
  Value barrier = e.add(thread.consumer, kEpilogueBarrier);
  tile::StagingAttr layout = kernel.epilogue.getStagingAttr();
  bool tensor = kernel.storesTensor();
  for (auto [number, subtile] : llvm::enumerate(subtiles)) {
    Value buffer = e.advance(inputs.staging,
                             number % layout.getBuffers() * layout.getBytes());
    // What was in the buffer has been read.
    if (tensor)
      e.ifThen(thread.isLeader,
               [&] { emitStoreWaitRead(e, getPendingStores(number)); });
    emitNamedBarrier(e, barrier, kWarpgroup);
    emitStage(buffer, subtile);
    if (tensor)
      emitFenceSharedProxy(e);
    emitNamedBarrier(e, barrier, kWarpgroup);
    if (tensor)
      emitTensorStore(buffer, subtile);
    else
      emitElementStores(buffer, subtile);
  }
}

void mlir::cutl::nvvm::emitEpilogue(Emit &e, StagedKernel &kernel,
                              const EpilogueInputs &inputs,
                              const ConsumerThread &thread, const Unit &unit,
                              ArrayRef<Value> accumulators) {
  TileEpilogue(e, kernel, inputs, thread, unit, accumulators).emit();
}
