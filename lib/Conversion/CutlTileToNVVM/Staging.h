//===- Staging.h - Places in a staging buffer -----------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_STAGING_H
#define CUTL_CONVERSION_CUTLTILETONVVM_STAGING_H

#include "Epilogue.h"

namespace mlir::cutl::nvvm {

/// Bytes that a swizzle keeps together.
constexpr int64_t kChunk = 16;

/// The position of 16-byte chunk `chunk` of line `line`, both i32, in bytes
/// from the start of the line. Bits that two chunks differ in are bits that
/// their positions differ in.
Value emitSwizzle(Emit &e, const tile::OutputStaging &staging, Value line,
                  Value chunk);

/// Where the lanes of a warp have the rows of 8x8 matrices of 16-bit elements,
/// in a buffer of lines along the columns.
class MatrixRows {
public:
  MatrixRows(Emit &e, const tile::OutputStaging &staging,
             const ConsumerThread &thread, Value buffer);

  /// Those of 16 rows of `slab`, of block `block`, an even one, and of the one
  /// after it for the upper lanes; both from the first of the buffer.
  Value at(int64_t slab, int64_t block);

private:
  Emit &e;
  int64_t slabBytes;
  Value start, first;
};

/// Where a thread has its two neighbouring elements of 8 or 32 bits, in a
/// buffer of lines along the columns.
class Neighbours {
public:
  Neighbours(Emit &e, const tile::OutputStaging &staging,
             const ConsumerThread &thread, Value buffer);

  /// Those in one of the thread's rows and in a block of eight columns.
  Value at(int64_t slab, int64_t half, int64_t block);

private:
  Emit &e;
  int64_t elementBytes, lineBytes;
  Value start, first;
};

/// Where a subtile starts in the problem, i32.
Value getFirstRow(Emit &e, StagedKernel &kernel, const ConsumerThread &thread,
                  const Unit &unit, const tile::Subtile &subtile);
Value getFirstColumn(Emit &e, StagedKernel &kernel, const Unit &unit,
                     const tile::Subtile &subtile);
/// The coordinates of a subtile in a tensor map.
SmallVector<Value> getCoordinates(Emit &e, StagedKernel &kernel,
                                  const ConsumerThread &thread,
                                  const Unit &unit, const TensorMap &map,
                                  const tile::Subtile &subtile);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_STAGING_H
