//===- CutlDialect.h - The cutl dialect ----------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLDIALECT_H
#define CUTL_DIALECT_CUTL_IR_CUTLDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h.inc"

#endif // CUTL_DIALECT_CUTL_IR_CUTLDIALECT_H
