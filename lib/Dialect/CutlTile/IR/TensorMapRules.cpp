//===- TensorMapRules.cpp - What the tensor copy engine can address ------===//

#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::cutl::tile;

unsigned mlir::cutl::tile::getInnermostDim(MemRefType type) {
  unsigned last = type.getRank() - 1;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides[last] == 1)
    return last;
  const auto *unit = llvm::find(strides, 1);
  return unit == strides.end() ? last : unsigned(unit - strides.begin());
}

static std::string ofDim(unsigned dim, StringRef name) {
  return "dimension " + std::to_string(dim) + " of '" + name.str() + "'";
}

std::string mlir::cutl::tile::getAddressRule(StringRef name) {
  return "expected the address of '" + name.str() + "' to be a multiple of " +
         std::to_string(kTensorMapAlignment) + " bytes";
}

std::string mlir::cutl::tile::getPitchRule(StringRef name, unsigned dim) {
  return "expected the stride of " + ofDim(dim, name) +
         " to be a multiple of " + std::to_string(kTensorMapAlignment) +
         " bytes";
}

std::string mlir::cutl::tile::getUnitStrideRule(StringRef name, unsigned dim) {
  return "expected " + ofDim(dim, name) + " to have stride 1";
}

int64_t mlir::cutl::tile::getStoredSizeDivisor(Type elementType) {
  return kTensorMapAlignment * 8 / elementType.getIntOrFloatBitWidth();
}

std::string mlir::cutl::tile::getStoredSizeRule(StringRef name, unsigned dim,
                                                Type elementType) {
  return "expected the size of " + ofDim(dim, name) + " to be a multiple of " +
         std::to_string(getStoredSizeDivisor(elementType));
}

std::optional<std::string>
mlir::cutl::tile::findBrokenTensorMapRule(MemRefType type, StringRef name,
                                          bool isStored) {
  unsigned rank = type.getRank();
  if (rank < 1 || rank > kTensorMapMaxRank)
    return "expected '" + name.str() + "' to have rank 1 to " +
           std::to_string(kTensorMapMaxRank) + ", got " + std::to_string(rank);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return "expected '" + name.str() + "' to have a strided layout";
  unsigned innermost = getInnermostDim(type);
  int64_t bits = type.getElementTypeBitWidth();
  int64_t length = type.getDimSize(innermost);
  if (isStored && !ShapedType::isDynamic(length) &&
      length % getStoredSizeDivisor(type.getElementType()) != 0)
    return getStoredSizeRule(name, innermost, type.getElementType()) +
           ", got " + std::to_string(length);
  for (unsigned dim = 0; dim < rank; ++dim) {
    // A dimension of one element has no stride that matters.
    if (ShapedType::isDynamic(strides[dim]) || type.getDimSize(dim) == 1)
      continue;
    if (dim == innermost && strides[dim] != 1)
      return getUnitStrideRule(name, dim) + ", got " +
             std::to_string(strides[dim]);
    int64_t bytes = strides[dim] * bits / 8;
    if (dim != innermost && bytes % kTensorMapAlignment != 0)
      return getPitchRule(name, dim) + ", got " + std::to_string(bytes);
    if (strides[dim] < 0)
      return "expected the stride of " + ofDim(dim, name) +
             " to be at least 0, got " + std::to_string(strides[dim]);
  }
  return std::nullopt;
}
