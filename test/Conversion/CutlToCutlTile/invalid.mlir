// RUN: cutl-opt %s --split-input-file --verify-diagnostics --convert-cutl-to-cutl-tile

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @not_outlined(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected to stand in a kernel in convert-cutl-to-cutl-tile, got 'func.func'; run cutl-outline-kernels first}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> ()
  return
}
}

// -----

gpu.module @kernels {
  gpu.func @raw(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf32>) kernel {
    // expected-error @below {{expected phase 'configured' or later in convert-cutl-to-cutl-tile, got 'raw'; run cutl-attach-target, then cutl-select-config first}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @integers(%a: memref<4x8xi8>, %b: memref<6x8xi8>, %d: memref<4x6xi32>) kernel {
    // expected-error @below {{a with elements of type 'i8' has no tile form yet; f16, bf16, f32 and f64 have one}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: i32):
      cutl.yield %acc : i32
    } : (memref<4x8xi8>, memref<6x8xi8>, memref<4x6xi32>) -> ()
    gpu.return
  }
  gpu.func @scaled(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %s: memref<4xf32>, %d: memref<4x6xf32>) kernel {
    // expected-error @below {{scales(…) has no tile form yet}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of a : (m)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<4x8xf16>, memref<6x8xf16>, memref<4xf32>, memref<4x6xf32>) -> ()
    gpu.return
  }
}
