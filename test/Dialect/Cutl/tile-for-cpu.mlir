// RUN: cutl-opt %s --split-input-file --cutl-tile-for-cpu='tile-m=16 tile-n=10' --canonicalize --cse | FileCheck %s
// RUN: cutl-opt %s --split-input-file --cutl-tile-for-cpu | FileCheck %s --check-prefix=DEFAULT

// CHECK-DAG:   #[[$M:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 16)>
// CHECK-DAG:   #[[$N:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 10)>
// CHECK-LABEL: func @dynamic
// CHECK-SAME:    (%[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?xf32>, %[[D:.*]]: memref<?x?xf32>)
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[C10:.*]] = arith.constant 10 : index
// CHECK:         %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK:         scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %[[C16]] {
// CHECK:           scf.for %[[J:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %[[C10]] {
// CHECK:             %[[SM:.*]] = affine.min #[[$M]](%[[I]])
// CHECK:             %[[SN:.*]] = affine.min #[[$N]](%[[J]])
// CHECK:             memref.subview %[[A]][%[[I]], 0] [%[[SM]], %[[K]]] [1, 1]
// CHECK:             memref.subview %[[B]][%[[J]], 0] [%[[SN]], %[[K]]] [1, 1]
// CHECK:             memref.subview %[[C]][%[[J]]] [%[[SN]]] [1]
// CHECK:             memref.subview %[[D]][%[[I]], %[[J]]] [%[[SM]], %[[SN]]] [1, 1]
// CHECK:             cutl.gemm
// DEFAULT-LABEL: func @dynamic
// DEFAULT-DAG:     arith.constant 528 : index
// DEFAULT-DAG:     arith.constant 1024 : index
// DEFAULT-COUNT-2: scf.for
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?xf32>, %d: memref<?x?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// What is no larger than a tile stays as it is.
// CHECK-LABEL: func @small
// CHECK-NOT:     scf.for
// CHECK:         cutl.gemm
func.func @small(%a: memref<16x8xf32>, %b: memref<8x10xf32>, %d: memref<10x16xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (k, n)) outs(%d : (n, m)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<16x8xf32>, memref<8x10xf32>, memref<10x16xf32>) -> ()
  return
}

// -----

// Static sizes keep static tiles.
// CHECK-LABEL: func @static
// CHECK:         scf.for
// CHECK-NOT:       scf.for
// CHECK:           cutl.gemm {{.*}} {
// CHECK:           } : (memref<16x8xf32, strided<[8, 1], offset: ?>>, memref<8x10xf32>, memref<10x16xf32, strided<[32, 1], offset: ?>>) -> ()
func.func @static(%a: memref<32x8xf32>, %b: memref<8x10xf32>, %d: memref<10x32xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (k, n)) outs(%d : (n, m)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<32x8xf32>, memref<8x10xf32>, memref<10x32xf32>) -> ()
  return
}

// -----

// Batch dimensions go one at a time.
// CHECK-LABEL: func @batch
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK:         scf.for %[[I:[a-z0-9]+]] = %c0 to %[[C3]] step %c1
// CHECK:           scf.for %[[J:[a-z0-9]+]] = %c0 to %[[C2]] step %c1
// CHECK:             memref.subview %{{.*}}[%[[I]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:             memref.subview %{{.*}}[%[[J]], 0, 0] [1, 6, 8] [1, 1, 1]
// CHECK:             memref.subview %{{.*}}[%[[J]], %[[I]], 0, 0] [1, 1, 4, 6] [1, 1, 1, 1]
func.func @batch(%a: memref<3x4x8xf32>, %b: memref<2x6x8xf32>, %d: memref<2x3x4x6xf32>) {
  cutl.gemm ins(%a : (b0, m, k), %b : (b1, n, k)) outs(%d : (b1, b0, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<3x4x8xf32>, memref<2x6x8xf32>, memref<2x3x4x6xf32>) -> ()
  return
}

// -----

// A dimension that any output reduces over is left whole.
// CHECK-LABEL: func @reduction
// CHECK:         scf.for %{{.*}} step %c10
// CHECK-NOT:       scf.for
// CHECK:           cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n), %{{.*}} : (n) add) {
func.func @reduction(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>, %s: memref<?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %s : (n) add) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func @reduction_of_everything
// CHECK-NOT:     scf.for
// CHECK:         cutl.gemm
func.func @reduction_of_everything(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %s: memref<f32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%s : () amax) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?xf32>, memref<?x?xf32>, memref<f32>) -> ()
  return
}

// -----

