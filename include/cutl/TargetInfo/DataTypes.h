//===- DataTypes.h - typed view of the data type table ----------*- C++ -*-===//
//
// Element types and the accumulators that a pair of them may use.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGETINFO_DATATYPES_H
#define CUTL_TARGETINFO_DATATYPES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cutl::targetinfo {

enum class DataTypeKind : uint8_t {
  Float,
  Int,
  /// A power-of-two block scale; never an operand.
  Scale,
};

/// One record of DataTypes.td, where the fields are explained. Records live as
/// long as the program, so pointers to them can be kept and compared.
struct DataType {
  /// The short, unique name: "f16", "e4m3", "s8".
  const char *name;
  const char *mlirName;
  DataTypeKind kind;
  uint8_t storageBits;
  uint8_t exponentBits;
  uint8_t mantissaBits;
  bool isSigned;
  /// False for a type that is only a way to multiply (tf32).
  bool isStorage;
  const char *numpyName;
  const char *torchName;
  const char *tmaName;
  const char *ptxName;
  /// Null-terminated, the default first.
  const char *accumulators[4];
  /// Whether the CPU target takes it as the type of A or B.
  bool isCpuOperand;

  bool isFloat() const { return kind == DataTypeKind::Float; }
  bool isInt() const { return kind == DataTypeKind::Int; }
  bool isScale() const { return kind == DataTypeKind::Scale; }
  /// Bytes that `count` consecutive elements take, rounded up.
  int64_t bytes(int64_t count) const { return (count * storageBits + 7) / 8; }
};

/// Every record, by name.
const std::vector<const DataType *> &allDataTypes();

/// Finds a type by its short name, or null.
const DataType *lookupDataType(std::string_view name);

/// Finds a type by its MLIR spelling, or null. MLIR integers carry no sign, so
/// `isSigned` chooses between the two records that share a spelling.
const DataType *lookupDataTypeByMlirName(std::string_view mlirName,
                                         bool isSigned = true);

/// The accumulators legal for A of type `a` and B of type `b`, the default
/// first; empty when the two cannot be multiplied at all. Two integers
/// accumulate in s32 and f64 only meets f64; every other pair may use f32, and
/// f16 as well when both types allow it.
std::vector<const DataType *> legalAccumulators(const DataType &a,
                                                const DataType &b);

/// The default accumulator of a pair, or null when it has none.
const DataType *defaultAccumulator(const DataType &a, const DataType &b);

/// "f32 or f16", for messages.
std::string joinNames(const std::vector<const DataType *> &types);

} // namespace cutl::targetinfo

#endif // CUTL_TARGETINFO_DATATYPES_H
