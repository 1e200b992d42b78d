//===- CutlOps.h - Operations of the cutl dialect ------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLOPS_H
#define CUTL_DIALECT_CUTL_IR_CUTLOPS_H

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Dialect/Cutl/IR/Gemm.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::cutl {
/// `memref<?xi8>`: device memory that the caller lends to an entry.
MemRefType getWorkspaceType(MLIRContext *context);
/// `!llvm.ptr`: the caller's stream, a pointer to the runtime's CutlStream.
LLVM::LLVMPointerType getStreamType(MLIRContext *context);
} // namespace mlir::cutl

#define GET_OP_CLASSES
#include "cutl/Dialect/Cutl/IR/CutlOps.h.inc"

#endif // CUTL_DIALECT_CUTL_IR_CUTLOPS_H
