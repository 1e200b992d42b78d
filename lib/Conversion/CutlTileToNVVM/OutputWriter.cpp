//===- OutputWriter.cpp - From registers to an output ---------------------===//
//
// Parts of an output are staged in shared memory as lines that are contiguous
// in the output, and written from there.
//
//===----------------------------------------------------------------------===//

#include "OutputWriter.h"

#include "CopyTma.h"
#include "Staging.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr int64_t kWarps = kWarpgroup / 32;

OutputWriter::OutputWriter(Emit &e, StagedKernel &kernel, unsigned output,
                           const EpilogueInputs &inputs,
                           const ConsumerThread &thread, const Unit &unit,
                           EpilogueElements &elements)
    : e(e), kernel(kernel), output(output),
      parameters(inputs.parameters->outputs[output]),
      extents(inputs.parameters->extents), thread(thread), unit(unit),
      elements(elements), staging(kernel.stagings[output]) {}

void OutputWriter::emitMatrixStore(Value address, ArrayRef<Value> sources,
                                   bool transpose) {
  NVVM::StMatrixOp::create(
      e.b, e.loc, address, sources,
      transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
}

/// 16-bit elements, lines along the columns: each store takes 16 rows and one
/// or two blocks.
void OutputWriter::emitStagePairs(Value buffer, const tile::Subtile &subtile) {
  MatrixRows rows(e, staging, thread, buffer);
  for (int64_t block = 0; block < subtile.blocks; block += 2) {
    int64_t count = std::min<int64_t>(2, subtile.blocks - block);
    for (int64_t slab = 0; slab < subtile.slabs; ++slab) {
      SmallVector<Value> sources;
      for (int64_t next = block; next < block + count; ++next)
        for (int64_t half : {0, 1})
          sources.push_back(elements.getPacked(output, subtile.firstSlab + slab, half,
                                               subtile.firstBlock + next));
      emitMatrixStore(rows.at(slab, block), sources, /*transpose=*/false);
    }
  }
}

/// 16-bit elements, lines down the columns.
void OutputWriter::emitStageColumns(Value buffer,
                                    const tile::Subtile &subtile) {
  Value matrix = e.shr(thread.lane, 3);
  Value inMatrix = e.bitAnd(thread.lane, 7);
  Value chunk = e.add(e.mul(thread.warp, 2), e.bitAnd(matrix, 1));
  // Lines of other blocks are whole swizzle patterns away.
  Value line = e.add(e.mul(e.shr(matrix, 1), 8), inMatrix);
  Value start =
      e.advance(buffer, e.add(e.mul(line, staging.getLineBytes()),
                              emitSwizzle(e, staging, inMatrix, chunk)));
  for (int64_t block = 0; block < subtile.blocks; block += 2) {
    int64_t count = std::min<int64_t>(2, subtile.blocks - block);
    SmallVector<Value> sources;
    for (int64_t next = block; next < block + count; ++next)
      for (int64_t half : {0, 1})
        sources.push_back(elements.getPacked(output, subtile.firstSlab, half,
                                             subtile.firstBlock + next));
    emitMatrixStore(e.advance(start, block * 8 * staging.getLineBytes()),
                    sources, /*transpose=*/true);
  }
}

/// The bits of a value of 8 or 32 bits.
Value OutputWriter::getBits(Element element) {
  Value value = elements.getResult(output, element);
  Type bits = e.b.getIntegerType(8 * staging.elementBytes);
  return value.getType() == bits
             ? value
             : arith::BitcastOp::create(e.b, e.loc, bits, value);
}

/// 8- and 32-bit elements, lines along the columns: two neighbours at a time.
void OutputWriter::emitStageNeighbours(Value buffer,
                                       const tile::Subtile &subtile) {
  OpBuilder &b = e.b;
  int64_t bytes = staging.elementBytes;
  auto pairType = VectorType::get(2, b.getIntegerType(8 * bytes));
  Neighbours neighbours(e, staging, thread, buffer);
  for (int64_t block = 0; block < subtile.blocks; ++block)
    for (int64_t slab = 0; slab < subtile.slabs; ++slab)
      for (int64_t half : {0, 1}) {
        Value values = LLVM::PoisonOp::create(b, e.loc, pairType);
        for (int64_t which : {0, 1})
          values = LLVM::InsertElementOp::create(
              b, e.loc, values,
              getBits({subtile.firstSlab + slab, half,
                       subtile.firstBlock + block, which}),
              e.i32(which));
        LLVM::StoreOp::create(b, e.loc, values,
                              neighbours.at(slab, half, block),
                              /*alignment=*/2 * bytes);
      }
}

/// 8- and 32-bit elements, lines down the columns.
void OutputWriter::emitStageSingly(Value buffer, const tile::Subtile &subtile) {
  int64_t bytes = staging.elementBytes;
  Value rowInSlab =
      e.add(e.mul(thread.warp, 16), e.shr(thread.lane, 2));
  Value firstLine = e.shl(e.bitAnd(thread.lane, 3), 1);
  for (int64_t block = 0; block < subtile.blocks; ++block)
    for (int64_t which : {0, 1})
      for (int64_t half : {0, 1}) {
        Value line = e.add(firstLine, block * 8 + which);
        Value inLine = e.mul(e.add(rowInSlab, half * 8), bytes);
        Value offset =
            e.add(emitSwizzle(e, staging, line, e.div(inLine, kChunk)),
                  e.bitAnd(inLine, kChunk - 1));
        offset = e.add(e.mul(line, staging.getLineBytes()), offset);
        LLVM::StoreOp::create(e.b, e.loc,
                              getBits({subtile.firstSlab, half,
                                       subtile.firstBlock + block, which}),
                              e.advance(buffer, offset), bytes);
      }
}

void OutputWriter::emitResults(const tile::Subtile &subtile) {
  for (int64_t block = 0; block < subtile.blocks; ++block)
    for (int64_t slab = 0; slab < subtile.slabs; ++slab)
      for (int64_t half : {0, 1})
        if (staging.elementBytes == 2)
          elements.getPacked(output, subtile.firstSlab + slab, half,
                             subtile.firstBlock + block);
        else
          for (int64_t which : {0, 1})
            elements.getResult(output, {subtile.firstSlab + slab, half,
                                        subtile.firstBlock + block, which});
}

void OutputWriter::emitStage(Value buffer, const tile::Subtile &subtile) {
  bool hasHalves = staging.elementBytes == 2;
  if (staging.alongRows)
    hasHalves ? emitStageColumns(buffer, subtile)
              : emitStageSingly(buffer, subtile);
  else
    hasHalves ? emitStagePairs(buffer, subtile)
              : emitStageNeighbours(buffer, subtile);
}

void OutputWriter::emitStore(Value buffer, const tile::Subtile &subtile) {
  if (kernel.storesTensor(output))
    emitTensorStore(buffer, subtile);
  else
    emitElementStores(buffer, subtile);
}

void OutputWriter::emitTensorStore(Value buffer, const tile::Subtile &subtile) {
  const TensorMap &map = parameters.map;
  SmallVector<Value> coordinates =
      getCoordinates(e, kernel, thread, unit, map, subtile);
  e.ifThen(thread.isLeader, [&] {
    emitBoxStore(e, buffer, map.value, coordinates);
    emitStoreCommit(e);
  });
}

/// Each warp takes every fourth line; its lanes take the elements of a line.
void OutputWriter::emitElementStores(Value buffer,
                                     const tile::Subtile &subtile) {
  const EpilogueOperand &array = parameters.array;
  OpBuilder &b = e.b;
  int64_t bytes = staging.elementBytes;
  Type bits = b.getIntegerType(8 * bytes);
  Value firstRow = getFirstRow(e, kernel, thread, unit, subtile);
  Value firstColumn = getFirstColumn(e, kernel, unit, subtile);
  Value firstLine = staging.alongRows ? firstColumn : firstRow;
  Value firstInLine = staging.alongRows ? firstRow : firstColumn;
  unsigned lineDim =
      staging.alongRows ? kernel.getColumnDim() : kernel.getRowDim();
  unsigned inLineDim =
      staging.alongRows ? kernel.getRowDim() : kernel.getColumnDim();
  Value lineExtent = extents[lineDim];
  Value inLineExtent = extents[inLineDim];
  Value lineStride =
      e.mul(array.strides[staging.alongRows ? *array.columnDim
                                             : *array.rowDim],
            bytes);
  Value inLineStride =
      e.mul(array.strides[staging.alongRows ? *array.rowDim
                                             : *array.columnDim],
            bytes);
  Value pointer = emitBatchPointer(e, array, unit);
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
               Value offset = e.add(emitSwizzle(e, staging, line, chunk),
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
