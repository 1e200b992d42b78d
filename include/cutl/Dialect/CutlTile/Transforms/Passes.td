//===- Passes.td - Passes over the cutl_tile dialect -------*- tablegen -*-===//
//
// From phase `tiled` to phase `staged`. In alphabetical order of their names;
// the order they run in is that of the pipeline `cutl-lower-to-nvvm`.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTLTILE_TRANSFORMS_PASSES_TD
#define CUTL_DIALECT_CUTLTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CutlTileAllocateSmem : Pass<"cutl-tile-allocate-smem", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give rings and staging buffers their place in shared memory";
  let description = [{
    Lays out the shared memory of each kernel: the stages of A, of each B, the
    buffers in which consumers stage outputs, then the barriers. Writes the
    offsets on the ops and the total, in bytes, on the kernel. More than the
    chip has is an error.

    Needs warpgroups with roles, as `cutl-tile-specialize-warps` leaves them.

    ```mlir
    gpu.func @k(…) kernel {
      %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<4, …>
      …
        cutl_tile.epilogue … stores(tensor) { … }
    // after
    gpu.func @k(…) kernel attributes {cutl_tile.shared_bytes = 200768 : i64} {
      %ring = cutl_tile.ring readers(1) layout(<operands = [0, 65536], full = 200704, empty = 200736>)
          : !cutl_tile.ring<4, …>
      …
        cutl_tile.epilogue … stores(tensor) staging(<offset = 167936, bytes = 16384, buffers = 1>) { … }
    ```
  }];
  let dependentDialects = ["::mlir::cutl::tile::CutlTileDialect"];
}

def CutlTilePipeline : Pass<"cutl-tile-pipeline", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Split mainloops into a producer and a consumer of ring buffers";
  let description = [{
    Replaces the mainloop of each kernel by a ring of the configuration's
    stages, an op that fills it with copies of tensor tiles and one that
    multiplies what it holds. After it the kernel is in phase `staged`.

    Fails, naming the rule, where A or B is known not to be an operand of the
    tensor copy engine, or is of a type that the target's warpgroup multiply
    does not take.

    ```mlir
    cutl_tile.work_loop … {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) : …
      …
    // after
    %ring = cutl_tile.ring
        : !cutl_tile.ring<4, !cutl_tile.stage<128x64xbf16, k_major>, !cutl_tile.stage<200x64xbf16, k_major>>
    cutl_tile.work_loop … {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) : …
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : … -> !cutl_tile.acc<128x200xf32>
      …
    ```
  }];
  let dependentDialects = ["::mlir::cutl::tile::CutlTileDialect"];
}

