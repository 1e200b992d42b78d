//===- CutlTileTypes.td - Types of the cutl_tile dialect -----*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILETYPES_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILETYPES_TD

include "cutl/Dialect/CutlTile/IR/CutlTileBase.td"

def CutlTile_AccType : TypeDef<CutlTile_Dialect, "Acc"> {
  let mnemonic = "acc";
  let summary = "the accumulators of one CTA tile";
  let description = [{
    Rows along m and columns along n of the problem, wherever the threads of the CTA keep them.

    ```mlir
    !cutl_tile.acc<128x200xf32>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "extents along m, n">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILETYPES_TD
