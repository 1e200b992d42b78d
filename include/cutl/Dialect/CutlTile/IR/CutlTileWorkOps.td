//===- CutlTileWorkOps.td - A kernel before it is staged -----*- tablegen -*-===//
//
// Phase `tiled`: units of work, the product of a tile and its epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEWORKOPS_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEWORKOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlEnums.td"
include "cutl/Dialect/Cutl/IR/CutlScheduleAttrs.td"
include "cutl/Dialect/Cutl/IR/CutlTileAttrs.td"
include "cutl/Dialect/CutlTile/IR/CutlTileAttrs.td"
include "cutl/Dialect/CutlTile/IR/CutlTileTypes.td"

def CutlTile_Memref : MemRefRankOf<[AnyFloat, AnySignlessInteger], [0, 1, 2, 3, 4, 5, 6, 7, 8]>;
def CutlTile_MemrefOrScalar : AnyTypeOf<[CutlTile_Memref, AnyFloat, AnySignlessInteger],
  "number, or memref of numbers, of rank at most 8">;

def CutlTile_WorkLoopOp : CutlTile_Op<"work_loop", [NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "the units of work of one CTA";
  let description = [{
    Runs its region once for each unit of work that the schedule gives to this CTA. The extents are those of the
    problem's domain `(b…, m, n, k)`. The region's arguments are where the unit's tile starts, `(b…, m, n)`, and the
    half-open range of k that it sums, all in elements; the end is at most the extent of k. Rows and columns of a tile
    may lie beyond the extents.

    A schedule that splits k has three more: the unit's slot in the workspace, the first slot of its tile, and how many
    units the tile has. `cutl_tile.fixup` adds up what they computed.

    The CTA tile is `config`'s. With `swap_operands` its first extent runs along n and its second along m. With a
    cluster, CTAs of one cluster take neighbouring tiles at the same time; those of a cluster along k take a part of the
    range each, in order, that differ by one step of the tile's k at most, and `cutl_tile.cluster_sum` adds up what they have.

    With `parts` the outermost batch dimension, of that extent, is the part of k (`cutl-apply-schedule`): the range of k is
    that part's.

    ```mlir
    cutl_tile.work_loop extents(%m, %n, %k) config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      …
    }
    cutl_tile.work_loop extents(%m, %n, %k) config(…) schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      …
    }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$extents,
    Cutl_TileConfigAttr:$config,
    Cutl_ScheduleAttrInterface:$schedule,
    OptionalAttr<I64Attr>:$parts);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `extents` `(` $extents `)` (`parts` `(` $parts^ `)`)? `config` `(` qualified($config) `)` `schedule` `(` $schedule `)`
    attr-dict-with-keyword $body
  }];
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$extents, "::mlir::cutl::TileConfigAttr":$config,
                   "::mlir::cutl::ScheduleAttrInterface":$schedule,
                   CArg<"::mlir::IntegerAttr", "{}">:$parts)>
  ];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The domain `(b…, m, n, k)`.
    ::mlir::cutl::GemmDomain getDomain() { return ::mlir::cutl::GemmDomain(getExtents().size() - 3); }
    ::mlir::Value getExtent(unsigned dim) { return getExtents()[dim]; }

    /// Whether nothing is left that its schedule asks of `cutl-apply-schedule`.
    bool isScheduleApplied() { return int64_t(getParts().value_or(1)) == getSchedule().getNumParts(); }

    /// The CTA tile in the problem's terms, whatever side an operand takes.
    int64_t getTileM() { return getConfig().getCta()[getConfig().getSwapOperands() ? 1 : 0]; }
    int64_t getTileN() { return getConfig().getCta()[getConfig().getSwapOperands() ? 0 : 1]; }
    int64_t getTileK() { return getConfig().getCta()[2]; }

    /// CTAs of a cluster along m and along n.
    int64_t getClusterM() {
      ::cutl::heuristics::TileConfig config = getConfig().toTileConfig();
      return config.swapOperands ? config.clusterN : config.clusterM;
    }
    int64_t getClusterN() {
      ::cutl::heuristics::TileConfig config = getConfig().toTileConfig();
      return config.swapOperands ? config.clusterM : config.clusterN;
    }

    /// CTAs of a cluster that divide the k of each unit.
    int64_t getClusterK() { return getConfig().toTileConfig().clusterK; }

    /// What one CTA finishes of a tile: with a cluster along k a share of the side that `config`'s second extent tiles.
    int64_t getShareM() { return getConfig().getSwapOperands() ? getTileM() / getClusterK() : getTileM(); }
    int64_t getShareN() { return getConfig().getSwapOperands() ? getTileN() : getTileN() / getClusterK(); }

    /// Arguments of the region: `(b…, m, n)` where the tile starts, then the range of k.
    unsigned getNumOffsets() { return getExtents().size() - 1; }
    ::mlir::ValueRange getOffsets() {
      return ::mlir::ValueRange(getBody().getArguments()).take_front(getNumOffsets());
    }
    ::mlir::Value getKBegin() { return getBody().getArgument(getNumOffsets()); }
    ::mlir::Value getKEnd() { return getBody().getArgument(getNumOffsets() + 1); }

    /// Whether units meet in the workspace; only then are there slots.
    bool splitsK() { return getSchedule().splitsK(); }
    ::mlir::Value getSlot() { return getBody().getArgument(getNumOffsets() + 2); }
    ::mlir::Value getFirstSlot() { return getBody().getArgument(getNumOffsets() + 3); }
    ::mlir::Value getContributors() { return getBody().getArgument(getNumOffsets() + 4); }
  }];
}

def CutlTile_MainloopOp : CutlTile_Op<"mainloop",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, HasParent<"WorkLoopOp">]> {
  let summary = "the product of one CTA tile";
  let description = [{
    For each B, sums A times B over the k range into accumulators of one tile that starts at the given `(b…, m, n)`.
    Elements beyond the extents of the work loop read as zero. An empty range gives zeros. `compute` is how products are
    formed where the types do not say it.

    ```mlir
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
        : (memref<?x?xbf16>, memref<?x?xbf16>) -> !cutl_tile.acc<128x200xf32>
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) compute(<math = tf32>)
        : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<128x200xf32>
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$offsets,
    Index:$k_begin,
    Index:$k_end,
    CutlTile_Memref:$a,
    Variadic<CutlTile_Memref>:$bs,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<CutlTile_ComputeAttr>:$compute);
  let results = (outs Variadic<CutlTile_AccType>:$accumulators);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$accumulators, "::mlir::ValueRange":$offsets, "::mlir::Value":$kBegin,
                   "::mlir::Value":$kEnd, "const ::mlir::cutl::GemmInput &":$a,
                   "::llvm::ArrayRef<::mlir::cutl::GemmInput>":$bs,
                   CArg<"::mlir::cutl::tile::ComputeAttr", "{}">:$compute)>
  ];
  let extraClassDeclaration = [{
    ::mlir::cutl::GemmDomain getDomain() { return ::mlir::cutl::GemmDomain(getOffsets().size() - 2); }
    /// Map of A (0) or of B number `input - 1`, over `(b…, m, n, k)`.
    ::mlir::AffineMap getMap(unsigned input);
    ::mlir::cutl::GemmInput getInputA() { return {getA(), getMap(0)}; }
    ::mlir::cutl::GemmInput getInputB(unsigned i) { return {getBs()[i], getMap(1 + i)}; }
    ::mlir::cutl::tile::AccType getAccType(unsigned i) {
      return ::llvm::cast<::mlir::cutl::tile::AccType>(getAccumulators()[i].getType());
    }
  }];
}

