// RUN: cutl-opt %s -split-input-file -convert-linalg-contraction-to-vector -canonicalize -cse | FileCheck %s

// 64-bit accumulators halve the vector and the block of k.

// CHECK-LABEL: func @f64
// CHECK-DAG: memref.alloc() {{.*}} : memref<22x128x6xf64>
// CHECK-DAG: memref.alloc() {{.*}} : memref<32x128x8xf64>
// CHECK-COUNT-12: vector.fma {{.*}} : vector<4xf64>
func.func @f64(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %acc: memref<?x?xf64>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%acc : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %c: f64):
    %p = arith.mulf %x, %y : f64
    %s = arith.addf %p, %c : f64
    linalg.yield %s : f64
  }
  return
}

// -----

// Integers multiply and add; row-major operands have no contiguous lanes here.

// CHECK-LABEL: func @s8
// CHECK-NOT: vector.fma
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: %[[P:.*]] = arith.muli %{{.*}} : vector<8xi32>
// CHECK: arith.addi %{{.*}}, %[[P]] : vector<8xi32>
// CHECK-NOT: vector.fma
func.func @s8(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %acc: memref<?x?xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xi8>, memref<?x?xi8>) outs(%acc : memref<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %c: i32):
    %v = arith.extsi %x : i8 to i32
    %w = arith.extsi %y : i8 to i32
    %p = arith.muli %v, %w : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// Elements below a byte take one in memory and are not read as vectors.

// CHECK-LABEL: func @s4
// CHECK-NOT: vector<{{.*}}xi4>
// CHECK: arith.extsi %{{.*}} : i4 to i32
// CHECK-NOT: vector<{{.*}}xi4>
func.func @s4(%a: memref<?x?xi4>, %b: memref<?x?xi4>, %acc: memref<?x?xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xi4>, memref<?x?xi4>) outs(%acc : memref<?x?xi32>) {
  ^bb0(%x: i4, %y: i4, %c: i32):
    %v = arith.extsi %x : i4 to i32
    %w = arith.extsi %y : i4 to i32
    %p = arith.muli %v, %w : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// The columns are whatever runs along the output's last dimension: here m,
// whose lanes are the contiguous ones of a.

// CHECK-LABEL: func @transposed_output
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x?xf32>
// CHECK: scf.if
// CHECK: memref.reinterpret_cast %[[A]]
// CHECK: vector.load {{.*}} vector<16xf32>
func.func @transposed_output(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %acc: memref<?x?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%acc : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Known extents shrink the panels, sequential loops share them, and a scale is
// multiplied in while packing.

// CHECK-LABEL: func @scaled_in_loops
// CHECK: memref.alloc() {{.*}} : memref<1x64x4xf32>
// CHECK: memref.alloc() {{.*}} : memref<2x64x16xf32>
// CHECK: memref.alloc() {{.*}} : memref<4x16xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: vector.fma
func.func @scaled_in_loops(%a: memref<4x64xf32>, %b: memref<64x32xf32>,
                           %scale: memref<2x32xf32>, %acc: memref<4x32xf32>,
                           %times: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %times step %c1 {
    linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (k floordiv 32, n)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b, %scale : memref<4x64xf32>, memref<64x32xf32>, memref<2x32xf32>)
        outs(%acc : memref<4x32xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32, %c: f32):
      %w = arith.mulf %y, %z : f32
      %p = arith.mulf %x, %w : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
  }
  return
}

// -----

// Iterations that may run at once have panels of their own.

// CHECK-LABEL: func @in_parallel_loops
// CHECK-NOT: memref.alloc
// CHECK: scf.parallel
// CHECK-COUNT-3: memref.alloc()
// CHECK: vector.fma
// CHECK-COUNT-3: memref.dealloc
// CHECK: scf.reduce
func.func @in_parallel_loops(%a: memref<?x?x?xf32>, %b: memref<?x?xf32>, %acc: memref<?x?x?xf32>,
                             %times: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%times) step (%c1) {
    scf.for %j = %c0 to %times step %c1 {
      linalg.generic {
          indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                           affine_map<(b, m, n, k) -> (k, n)>,
                           affine_map<(b, m, n, k) -> (b, m, n)>],
          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%a, %b : memref<?x?x?xf32>, memref<?x?xf32>) outs(%acc : memref<?x?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %c: f32):
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      }
    }
  }
  return
}
