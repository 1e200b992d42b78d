// Transform scripts drive the op through its TilingInterface.
// RUN: cutl-opt %s --split-input-file --transform-interpreter --canonicalize --cse | FileCheck %s

// Tiles are gemms on slices with the same region; promises, which speak of the
// whole, go; demands, decisions and attributes stay.
// CHECK-DAG:   #[[$REST_M:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 4)>
// CHECK-DAG:   #[[$REST_N:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 6)>
// CHECK-LABEL: func @parallel
// CHECK-SAME:    (%[[A:.*]]: tensor<?x8xf16>, %[[B:.*]]: tensor<8x?xf16>, %[[C:.*]]: tensor<?xf32>, %[[D:.*]]: tensor<?x?xf32>)
// CHECK:         scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[OUT:[a-z0-9]+]] = %[[D]])
// CHECK:           scf.for %[[J:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[IN:[a-z0-9]+]] = %[[OUT]])
// CHECK-DAG:         %[[M:.*]] = affine.min #[[$REST_M]](%[[I]])
// CHECK-DAG:         %[[N:.*]] = affine.min #[[$REST_N]](%[[J]])
// CHECK:             %[[AT:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [%[[M]], 8] [1, 1]
// CHECK:             %[[BT:.*]] = tensor.extract_slice %[[B]][0, %[[J]]] [8, %[[N]]] [1, 1]
// CHECK:             %[[CT:.*]] = tensor.extract_slice %[[C]][%[[J]]] [%[[N]]] [1]
// CHECK:             %[[DT:.*]] = tensor.extract_slice %[[IN]][%[[J]], %[[I]]] [%[[N]], %[[M]]] [1, 1]
// CHECK:             %[[R:.*]] = cutl.gemm ins(%[[AT]] : (m, k), %[[BT]] : (k, n)) aux(%[[CT]] : (n)) outs(%[[DT]] : (n, m)) execution(deterministic = false, sm_budget = 8) schedule(#cutl.data_parallel) attributes {note} {
// CHECK:               arith.addf
// CHECK:             tensor.insert_slice %[[R]] into %[[IN]][%[[J]], %[[I]]] [%[[N]], %[[M]]] [1, 1]
func.func @parallel(%a: tensor<?x8xf16>, %b: tensor<8x?xf16>, %c: tensor<?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (k, n)) aux(%c : (n)) outs(%d : (n, m)) promises(m divisible_by 2, a aligned 16)
      execution(deterministic = false, sm_budget = 8) schedule(#cutl.data_parallel) attributes {note} {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<?x8xf16>, tensor<8x?xf16>, tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %gemm tile_sizes [4, 6]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Batch dimensions come first, and a broadcast operand is not sliced along them.
// CHECK-LABEL: func @batch
// CHECK-SAME:    (%[[A:.*]]: tensor<3x4x8xf16>, %[[B:.*]]: tensor<6x8xf16>, %{{.*}}: tensor<3x4x6xf32>)
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           %[[AT:.*]] = tensor.extract_slice %[[A]][%[[I]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:           cutl.gemm ins(%[[AT]] : (b, m, k), %[[B]] : (n, k)) outs(%{{.*}} : (b, m, n))
func.func @batch(%a: tensor<3x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<3x4x6xf32>) -> tensor<3x4x6xf32> {
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<3x4x8xf16>, tensor<6x8xf16>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gemm = transform.structured.match ops{["cutl.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %gemm tile_sizes [1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A producer is computed tile by tile inside its consumer's loop.
// CHECK-LABEL: func @fuse_producer
// CHECK-SAME:    (%[[A:.*]]: tensor<16x8xf32>, %[[B:.*]]: tensor<12x8xf32>, %[[C:.*]]: tensor<5x12xf32>, %[[D:.*]]: tensor<16x5xf32>)
// CHECK-NOT:     cutl.gemm
// CHECK:         scf.forall (%[[T:[a-z0-9]+]]) in (4) shared_outs(%{{.*}} = %[[D]])
// CHECK:           %[[I:.*]] = affine.apply #{{.*}}(%[[T]])
// CHECK:           %[[AT:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [4, 8] [1, 1]
// CHECK:           %[[P:.*]] = cutl.gemm ins(%[[AT]] : (m, k), %[[B]] : (n, k)) outs(%{{.*}} : (m, n)) attributes {first} {
// CHECK:           } : (tensor<4x8xf32>, tensor<12x8xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
// CHECK:           cutl.gemm ins(%[[P]] : (m, k), %[[C]] : (n, k)) outs(%{{.*}} : (m, n)) attributes {last} {
func.func @fuse_producer(%a: tensor<16x8xf32>, %b: tensor<12x8xf32>, %c: tensor<5x12xf32>, %d: tensor<16x5xf32>)
    -> tensor<16x5xf32> {
  %t = tensor.empty() : tensor<16x12xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%t : (m, n)) attributes {first} {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<16x8xf32>, tensor<12x8xf32>, tensor<16x12xf32>) -> tensor<16x12xf32>
  %1 = cutl.gemm ins(%0 : (m, k), %c : (n, k)) outs(%d : (m, n)) attributes {last} {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<16x12xf32>, tensor<5x12xf32>, tensor<16x5xf32>) -> tensor<16x5xf32>
  return %1 : tensor<16x5xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %first = transform.structured.match attributes {first} in %root : (!transform.any_op) -> !transform.any_op
    %last = transform.structured.match attributes {last} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %last tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %new = transform.structured.fuse_into_containing_op %first into %loop
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
