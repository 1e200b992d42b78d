//===- CutlEnums.h - Enumerations of the cutl dialect --------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLENUMS_H
#define CUTL_DIALECT_CUTL_IR_CUTLENUMS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include "cutl/Dialect/Cutl/IR/CutlEnums.h.inc"

#endif // CUTL_DIALECT_CUTL_IR_CUTLENUMS_H
