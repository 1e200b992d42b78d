//===- CutlScheduleAttrs.td - Schedule attributes ------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD

include "cutl/Dialect/Cutl/IR/CutlBase.td"
include "cutl/Dialect/Cutl/IR/CutlEnums.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"

class Cutl_PartReductionParameter<string default> : EnumParameter<Cutl_PartReduction> {
  let defaultValue = "::mlir::cutl::PartReduction::" # default;
}

def Cutl_DataParallelAttr : Cutl_Attr<"DataParallel", "data_parallel",
    [DeclareAttrInterfaceMethods<Cutl_ScheduleAttrInterface>]> {
  let summary = "one unit of work per CTA tile, claimed by persistent CTAs";
  let description = [{
    Each unit of work is one output tile with its whole k range, so nothing is reduced between CTAs and no workspace is
    needed. Units are numbered in raster order. CTAs never wait for each other, so CTA `c` of `grid` may simply take units
    `c, c + grid, c + 2·grid, …`.

    ```mlir
    schedule(#cutl.data_parallel)
    ```
  }];
  let parameters = (ins);
  let hasCustomAssemblyFormat = 1;
}

def Cutl_SplitKAttr : Cutl_Attr<"SplitK", "split_k",
    [DeclareAttrInterfaceMethods<Cutl_ScheduleAttrInterface,
        ["addsAsUnitsArrive", "getNumParts", "splitsK", "takesTurns"]>]> {
  let summary = "several units of work per CTA tile, each a part of k";
  let description = [{
    The k iterations of every output tile are divided into `parts` ranges whose lengths differ by one at most, each a unit
    of work. `reduction` says where the parts are added up:

    * `separate`, the default: each unit writes its sums, in the accumulator's type, to a workspace; a second kernel adds
      the parts of each element in order and writes the result, rounded once. The workspace has `parts` times as many
      accumulators as there are results, and an epilogue may do no more than round the sums (`arith.truncf`).
    * `last_arriver`: each unit leaves its sums, in the accumulator's type, in a workspace, and the last of a tile's to
      arrive adds them up in the order of their k ranges and runs the epilogue, any that there is.
    * `arrival_order`: each unit adds its sums to those of its tile in the workspace as it arrives, and the last one runs
      the epilogue. The workspace has one tile's accumulators for each tile. Bits depend on who comes first, so the op
      must say `execution(deterministic = false)`.
    * `turnstile`: each unit adds its sums to those of its tile in the workspace once the unit of the part before has,
      and the last part's runs the epilogue. The workspace is that of `arrival_order`, and bits are those of
      `last_arriver`. CTAs are numbered as they start and take units in that order, so that they wait for those alone
      that have started; they form no clusters.

    But for `turnstile` no CTA waits for another, and but for `arrival_order` equal inputs give equal bits. It pays where
    there are few tiles and k is long.

    ```mlir
    schedule(#cutl.split_k<8>)
    schedule(#cutl.split_k<8, reduction = last_arriver>)
    ```
  }];
  let parameters = (ins
    "int64_t":$parts,
    Cutl_PartReductionParameter<"Separate">:$reduction);
  let assemblyFormat = "`<` $parts (`,` `reduction` `=` custom<Reduction>($reduction)^)? `>`";
  let builders = [
    AttrBuilder<(ins "int64_t":$parts), [{
      return $_get($_ctxt, parts, ::mlir::cutl::PartReduction::Separate);
    }]>
  ];
  let genVerifyDecl = 1;
}

def Cutl_StreamKAttr : Cutl_Attr<"StreamK", "stream_k",
    [DeclareAttrInterfaceMethods<Cutl_ScheduleAttrInterface, ["addsAsUnitsArrive", "dividesByTiles", "splitsK"]>]> {
  let summary = "an equal share of the k iterations of some tiles for each CTA, the other tiles whole";
  let description = [{
    The k iterations of the first `tiles` output tiles, in raster order, form one row, of which every CTA takes an equal
    share; what lies in one share and one tile is a unit of work. The other tiles are whole units, which CTAs take in turn
    afterwards, as in `#cutl.data_parallel`. So all CTAs end at about the same time, whatever the number of tiles.

    The units of a tile leave their sums, in the accumulator's type, in a workspace, and the one that arrives last adds
    them up in the order of their k ranges and runs the epilogue. No CTA waits for another, any epilogue will do, and equal
    inputs give equal bits on equal chips: how a tile is divided depends on how many CTAs run at once.

    With `reduction = arrival_order` units add their sums to those of their tile as they arrive: the workspace has a
    tile's accumulators for each divided tile rather than for each unit, bits depend on who comes first, and the op must
    say `execution(deterministic = false)`. `last_arriver` is the default, and there are no others.

    Without `tiles` those that would be left for a last, partly filled wave are divided, and a full wave before it if there
    is one; none where all waves are full. Where the extents are dynamic, `tiles` counts at most those that there are.
    Tiles of one k iteration are never divided.

    ```mlir
    schedule(#cutl.stream_k)
    schedule(#cutl.stream_k<tiles = 40>)
    schedule(#cutl.stream_k<reduction = arrival_order>)
    ```
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<int64_t>">:$tiles,
    Cutl_PartReductionParameter<"LastArriver">:$reduction);
  let assemblyFormat = "(`<` struct($tiles, custom<Reduction>($reduction))^ `>`)?";
  let genVerifyDecl = 1;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD
