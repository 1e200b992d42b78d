// RUN: cutl-opt %s --cutl-canonicalize-epilogue | FileCheck %s
// RUN: cutl-opt %s --cutl-canonicalize-epilogue --cutl-canonicalize-epilogue | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func @alpha
// CHECK-SAME:    %[[C:[^,]*]]: tensor<4x6xf32>, %[[D:[^,]*]]: tensor<4x6xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[C]] : (m, n)) outs(%[[D]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[X]] : f32
// CHECK-NEXT:      cutl.yield %[[S]]
func.func @alpha(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %v: tensor<6xf32>, %c: tensor<4x6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %one = arith.constant 1.0 : f32
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%one : (), %c : (m, n), %c : (m, n), %v : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %alpha: f32, %c0: f32, %c1: f32, %unused: f32):
    %beta = arith.constant 0.0 : f32
    %s = cutl.linear_combination %alpha, %acc, %beta, %c0 : f32
    %t = arith.addf %s, %c1 : f32
    cutl.yield %t : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, f32, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// Constants by value, in memory of any rank, and by a fill; the same vector along
// two dimensions is two operands. Of what is promised of one value the more holds.
// CHECK-LABEL: func @operands
// CHECK-SAME:    %[[V:[^,]*]]: tensor<4xf32>, %[[D:[^,]*]]: tensor<4x4xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[V]] : (m), %[[V]] : (n)) outs(%[[D]] : (m, n)) promises(aux[0] aligned 16, outs[0] aligned 64) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[R:.*]]: f32, %[[C:.*]]: f32):
// CHECK-DAG:       %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG:       %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:       %[[THREE:.*]] = arith.constant 3.000000e+00 : f32
// CHECK:           %[[T0:.*]] = arith.addf %[[ACC]], %[[R]]
// CHECK-NEXT:      %[[T1:.*]] = arith.mulf %[[T0]], %[[C]]
// CHECK-NEXT:      %[[T2:.*]] = arith.mulf %[[T1]], %[[R]]
// CHECK-NEXT:      %[[T3:.*]] = arith.mulf %[[T2]], %[[HALF]]
// CHECK-NEXT:      %[[T4:.*]] = arith.addf %[[T3]], %[[TWO]]
// CHECK-NEXT:      %[[T5:.*]] = arith.mulf %[[T4]], %[[THREE]]
// CHECK-NEXT:      %[[T6:.*]] = arith.addf %[[T5]], %[[TWO]]
// CHECK-NEXT:      cutl.yield %[[T6]]
func.func @operands(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %v: tensor<4xf32>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %half = arith.constant 0.5 : f32
  %two = arith.constant dense<2.0> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %one = arith.constant 2.0 : f32
  %filled = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k))
      aux(%v : (m), %v : (n), %half : (), %v : (m), %two : (), %three : (m, n), %filled : (n)) outs(%d : (m, n))
      promises(aux[0] aligned 4, aux[3] aligned 16, outs[0] aligned 64) {
  ^bb0(%acc: f32, %x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32):
    %0 = arith.addf %acc, %x0 : f32
    %1 = arith.mulf %0, %x1 : f32
    %2 = arith.mulf %1, %x3 : f32
    %3 = arith.mulf %2, %x2 : f32
    %4 = arith.addf %3, %x4 : f32
    %5 = arith.mulf %4, %x5 : f32
    %6 = arith.addf %5, %x6 : f32
    cutl.yield %6 : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, f32, tensor<4xf32>, tensor<f32>, tensor<4x4xf32>, tensor<4xf32>,
       tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// What only a dropped output needs goes with it; a tensor that was there only to
// be written too.
// CHECK-LABEL: func @outputs
// CHECK-SAME:    %[[C:[^,]*]]: tensor<4x6xf32>, %[[D:[^,]*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[R:.*]] = cutl.gemm {{.*}} outs(%[[D]] : (m) max) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      cutl.yield %[[ACC]] : f32
// CHECK:         return %[[R]]
func.func @outputs(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %f = tensor.empty() : tensor<6xf32>
  %y:3 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n)) outs(%e : (m, n), %d : (m) max, %f : (n) add) {
  ^bb0(%acc: f32, %x: f32):
    %0 = arith.addf %acc, %x : f32
    %1 = math.exp %0 : f32
    cutl.yield %1, %acc, %0 : f32, f32, f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>)
      -> (tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>)
  return %y#1 : tensor<4xf32>
}

// In memref form what is written is seen, whether anything here reads it or not.
// CHECK-LABEL: func @memrefs
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n), %{{.*}} : (m) max) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      cutl.yield %[[ACC]], %[[ACC]]
func.func @memrefs(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %c: memref<4x6xf32>, %d: memref<4x6xf32>, %e: memref<4xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n)) outs(%d : (m, n), %e : (m) max) {
  ^bb0(%acc: f32, %x: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.mulf %acc, %one : f32
    cutl.yield %0, %acc : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>, memref<4x6xf32>, memref<4xf32>) -> ()
  return
}

// An operand that nothing reads can still say how large a dimension is.
// CHECK-LABEL: func @batch_extent
// CHECK-SAME:    %[[C:[^,]*]]: tensor<?xf32>, %[[D:[^,]*]]: tensor<4x6xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[C]] : (b)) outs(%[[D]] : (m, n) add) {
func.func @batch_extent(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<?xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (b)) outs(%d : (m, n) add) {
  ^bb0(%acc: f32, %x: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<?xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// Equal ops are computed once, also where operands had to become one first, and
// then what they lead to. With other flags they are not equal.
// CHECK-LABEL: func @equal_ops
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[X]] : f32
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[ACC]], %[[X]] fastmath<nnan> : f32
// CHECK-NEXT:      %[[G:.*]] = cutl.gelu %[[S]] : f32
// CHECK-NEXT:      %[[H:.*]] = cutl.gelu tanh %[[S]] : f32
// CHECK-NEXT:      %[[I:.*]] = cutl.gelu %[[T]] : f32
// CHECK-NEXT:      cutl.yield %[[G]], %[[G]], %[[H]], %[[I]]
func.func @equal_ops(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %v: tensor<6xf32>, %d: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %y:4 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%v : (n), %v : (n)) outs(%d : (m, n), %d : (m, n), %d : (m, n), %d : (m, n)) {
  ^bb0(%acc: f32, %x: f32, %z: f32):
    %s0 = arith.addf %acc, %x : f32
    %s1 = arith.addf %acc, %z : f32
    %s2 = arith.addf %acc, %x fastmath<nnan> : f32
    %g0 = cutl.gelu %s0 : f32
    %g1 = cutl.gelu %s1 : f32
    %g2 = cutl.gelu tanh %s1 : f32
    %g3 = cutl.gelu %s2 : f32
    cutl.yield %g0, %g1, %g2, %g3 : f32, f32, f32, f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
      -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
  return %y#0, %y#1, %y#2, %y#3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
