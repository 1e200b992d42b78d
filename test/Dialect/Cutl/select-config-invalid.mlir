// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-select-config
// RUN: not cutl-opt %s --cutl-select-config=variants=0 2>&1 | FileCheck %s --check-prefix=VARIANTS

// VARIANTS:     error: expected variants of cutl-select-config to be at least 1, got 0

// Types that the chip has no instruction for in a family with configurations
// have a named answer.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @f64(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>, %d: tensor<64x64xf64>) -> tensor<64x64xf64> {
  // expected-error @below {{has no tile configuration: f64 has no wgmma atom on sm_90a; its family is mma_sync, which has no configurations yet}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f64):
    cutl.yield %acc : f64
  } : (tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  return %0 : tensor<64x64xf64>
}
func.func @f32_exact(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{has no tile configuration: f32 has no wgmma atom on sm_90a; its family is simt, which has no configurations yet}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @mixed_input(%a: tensor<64x64xi8>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{has no tile configuration: s8 x f16 into f32 has no mma atom on sm_90a}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xi8>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

module attributes {cutl.target = #cutl.target<chip = "sm_100a">} {
func.func @family_without_configurations(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{has no tile configuration: the family of f16 on sm_100a is tcgen05, which has no configurations yet}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}
