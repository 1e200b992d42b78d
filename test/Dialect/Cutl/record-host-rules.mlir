// RUN: cutl-opt %s --cutl-record-host-rules --split-input-file | FileCheck %s

// Sizes are tied to the first operand that has them; only the output is written.
// CHECK-LABEL: func @gemm
// CHECK-SAME:    cutl.host_ties = [array<i64: 0, 0, 1, 1, 3, 0>, array<i64: 1, 0, 1, 1, 3, 1>,
// CHECK-SAME:    array<i64: 0, 1, 1, 1, 1, 1>, array<i64: 0, 1, 1, 8, 2, 0>], cutl.host_writes = array<i64: 3>
func.func @gemm(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %s: memref<?xf32>, %d: memref<?x?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (k floordiv 8)) outs(%d : (m, n)) {
  ^bb0(%x: f32):
    cutl.yield %x : f32
  } : (memref<?x?xf16>, memref<?x?xf16>, memref<?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// An intermediate stands for the argument that sizes it, and a static size for itself.
// CHECK-LABEL: func @through_an_allocation
// CHECK-SAME:    array<i64: 0, 0, 1, 1, 2, 0>
// CHECK-SAME:    cutl.host_writes = array<i64: 2>
func.func @through_an_allocation(%a: memref<?x4xf16>, %b: memref<4x4xf16>, %d: memref<?x4xf16>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x4xf16>
  %h = memref.alloc(%m) : memref<?x4xf16>
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%h : (m, n)) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x4xf16>, memref<4x4xf16>, memref<?x4xf16>) -> ()
  cutl.gemm ins(%h : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x4xf16>, memref<4x4xf16>, memref<?x4xf16>) -> ()
  return
}
