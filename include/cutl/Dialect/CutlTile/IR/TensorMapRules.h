//===- TensorMapRules.h - What the tensor copy engine can address ---------===//
//
// The rules of tensor maps, in one wording for what is known when a kernel is
// compiled and for what a launch finds.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_TENSORMAPRULES_H
#define CUTL_DIALECT_CUTLTILE_IR_TENSORMAPRULES_H

#include "cutl/Runtime/Entry.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <string>

namespace mlir::cutl::tile {

/// What the address of a tensor and its pitches must be multiples of, in bytes.
constexpr int64_t kTensorMapAlignment = CUTL_TENSOR_MAP_ALIGNMENT;
/// Dimensions that a tensor map can have.
constexpr unsigned kTensorMapMaxRank = CUTL_MAX_TENSOR_MAP_RANK;

/// The dimension that a tensor map of `type` would take as innermost: the one
/// of stride 1 where the type says so, else the last.
unsigned getInnermostDim(MemRefType type);

/// "expected the address of 'a' to be a multiple of 16 bytes"
std::string getAddressRule(StringRef name);
/// "expected the stride of dimension 0 of 'a' to be a multiple of 16 bytes"
std::string getPitchRule(StringRef name, unsigned dim);
/// "expected dimension 1 of 'a' to have stride 1"
std::string getUnitStrideRule(StringRef name, unsigned dim);

/// "expected the size of dimension 1 of 'd' to be a multiple of 8": a store
/// writes whole pieces of 16 bytes, also past the end.
std::string getStoredSizeRule(StringRef name, unsigned dim, Type elementType);
/// Elements that a piece of 16 bytes holds.
int64_t getStoredSizeDivisor(Type elementType);

/// The rule that `type` is known to break, with what it has instead; nothing
/// where none is. `isStored`: the tensor is written.
std::optional<std::string> findBrokenTensorMapRule(MemRefType type,
                                                   StringRef name,
                                                   bool isStored = false);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_IR_TENSORMAPRULES_H
