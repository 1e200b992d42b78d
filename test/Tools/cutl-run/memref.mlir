// REQUIRES: cutl-run

// Memref form in place, a reduction, a number by value, and fixed strides.

// RUN: cutl-run %s --shape m=9,n=7,k=20 --verify | FileCheck %s

// CHECK: function accumulate(9x20xf32, 7x20xf32, 9x7xf32, f32, 7xf32)
// CHECK: verified arg2: 63 of 63 elements, worst error 0.{{[0-9]+}} of its bound
// CHECK: verified arg4: 7 of 7 elements, worst error 0.{{[0-9]+}} of its bound

func.func @accumulate(%a: memref<?x?xf32>,
                      %b: memref<?x?xf32, strided<[64, 1]>>,
                      %c: memref<?x?xf32>, %beta: f32, %s: memref<?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %beta : ())
      outs(%c : (m, n), %s : (n) add) {
  ^bb0(%acc: f32, %old: f32, %t: f32):
    %one = arith.constant 1.0 : f32
    %r = cutl.linear_combination %one, %acc, %t, %old : f32
    cutl.yield %r, %acc : f32, f32
  } : (memref<?x?xf32>, memref<?x?xf32, strided<[64, 1]>>, memref<?x?xf32>,
       f32, memref<?x?xf32>, memref<?xf32>) -> ()
  return
}
