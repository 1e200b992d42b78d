//===- CutlTileAttrs.td - Attributes of the cutl_tile dialect -*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEATTRS_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "cutl/Dialect/Cutl/IR/EnumSyntax.td"
include "cutl/Dialect/CutlTile/IR/CutlTileBase.td"
include "cutl/Dialect/CutlTile/IR/CutlTileEnums.td"

class CutlTile_Attr<string name, string attrMnemonic> : AttrDef<CutlTile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def CutlTile_RoleAttr : KeywordEnumAttr<CutlTile_Dialect, CutlTile_Role, "role", "role of a warpgroup">;

def CutlTile_StoreAttr : KeywordEnumAttr<CutlTile_Dialect, CutlTile_Store, "store", "store of an output"> {
  let summary = "how an output is written";
  let description = [{
    * `tensor`: staged in swizzled shared memory and written by the tensor copy engine, which wants an address and
      pitches of multiples of 16 bytes and a dimension of stride 1;
    * `elements`: staged likewise, then written element by element by the threads, wherever the elements lie. A reduced
      output is written by the threads too, from registers.
  }];
}

def CutlTile_ComputeAttr : CutlTile_Attr<"Compute", "compute"> {
  let summary = "how products are formed";
  let description = [{
    What the clause `compute(…)` of `cutl.gemm` says, where it says more than the types of operands and accumulators:

    * `math`: the type that f32 operands are multiplied in, `exact` by default;
    * `a`, `b`: whether integer elements are read as `unsigned`;
    * `promote`: after how many elements of k the sums of 8-bit floats, which the matrix unit keeps with fewer bits, are
      added to f32 sums.

    ```mlir
    #cutl_tile.compute<math = tf32>
    #cutl_tile.compute<a = unsigned>
    #cutl_tile.compute<promote = 128>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"::mlir::cutl::MathMode", "::mlir::cutl::MathMode::Exact">:$math,
    DefaultValuedParameter<"::mlir::cutl::Signedness", "::mlir::cutl::Signedness::Signed">:$a,
    DefaultValuedParameter<"::mlir::cutl::Signedness", "::mlir::cutl::Signedness::Signed">:$b,
    OptionalParameter<"::std::optional<int64_t>">:$promote);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CutlTile_RingLayoutAttr : CutlTile_Attr<"RingLayout", "ring_layout"> {
  let summary = "where a ring lies in shared memory";
  let description = [{
    Offsets in bytes from the 1024-byte aligned start of dynamic shared memory: the first stage of each operand, the
    full barriers and the empty barriers.

    ```mlir
    #cutl_tile.ring_layout<operands = [0, 65536], full = 180224, empty = 180256>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$operands, "int64_t":$full, "int64_t":$empty);
  let assemblyFormat = "`<` `operands` `=` `[` $operands `]` `,` `full` `=` $full `,` `empty` `=` $empty `>`";
}

def CutlTile_StagingAttr : CutlTile_Attr<"Staging", "staging"> {
  let summary = "where a consumer stages its output";
  let description = [{
    Each consumer warpgroup has `buffers` buffers of `bytes` bytes; the first lies `offset` bytes from the start of
    dynamic shared memory. Where auxiliary operands are loaded into them, each consumer has a barrier for each part that
    is; the first lies `barriers` bytes from there.

    ```mlir
    #cutl_tile.staging<offset = 167936, bytes = 16384, buffers = 1>
    #cutl_tile.staging<offset = 167936, bytes = 16384, buffers = 1, barriers = 200768>
    ```
  }];
  let parameters = (ins "int64_t":$offset, "int64_t":$bytes, "int64_t":$buffers,
                        DefaultValuedParameter<"int64_t", "-1">:$barriers);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEATTRS_TD
