// Units that add to the row of their tile as they arrive.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=3' --canonicalize --cse | FileCheck %s

cutl.bundle @bundle {
cutl.entry @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %workspace: memref<?xi8>) {
  %ctas = cutl.resident_ctas @kernels::@k
  %p = memref.alloc(%ctas) : memref<?x512xf32>
  %c = memref.alloc(%ctas) : memref<?xi32>
  cutl.memset %p to 0 : memref<?x512xf32>
  cutl.memset %c to 0 : memref<?xi32>
  cutl.launch_kernel @kernels::@k(%a, %d, %p, %c) grid(%ctas)
      : (memref<?x?xf32>, memref<?x?xf32>, memref<?x512xf32>, memref<?xi32>)
}
gpu.module @kernels {
// CHECK-LABEL: func.func private @k(
// CHECK-SAME:    %[[P:arg2]]: memref<?x512xf32>, %[[C:arg3]]: memref<?xi32>)
// CHECK:         %[[PART:.*]] = arith.divui %[[INDEX:.*]], %[[TILES:.*]] : index
// CHECK:         %[[TILE:.*]] = arith.remui %[[INDEX]], %[[TILES]] : index
// CHECK:             %[[BEFORE:.*]] = memref.load %[[P]][%[[TILE]], %[[PLACE:.*]]]
// CHECK-NEXT:        %[[OWN:.*]] = memref.load %[[X:.*]][%{{.*}}, %{{.*}}] : memref<64x8xf32>
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[OWN]]
// CHECK-NEXT:        memref.store %[[SUM]], %[[P]][%[[TILE]], %[[PLACE]]]
// CHECK:         %[[ARRIVED:.*]] = memref.load %[[C]][%[[TILE]]]
// The last one reads what all have added.
// CHECK:         scf.if
// CHECK:           memref.load %[[P]][%[[TILE]],
// CHECK-NEXT:      memref.store %{{.*}}, %[[X]][
// CHECK-NOT:       arith.addf
// CHECK:         return
  gpu.func @k(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %p: memref<?x512xf32>, %c: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %m = memref.dim %a, %c0 : memref<?x?xf32>
    cutl_tile.work_loop extents(%m, %m, %m)
        config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
        schedule(#cutl.split_k<4, reduction = arrival_order>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
          : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x8xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) arrival_order
          : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x8xf32>) if(%last) outs(%d : (m, n)) {
      ^bb0(%x: f32):
        cutl_tile.yield %x : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
}

// CHECK-LABEL: func.func private @f(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[P:.*]] = memref.alloc() : memref<3x512xf32>
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK-NEXT:        memref.store %[[ZERO]], %[[P]][%[[I]], %[[J]]]
// CHECK:         call @k(
