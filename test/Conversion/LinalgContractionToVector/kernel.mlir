// RUN: cutl-opt %s -convert-linalg-contraction-to-vector -canonicalize -cse | FileCheck %s
// RUN: cutl-opt %s -convert-linalg-contraction-to-vector=vector-bits=128 -canonicalize -cse | FileCheck %s --check-prefix=V128
// RUN: cutl-opt %s -convert-linalg-contraction-to-vector=vector-bits=512 -canonicalize -cse | FileCheck %s --check-prefix=V512
// RUN: cutl-opt %s -convert-linalg-contraction-to-vector="block-m=10 block-n=20 block-k=8" -canonicalize -cse | FileCheck %s --check-prefix=BLOCK

// Mixed input: a is extended while it is packed. Panels are allocated outside
// the loops, whole tiles are updated in the output and cut ones in a scratch.

// CHECK-LABEL: func @gemm
// CHECK-SAME: %[[A:.*]]: memref<?x?xf16, strided<[?, ?], offset: ?>>, %[[B:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[C:.*]]: memref<?x?xf32>
// CHECK-DAG: %[[LEFT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<22x256x6xf32>
// CHECK-DAG: %[[RIGHT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x256x16xf32>
// CHECK-DAG: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x16xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.for %[[N0:.*]] = %{{.*}} to %{{.*}} step %c256
// CHECK: scf.for %[[K0:.*]] = %{{.*}} to %{{.*}} step %c256
// Contiguous lanes of b are read as vectors, others one at a time.
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
// CHECK: vector.store %{{.*}}, %[[RIGHT]][{{.*}}] : memref<16x256x16xf32>, vector<16xf32>
// CHECK: else
// CHECK: memref.load %[[B]]
// CHECK: memref.store %{{.*}}, %[[RIGHT]]
// CHECK: scf.for %[[M0:.*]] = %{{.*}} to %{{.*}} step %c132
// CHECK: %[[ROW:.*]] = vector.load %{{.*}}, vector<6xf16>
// CHECK: arith.extf %[[ROW]] : vector<6xf16> to vector<6xf32>
// CHECK: %[[ONE:.*]] = memref.load %[[A]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[ONE]] : f16 to f32
// CHECK: memref.store %[[WIDE]], %[[LEFT]]
// CHECK: %[[TILE:.*]] = scf.if %{{.*}} -> (memref<6x16xf32, strided<[?, 1], offset: ?>>)
// CHECK: memref.subview %[[C]]{{.*}} [6, 16] [1, 1]
// CHECK: memref.cast %[[SCRATCH]]
// CHECK-COUNT-12: vector.load %[[TILE]]
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-2: vector.load %[[RIGHT]]{{.*}} vector<8xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK-COUNT-12: vector.store %{{.*}}, %[[TILE]]
// CHECK-DAG: memref.dealloc %[[LEFT]] :
// CHECK-DAG: memref.dealloc %[[RIGHT]] :
// CHECK-DAG: memref.dealloc %[[SCRATCH]] :

// V128-LABEL: func @gemm
// V128-DAG: memref.alloc() {{.*}} : memref<33x256x4xf32>
// V128-DAG: memref.alloc() {{.*}} : memref<32x256x8xf32>
// V128-COUNT-8: vector.fma {{.*}} : vector<4xf32>
// V128-NOT: vector.fma

// V512-LABEL: func @gemm
// V512-DAG: memref.alloc() {{.*}} : memref<11x256x12xf32>
// V512-DAG: memref.alloc() {{.*}} : memref<8x256x32xf32>
// V512-COUNT-24: vector.fma {{.*}} : vector<16xf32>
// V512-NOT: vector.fma

// Blocks are rounded up to whole register tiles.
// BLOCK-LABEL: func @gemm
// BLOCK-DAG: memref.alloc() {{.*}} : memref<2x8x6xf32>
// BLOCK-DAG: memref.alloc() {{.*}} : memref<2x8x16xf32>
// BLOCK: step %c32
// BLOCK: step %c8
// BLOCK: step %c12
func.func @gemm(%a: memref<?x?xf16, strided<[?, ?], offset: ?>>,
                %b: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                %acc: memref<?x?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16, strided<[?, ?], offset: ?>>,
                   memref<?x?xf32, strided<[?, ?], offset: ?>>)
      outs(%acc : memref<?x?xf32>) {
  ^bb0(%x: f16, %y: f32, %c: f32):
    %w = arith.extf %x : f16 to f32
    %p = arith.mulf %w, %y : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
