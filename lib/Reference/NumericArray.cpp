//===- NumericArray.cpp - Arrays in host memory
//-----------------------------===//

#include "cutl/Reference/NumericArray.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <random>

using namespace mlir;
using namespace mlir::cutl;
using llvm::APFloat;

int64_t NumericArray::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t NumericArray::getOffset(int64_t rowMajorIndex) const {
  int64_t offset = 0;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    offset += rowMajorIndex % sizes[dim] * strides[dim];
    rowMajorIndex /= sizes[dim];
  }
  return offset;
}

int64_t mlir::cutl::getElementBytes(Type type) {
  if (!type.isIntOrFloat())
    return 0;
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return 1;
  return width == 8 || width == 16 || width == 32 || width == 64 ? width / 8
                                                                 : 0;
}

using ValueTable = std::shared_ptr<const std::vector<double>>;

static ValueTable makeTable(const llvm::fltSemantics &semantics,
                            unsigned width) {
  auto table = std::make_shared<std::vector<double>>(size_t(1) << width);
  for (size_t bits = 0; bits < table->size(); ++bits) {
    APFloat value(semantics, llvm::APInt(width, bits));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    (*table)[bits] = value.convertToDouble();
  }
  return table;
}

/// The value of every bit pattern of a narrow floating-point type. Tables are
/// kept, since making one takes milliseconds.
static ValueTable getTable(FloatType type) {
  static std::mutex mutex;
  static std::map<const llvm::fltSemantics *, ValueTable> tables;
  std::lock_guard<std::mutex> lock(mutex);
  ValueTable &table = tables[&type.getFloatSemantics()];
  if (!table)
    table = makeTable(type.getFloatSemantics(), type.getWidth());
  return table;
}

std::optional<ElementReader> ElementReader::get(Type type, bool isUnsigned) {
  ElementReader reader;
  int64_t bytes = getElementBytes(type);
  if (bytes == 0)
    return std::nullopt;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (bytes <= 2) {
      reader.kind = bytes == 1 ? Kind::Table8 : Kind::Table16;
      reader.table = getTable(floatType);
      return reader;
    }
    if (!type.isF32() && !type.isF64())
      return std::nullopt;
    reader.kind = type.isF32() ? Kind::F32 : Kind::F64;
    return reader;
  }
  if (type.isInteger(1)) {
    reader.kind = Kind::Bool;
    return reader;
  }
  switch (bytes) {
  case 1:
    reader.kind = isUnsigned ? Kind::U8 : Kind::I8;
    break;
  case 2:
    reader.kind = isUnsigned ? Kind::U16 : Kind::I16;
    break;
  case 4:
    reader.kind = isUnsigned ? Kind::U32 : Kind::I32;
    break;
  default:
    reader.kind = isUnsigned ? Kind::U64 : Kind::I64;
    break;
  }
  return reader;
}

/// Memory comes from elsewhere and need not be aligned to its elements.
template <typename T> static T load(const void *data, int64_t offset) {
  T value;
  std::memcpy(&value,
              static_cast<const char *>(data) +
                  offset * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

double ElementReader::read(const void *data, int64_t offset) const {
  switch (kind) {
  case Kind::Table8:
    return (*table)[load<uint8_t>(data, offset)];
  case Kind::Table16:
    return (*table)[load<uint16_t>(data, offset)];
  case Kind::F32:
    return load<float>(data, offset);
  case Kind::F64:
    return load<double>(data, offset);
  case Kind::I8:
    return load<int8_t>(data, offset);
  case Kind::U8:
    return load<uint8_t>(data, offset);
  case Kind::I16:
    return load<int16_t>(data, offset);
  case Kind::U16:
    return load<uint16_t>(data, offset);
  case Kind::I32:
    return load<int32_t>(data, offset);
  case Kind::U32:
    return load<uint32_t>(data, offset);
  case Kind::I64:
    return static_cast<double>(load<int64_t>(data, offset));
  case Kind::U64:
    return static_cast<double>(load<uint64_t>(data, offset));
  case Kind::Bool:
    return load<uint8_t>(data, offset) & 1;
  }
  llvm_unreachable("unknown kind");
}

void mlir::cutl::writeElement(Type type, void *data, int64_t offset,
                              double value) {
  uint64_t bits;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat converted(value);
    bool losesInfo;
    converted.convert(floatType.getFloatSemantics(),
                      APFloat::rmNearestTiesToEven, &losesInfo);
    bits = converted.bitcastToAPInt().getZExtValue();
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    if (type.isInteger(1))
      bits &= 1;
  }
  int64_t bytes = getElementBytes(type);
  auto *target = static_cast<unsigned char *>(data) + offset * bytes;
  for (int64_t byte = 0; byte < bytes; ++byte)
    target[byte] = static_cast<unsigned char>(bits >> (8 * byte));
}

NumericBuffer::NumericBuffer(Type type, ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> strides) {
  array.elementType = type;
  array.sizes.assign(sizes.begin(), sizes.end());
  array.strides.assign(strides.begin(), strides.end());
  if (strides.empty()) {
    array.strides.assign(sizes.size(), 1);
    for (size_t dim = sizes.size(); dim-- > 1;)
      array.strides[dim - 1] = array.strides[dim] * sizes[dim];
  }
  bool isEmpty = array.getNumElements() == 0;
  int64_t elements = isEmpty ? 0 : 1;
  for (size_t dim = 0; !isEmpty && dim < sizes.size(); ++dim)
    elements += (sizes[dim] - 1) * array.strides[dim];
  bytes = elements * getElementBytes(type);
  // Vector code may read whole registers of a row; 64 bytes keep the start
  // aligned to any of them.
  storage.reset(new char[bytes + 64]());
  uintptr_t start = reinterpret_cast<uintptr_t>(storage.get());
  array.data = storage.get() + (64 - start % 64) % 64;
}

void NumericBuffer::fillRandom(uint64_t seed, bool isUnsigned) {
  constexpr size_t kPoolSize = 1 << 16;
  std::mt19937_64 engine(seed);
  int64_t elementBytes = getElementBytes(array.elementType);
  // Encoding a number is slow for narrow types, so elements are drawn from a
  // pool of encoded numbers.
  std::vector<char> pool(kPoolSize * elementBytes);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int64_t> uniform(isUnsigned ? 0 : -4,
                                                 isUnsigned ? 8 : 4);
  for (size_t i = 0; i < kPoolSize; ++i) {
    double value = isa<FloatType>(array.elementType)
                       ? normal(engine)
                       : static_cast<double>(uniform(engine));
    writeElement(array.elementType, pool.data(), i, value);
  }
  auto *target = static_cast<char *>(array.data);
  for (int64_t i = 0, count = bytes / elementBytes; i < count; ++i)
    std::memcpy(target + i * elementBytes,
                &pool[engine() % kPoolSize * elementBytes], elementBytes);
}

void NumericBuffer::poison() {
  // All ones is NaN in every floating-point type that has one.
  std::memset(array.data, isa<FloatType>(array.elementType) ? 0xff : 0x5a,
              bytes);
}

NumericBuffer NumericBuffer::clone() const {
  NumericBuffer copy(array.elementType, array.sizes, array.strides);
  std::memcpy(copy.array.data, array.data, bytes);
  return copy;
}
