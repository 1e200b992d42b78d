// RUN: cutl-opt %s --split-input-file --transform-interpreter --verify-diagnostics

// k is reduced: it is not cut through the interface.
func.func @along_k(%a: tensor<16x8xf32>, %b: tensor<12x8xf32>, %d: tensor<16x12xf32>) -> tensor<16x12xf32> {
  // expected-error @below {{expected no tiling along 'k', over which it reduces}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<16x8xf32>, tensor<12x8xf32>, tensor<16x12xf32>) -> tensor<16x12xf32>
  return %0 : tensor<16x12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %gemm tile_sizes [0, 0, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Nor is a dimension over which an output is reduced.
func.func @along_reduced_m(%a: tensor<16x8xf32>, %b: tensor<12x8xf32>, %s: tensor<12xf32>) -> tensor<12xf32> {
  // expected-error @below {{expected no tiling along 'm', over which it reduces}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%s : (n) add) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<16x8xf32>, tensor<12x8xf32>, tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %gemm tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile starts where a block of scales does.
func.func @across_blocks(%a: tensor<16x8xf32>, %b: tensor<12x8xf32>, %s: tensor<2xf32>, %d: tensor<16x12xf32>)
    -> tensor<16x12xf32> {
  // expected-error @below {{expected tiles along 'n' to start at multiples of 6, the block of its scales or zeros}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n floordiv 6)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<16x8xf32>, tensor<12x8xf32>, tensor<2xf32>, tensor<16x12xf32>) -> tensor<16x12xf32>
  return %0 : tensor<16x12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %gemm tile_sizes [0, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// More sizes than dimensions are an error of the script's.
func.func @too_many_sizes(%a: tensor<16x8xf32>, %b: tensor<12x8xf32>, %d: tensor<16x12xf32>) -> tensor<16x12xf32> {
  // expected-note @below {{target op}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<16x8xf32>, tensor<12x8xf32>, tensor<16x12xf32>) -> tensor<16x12xf32>
  return %0 : tensor<16x12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{too many tiles provided, expected at most 3 found 4}}
    %tiled, %loops:4 = transform.structured.tile_using_for %gemm tile_sizes [4, 4, 4, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
