//===- PaddedMemory.h - Intermediates with aligned rows --------*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_PADDEDMEMORY_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_PADDEDMEMORY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::cutl {

/// How many elements fill `bytes` (a power of two, at least 16); none if they do
/// not do so evenly.
std::optional<int64_t> getPaddingUnit(Type element, int64_t bytes);

/// Allocates memory in row-major order, of rows that are multiples of `unit`
/// elements long, and returns a view of the sizes asked for.
Value allocatePadded(OpBuilder &builder, Location loc, Type element,
                     ArrayRef<OpFoldResult> sizes, int64_t unit);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_PADDEDMEMORY_H
