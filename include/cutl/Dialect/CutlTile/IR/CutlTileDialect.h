//===- CutlTileDialect.h - The cutl_tile dialect -------------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEDIALECT_H
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h.inc"

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEDIALECT_H
