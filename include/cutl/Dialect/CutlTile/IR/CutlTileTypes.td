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

def CutlTile_StageType : TypeDef<CutlTile_Dialect, "Stage"> {
  let mnemonic = "stage";
  let summary = "one operand's part of a stage in shared memory";
  let description = [{
    Rows (of A along m, of B along n) and elements of k of one operand, as the tensor copy engine lays them out: boxes
    of 128 bytes along the contiguous dimension in the 128-byte swizzle, one behind the other. The contiguous dimension
    is k (`k_major`) or the rows (`mn_major`). k fills whole boxes; contiguous rows may
    leave the last one partly unused.

    ```mlir
    !cutl_tile.stage<128x64xbf16, k_major>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$k, "::mlir::Type":$elementType, "bool":$kMajor);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of a row of a box, and elements.
    static constexpr int64_t kSpanBytes = 128;
    int64_t getSpan() const { return kSpanBytes / getElementBytes(); }
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }

    /// Boxes side by side along the contiguous dimension, and the rows of each.
    int64_t getNumBoxes() const;
    int64_t getBoxRows() const { return getKMajor() ? getRows() : getK(); }
    int64_t getBoxBytes() const { return getBoxRows() * kSpanBytes; }
    int64_t getBytes() const { return getNumBoxes() * getBoxBytes(); }
  }];
}

def CutlTile_RingType : TypeDef<CutlTile_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "a ring of stages in shared memory with their barriers";
  let description = [{
    `stages` buffers, each with a part for A and one for each B, and two barriers per stage: one that the producer's
    copies complete (full), one that its readers complete (empty).

    ```mlir
    !cutl_tile.ring<4, !cutl_tile.stage<128x64xbf16, k_major>, !cutl_tile.stage<200x64xbf16, k_major>>
    ```
  }];
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"::mlir::cutl::tile::StageType">:$operands);
  let assemblyFormat = "`<` $stages `,` $operands `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of one stage.
    int64_t getStageBytes() const;
  }];
}

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILETYPES_TD
