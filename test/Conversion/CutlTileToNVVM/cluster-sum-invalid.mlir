// What convert-cutl-tile-to-nvvm refuses of CTAs that divide k.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-tile-select-transfers --cutl-tile-pipeline \
// RUN:   --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %b, %c0 : memref<?x?xf16>
    %k = memref.dim %a, %c1 : memref<?x?xf16>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1, 4]>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 : !cutl_tile.acc<64x64xf32> -> !cutl_tile.acc<64x16xf32>
      // expected-error @below {{expected the sums and the start of cutl_tile.cluster_sum in convert-cutl-tile-to-nvvm}}
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %b, %c0 : memref<?x?xf16>
    %k = memref.dim %a, %c1 : memref<?x?xf16>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1, 4]>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      // expected-error @below {{expected the accumulators of cutl_tile.multiply and where the tile starts in convert-cutl-tile-to-nvvm}}
      %sum, %n1 = cutl_tile.cluster_sum %acc from %m0 : !cutl_tile.acc<64x64xf32> -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n1) accumulators(%sum : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
