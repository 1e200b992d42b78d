// What cutl-tile-pipeline refuses, each message once.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-tile-pipeline

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @problem(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
    // expected-error @below {{expected phase 'tiled' or later in cutl-tile-pipeline, got 'configured'; run convert-cutl-to-cutl-tile first}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_target(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected a target in cutl-tile-pipeline, got none; run cutl-attach-target first}}
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

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_80">} {
  gpu.func @old_chip(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected a chip with warpgroup multiplies and the tensor copy engine, got sm_80; those that have them are sm_90a}}
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
  gpu.func @swapped_pair(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected one B with swap_operands, got 2}}
      %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> (!cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc#0, %acc#1 : !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>) outs(%d : (m, n)) {
      ^bb0(%y0: f32, %y1: f32):
        %o = arith.truncf %y0 : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @f32(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{has no pipelined mainloop for f32 x f32 into f32}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x16xf32>
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
  gpu.func @bf16_into_f16(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{has no pipelined mainloop for bf16 x bf16 into f16}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xbf16>, memref<?x?xbf16>) -> !cutl_tile.acc<64x16xf16>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf16>) outs(%d : (m, n)) {
      ^bb0(%y: f16):
        cutl_tile.yield %y : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @mixed(%a: memref<?x?xf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{has no pipelined mainloop for f16 x bf16 into f32}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xbf16>) -> !cutl_tile.acc<64x16xf32>
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
  gpu.func @pitch_of_a(%a: memref<?x10xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected the stride of dimension 0 of 'a' to be a multiple of 16 bytes, got 20}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x10xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
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
  gpu.func @pitch_of_second_b(%a: memref<?x?xf16>, %b: memref<?x10xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected the stride of dimension 0 of 'b[0]' to be a multiple of 16 bytes, got 20}}
      %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x10xf16>, memref<?x10xf16>) -> (!cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>)
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc#0, %acc#1 : !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y0: f32, %y1: f32):
        %o = arith.truncf %y0 : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @no_unit_stride(%a: memref<?x?xf16>, %b: memref<?x?xf16, strided<[?, 2]>>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected dimension 1 of 'b' to have stride 1, got 2}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16, strided<[?, 2]>>) -> !cutl_tile.acc<64x16xf32>
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
  gpu.func @backwards(%a: memref<?x64xf16, strided<[-64, 1], offset: ?>>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected the stride of dimension 0 of 'a' to be at least 0, got -64}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x64xf16, strided<[-64, 1], offset: ?>>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
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
  gpu.func @rank(%a: memref<?x?x?x?x?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?x?x?x?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x, %x, %x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%0: index, %1: index, %2: index, %3: index, %m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected 'a' to have rank 1 to 5, got 6}}
      %acc = cutl_tile.mainloop at(%0, %1, %2, %3, %m0, %n0) k(%k0 to %k1) ins(%a : (b0, b1, b2, b3, m, k), %b : (n, k))
          : (memref<?x?x?x?x?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%0, %1, %2, %3, %m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (b0, b1, b2, b3, m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?x?x?x?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @batch_innermost(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %d: memref<?x?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%b0: index, %m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected m, n or k to be the contiguous dimension of 'a', got b}}
      %acc = cutl_tile.mainloop at(%b0, %m0, %n0) k(%k0 to %k1) ins(%a : (m, k, b), %b : (b, n, k))
          : (memref<?x?x?xf16>, memref<?x?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%b0, %m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (b, m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @rows(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 20, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected rows of a stage to be a multiple of 8 from 8 to 256, got 20}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x20xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x20xf32>) outs(%d : (m, n)) {
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
  gpu.func @depth(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 32], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected k of a stage to be a multiple of 64 (128 bytes) up to 256, got 32}}
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
  gpu.func @one_stage(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 1, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected a ring of at least 2 stages, got 1}}
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
  gpu.func @fp8_along_m(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected k to be the contiguous dimension of 'a', whose elements the instruction takes in no other order, got m}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (k, m), %b : (n, k))
          : (memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @integers_along_n(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %d: memref<?x?xi32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected k to be the contiguous dimension of 'b', whose elements the instruction takes in no other order, got n}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (k, n)) compute(<a = unsigned>)
          : (memref<?x?xi8>, memref<?x?xi8>) -> !cutl_tile.acc<64x16xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xi32>) outs(%d : (m, n)) {
      ^bb0(%y: i32):
        cutl_tile.yield %y : i32
      } : (memref<?x?xi32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @rounded_first(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 32], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{has no pipelined mainloop for bf16 x bf16 into f32, to which elements would have to be rounded first}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) compute(<math = bf16>)
          : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @promoted_within_a_stage(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected promote to divide the 128 elements of k in a stage into whole instructions of 32, or to be a multiple of 128, got 96; nearest legal value is 64}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) compute(<promote = 96>)
          : (memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @promoted_beyond_a_stage(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected promote to divide the 128 elements of k in a stage into whole instructions of 32, or to be a multiple of 128, got 200; nearest legal value is 128}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) compute(<promote = 200>)
          : (memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @promoted_below_an_instruction(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected promote to divide the 128 elements of k in a stage into whole instructions of 32, or to be a multiple of 128, got 8; nearest legal value is 32}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) compute(<promote = 8>)
          : (memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @promoted_into_f16(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected accumulators of f32 with promote, got 'f16'}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k)) compute(<promote = 128>)
          : (memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) -> !cutl_tile.acc<64x16xf16>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf16>) outs(%d : (m, n)) {
      ^bb0(%y: f16):
        cutl_tile.yield %y : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}
