//===- ElementTypes.h - MLIR types as the runtime's numbers -----*- C++ -*-===//

#ifndef CUTL_TARGET_BUNDLE_ELEMENTTYPES_H
#define CUTL_TARGET_BUNDLE_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include <optional>

namespace mlir::cutl {

/// The CutlElementType of an element or a number. Integers without a sign count
/// as signed.
std::optional<int32_t> getRuntimeElementType(Type type);

} // namespace mlir::cutl

#endif // CUTL_TARGET_BUNDLE_ELEMENTTYPES_H
