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
  gpu.func @half_bytes(%a: memref<4x8xi4>, %b: memref<6x8xi4>, %d: memref<4x6xi32>) kernel {
    // expected-error @below {{a with elements of type 'i4' has no tile form yet; types of whole bytes have one}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: i32):
      cutl.yield %acc : i32
    } : (memref<4x8xi4>, memref<6x8xi4>, memref<4x6xi32>) -> ()
    gpu.return
  }
  gpu.func @saturates_signed(%a: memref<4x131072xi8>, %b: memref<6x131072xi8>, %d: memref<4x6xi32>) kernel {
    // expected-error @below {{compute(saturate) over a k whose sums may leave the range of i32 has no tile form yet: expected k to be known and at most 131071, got 131072}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(saturate)
        config(#cutl.tile_config<cta = [128, 128, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: i32):
      cutl.yield %acc : i32
    } : (memref<4x131072xi8>, memref<6x131072xi8>, memref<4x6xi32>) -> ()
    gpu.return
  }
  gpu.func @saturates_unsigned(%a: memref<4x33026xi8>, %b: memref<6x33026xi8>, %d: memref<4x6xi32>) kernel {
    // expected-error @below {{compute(saturate) over a k whose sums may leave the range of i32 has no tile form yet: expected k to be known and at most 33025, got 33026}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = unsigned, b = unsigned, saturate)
        config(#cutl.tile_config<cta = [128, 128, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: i32):
      cutl.yield %acc : i32
    } : (memref<4x33026xi8>, memref<6x33026xi8>, memref<4x6xi32>) -> ()
    gpu.return
  }
  gpu.func @saturates_mixed(%a: memref<4x65794xi8>, %b: memref<6x65794xi8>, %d: memref<4x6xi32>) kernel {
    // expected-error @below {{compute(saturate) over a k whose sums may leave the range of i32 has no tile form yet: expected k to be known and at most 65793, got 65794}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = unsigned, saturate)
        config(#cutl.tile_config<cta = [128, 128, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: i32):
      cutl.yield %acc : i32
    } : (memref<4x65794xi8>, memref<6x65794xi8>, memref<4x6xi32>) -> ()
    gpu.return
  }
  gpu.func @saturates_dynamic(%a: memref<4x?xi8>, %b: memref<6x?xi8>, %d: memref<4x6xi32>) kernel {
    // expected-error @below {{expected k to be known and at most 131071, got one that is not known}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(saturate)
        config(#cutl.tile_config<cta = [128, 128, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: i32):
      cutl.yield %acc : i32
    } : (memref<4x?xi8>, memref<6x?xi8>, memref<4x6xi32>) -> ()
    gpu.return
  }
  gpu.func @three_products(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32>) kernel {
    // expected-error @below {{compute(math = tf32x3) has no tile form yet}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32x3)
        config(#cutl.tile_config<cta = [128, 128, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>) -> ()
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
