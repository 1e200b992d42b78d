//===- NumericArray.h - Arrays in host memory ------------------------*- C++
//-*-===//
//
// Strided arrays of any element type that a byte or more holds, read and
// written as doubles.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_REFERENCE_NUMERICARRAY_H
#define CUTL_REFERENCE_NUMERICARRAY_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::cutl {

/// A view of an array, or of one number when it has rank 0. Sizes and strides
/// are in elements; `data` points to the element whose indices are all zero.
struct NumericArray {
  void *data = nullptr;
  Type elementType;
  SmallVector<int64_t, 4> sizes;
  SmallVector<int64_t, 4> strides;

  int64_t getNumElements() const;
  /// Offset of the element with this number in row-major order, in elements.
  int64_t getOffset(int64_t rowMajorIndex) const;
};

/// Reads elements of one type as doubles; numbers beyond 2^53 are rounded.
class ElementReader {
public:
  /// Nothing for types of less than a byte, other than i1, which takes one.
  static std::optional<ElementReader> get(Type type, bool isUnsigned = false);

  double read(const void *data, int64_t offset) const;

private:
  enum class Kind {
    Table8,
    Table16,
    F32,
    F64,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Bool
  };
  Kind kind;
  std::shared_ptr<const std::vector<double>> table;
};

/// Writes the bits of one element, least significant byte first, as many as the
/// type has.
void writeElement(Type type, void *data, int64_t offset, double value);

/// An array that owns its memory.
class NumericBuffer {
public:
  /// Row-major without gaps unless strides, in elements and not negative, are
  /// given. `type` has a width of at least a byte, or is i1.
  NumericBuffer(Type type, ArrayRef<int64_t> sizes,
                ArrayRef<int64_t> strides = {});

  const NumericArray &get() const { return array; }
  operator const NumericArray &() const { return array; }

  /// Normally distributed numbers, or integers from -4 to 4 (0 to 8 where
  /// `isUnsigned`), decided by `seed` alone.
  void fillRandom(uint64_t seed, bool isUnsigned = false);
  /// NaN in every element, or for integers a pattern that no small computation
  /// gives.
  void poison();
  NumericBuffer clone() const;

private:
  std::unique_ptr<char[]> storage;
  int64_t bytes = 0;
  NumericArray array;
};

/// Bytes that an element takes in an array; 0 if an array cannot hold the type.
int64_t getElementBytes(Type type);

} // namespace mlir::cutl

#endif // CUTL_REFERENCE_NUMERICARRAY_H