def CutlTileRepackOperands : Pass<"cutl-tile-repack-operands", "::mlir::cutl::BundleOp"> {
  let summary = "Copy operands into aligned rows ahead of the kernels that ask for it";
  let description = [{
    Where the configuration of a kernel lists operands in `repack`, the entry gets
    an intermediate for each and a kernel that fills it ahead of the product: rows
    along k, which start at multiples of 128 bytes. The product reads them in
    place of the operand. Several B are repacked each.

    ```mlir
    cutl.entry @f(%a: memref<?x?xi8>, …) {
      cutl.launch_kernel @kernels::@f_0(%a, %b, %d) : …
      …
    gpu.func @f_0(%a: memref<?x?xi8>, …) kernel {
      cutl_tile.work_loop … config(#cutl.tile_config<…, repack = [a]>) … {
        %acc = cutl_tile.mainloop … ins(%a : (k, m), %b : (n, k)) : …
    // after
      %wide = memref.alloc(%m, %pitch) : memref<?x?xi8>
      %rows = memref.subview %wide[0, 0] [%m, %k] [1, 1] : … to memref<?x?xi8, strided<[?, 1]>>
      cutl.launch_kernel @kernels::@f_0_repack_a(%a, %rows) : …
      cutl.launch_kernel @kernels::@f_0(%rows, %b, %d) : …
      …
    gpu.func @f_0_repack_a(%a: memref<?x?xi8>, %rows: memref<?x?xi8, strided<[?, 1]>>) kernel {
      cutl_tile.repack %a permuted [1, 0] into %rows : …
    gpu.func @f_0(%a: memref<?x?xi8, strided<[?, 1]>>, …) kernel {
      cutl_tile.work_loop … config(#cutl.tile_config<…>) … {
        %acc = cutl_tile.mainloop … ins(%a : (m, k), %b : (n, k)) : …
    ```

    Runs ahead of the schedule. Fails where an operand is not an argument of its
    kernel, and where kernels of one launch do not repack the same operands.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cutl::tile::CutlTileDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [Statistic<"numRepacked", "operands-repacked", "Number of operands that are repacked">];
}

def CutlTileSelectTransfers : Pass<"cutl-tile-select-transfers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Decide how outputs are written and auxiliary operands read";
  let description = [{
    Writes `stores` on each epilogue that has none. An output is written by the
    tensor copy engine unless its type or tile rules that out. Since an address
    and a pitch are known only at a launch, such a kernel gets an alternative, a
    copy that writes the elements one by one, which is named by the kernel's
    attribute `cutl_tile.alternative`; the launch chooses.

    Where all outputs are written so, `loads` gives an auxiliary matrix whose
    elements have the size and the order of an output's the same way in: parts of
    it are loaded into the buffers of that output, the first of them while the
    mainloop runs. It takes no shared memory and no registers. Vectors and other
    matrices are read by the threads.

    ```mlir
    gpu.func @k(%a: …, %b: …, %c: memref<?x?xbf16>, %d: memref<?x?xbf16>) kernel { … cutl_tile.epilogue … { … } … }
    // after
    gpu.func @k(%a: …, %b: …, %c: …, %d: …) kernel attributes {cutl_tile.alternative = @k_elements} {
      … cutl_tile.epilogue … aux(%c : (m, n)) … loads(outs[0]) stores(tensor) { … } …
    }
    gpu.func @k_elements(…) kernel { … cutl_tile.epilogue … stores(elements) { … } … }
    ```
  }];
  let dependentDialects = ["::mlir::cutl::tile::CutlTileDialect"];
  let statistics = [
    Statistic<"numAlternatives", "num-alternatives", "Number of kernels copied">
  ];
}

def CutlTileSpecializeWarps : Pass<"cutl-tile-specialize-warps", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Split kernels into a producer and consumers";
  let description = [{
    Gives the work of each kernel to warpgroups: one producer, which walks the
    units of work and loads, and the consumers of the configuration, which walk
    the same units, multiply and run the epilogue. Registers are moved from the
    producer to the consumers.

    ```mlir
    cutl_tile.work_loop … { cutl_tile.load … cutl_tile.multiply … cutl_tile.epilogue … }
    // after
    cutl_tile.warpgroups producer count(1) registers(40) { cutl_tile.work_loop … { cutl_tile.load … } }
    cutl_tile.warpgroups consumer count(2) registers(232) {
      cutl_tile.work_loop … { cutl_tile.multiply … cutl_tile.epilogue … }
    }
    ```
  }];
  let dependentDialects = ["::mlir::cutl::tile::CutlTileDialect"];
}

