// Units that share a tile, and the steps of their entry.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=3' --canonicalize --cse | FileCheck %s

cutl.bundle @bundle {
cutl.entry @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %workspace: memref<?xi8>) {
  // All CTAs of all clusters run at once.
  %ctas = cutl.resident_ctas @kernels::@k
  %p = memref.alloc(%ctas) : memref<?x1024xf32>
  %c = memref.alloc(%ctas) : memref<?xi32>
  cutl.memset %c to 0 : memref<?xi32>
  cutl.launch_kernel @kernels::@k(%a, %d, %p, %c) grid(%ctas)
      : (memref<?x?xf32>, memref<?x?xf32>, memref<?x1024xf32>, memref<?xi32>)
}
gpu.module @kernels {
// CHECK-LABEL: func.func private @k(
// CHECK-SAME:    %[[P:arg2]]: memref<?x1024xf32>, %[[C:arg3]]: memref<?xi32>)
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK-DAG:     %[[C512:.*]] = arith.constant 512 : index
// CHECK-DAG:     %[[X:.*]] = memref.alloc() {{.*}}: memref<64x8xf32>
// A row for each CTA of a cluster.
// CHECK:         %[[PART:.*]] = arith.cmpi sgt, %[[COUNT:.*]], %c1 : index
// CHECK-NEXT:    %[[LAST:.*]] = scf.if %[[PART]] -> (i1) {
// CHECK:           %[[ROW0:.*]] = arith.muli %[[SLOT:.*]], %c2
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[ROW0]], %[[RANK:.*]] : index
// CHECK:           memref.store %{{.*}}, %[[P]][%[[ROW]], %{{.*}}]
// The accumulators of the second product come behind those of the first.
// CHECK:           arith.addi %{{.*}}, %[[C512]]
// CHECK:           memref.store %{{.*}}, %[[P]][%[[ROW]], %{{.*}}]
// CHECK:           %[[FIRST0:.*]] = arith.muli %[[FIRST:.*]], %c2
// CHECK-NEXT:      %[[COUNTER:.*]] = arith.addi %[[FIRST0]], %[[RANK]]
// CHECK-NEXT:      %[[BEFORE:.*]] = memref.load %[[C]][%[[COUNTER]]]
// CHECK-NEXT:      %[[ARRIVED:.*]] = arith.addi %[[BEFORE]], %c1_i32
// CHECK-NEXT:      memref.store %[[ARRIVED]], %[[C]][%[[COUNTER]]]
// CHECK-NEXT:      %[[WANTED:.*]] = arith.index_castui %[[COUNT]] : index to i32
// CHECK-NEXT:      %[[ALL:.*]] = arith.cmpi eq, %[[ARRIVED]], %[[WANTED]]
// CHECK-NEXT:      scf.if %[[ALL]] {
// In the order of slots.
// CHECK:             memref.load %[[P]][%[[COUNTER]], %{{.*}}]
// CHECK:             scf.for %[[NUMBER:.*]] = %c1 to %[[COUNT]] step %c1 {
// CHECK-NEXT:          %[[NEXT0:.*]] = arith.addi %[[FIRST]], %[[NUMBER]]
// CHECK:               memref.load %[[P]][
// CHECK:               arith.addf
// CHECK:           scf.yield %[[ALL]] : i1
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[TRUE]] : i1
// CHECK:         scf.if %[[LAST]] {
// CHECK:           memref.store %{{.*}}, %arg1[
  gpu.func @k(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %p: memref<?x1024xf32>, %c: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %m = memref.dim %a, %c0 : memref<?x?xf32>
    cutl_tile.work_loop extents(%m, %m, %m)
        config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single, cluster = [1, 2]>)
        schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k), %a : (k, n))
          : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> (!cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf32>)
      %sum:2, %last = cutl_tile.fixup %acc#0, %acc#1 slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
          : (!cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf32>), memref<?x1024xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum#0, %sum#1 : !cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf32>)
          if(%last) outs(%d : (m, n)) {
      ^bb0(%x: f32, %y: f32):
        %z = arith.mulf %x, %y : f32
        cutl_tile.yield %z : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
}

// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    %[[A:arg0]]: memref<?x?xf32>, %[[D:arg1]]: memref<?x?xf32>, %{{.*}}: memref<?xi8>)
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         %[[P:.*]] = memref.alloc() : memref<6x1024xf32>
// CHECK:         %[[C:.*]] = memref.alloc() : memref<6xi32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[SIX]] step %c1 {
// CHECK-NEXT:      memref.store %[[ZERO]], %[[C]][%[[I]]]
// CHECK:         call @k(
