//===- CutlTileStagedOps.td - A kernel once it is staged -----*- tablegen -*-===//
//
// Phase `staged`: the mainloop as a ring of buffers that one role fills and
// another reads.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILESTAGEDOPS_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILESTAGEDOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "cutl/Dialect/CutlTile/IR/CutlTileAttrs.td"
include "cutl/Dialect/CutlTile/IR/CutlTileTypes.td"
include "cutl/Dialect/CutlTile/IR/CutlTileWorkOps.td"

def CutlTile_RingOp : CutlTile_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring of stages";
  let description = [{
    The buffers and barriers that a mainloop's producer and its consumers share. `readers`, written by
    `cutl-tile-specialize-warps`, is how many warpgroups of a CTA release each stage; `layout`, written by
    `cutl-tile-allocate-smem`, is where the ring lies.

    ```mlir
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 65536], full = 184320, empty = 184352>)
        : !cutl_tile.ring<4, !cutl_tile.stage<128x64xbf16, k_major>, !cutl_tile.stage<200x64xbf16, k_major>>
    ```
  }];
  let arguments = (ins
    OptionalAttr<I64Attr>:$readers,
    OptionalAttr<CutlTile_RingLayoutAttr>:$layout);
  let results = (outs CutlTile_RingType:$ring);
  let assemblyFormat = [{
    (`readers` `(` $readers^ `)`)? (`layout` `(` $layout^ `)`)? attr-dict `:` type($ring)
  }];
  let builders = [OpBuilder<(ins "::mlir::cutl::tile::RingType":$type), [{
    build($_builder, $_state, type, ::mlir::IntegerAttr(), ::mlir::cutl::tile::RingLayoutAttr());
  }]>];
  let hasVerifier = 1;
}

def CutlTile_LoadOp : CutlTile_Op<"load",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, HasParent<"WorkLoopOp">]> {
  let summary = "fills stages of a ring";
  let description = [{
    For each step of k in the range, waits until the next stage of the ring is empty and starts copies of one tile of A
    and of each B into it, from the given `(b…, m, n)` and k on. Elements beyond the extents become zero. An empty range
    fills one stage with zeros. What `compute` says of `math` f32 elements are rounded to on the way.

    ```mlir
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
        : !cutl_tile.ring<…>, memref<?x?xbf16>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins
    CutlTile_RingType:$ring,
    Variadic<Index>:$offsets,
    Index:$k_begin,
    Index:$k_end,
    Variadic<CutlTile_Memref>:$inputs,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<CutlTile_ComputeAttr>:$compute);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ring, "::mlir::ValueRange":$offsets, "::mlir::Value":$kBegin,
                   "::mlir::Value":$kEnd, "::llvm::ArrayRef<::mlir::cutl::GemmInput>":$inputs,
                   CArg<"::mlir::cutl::tile::ComputeAttr", "{}">:$compute)>
  ];
  let extraClassDeclaration = [{
    ::mlir::cutl::GemmDomain getDomain() { return ::mlir::cutl::GemmDomain(getOffsets().size() - 2); }
    /// Map of A (0) or of B number `input - 1`, over `(b…, m, n, k)`.
    ::mlir::AffineMap getMap(unsigned input);
    ::mlir::cutl::GemmInput getInput(unsigned i) { return {getInputs()[i], getMap(i)}; }
    ::mlir::cutl::tile::RingType getRingType() {
      return ::llvm::cast<::mlir::cutl::tile::RingType>(getRing().getType());
    }
  }];
}

def CutlTile_MultiplyOp : CutlTile_Op<"multiply", [HasParent<"WorkLoopOp">, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "multiplies stages of a ring";
  let description = [{
    For each step of k in the range, waits until the next stage of the ring is full, adds the product of its A and each
    B to the accumulators, which start at zero, and releases the stage. An empty range reads one stage, of zeros.
    `compute` is how products are formed where the types do not say it.

    ```mlir
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<…> -> !cutl_tile.acc<128x200xf32>
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) compute(<promote = 128>) : !cutl_tile.ring<…> -> !cutl_tile.acc<128x192xf32>
    ```
  }];
  let arguments = (ins
    CutlTile_RingType:$ring, Index:$k_begin, Index:$k_end, OptionalAttr<CutlTile_ComputeAttr>:$compute);
  let results = (outs Variadic<CutlTile_AccType>:$accumulators);
  let assemblyFormat = [{
    $ring `k` `(` $k_begin `to` $k_end `)` (`compute` `(` $compute^ `)`)? attr-dict `:` type($ring) `->` type($accumulators)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::cutl::tile::RingType getRingType() {
      return ::llvm::cast<::mlir::cutl::tile::RingType>(getRing().getType());
    }
  }];
}

def CutlTile_WarpgroupsOp : CutlTile_Op<"warpgroups", [NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "what some warpgroups of a CTA do";
  let description = [{
    The region is run by `count` warpgroups of the CTA with `registers` registers per thread. The producer comes first;
    one of its threads starts all copies. Consumers share each unit of work (cooperative), take units in turn
    (pingpong), or are alone, as the work loop's configuration says.

    ```mlir
    cutl_tile.warpgroups producer count(1) registers(24) { cutl_tile.work_loop … { cutl_tile.load … } }
    cutl_tile.warpgroups consumer count(2) registers(240) {
      cutl_tile.work_loop … { %acc = cutl_tile.multiply … cutl_tile.epilogue … }
    }
    ```
  }];
  let arguments = (ins CutlTile_RoleAttr:$role, I64Attr:$count, I64Attr:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$role `count` `(` $count `)` `registers` `(` $registers `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILESTAGEDOPS_TD