def CutlTile_ClusterSumOp : CutlTile_Op<"cluster_sum", [HasParent<"WorkLoopOp">]> {
  let summary = "adds up what the CTAs of a cluster have along k";
  let description = [{
    Every CTA of the cluster that has the same tile has summed a part of the unit's k. Each gets the sum of all of them,
    in the order of their parts, for its share of the tile: of c CTAs number i has columns i w to (i + 1) w, w = columns / c
    (rows of the problem's tile with `swap_operands`). `start` is where the share starts, counted like `from`, where the
    tile does. CTAs of a cluster run at once and wait for each other here.

    They meet in the memory of the mainloop's ring; `barriers` is where in shared memory their barriers lie
    (`cutl-tile-allocate-smem`): one for each consumer, then one for the producer.

    ```mlir
    %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 : !cutl_tile.acc<64x128xf32> -> !cutl_tile.acc<64x32xf32>
    ```
  }];
  let arguments = (ins
    Variadic<CutlTile_AccType>:$accumulators,
    Index:$from,
    OptionalAttr<I64Attr>:$barriers);
  let results = (outs Variadic<CutlTile_AccType>:$sums, Index:$start);
  let assemblyFormat = [{
    $accumulators `from` $from (`barriers` `(` $barriers^ `)`)? attr-dict `:` type($accumulators) `->` type($sums)
  }];
  let hasVerifier = 1;
}

def CutlTile_FixupOp : CutlTile_Op<"fixup",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, InferTypeOpAdaptor,
     HasParent<"WorkLoopOp">]> {
  let summary = "adds up the parts of one tile";
  let description = [{
    The units of one tile have the slots `first` to `first + count - 1`, in the order of their ranges of k. Of a tile of
    one unit the accumulators are passed on, `last` is true and no memory is touched. Otherwise the accumulators go to
    row `slot` of the partial results, and one is added to element `first` of the arrivals. The unit that makes that
    `count` came last: its `last` is true and the sums are those of the tile's rows in the order of their slots, whatever
    the order in which the units came. For the others `last` is false and the sums are unspecified. No unit waits for
    another.

    With a cluster, a slot has a row for each of its CTAs, `slot * size + rank`. A row has room for all accumulators of a
    CTA tile; how elements are ordered in it is the target's own. Arrivals are as many as rows, times the warpgroups of
    a CTA that share a tile; all are zero when the kernel starts.

    With `arrival_order`, which a schedule asks for that adds as units arrive, the units of a tile have one slot, `slot`
    and `first` alike: each adds its accumulators to that row, which is zero when the kernel starts, and the sums of the
    one that comes last are what it finds there. They depend on the order in which the units came.

    With `turnstile`, which a schedule asks for whose units take turns, those of a tile have one row too, `first / count`.
    Each waits until as many have come as there are slots before its own, adds what the row holds to its accumulators, and
    puts the sums there; the last slot's hands them on. Arrivals have one element more, the first: CTAs draw their numbers
    from it. `ticket` is where in shared memory a CTA keeps its own (`cutl-tile-allocate-smem`).

    ```mlir
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<128x200xf32>), memref<?x25600xf32>, memref<?xi32>
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) arrival_order
        : (!cutl_tile.acc<128x200xf32>), memref<?x25600xf32>, memref<?xi32>
    ```
  }];
  let arguments = (ins
    Variadic<CutlTile_AccType>:$accumulators,
    Index:$slot,
    Index:$first,
    Index:$count,
    Arg<MemRefRankOf<[AnyFloat, AnySignlessInteger], [2]>>:$partials,
    Arg<MemRefRankOf<[I32], [1]>>:$arrivals,
    UnitAttr:$arrival_order,
    UnitAttr:$turnstile,
    OptionalAttr<I64Attr>:$ticket);
  let results = (outs Variadic<CutlTile_AccType>:$sums, I1:$last);
  let assemblyFormat = [{
    $accumulators `slot` `(` $slot `)` `of` `(` $first `,` $count `)` `partials` `(` $partials `)` `arrivals` `(`
    $arrivals `)` (`arrival_order` $arrival_order^)? (`turnstile` $turnstile^)? (`ticket` `(` $ticket^ `)`)? attr-dict
    `:` `(` type($accumulators) `)` `,` type($partials) `,` type($arrivals)
  }];
  let hasVerifier = 1;
}

