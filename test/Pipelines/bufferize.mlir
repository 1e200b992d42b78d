// RUN: cutl-opt %s --cutl-bufferize --split-input-file | FileCheck %s

// A result that is its destination needs no second way out, no memory and no copy.
// CHECK-LABEL: func @result_is_destination
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: memref<?x8xf16, strided<[?, ?], offset: ?>>, %[[B:[a-z0-9]+]]: memref<6x8xf16, strided<[?, ?], offset: ?>>, %[[D:[a-z0-9]+]]: memref<?x6xf32, strided<[?, ?], offset: ?>>) {
// CHECK-NOT:     memref.
// CHECK:         cutl.gemm ins(%[[A]] : (m, k), %[[B]] : (n, k)) aux(%[[D]] : (m, n)) outs(%[[D]] : (m, n)) {
// CHECK-NOT:     memref.{{[a-z]+}}
// CHECK:         return{{$}}
func.func @result_is_destination(%a: tensor<?x8xf16>, %b: tensor<6x8xf16>, %d: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    cutl.yield %s : f32
  } : (tensor<?x8xf16>, tensor<6x8xf16>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// -----

// Two layers: what lies between them is freed in the function.
// CHECK-LABEL: func @two_layers
// CHECK:         %[[H:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} outs(%[[H]] : (m, n)) {
// CHECK:         cutl.gemm ins(%[[H]] : (m, k), {{.*}}
// CHECK:         memref.dealloc %[[H]]
// CHECK-NOT:     memref.copy
// CHECK:         return{{$}}
func.func @two_layers(%x: tensor<?x8xf32>, %w0: tensor<16x8xf32>, %w1: tensor<4x16xf32>, %d: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %h = tensor.empty(%m) : tensor<?x16xf32>
  %0 = cutl.gemm ins(%x : (m, k), %w0 : (n, k)) outs(%h : (m, n)) {
  ^bb0(%acc: f32):
    %r = cutl.relu %acc : f32
    cutl.yield %r : f32
  } : (tensor<?x8xf32>, tensor<16x8xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %1 = cutl.gemm ins(%0 : (m, k), %w1 : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x16xf32>, tensor<4x16xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// A result that is no destination becomes an argument of its own.
// CHECK-LABEL: func @new_result
// CHECK-SAME:    (%{{[a-z0-9]+}}: {{[^%]*}}%{{[a-z0-9]+}}: {{[^%]*}}%[[R:[a-z0-9]+]]: memref<4x4xf32>) {
// CHECK:         cutl.gemm {{.*}} outs(%[[R]] : (m, n)) {
func.func @new_result(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = tensor.empty() : tensor<4x4xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%t : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Also where its size is known only at run time: nothing is allocated and nothing copied.
// CHECK-LABEL: func @new_dynamic_result
// CHECK-SAME:    (%{{[a-z0-9]+}}: {{[^%]*}}%{{[a-z0-9]+}}: {{[^%]*}}%[[R:[a-z0-9]+]]: memref<?x4xf32>) {
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         cutl.gemm {{.*}} outs(%[[R]] : (m, n)) {
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         return{{$}}
func.func @new_dynamic_result(%a: tensor<?x4xf32>, %b: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x4xf32>
  %t = tensor.empty(%m) : tensor<?x4xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%t : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Memrefs pass through.
// CHECK-LABEL: func @memrefs
// CHECK:         cutl.gemm
func.func @memrefs(%a: memref<4x4xf32>, %b: memref<4x4xf32, strided<[1, 4]>>, %d: memref<4x4xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x4xf32>, memref<4x4xf32, strided<[1, 4]>>, memref<4x4xf32>) -> ()
  return
}
