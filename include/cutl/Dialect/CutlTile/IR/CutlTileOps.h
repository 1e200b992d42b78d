//===- CutlTileOps.h - Types and operations of the cutl_tile dialect -----===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEOPS_H
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEOPS_H

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/Gemm.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "cutl/Dialect/CutlTile/IR/CutlTileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "cutl/Dialect/CutlTile/IR/CutlTileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "cutl/Dialect/CutlTile/IR/CutlTileTypes.h.inc"

#define GET_OP_CLASSES
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h.inc"

namespace mlir::cutl::tile {

/// The op that is the whole of `kernel`, if it combines partial results.
CombineOp findCombine(Region &kernel);
/// Likewise, if it repacks an operand.
RepackOp findRepack(Region &kernel);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEOPS_H
