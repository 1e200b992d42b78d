// What convert-cutl-tile-to-nvvm refuses, each message once.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --convert-cutl-tile-to-nvvm

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @problem(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
    // expected-error @below {{expected phase 'tiled' or later in convert-cutl-tile-to-nvvm, got 'configured'; run convert-cutl-to-cutl-tile first}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{expected phase 'staged' in convert-cutl-tile-to-nvvm: one ring, one producer that loads and one group of consumers; run cutl-tile-select-transfers, cutl-tile-pipeline, cutl-tile-specialize-warps, then cutl-tile-allocate-smem first}}
  gpu.func @tiled(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
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
  // expected-error @below {{expected phase 'staged' in convert-cutl-tile-to-nvvm: one ring, one producer that loads and one group of consumers; run cutl-tile-select-transfers, cutl-tile-pipeline, cutl-tile-specialize-warps, then cutl-tile-allocate-smem first}}
  gpu.func @without_roles(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
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
  // expected-error @below {{expected phase 'staged' in convert-cutl-tile-to-nvvm: one ring, one producer that loads and one group of consumers; run cutl-tile-select-transfers, cutl-tile-pipeline, cutl-tile-specialize-warps, then cutl-tile-allocate-smem first}}
  gpu.func @two_rings(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    %other = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @without_layout(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    // expected-error @below {{expected a place in shared memory in convert-cutl-tile-to-nvvm; run cutl-tile-allocate-smem first}}
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @without_staging(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    // expected-error @below {{expected a place in shared memory in convert-cutl-tile-to-nvvm; run cutl-tile-allocate-smem first}}
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) {
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
  gpu.func @computed(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %cast = memref.cast %a : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1]>>
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        // expected-error @below {{expected its operands to be arguments of the kernel, got one that the kernel computes}}
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%cast : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32):
          cutl_tile.yield %y : f32
        } : (memref<?x?xf32>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @computed_output(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %cast = memref.cast %d : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        // expected-error @below {{expected its operands to be arguments of the kernel, got one that the kernel computes}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%cast : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32):
          cutl_tile.yield %y : f32
        } : (memref<?x?xf32, strided<[?, 1]>>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @doubles(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf64>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        // expected-error @below {{has no lowering yet for outs[0] of 'f64'; types of 8, 16 and 32 bits have one}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32):
          %o = arith.extf %y : f32 to f64
          cutl_tile.yield %o : f64
        } : (memref<?x?xf64>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @packed_aux(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index,
                  %c: memref<?xi1>) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        // expected-error @below {{has no lowering yet for aux[0] of 'i1'; types of 8, 16, 32 and 64 bits have one}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) aux(%c : (n)) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32, %z: i1):
          cutl_tile.yield %y : f32
        } : (memref<?xi1>, memref<?x?xf32>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @odd_aux(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index,
                  %c: memref<?xi12>) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        // expected-error @below {{has no lowering yet for aux[0] of 'i12'; types of 8, 16, 32 and 64 bits have one}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) aux(%c : (n)) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32, %z: i12):
          cutl_tile.yield %y : f32
        } : (memref<?xi12>, memref<?x?xf32>) -> ()
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @slices(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, cluster = [4, 1], kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        // expected-error @below {{expected the rows of operand 1's boxes to be a multiple of 32 with a cluster of 4x1, got 16}}
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, cluster = [4, 1], kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @slices_of_a(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, cluster = [1, 16], kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        // expected-error @below {{expected the rows of operand 0's boxes to be a multiple of 128 with a cluster of 1x16, got 64}}
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, cluster = [1, 16], kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @short_lines(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        // expected-error @below {{expected stores(elements) for an output that the tensor copy engine cannot write, got stores(tensor) for outs[0]}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(tensor) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @consumers(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    // expected-error @below {{expected 1 producer and 1 consumers, those of the configuration, got 1 and 2}}
    cutl_tile.warpgroups consumer count(2) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @producers(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(2) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    // expected-error @below {{expected 1 producer and 1 consumers, those of the configuration, got 2 and 1}}
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @without_readers(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    // expected-error @below {{expected readers in convert-cutl-tile-to-nvvm; run cutl-tile-specialize-warps first}}
    %ring = cutl_tile.ring layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
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
  gpu.func @readers(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 24608 : i64} {
    // expected-error @below {{expected readers(1) with this configuration, got 2}}
    %ring = cutl_tile.ring readers(2) layout(<operands = [0, 16384], full = 24576, empty = 24592>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(elements) staging(<offset = 20480, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }
}
