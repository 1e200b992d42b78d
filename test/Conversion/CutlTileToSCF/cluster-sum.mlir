// CTAs of a cluster that divide k: each computes what the others have, and adds up its share of all.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func private @k(
// CHECK-DAG:     %[[X:.*]] = memref.alloc() {{.*}}: memref<64x16xf32>
// CHECK-DAG:     memref.alloc() {{.*}}: memref<64x16xf32>
// CHECK-DAG:     %[[SUM:.*]] = memref.alloc() {{.*}}: memref<64x8xf32>
// CHECK:         scf.for %[[PART:.*]] = %c0 to %c2 step %c1 {
// The longer parts of the unit's k come first.
// CHECK:           %[[LEAST:.*]] = arith.divui %[[STEPS:.*]], %c2
// CHECK:           %[[LONGER:.*]] = arith.remui %[[STEPS]], %c2
// CHECK:           %[[START:.*]] = arith.muli %[[PART]], %c8
// CHECK:           scf.for %[[I:.*]] = %c0 to %c64 step %c1 {
// CHECK-NEXT:        scf.for %[[J:.*]] = %c0 to %c8 step %c1 {
// CHECK-NEXT:          %[[COLUMN:.*]] = arith.addi %[[J]], %[[START]]
// CHECK-NEXT:          %[[V0:.*]] = memref.load %[[A0:.*]][%[[I]], %[[COLUMN]]] : memref<64x16xf32>
// CHECK-NEXT:          %[[V1:.*]] = memref.load %[[A1:.*]][%[[I]], %[[COLUMN]]] : memref<64x16xf32>
// CHECK-NEXT:          %[[TOTAL:.*]] = arith.addf %[[V0]], %[[V1]] : f32
// CHECK-NEXT:          memref.store %[[TOTAL]], %{{.*}}[%[[I]], %[[J]]] : memref<64x8xf32>
// CHECK:           %[[N1:.*]] = arith.addi %{{.*}}, %[[START]]
cutl.bundle @bundle {
  gpu.module @kernels {
    gpu.func @k(%a: memref<?x?xf32>, %d: memref<?x?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %m = memref.dim %a, %c0 : memref<?x?xf32>
      cutl_tile.work_loop extents(%m, %m, %m)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 1, 2]>)
          schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
            : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x16xf32>
        %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 : !cutl_tile.acc<64x16xf32> -> !cutl_tile.acc<64x8xf32>
        cutl_tile.epilogue at(%m0, %n1) accumulators(%sum : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          cutl_tile.yield %x : f32
        } : (memref<?x?xf32>) -> ()
      }
      gpu.return
    }
  }
}
