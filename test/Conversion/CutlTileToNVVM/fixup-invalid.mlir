// What convert-cutl-tile-to-nvvm refuses of units that share tiles.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-tile-select-transfers --cutl-tile-pipeline \
// RUN:   --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @no_fixup(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x17xf32>, %p: memref<?x1024xf32>, %c: memref<?xi32>,
                     %x: index) kernel {
    // expected-error @below {{expected a fixup with schedule #cutl.stream_k in convert-cutl-tile-to-nvvm; run cutl-apply-schedule first}}
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x17xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @condition(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x17xf32>, %p: memref<?x1024xf32>, %c: memref<?xi32>,
                      %x: index, %z: i1) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      // expected-error @below {{expected no condition without a fixup}}
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) if(%z) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x17xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @other_slots(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x17xf32>, %p: memref<?x1024xf32>, %c: memref<?xi32>,
                        %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      // expected-error @below {{expected the slots of its work loop in convert-cutl-tile-to-nvvm}}
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%slot, %count) partials(%p) arrivals(%c)
          : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) if(%last) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x17xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @parts(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x17xf32>, %p: memref<?x1024xf32>, %c: memref<?xi32>,
                  %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
          : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
      // expected-error @below {{expected the sums of cutl_tile.fixup as accumulators, and its last result as the condition in convert-cutl-tile-to-nvvm}}
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) if(%last) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x17xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @every_unit(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x17xf32>, %p: memref<?x1024xf32>, %c: memref<?xi32>,
                       %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
          : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
      // expected-error @below {{expected the sums of cutl_tile.fixup as accumulators, and its last result as the condition in convert-cutl-tile-to-nvvm}}
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x17xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @no_parts(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x17xf32>, %x: index) kernel {
    // expected-error @below {{expected the form of #cutl.split_k<4> in convert-cutl-tile-to-nvvm; run cutl-apply-schedule first}}
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.split_k<4>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x17xf32>) -> ()
    }
    gpu.return
  }
}
