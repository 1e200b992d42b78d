// RUN: cutl-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @tensor_casts
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<6x8xf16>, %[[C:.*]]: tensor<6xf32>, %[[D:.*]]: tensor<4x6xf32>)
// CHECK:         %[[R:.*]] = cutl.gemm ins(%[[A]] : (m, k), %[[B]] : (n, k)) aux(%[[C]] : (n)) outs(%[[D]] : (m, n))
// CHECK:         } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK:         tensor.cast %[[R]] : tensor<4x6xf32> to tensor<?x?xf32>
func.func @tensor_casts(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: tensor<6xf32>, %d: tensor<4x6xf32>)
    -> tensor<?x?xf32> {
  %a1 = tensor.cast %a : tensor<4x8xf16> to tensor<?x?xf16>
  %b1 = tensor.cast %b : tensor<6x8xf16> to tensor<6x?xf16>
  %c1 = tensor.cast %c : tensor<6xf32> to tensor<?xf32>
  %d1 = tensor.cast %d : tensor<4x6xf32> to tensor<?x?xf32>
  %0 = cutl.gemm ins(%a1 : (m, k), %b1 : (n, k)) aux(%c1 : (n)) outs(%d1 : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<?x?xf16>, tensor<6x?xf16>, tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Inputs take what a cast only hides; destinations stay as they are.
// CHECK-LABEL: func @memref_casts
// CHECK-SAME:    (%[[A:.*]]: memref<4x8xf16>, %[[B:.*]]: memref<6x8xf16>, %[[D:.*]]: memref<4x6xf32>)
// CHECK-NOT:     memref.cast
// CHECK:         cutl.gemm ins(%[[A]] : (m, k), %[[B]] : (n, k)) outs(%[[D]] : (m, n))
// CHECK:         } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> ()
func.func @memref_casts(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf32>) {
  %a1 = memref.cast %a : memref<4x8xf16> to memref<?x8xf16, strided<[?, ?], offset: ?>>
  %b1 = memref.cast %b : memref<6x8xf16> to memref<?x?xf16>
  cutl.gemm ins(%a1 : (m, k), %b1 : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x8xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16>, memref<4x6xf32>) -> ()
  return
}

// A cast that adds static sizes is a check, and stays.
// CHECK-LABEL: func @refining_cast
// CHECK:         %[[CAST:.*]] = tensor.cast %{{.*}} : tensor<?x?xf16> to tensor<4x8xf16>
// CHECK:         cutl.gemm ins(%[[CAST]] : (m, k),
func.func @refining_cast(%a: tensor<?x?xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a1 = tensor.cast %a : tensor<?x?xf16> to tensor<4x8xf16>
  %0 = cutl.gemm ins(%a1 : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Programs that are wrong at run time do not become invalid at compile time:
// sizes that contradict another operand, a promise or a scale stay hidden.
// CHECK-LABEL: func @contradicting_casts
// CHECK:         %[[A:.*]] = memref.cast %{{.*}} : memref<5x8xf16> to memref<?x8xf16>
// CHECK:         cutl.gemm ins(%[[A]] : (m, k),
// CHECK:         %[[B:.*]] = memref.cast %{{.*}} : memref<7x8xf16> to memref<?x8xf16>
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %[[B]] : (n, k)) split(halves)
// CHECK:         %[[C:.*]] = memref.cast %{{.*}} : memref<6x9xf16> to memref<6x?xf16>
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %[[C]] : (n, k)) outs(%{{.*}} : (m, n)) promises(k divisible_by 2)
// CHECK:         %[[D:.*]] = memref.cast %{{.*}} : memref<6x9xf16> to memref<6x?xf16>
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %[[D]] : (n, k)) scales(%{{.*}} of b : (k floordiv 4))
// CHECK:         %[[S:.*]] = memref.cast %{{.*}} : memref<3xf32> to memref<?xf32>
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) scales(%[[S]] of b : (k floordiv 4))
func.func @contradicting_casts(%a5: memref<5x8xf16>, %b: memref<6x8xf16>, %b7: memref<7x8xf16>, %a: memref<4x8xf16>,
                               %ak: memref<4x?xf16>, %b9: memref<6x9xf16>, %s2: memref<2xf32>, %s3: memref<3xf32>,
                               %d: memref<4x6xf32>, %dn: memref<4x?xf32>) {
  %a5c = memref.cast %a5 : memref<5x8xf16> to memref<?x8xf16>
  cutl.gemm ins(%a5c : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> ()
  %b7c = memref.cast %b7 : memref<7x8xf16> to memref<?x8xf16>
  cutl.gemm ins(%a : (m, k), %b7c : (n, k)) split(halves) outs(%dn : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<?x8xf16>, memref<4x?xf32>) -> ()
  %b9c = memref.cast %b9 : memref<6x9xf16> to memref<6x?xf16>
  cutl.gemm ins(%ak : (m, k), %b9c : (n, k)) outs(%d : (m, n)) promises(k divisible_by 2) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x?xf16>, memref<6x?xf16>, memref<4x6xf32>) -> ()
  %b9d = memref.cast %b9 : memref<6x9xf16> to memref<6x?xf16>
  cutl.gemm ins(%ak : (m, k), %b9d : (n, k)) scales(%s2 of b : (k floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x?xf16>, memref<6x?xf16>, memref<2xf32>, memref<4x6xf32>) -> ()
  %s3c = memref.cast %s3 : memref<3xf32> to memref<?xf32>
  cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s3c of b : (k floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<6x8xf16>, memref<?xf32>, memref<4x6xf32>) -> ()
  return
}

// A broadcast input of stride 0 is ordinary.
// CHECK-LABEL: func @stride_zero_input
// CHECK-SAME:    (%[[A:.*]]: memref<4x8xf32, strided<[0, 1]>>
// CHECK:         cutl.gemm ins(%[[A]] : (m, k)
func.func @stride_zero_input(%a: memref<4x8xf32, strided<[0, 1]>>, %b: memref<6x8xf32>, %d: memref<4x6xf32>) {
  %a1 = memref.cast %a : memref<4x8xf32, strided<[0, 1]>> to memref<4x8xf32, strided<[?, ?], offset: ?>>
  cutl.gemm ins(%a1 : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32, strided<[?, ?], offset: ?>>, memref<6x8xf32>, memref<4x6xf32>) -> ()
  return
}

// An unused gemm on tensors goes; one on memrefs writes, and stays.
// CHECK-LABEL: func @dead
// CHECK-NOT:     tensor<
// CHECK:         cutl.gemm {{.*}} {
// CHECK:         } : (memref
// CHECK-NOT:     cutl.gemm
func.func @dead(%m: memref<4x4xf32>, %d: memref<4x4xf32>) {
  %t = tensor.empty() : tensor<4x4xf32>
  %0 = cutl.gemm ins(%t : (m, k), %t : (n, k)) outs(%t : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  cutl.gemm ins(%m : (m, k), %m : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// CHECK-LABEL: func @relu_of_relu
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]] = cutl.relu %[[X]] : f32
// CHECK-NEXT:    return %[[R]]
func.func @relu_of_relu(%x: f32) -> f32 {
  %0 = cutl.relu %x : f32
  %1 = cutl.relu %0 : f32
  return %1 : f32
}

// 1 · acc + 0 · c is acc; 0 · acc is not zero, and 1 · acc + 1 · c is a sum.
// CHECK-LABEL: func @linear_combination
// CHECK-SAME:    (%[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK:         %[[A:.*]] = cutl.linear_combination %{{.*}}, %[[X]], %{{.*}}, %[[Y]] : f32
// CHECK:         %[[B:.*]] = cutl.linear_combination %{{.*}}, %[[X]], %{{.*}}, %[[Y]] : f32
// CHECK:         return %[[X]], %[[X]], %[[A]], %[[B]]
func.func @linear_combination(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = cutl.linear_combination %one, %x, %zero, %y : f32
  %1 = cutl.linear_combination %one, %x, %minus, %y : f32
  %2 = cutl.linear_combination %zero, %x, %zero, %y : f32
  %3 = cutl.linear_combination %one, %x, %one, %y : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// A slope of 1 changes nothing, an inner clamp that is the narrower one does all
// the work, and a conversion to the same type is none.
// CHECK-LABEL: func @epilogue_identities
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK-NEXT:    %[[C:.*]] = cutl.clamp %[[X]] low -1.000000e+00 high 1.000000e+00 : f32
// CHECK-NEXT:    %[[D:.*]] = cutl.clamp %[[C]] low 0.000000e+00 high 2.000000e+00 : f32
// CHECK-NEXT:    %[[L:.*]] = cutl.leaky_relu %[[X]] slope 5.000000e-01 : f32
// CHECK-NEXT:    %[[S:.*]] = cutl.sigmoid %[[X]] : f32
// CHECK-NEXT:    return %[[X]], %[[X]], %[[C]], %[[D]], %[[X]], %[[L]], %[[S]]
func.func @epilogue_identities(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  %0 = cutl.leaky_relu %x slope 1.0 : f32
  %1 = cutl.clamp %x low 0xFFF0000000000000 high 0x7FF0000000000000 : f32
  %2 = cutl.clamp %x low -1.0 high 1.0 : f32
  %3 = cutl.clamp %2 low -1.0 high 2.0 : f32
  %4 = cutl.clamp %3 low 0.0 high 2.0 : f32
  %5 = cutl.convert %x : f32 to f32
  %6 = cutl.leaky_relu %x slope 0.5 : f32
  %7 = cutl.softplus_grad %x : f32
  return %0, %1, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32
}
