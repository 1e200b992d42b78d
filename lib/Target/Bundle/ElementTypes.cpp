//===- ElementTypes.cpp - MLIR types as the runtime's numbers -------------===//

#include "cutl/Target/Bundle/ElementTypes.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "cutl/Runtime/Runtime.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

std::optional<int32_t> mlir::cutl::getRuntimeElementType(Type type) {
  if (type.isIndex() || type.isInteger(64))
    return CUTL_ELEMENT_S64;
  Signedness signedness =
      type.isUnsignedInteger() ? Signedness::Unsigned : Signedness::Signed;
  const auto *record = lookupDataType(type, signedness);
  for (int32_t number = 0; record && number <= CUTL_ELEMENT_S64; ++number)
    if (const char *name = cutlElementTypeName(number);
        name && StringRef(name) == record->name)
      return number;
  return std::nullopt;
}
