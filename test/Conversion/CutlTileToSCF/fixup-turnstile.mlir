// Units that add to what the one before has left.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=3 cta-order=reverse' --canonicalize --cse | FileCheck %s

cutl.bundle @bundle {
cutl.entry @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %workspace: memref<?xi8>) {
  %ctas = cutl.resident_ctas @kernels::@k
  %p = memref.alloc(%ctas) : memref<?x512xf32>
  %c = memref.alloc(%ctas) : memref<?xi32>
  cutl.memset %c to 0 : memref<?xi32>
  cutl.launch_kernel @kernels::@k(%a, %d, %p, %c) grid(%ctas)
      : (memref<?x?xf32>, memref<?x?xf32>, memref<?x512xf32>, memref<?xi32>)
}
gpu.module @kernels {
// CHECK-LABEL: func.func private @k(
// CHECK-SAME:    %[[P:arg2]]: memref<?x512xf32>, %[[C:arg3]]: memref<?xi32>)
// Neighbouring units, by the number of the CTA in the order in which they start.
// CHECK:         scf.for %[[WORKER:.*]] = %c0 to %c3
// CHECK:           arith.divui %[[UNITS:.*]], %c3
// CHECK:           arith.remui %[[UNITS]], %c3
// CHECK:           scf.for %[[INDEX:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK:         %[[PART:.*]] = arith.divui %[[INDEX]], %[[TILES:.*]] : index
// CHECK:         %[[TILE:.*]] = arith.remui %[[INDEX]], %[[TILES]] : index
// A turn that has not come would give no numbers.
// CHECK:         %[[ARRIVED:.*]] = memref.load %[[C]][
// CHECK:         %[[IS_TURN:.*]] = arith.cmpi eq, %[[ARRIVED]],
// CHECK:             arith.addf
// CHECK:             %[[SUM:.*]] = arith.select %[[IS_TURN]], %{{.*}}, %cst
// CHECK-NEXT:        memref.store %[[SUM]], %[[P]][
// CHECK-NEXT:        memref.store %[[SUM]], %{{.*}} : memref<64x8xf32>
// CHECK:         memref.store %{{.*}}, %[[C]][
  gpu.func @k(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %p: memref<?x512xf32>, %c: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %m = memref.dim %a, %c0 : memref<?x?xf32>
    cutl_tile.work_loop extents(%m, %m, %m)
        config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
        schedule(#cutl.split_k<4, reduction = turnstile>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
          : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x8xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) turnstile
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
