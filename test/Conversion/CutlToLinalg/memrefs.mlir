// RUN: cutl-opt %s --convert-cutl-to-linalg --split-input-file | FileCheck %s

// The accumulator is a temporary of its own, freed at the end.
// CHECK-LABEL: func @product
// CHECK-SAME:    (%[[A:.*]]: memref<?x8xf16, strided<[?, 1], offset: ?>>, %[[B:.*]]: memref<6x8xf16>, %[[D:.*]]: memref<?x6xf32>)
// CHECK:         %[[M:.*]] = memref.dim %[[A]], %{{.*}} :
// CHECK:         %[[ACC:.*]] = memref.alloc(%[[M]]) {alignment = 64 : i64} : memref<?x6xf32>
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[ACC]] : memref<?x6xf32>)
// CHECK:         linalg.generic {{.*}}"reduction"]} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ACC]] :
// CHECK:         linalg.generic {{.*}} ins(%[[ACC]] : memref<?x6xf32>) outs(%[[D]] : memref<?x6xf32>)
// CHECK:         memref.dealloc %[[ACC]]
func.func @product(%a: memref<?x8xf16, strided<[?, 1], offset: ?>>, %b: memref<6x8xf16>, %d: memref<?x6xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %r = cutl.relu %acc : f32
    cutl.yield %r : f32
  } : (memref<?x8xf16, strided<[?, 1], offset: ?>>, memref<6x8xf16>, memref<?x6xf32>) -> ()
  return
}

// -----

// C in place, and a reduction that needs C: the reduction reads it first.
// CHECK-LABEL: func @in_place
// CHECK-SAME:    %[[D:[a-z0-9]+]]: memref<4x6xf32>, %[[S:[a-z0-9]+]]: memref<4xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[ACC:.*]], %[[D]] : {{.*}}) outs(%[[S]] :
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[ACC]], %[[D]] : {{.*}}) outs(%[[D]] :
func.func @in_place(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32>, %s: memref<4xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (m, n)) outs(%d : (m, n), %s : (m) max) {
  ^bb0(%acc: f32, %c: f32):
    %r = arith.addf %acc, %c : f32
    cutl.yield %r, %r : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>, memref<4x6xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func @split
// CHECK-SAME:    %[[B:[a-z0-9]+]]: memref<12x8xf32>
// CHECK:         memref.subview %[[B]][0, 0] [6, 8] [2, 1] : memref<12x8xf32> to memref<6x8xf32, strided<[16, 1]>>
// CHECK:         memref.subview %[[B]][1, 0] [6, 8] [2, 1] : memref<12x8xf32> to memref<6x8xf32, strided<[16, 1], offset: 8>>
// CHECK-COUNT-2: memref.dealloc
func.func @split(%a: memref<4x8xf32>, %b: memref<12x8xf32>, %d: memref<4x6xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.mulf %x, %y : f32
    cutl.yield %r : f32
  } : (memref<4x8xf32>, memref<12x8xf32>, memref<4x6xf32>) -> ()
  return
}

// -----

// Every extent may be zero; K = 0 still runs the epilogue.
// CHECK-LABEL: func @empty
// CHECK:         linalg.fill ins(%{{.*}}) outs(%[[ACC:.*]] : memref<4x6xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<4x0xf16>, memref<6x0xf16>) outs(%[[ACC]] :
// CHECK:         linalg.generic {{.*}} ins(%[[ACC]], %{{.*}} :
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<0x8xf16>, memref<0x8xf16>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<?x?xf16>, memref<0x8xf16>)
func.func @empty(%a: memref<4x0xf16>, %b: memref<6x0xf16>, %c: memref<6xf32>, %d: memref<4x6xf32>, %e: memref<0x8xf16>,
                 %f: memref<0x0xf32>, %g: memref<?x?xf16>, %h: memref<?x0xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %r = arith.addf %acc, %x : f32
    cutl.yield %r : f32
  } : (memref<4x0xf16>, memref<6x0xf16>, memref<6xf32>, memref<4x6xf32>) -> ()
  cutl.gemm ins(%e : (m, k), %e : (n, k)) outs(%f : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<0x8xf16>, memref<0x8xf16>, memref<0x0xf32>) -> ()
  cutl.gemm ins(%g : (m, k), %e : (n, k)) outs(%h : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?xf16>, memref<0x8xf16>, memref<?x0xf32>) -> ()
  return
}
