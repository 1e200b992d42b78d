// Passes run out of order say what is missing. Every op is reported, not only
// the first.
// RUN: split-file %s %t
// RUN: cutl-opt %t/select.mlir --verify-diagnostics --cutl-select-config
// RUN: cutl-opt %t/verify.mlir --verify-diagnostics --cutl-verify-config
// RUN: cutl-opt %t/swapped.mlir --verify-diagnostics --cutl-attach-target=chip=sm_90a --cutl-verify-config \
// RUN:   --cutl-select-config

//--- select.mlir
func.func @raw(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{expected phase 'targeted' or later in cutl-select-config, got 'raw'; run cutl-attach-target first}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @below {{expected phase 'targeted' or later in cutl-select-config, got 'raw'; run cutl-attach-target first}}
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

//--- verify.mlir
func.func @raw(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{expected phase 'configured' or later in cutl-verify-config, got 'raw'; run cutl-attach-target, then cutl-select-config first}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A configuration without a schedule is half a decision.
func.func @half(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{expected phase 'configured' or later in cutl-verify-config, got 'targeted'; run cutl-select-config first}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

//--- swapped.mlir
func.func @targeted(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{expected phase 'configured' or later in cutl-verify-config, got 'targeted'; run cutl-select-config first}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
