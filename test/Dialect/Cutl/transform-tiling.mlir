// RUN: cutl-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// The transform dialect drives the op through TilingInterface: tiles of 32 x 16, k whole.

// CHECK-LABEL: func @tiled
//  CHECK-SAME:   %[[A:.*]]: tensor<128x64xf16>, %[[B:.*]]: tensor<96x64xf16>, %[[D:.*]]: tensor<128x96xf32>
//       CHECK:   %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[D0:.*]] = %[[D]])
//       CHECK:     scf.for %[[J:.*]] = %{{.*}} iter_args(%[[D1:.*]] = %[[D0]])
//   CHECK-DAG:       %[[AT:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [32, 64] [1, 1]
//   CHECK-DAG:       %[[BT:.*]] = tensor.extract_slice %[[B]][%[[J]], 0] [16, 64] [1, 1]
//   CHECK-DAG:       %[[DT:.*]] = tensor.extract_slice %[[D1]][%[[I]], %[[J]]] [32, 16] [1, 1]
//       CHECK:       %[[T:.*]] = cutl.gemm ins(%[[AT]] : (m, k), %[[BT]] : (n, k)) outs(%[[DT]] : (m, n))
//       CHECK:       tensor.insert_slice %[[T]] into %[[D1]][%[[I]], %[[J]]] [32, 16] [1, 1]
//       CHECK:   return %[[R]]
func.func @tiled(%a: tensor<128x64xf16>, %b: tensor<96x64xf16>, %d: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<128x64xf16>, tensor<96x64xf16>, tensor<128x96xf32>) -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %gemm tile_sizes [32, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
