//===- CutlTileAttrs.td - The tile configuration attribute ---*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLTILEATTRS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLTILEATTRS_TD

include "cutl/Dialect/Cutl/IR/CutlEnums.td"

def Cutl_TileConfigAttr : Cutl_Attr<"TileConfig", "tile_config"> {
  let summary = "how the work of one problem is cut into CTA tiles";
  let description = [{
    `cutl-select-config` writes it where there is none; `cutl-verify-config` checks it against the problem and the
    target; later passes only read it.

    * `cta`: the CTA tile `[m, n, k]` in elements.
    * `stages`: depth of the shared-memory ring of the mainloop.
    * `kernel`: `cooperative` (all consumer warpgroups share a tile), `pingpong` (each consumer warpgroup owns a tile
      and their mainloops alternate) or `single` (one consumer warpgroup).
    * `cluster`: CTAs per cluster along `[m, n]` or `[m, n, k]`; default `[1, 1, 1]`. CTAs along k divide the k of each
      unit of work, add up what they have and finish a share of the tile each: the columns of a tile, by their number.
    * `raster`, `raster_group`: consecutive tiles run along `raster` within groups of `raster_group` tiles.
    * `epilogue_buffers`: staging buffers per consumer warpgroup, 64 columns each.
    * `swap_operands`: the roles of m and n are exchanged in the kernel: `cta = [64, 16, 128]` is 16 rows by 64 columns of
      the result. It puts the long operand on the M side of the instruction where m is small, and gives wide tiles their
      other orientation.
    * `repack`: which of `a` and `b` are copied ahead of the product, by a kernel of their own, into rows along k that
      start at multiples of 128 bytes. Operands need it that have no dimension of stride 1, whose address or other
      strides are not promised or known to be multiples of 16 bytes although something else is, or that lie in an order
      which the instruction does not take.

    ```mlir
    #cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>
    #cutl.tile_config<cta = [128, 192, 64], stages = 4, kernel = pingpong, repack = [a, b]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "CTA tile m, n, k">:$cta,
    "int64_t":$stages,
    "::mlir::cutl::KernelKind":$kernel,
    OptionalArrayRefParameter<"int64_t", "CTAs per cluster along m, n and, if there are more than one, k">:$cluster,
    DefaultValuedParameter<"::mlir::cutl::RasterOrder", "::mlir::cutl::RasterOrder::M">:$raster,
    DefaultValuedParameter<"int64_t", "8">:$raster_group,
    DefaultValuedParameter<"int64_t", "1">:$epilogue_buffers,
    DefaultValuedParameter<"bool", "false">:$swap_operands,
    DefaultValuedParameter<"bool", "false">:$repack_a,
    DefaultValuedParameter<"bool", "false">:$repack_b);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static TileConfigAttr get(::mlir::MLIRContext *context, const ::cutl::heuristics::TileConfig &config);
    /// The same values in the form that the heuristics library works on.
    ::cutl::heuristics::TileConfig toTileConfig() const;
  }];
}

def Cutl_VariantAttr : Cutl_Attr<"Variant", "variant"> {
  let summary = "a tile configuration for some extents";
  let description = [{
    The configuration of a problem in the calls whose extents keep to all of the bounds, which are on `m`, `n`, `k`,
    `batch` (the product of all batch extents) or `results` (the product of `batch`, `m` and `n`).

    ```mlir
    #cutl.variant<m at_most 64, n at_most 512, config = <cta = [64, 64, 128], stages = 6, kernel = single>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::cutl::heuristics::Bound", "what the extents keep to">:$guard,
    "::mlir::cutl::TileConfigAttr":$config);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same values in the form that the heuristics library works on.
    ::cutl::heuristics::Variant toVariant() const;
  }];
}

def Cutl_VariantArrayAttr : TypedArrayAttrBase<Cutl_VariantAttr, "variants">;

#endif // CUTL_DIALECT_CUTL_IR_CUTLTILEATTRS_TD