// Tiles are rounded up to the blocks of scales and zeros, here to 12 columns.
// CHECK-DAG:   #[[$N:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 12)>
// CHECK-DAG:   #[[$FIRST:.*]] = affine_map<()[s0] -> (s0 floordiv 4)>
// CHECK-DAG:   #[[$COUNT:.*]] = affine_map<()[s0] -> (s0 ceildiv 4)>
// CHECK-DAG:   #[[$FIRSTZ:.*]] = affine_map<()[s0] -> (s0 floordiv 6)>
// CHECK-LABEL: func @scales
// CHECK-SAME:    %[[S:[a-z0-9]+]]: memref<?x?xf32>, %[[Z:[a-z0-9]+]]: memref<?xf32>, %{{.*}}: memref<?x?xf32>)
// CHECK:         scf.for %[[J:[a-z0-9]+]] = %{{.*}} step %c12
// CHECK:           %[[SN:.*]] = affine.min #[[$N]](%[[J]])
// CHECK:           %[[F:.*]] = affine.apply #[[$FIRST]]()[%[[J]]]
// CHECK:           %[[L:.*]] = affine.apply #[[$COUNT]]()[%[[SN]]]
// CHECK:           memref.subview %[[S]][%[[F]], 0] [%[[L]], %{{.*}}] [1, 1]
// CHECK:           %[[FZ:.*]] = affine.apply #[[$FIRSTZ]]()[%[[J]]]
// CHECK:           memref.subview %[[Z]][%[[FZ]]]
func.func @scales(%a: memref<4x?xf32>, %b: memref<?x?xf32>, %s: memref<?x?xf32>, %z: memref<?xf32>, %d: memref<?x?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n floordiv 4, k floordiv 128))
      zeros(%z of b : (n floordiv 6)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// Blocks whose common multiple has no 64-bit number make one tile.
// CHECK-LABEL: func @huge_blocks
// CHECK:         cutl.gemm
func.func @huge_blocks(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %s: memref<1xf32>, %z: memref<1xf32>, %d: memref<4x6xf32>,
                       %x: memref<?x8xf32>, %y: memref<4x?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n floordiv 4611686018427387904))
      zeros(%z of b : (n floordiv 4611686018427387903)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<1xf32>, memref<1xf32>, memref<4x6xf32>) -> ()
  cutl.gemm ins(%a : (m, k), %x : (n, k)) scales(%s of b : (n floordiv 4611686018427387904))
      zeros(%z of b : (n floordiv 4611686018427387903)) outs(%y : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<?x8xf32>, memref<1xf32>, memref<1xf32>, memref<4x?xf32>) -> ()
  return
}

// -----

// Tiles of a split B are tiles of its two parts.
// CHECK-LABEL: func @halves
// CHECK-SAME:    %[[B:[a-z0-9]+]]: memref<40x8xf32>
// CHECK:         scf.for %[[J:[a-z0-9]+]] = %c0 to %c20 step %c10
// CHECK:           %[[LO:.*]] = memref.subview %[[B]][0, 0] [20, 8] [1, 1]
// CHECK:           %[[HI:.*]] = memref.subview %[[B]][20, 0] [20, 8] [1, 1]
// CHECK:           %[[LOT:.*]] = memref.subview %[[LO]][%[[J]], 0] [10, 8] [1, 1]
// CHECK:           %[[HIT:.*]] = memref.subview %[[HI]][%[[J]], 0] [10, 8] [1, 1]
// CHECK:           cutl.gemm ins(%{{.*}} : (m, k), %[[LOT]] : (n, k), %[[HIT]] : (n, k)) outs
func.func @halves(%a: memref<4x8xf32>, %b: memref<40x8xf32>, %d: memref<4x20xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    %s = arith.addf %acc, %acc1 : f32
    cutl.yield %s : f32
  } : (memref<4x8xf32>, memref<40x8xf32>, memref<4x20xf32>) -> ()
  return
}

// -----

// Four interleaved rows share a scale, so two columns of each accumulator do.
// CHECK-LABEL: func @interleaved
// CHECK-SAME:    %[[B:[a-z0-9]+]]: memref<48x8xf32>, %[[S:[a-z0-9]+]]: memref<12xf32>
// CHECK:         scf.for %[[J:[a-z0-9]+]] = %c0 to %c24 step %c12
// CHECK:           memref.subview %[[B]][0, 0] [24, 8] [2, 1]
// CHECK:           memref.subview %[[B]][1, 0] [24, 8] [2, 1]
// CHECK:           %[[ST:.*]] = memref.subview %[[S]][%{{.*}}] [6] [1]
// CHECK:           cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k), %{{.*}} : (n, k)) scales(%[[ST]] of b{{.*}} : (n floordiv 2), %[[ST]] of b[1] : (n floordiv 2)) outs
func.func @interleaved(%a: memref<4x8xf32>, %b: memref<48x8xf32>, %s: memref<12xf32>, %d: memref<4x24xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) scales(%s of b : (n floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    %t = arith.addf %acc, %acc1 : f32
    cutl.yield %t : f32
  } : (memref<4x8xf32>, memref<48x8xf32>, memref<12xf32>, memref<4x24xf32>) -> ()
  return
}

// -----

// Extents of zero beside extents that are tiled.
// CHECK-LABEL: func @empty
// CHECK:         scf.for
// CHECK:           cutl.gemm
// CHECK:         scf.for
// CHECK:           cutl.gemm
// CHECK:         scf.for
// CHECK:           cutl.gemm
func.func @empty(%a: memref<100x0xf32>, %b: memref<100x0xf32>, %c: memref<100xf32>, %d: memref<100x100xf32>,
                 %e: memref<0x8xf32>, %f: memref<100x8xf32>, %g: memref<0x100xf32>, %h: memref<3x0x8xf32>,
                 %i: memref<3x0x0xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (memref<100x0xf32>, memref<100x0xf32>, memref<100xf32>, memref<100x100xf32>) -> ()
  cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%g : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<0x8xf32>, memref<100x8xf32>, memref<0x100xf32>) -> ()
  cutl.gemm ins(%h : (b, m, k), %e : (n, k)) outs(%i : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<3x0x8xf32>, memref<0x8xf32>, memref<3x0x0xf32>) -> ()
  return
}

// -----

// Gemms on tensors are not for this pass.
// CHECK-LABEL: func @tensors
// CHECK-NOT:     scf.for
func.func @tensors(%a: tensor<100x8xf32>, %b: tensor<100x8xf32>, %d: tensor<100x100xf32>) -> tensor<100x100xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<100x8xf32>, tensor<100x8xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
  return %0 : tensor<100x100xf32>
}
