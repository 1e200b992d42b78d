//===- OutputStaging.h - How a consumer stages an output ------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_TRANSFORMS_OUTPUTSTAGING_H
#define CUTL_DIALECT_CUTLTILE_TRANSFORMS_OUTPUTSTAGING_H

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"

namespace mlir::cutl::tile {

/// Rows of each slab of accumulators that one warp holds: what it can combine
/// by itself.
constexpr int64_t kWarpRows = 16;

/// The part of the accumulators that a consumer stages at a time: lines of
/// elements that are contiguous in the output. Rows and columns are those of
/// the accumulators; with swapped operands rows run along n.
struct OutputStaging {
  /// Whether a line runs along the rows' dimension, that is, down a column.
  bool alongRows = false;
  int64_t elementBytes = 0;
  /// Elements of a line.
  int64_t contiguous = 0;
  /// Lines of a buffer.
  int64_t lines = 0;
  /// Whether the tensor copy engine can write a buffer.
  bool fitsTensorMap = false;

  int64_t getLineBytes() const { return contiguous * elementBytes; }
  int64_t getBytes() const { return lines * getLineBytes(); }
  /// Rows and columns that a buffer holds.
  int64_t getRows() const { return alongRows ? contiguous : lines; }
  int64_t getColumns() const { return alongRows ? lines : contiguous; }
};

/// How output `number` of `epilogue`, which is not reduced, is staged by a consumer that has `rows`
/// rows of the tile.
OutputStaging getOutputStaging(EpilogueOp epilogue, unsigned number,
                               int64_t rows);

/// Dimension of the domain that the rows of the accumulators run along, and
/// their columns.
unsigned getRowDim(WorkLoopOp loop);
unsigned getColumnDim(WorkLoopOp loop);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_TRANSFORMS_OUTPUTSTAGING_H
