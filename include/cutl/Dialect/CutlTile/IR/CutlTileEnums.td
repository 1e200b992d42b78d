//===- CutlTileEnums.td - Enumerations of cutl_tile ----------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEENUMS_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEENUMS_TD

include "mlir/IR/EnumAttr.td"

def CutlTile_Role : I32Enum<"Role", "what a warpgroup does", [
    I32EnumCase<"Producer", 0, "producer">,
    I32EnumCase<"Consumer", 1, "consumer">
  ]> {
  let cppNamespace = "::mlir::cutl::tile";
}
def CutlTile_Store : I32Enum<"Store", "how an output is written", [
    I32EnumCase<"Tensor", 0, "tensor">,
    I32EnumCase<"Elements", 1, "elements">
  ]> {
  let cppNamespace = "::mlir::cutl::tile";
}
#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEENUMS_TD
