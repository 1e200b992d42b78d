// What cutl-tile-allocate-smem refuses, each message once.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-tile-allocate-smem

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{expected a ring and warpgroups with roles in cutl-tile-allocate-smem; run cutl-tile-pipeline, then cutl-tile-specialize-warps first}}
  gpu.func @tiled(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) stores(tensor) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{expected a ring and warpgroups with roles in cutl-tile-allocate-smem; run cutl-tile-pipeline, then cutl-tile-specialize-warps first}}
  gpu.func @without_roles(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>> -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) stores(tensor) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @without_stores(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(24) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(240) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>> -> !cutl_tile.acc<128x200xf32>
        // expected-error @below {{expected stores in cutl-tile-allocate-smem; run cutl-tile-select-transfers first}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @too_large(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    // expected-error @below {{expected at most 232448 bytes of shared memory on sm_90a, got 242768 with 5 stages of 41984 bytes and 1 epilogue buffers of 16384}}
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<5, <128x64xf16, k_major>, <200x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(24) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 5, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<5, <128x64xf16, k_major>, <200x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(240) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 5, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<5, <128x64xf16, k_major>, <200x64xf16, k_major>> -> !cutl_tile.acc<128x200xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) stores(tensor) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_target(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    // expected-error @below {{expected a target in cutl-tile-allocate-smem, got none; run cutl-attach-target first}}
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(24) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(240) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(tensor) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }
}
