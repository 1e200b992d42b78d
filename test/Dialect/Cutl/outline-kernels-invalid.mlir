// RUN: cutl-opt %s --cutl-outline-kernels --split-input-file --verify-diagnostics

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// expected-error @below {{expected no use of a function with problems in cutl-outline-kernels, which adds a workspace and a stream to its arguments, got one}}
func.func @called(%a: memref<4x8xf16>, %d: memref<4x4xf32>) {
  cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<4x8xf16>, memref<4x4xf32>) -> ()
  return
}
func.func @caller(%a: memref<4x8xf16>, %d: memref<4x4xf32>) {
  // expected-note @below {{used here}}
  call @called(%a, %d) : (memref<4x8xf16>, memref<4x4xf32>) -> ()
  return
}
}

// -----

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// expected-error @below {{expected no use of a function with problems in cutl-outline-kernels}}
func.func @recursive(%a: memref<4x8xf16>, %d: memref<4x4xf32>) {
  cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<4x8xf16>, memref<4x4xf32>) -> ()
  // expected-note @below {{used here}}
  call @recursive(%a, %d) : (memref<4x8xf16>, memref<4x4xf32>) -> ()
  return
}
}

// -----

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @tensors(%a: tensor<4x8xf16>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expected memrefs in cutl-outline-kernels, got tensors; run cutl-bufferize first}}
  %0 = cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
}

// -----

func.func @raw(%a: memref<4x8xf16>, %d: memref<4x4xf32>) {
  // expected-error @below {{expected phase 'configured' or later in cutl-outline-kernels, got 'raw'; run cutl-attach-target, then cutl-select-config first}}
  cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<4x8xf16>, memref<4x4xf32>) -> ()
  return
}

// -----

// Not wrong, but hardly ever meant.
#config = #cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func private @other(memref<4x16xf16>)
func.func @warnings(%a: memref<4x16xf16>, %d: memref<4x4xf32>, %i: index) -> f32 {
  // expected-warning @below {{is memory of the host that kernels are given, since not only problem ops of one run use it}}
  %kept = memref.alloc() : memref<4x16xf16>
  // A call may know of the stream.
  call @other(%kept) : (memref<4x16xf16>) -> ()
  cutl.gemm ins(%kept : (m, k), %a : (n, k)) outs(%d : (m, n)) config(#config) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x16xf16>, memref<4x16xf16>, memref<4x4xf32>) -> ()
  memref.dealloc %kept : memref<4x16xf16>
  %part = memref.subview %d[0, 0] [2, 2] [1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[4, 1]>>
  // expected-warning @below {{uses memory that kernels use and does not wait for them}}
  %x = memref.load %part[%i, %i] : memref<2x2xf32, strided<[4, 1]>>
  return %x : f32
}
}
