//===- CutlTileOps.td - All types and operations of cutl_tile -*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEOPS_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEOPS_TD

include "cutl/Dialect/CutlTile/IR/CutlTileBase.td"
include "cutl/Dialect/CutlTile/IR/CutlTileAttrs.td"
include "cutl/Dialect/CutlTile/IR/CutlTileTypes.td"
include "cutl/Dialect/CutlTile/IR/CutlTileWorkOps.td"
include "cutl/Dialect/CutlTile/IR/CutlTileStagedOps.td"

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEOPS_TD