def CutlApplySchedule : Pass<"cutl-apply-schedule", "::mlir::cutl::BundleOp"> {
  let summary = "Give kernels the form that their schedule asks for";
  let description = [{
    Where a schedule lets several units share a tile (`#cutl.stream_k`, and
    `#cutl.split_k` with another reduction than `separate`), their sums meet in a
    workspace: the kernel gets a fixup, whose last unit alone runs the epilogue,
    and the entry an intermediate for the partial results, counters that it sets
    to zero before each launch, and a grid of as many CTAs as run at once and have
    something to do. With `reduction = arrival_order` the partial results are set
    to zero as well, since units add to them; with `reduction = turnstile` one
    more counter numbers CTAs as they start.

    ```mlir
    cutl.entry @f(%a: …, %b: …, %d: memref<?x?xbf16>, …) {
      cutl.launch_kernel @kernels::@f_0(%a, %b, %d) : …
      …
    gpu.func @f_0(%a: …, %b: …, %d: memref<?x?xbf16>) kernel {
      cutl_tile.work_loop extents(%m, %n, %k) … schedule(#cutl.stream_k) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop …
        cutl_tile.epilogue … accumulators(%acc : …) outs(%d : (m, n)) { … }
    // after
      %ctas = cutl.resident_ctas @kernels::@f_0
      …
      %p = memref.alloc(%slots) : memref<?x25600xf32>
      %c = memref.alloc(%slots) : memref<?xi32>
      cutl.memset %c to 0 : memref<?xi32>
      cutl.launch_kernel @kernels::@f_0(%a, %b, %d, %p, %c) grid(%grid) : …
      …
    gpu.func @f_0(%a: …, %b: …, %d: memref<?x?xbf16>, %p: memref<?x25600xf32>, %c: memref<?xi32>) kernel {
      …
        %acc = cutl_tile.mainloop …
        %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) : …
        cutl_tile.epilogue … accumulators(%sum : …) if(%last) outs(%d : (m, n)) { … }
    ```

    A schedule whose units another kernel brings together (`#cutl.split_k<4>`) makes
    the part of k the outermost batch dimension of the work loop. Outputs become
    partial results, an intermediate of the entry with an element for each part,
    and a second kernel adds them in order and rounds once: for
    `schedule(#cutl.split_k<4>)` the above becomes

    ```mlir
      %p = memref.alloc(%m, %n) : memref<4x?x?xf32>
      cutl.launch_kernel @kernels::@f_0(%a, %b, %d, %p) : …
      cutl.launch_kernel @kernels::@f_0_combine_0(%p, %d) : …
      …
    gpu.func @f_0(%a: …, %b: …, %d: memref<?x?xbf16>, %p: memref<4x?x?xf32>) kernel {
      cutl_tile.work_loop extents(%c4, %m, %n, %k) parts(4) … schedule(#cutl.split_k<4>) {
      ^bb0(%s: index, %m0: index, %n0: index, %k0: index, %k1: index):
        … cutl_tile.epilogue … outs(%p : (b0, m, n)) { … }
    gpu.func @f_0_combine_0(%p: memref<4x?x?xf32>, %d: memref<?x?xbf16>) kernel {
      cutl_tile.combine add %p into %d : memref<4x?x?xf32> into memref<?x?xbf16>
      gpu.return
    }
    ```

    Kernels of other schedules stay as they are.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cutl::tile::CutlTileDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numApplied", "num-applied", "Number of kernels changed">
  ];
}

def CutlTileSplitReductions : Pass<"cutl-tile-split-reductions", "::mlir::cutl::BundleOp"> {
  let summary = "Combine what several tiles reduce in a kernel of its own";
  let description = [{
    An output whose map drops a dimension combines values of several tiles,
    which run at the same time. Such an output becomes one of partial results,
    an element for each block of the dropped dimensions that one warp or one
    tile has, in an intermediate of the entry; a second kernel combines them in
    an order that depends on the extents alone. Nothing needs to be initialised,
    and equal inputs give equal bits.

    Blocks are 16 rows or all columns of the tile's accumulators. Sums of f16
    and bf16 are f32 until the end.

    ```mlir
    cutl.entry @f(%a: …, %b: …, %s: memref<?xbf16>, …) {
      cutl.launch_kernel @kernels::@f_0(%a, %b, %s) : …
      …
    gpu.func @f_0(%a: …, %b: …, %s: memref<?xbf16>) kernel {
      … cutl_tile.epilogue … outs(%s : (m) add) { … }
    // after
      %tiles = arith.ceildivsi %n, %c200 : index
      %p = memref.alloc(%tiles, %m) : memref<?x?xf32>
      cutl.launch_kernel @kernels::@f_0(%a, %b, %s, %p) : …
      cutl.launch_kernel @kernels::@f_0_combine_0(%p, %s) : …
      …
    gpu.func @f_0(%a: …, %b: …, %s: memref<?xbf16>, %p: memref<?x?xf32>) kernel {
      … cutl_tile.epilogue … outs(%p : (n floordiv 200, m) add) { … }
    gpu.func @f_0_combine_0(%p: memref<?x?xf32>, %s: memref<?xbf16>) kernel {
      cutl_tile.combine add %p into %s : memref<?x?xf32> into memref<?xbf16>
      gpu.return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cutl::tile::CutlTileDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of outputs split">
  ];
}

#endif // CUTL_DIALECT_CUTLTILE_TRANSFORMS_PASSES_TD
