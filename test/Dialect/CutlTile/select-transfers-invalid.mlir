// What cutl-tile-select-transfers refuses.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-tile-select-transfers

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @problem(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
    // expected-error @below {{expected phase 'tiled' or later in cutl-tile-select-transfers, got 'configured'; run convert-cutl-to-cutl-tile first}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>) -> ()
    gpu.return
  }
}
