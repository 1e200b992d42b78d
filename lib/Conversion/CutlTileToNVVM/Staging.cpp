//===- Staging.cpp - Places in a staging buffer ---------------------------===//

#include "Staging.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

Value mlir::cutl::nvvm::emitSwizzle(Emit &e, const tile::OutputStaging &staging,
                                    Value line, Value chunk) {
  if (staging.getLineBytes() == 128)
    chunk = e.bitXor(chunk, e.bitAnd(line, 7));
  else if (staging.getLineBytes() == 64)
    chunk = e.bitXor(chunk, e.bitAnd(e.shr(line, 1), 3));
  return e.mul(chunk, kChunk);
}

/// A slab is a whole number of swizzle patterns.
MatrixRows::MatrixRows(Emit &e, const tile::OutputStaging &staging,
                       const ConsumerThread &thread, Value buffer)
    : e(e), slabBytes(kSlab * staging.getLineBytes()) {
  Value line = e.add(e.mul(thread.warp, 16), e.bitAnd(thread.lane, 15));
  start = e.advance(buffer, e.mul(line, staging.getLineBytes()));
  // Lanes 16 and on give the addresses of the second block.
  first = emitSwizzle(e, staging, line, e.shr(thread.lane, 4));
}

Value MatrixRows::at(int64_t slab, int64_t block) {
  Value offset = e.bitXor(first, e.i32(block * kChunk));
  return e.advance(e.advance(start, slab * slabBytes), offset);
}

Neighbours::Neighbours(Emit &e, const tile::OutputStaging &staging,
                       const ConsumerThread &thread, Value buffer)
    : e(e), elementBytes(staging.elementBytes),
      lineBytes(staging.getLineBytes()) {
  Value rowInSlab = e.add(e.mul(thread.warp, 16), e.shr(thread.lane, 2));
  // A block is half a chunk of bytes, or two chunks of words.
  Value inBlock = e.mul(e.bitAnd(thread.lane, 3), 2 * elementBytes);
  start = e.advance(buffer, e.add(e.mul(rowInSlab, lineBytes),
                                  e.bitAnd(inBlock, kChunk - 1)));
  first = emitSwizzle(e, staging, rowInSlab, e.div(inBlock, kChunk));
}

Value Neighbours::at(int64_t slab, int64_t half, int64_t block) {
  int64_t blockStart = block * 8 * elementBytes;
  Value offset = e.bitXor(first, e.i32(blockStart / kChunk * kChunk));
  // Eight lines are a whole swizzle pattern.
  Value rowStart = e.advance(start, (slab * kSlab + half * 8) * lineBytes +
                                        blockStart % kChunk);
  return e.advance(rowStart, offset);
}

Value mlir::cutl::nvvm::getFirstRow(Emit &e, StagedKernel &kernel,
                                    const ConsumerThread &thread,
                                    const Unit &unit,
                                    const tile::Subtile &subtile) {
  return e.add(e.add(unit.starts[kernel.getRowDim()], thread.firstRow),
               subtile.firstSlab * kSlab);
}

Value mlir::cutl::nvvm::getFirstColumn(Emit &e, StagedKernel &kernel,
                                       const Unit &unit,
                                       const tile::Subtile &subtile) {
  return e.add(unit.starts[kernel.getColumnDim()],
               subtile.firstBlock * tile::kBlockColumns);
}

SmallVector<Value> mlir::cutl::nvvm::getCoordinates(
    Emit &e, StagedKernel &kernel, const ConsumerThread &thread,
    const Unit &unit, const TensorMap &map, const tile::Subtile &subtile) {
  SmallVector<Value> coordinates;
  for (unsigned dim : map.dims) {
    if (dim == kernel.getRowDim())
      coordinates.push_back(getFirstRow(e, kernel, thread, unit, subtile));
    else if (dim == kernel.getColumnDim())
      coordinates.push_back(getFirstColumn(e, kernel, unit, subtile));
    else
      coordinates.push_back(unit.starts[dim]);
  }
  return coordinates;
}
