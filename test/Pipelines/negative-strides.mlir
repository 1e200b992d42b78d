// A step backwards wraps as an unsigned number: no address of the CPU target may promise otherwise.
// RUN: cutl-opt %s --cutl-to-cpu | FileCheck %s --implicit-check-not=nuw

// CHECK: llvm.func @gemm
// CHECK: llvm.getelementptr
func.func @gemm(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %b: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                %d: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>,
       memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}