def CutlTile_EpilogueOp : CutlTile_Op<"epilogue",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, HasParent<"WorkLoopOp">,
     IsolatedFromAbove, SingleBlock]> {
  let summary = "what happens to the accumulators of one CTA tile";
  let description = [{
    Enters its region once for each element of the tile that starts at the given `(b…, m, n)` and lies within the
    extents of the work loop. The region's arguments are the accumulators, then one element of each auxiliary operand;
    it yields one value per output, which is written. Elements beyond the extents are neither read nor written. An
    auxiliary operand may be the same memory as an output of the same map.

    An output with a combiner is reduced: values whose positions its map takes to one element are combined there. A map
    that drops a dimension combines values of other tiles too, which `cutl-tile-split-reductions` makes into one with
    `d floordiv c`, an element for each block of `c`; a block is part of one tile, which writes it whole, whatever it
    held before.

    With `if`, nothing happens where that is false.

    `stores`, one for each output, is how they are written, and `loads`, one for each auxiliary operand, how those are read
    (`cutl-tile-select-transfers`): `elements` by each thread where it needs them, which is what no `loads` means, or
    through the staging buffers of an output, which a part of the operand enters before the same part of the output;
    the first parts arrive while the mainloop runs. `staging` is where a consumer stages outputs
    (`cutl-tile-allocate-smem`).

    ```mlir
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) aux(%bias : (n)) outs(%d : (m, n)) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      %o = arith.truncf %s : f32 to bf16
      cutl_tile.yield %o : bf16
    } : (memref<?xf32>, memref<?x?xbf16>) -> ()
    cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<128x200xf32>) if(%last) outs(%d : (m, n)) { … }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$offsets,
    Variadic<CutlTile_AccType>:$accumulators,
    Optional<I1>:$condition,
    Variadic<CutlTile_MemrefOrScalar>:$aux,
    Variadic<CutlTile_Memref>:$outs,
    AffineMapArrayAttr:$indexing_maps,
    Cutl_CombinerArrayAttr:$combiners,
    OptionalAttr<DenseI64ArrayAttr>:$loads,
    OptionalAttr<TypedArrayAttrBase<CutlTile_StoreAttr, "a list of tensor and elements">>:$stores,
    OptionalAttr<CutlTile_StagingAttr>:$staging);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$offsets, "::mlir::ValueRange":$accumulators,
                   "::llvm::ArrayRef<::mlir::cutl::GemmInput>":$aux,
                   "::llvm::ArrayRef<::mlir::cutl::GemmOutput>":$outs)>
  ];
  let extraClassDeclaration = [{
    ::mlir::cutl::GemmDomain getDomain() { return ::mlir::cutl::GemmDomain(getOffsets().size() - 2); }
    /// Map of an auxiliary operand, or of output number `operand - getAux().size()`, over `(b…, m, n, k)`.
    ::mlir::AffineMap getMap(unsigned operand);
    ::mlir::cutl::GemmInput getAuxInput(unsigned i) { return {getAux()[i], getMap(i)}; }
    ::mlir::cutl::GemmOutput getOutput(unsigned i) {
      return {{getOuts()[i], getMap(getAux().size() + i)}, getCombiner(i)};
    }
    ::mlir::cutl::Combiner getCombiner(unsigned output) {
      return ::llvm::cast<::mlir::cutl::CombinerAttr>(getCombiners()[output]).getValue();
    }
    /// Whether values of several tiles are combined into one element of an output.
    bool crossesTiles(unsigned output);
    bool isReduced(unsigned output) { return getCombiner(output) != ::mlir::cutl::Combiner::None; }
    /// The output whose buffers auxiliary operand `i` is loaded into; none if threads read its elements.
    ::std::optional<unsigned> getLoad(unsigned i) {
      if (!getLoads() || (*getLoads())[i] < 0)
        return ::std::nullopt;
      return (*getLoads())[i];
    }
    /// How output `i` is written; only once that is decided.
    ::mlir::cutl::tile::Store getStore(unsigned i) {
      return ::llvm::cast<::mlir::cutl::tile::StoreAttr>((*getStores())[i]).getValue();
    }
    /// Name of an operand as diagnostics print it: `aux[0]`, `outs[0]`, ….
    ::std::string getOperandName(unsigned operand);
  }];
}

def CutlTile_CombineOp : CutlTile_Op<"combine", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines partial results of a reduction";
  let description = [{
    The whole work of a kernel: for each element of the output, combines the elements of the input that have its indices
    as their last ones, in an order that depends on the extents alone, and writes the result, rounded once. Over no
    elements it is the combiner's identity.

    ```mlir
    cutl_tile.combine add %p into %s : memref<?x?xf32> into memref<?xbf16>
    ```
  }];
  let arguments = (ins Cutl_CombinerAttr:$combiner, CutlTile_Memref:$input, CutlTile_Memref:$output);
  let assemblyFormat = "$combiner $input `into` $output attr-dict `:` type($input) `into` type($output)";
  let hasVerifier = 1;
}

def CutlTile_RepackOp : CutlTile_Op<"repack", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies an operand into aligned rows";
  let description = [{
    The whole work of a kernel: copies the source into the target, whose dimension `i` is dimension `permuted[i]` of the
    source. The source may lie anywhere, with any strides. Rows of the target are contiguous and start at multiples of 16
    bytes; what is left of the last 16 bytes of a row may be written.

    ```mlir
    cutl_tile.repack %a permuted [1, 0] into %rows : memref<?x?xi8> into memref<?x?xi8, strided<[?, 1]>>
    ```
  }];
  let arguments = (ins CutlTile_Memref:$source, DenseI64ArrayAttr:$permutation, CutlTile_Memref:$target);
  let assemblyFormat = "$source `permuted` $permutation `into` $target attr-dict `:` type($source) `into` type($target)";
  let hasVerifier = 1;
}

def CutlTile_YieldOp : CutlTile_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"EpilogueOp">]> {
  let summary = "ends an epilogue";
  let description = [{
    Yields one value per output of the enclosing op.

    ```mlir
    cutl_tile.yield %o : bf16
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEWORKOPS_TD
