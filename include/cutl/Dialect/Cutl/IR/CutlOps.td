//===- CutlOps.td - All operations and attributes of cutl ----*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLOPS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLOPS_TD

include "cutl/Dialect/Cutl/IR/CutlBase.td"
include "cutl/Dialect/Cutl/IR/CutlEnums.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlTargetAttrs.td"
include "cutl/Dialect/Cutl/IR/CutlTileAttrs.td"
include "cutl/Dialect/Cutl/IR/CutlScheduleAttrs.td"
include "cutl/Dialect/Cutl/IR/CutlEpilogueOps.td"
include "cutl/Dialect/Cutl/IR/CutlDerivativeOps.td"
include "cutl/Dialect/Cutl/IR/CutlConvertOp.td"
include "cutl/Dialect/Cutl/IR/CutlGemmOps.td"
include "cutl/Dialect/Cutl/IR/CutlLaunchOps.td"

#endif // CUTL_DIALECT_CUTL_IR_CUTLOPS_TD
