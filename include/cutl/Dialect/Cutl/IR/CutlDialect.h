//===- CutlDialect.h - The cutl dialect ----------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLDIALECT_H
#define CUTL_DIALECT_CUTL_IR_CUTLDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h.inc"

namespace mlir::cutl {

/// What errors call an argument of a function or an entry: what `cutl.name`
/// says, else `arg2`.
std::string getArgumentName(BlockArgument argument);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_CUTLDIALECT_H
