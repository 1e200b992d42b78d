//===- CutlScheduleAttrs.td - Schedule attributes ------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD

include "cutl/Dialect/Cutl/IR/CutlBase.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"

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
    [DeclareAttrInterfaceMethods<Cutl_ScheduleAttrInterface, ["getNumParts"]>]> {
  let summary = "several units of work per CTA tile, each a part of k";
  let description = [{
    The k iterations of every output tile are divided into `parts` ranges whose lengths differ by one at most. Each is a
    unit of work that writes its sums, in the accumulator's type, to a workspace; a second kernel adds the parts of each
    element in order and writes the result, rounded once. No CTA waits for another, and equal inputs give equal bits.

    It pays where there are few tiles and k is long. The workspace has `parts` times as many accumulators as there are
    results. An epilogue may do no more than round the sums (`arith.truncf`); `#cutl.stream_k` has no such limit.

    ```mlir
    schedule(#cutl.split_k<8>)
    ```
  }];
  let parameters = (ins "int64_t":$parts);
  let assemblyFormat = "`<` $parts `>`";
  let genVerifyDecl = 1;
}

def Cutl_StreamKAttr : Cutl_Attr<"StreamK", "stream_k",
    [DeclareAttrInterfaceMethods<Cutl_ScheduleAttrInterface, ["dividesByTiles", "splitsK"]>]> {
  let summary = "an equal share of the k iterations of some tiles for each CTA, the other tiles whole";
  let description = [{
    The k iterations of the first `tiles` output tiles, in raster order, form one row, of which every CTA takes an equal
    share; what lies in one share and one tile is a unit of work. The other tiles are whole units, which CTAs take in turn
    afterwards, as in `#cutl.data_parallel`. So all CTAs end at about the same time, whatever the number of tiles.

    The units of a tile leave their sums, in the accumulator's type, in a workspace, and the one that arrives last adds
    them up in the order of their k ranges and runs the epilogue. No CTA waits for another, any epilogue will do, and equal
    inputs give equal bits on equal chips: how a tile is divided depends on how many CTAs run at once.

    Without `tiles` those that would be left for a last, partly filled wave are divided, and a full wave before it if there
    is one; none where all waves are full. Where the extents are dynamic, `tiles` counts at most those that there are.
    Tiles of one k iteration are never divided.

    ```mlir
    schedule(#cutl.stream_k)
    schedule(#cutl.stream_k<tiles = 40>)
    ```
  }];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$tiles);
  let assemblyFormat = "(`<` `tiles` `=` $tiles^ `>`)?";
  let genVerifyDecl = 1;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD
