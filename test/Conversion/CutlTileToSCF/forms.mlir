// Batches, several accumulators and outputs, swapped sides, clusters, names.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// The last batch dimension is the innermost. A cluster is a worker: its CTAs
// take neighbouring tiles, here two along n, the side of the first extent.
// CHECK-LABEL: func.func private @batches(
// CHECK-SAME:    %[[A:.*]]: memref<?x?x?xf16>, %[[B:.*]]: memref<?x?x?xf16>, %[[B1:.*]]: memref<?x?xf16>, %[[S:.*]]: memref<f32>, %[[D:.*]]: memref<?x?x?x?xf32>, %[[E:.*]]: memref<?x?x?x?xf16>,
// CHECK-SAME:    %[[X0:.*]]: index, %[[X1:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index)
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG:     %[[TA:.*]] = memref.alloc() {{.*}}: memref<16x64xf32>
// CHECK-DAG:     %[[TB:.*]] = memref.alloc() {{.*}}: memref<64x64xf32>
// CHECK-DAG:     memref.alloc() {{.*}}: memref<16x64xf32>
// CHECK-DAG:     memref.alloc() {{.*}}: memref<16x64xf32>
// CHECK-DAG:     %[[TILESM:.*]] = arith.ceildivui %[[M]], %c16
// CHECK-DAG:     %[[TILESN:.*]] = arith.ceildivui %[[N]], %[[C128]]
// CHECK-DAG:     %[[BATCHES:.*]] = arith.muli %[[X0]], %[[X1]]
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK:           scf.for %[[UNIT:.*]] = %{{.*}} to %{{.*}} step %c4 {
// CHECK:             %[[BATCH:.*]] = arith.divui %[[UNIT]], %{{.*}}
// CHECK:             scf.for %[[J:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:          %[[PAIR:.*]] = arith.muli %{{.*}}, %c2
// CHECK-NEXT:          %[[TN:.*]] = arith.addi %[[PAIR]], %[[J]]
// CHECK-NEXT:          %[[I1:.*]] = arith.remui %[[BATCH]], %[[X1]]
// CHECK-NEXT:          %[[I0:.*]] = arith.divui %[[BATCH]], %[[X1]]
// CHECK-NEXT:          %[[M0:.*]] = arith.muli %{{.*}}, %c16
// CHECK-NEXT:          %[[N0:.*]] = arith.muli %[[TN]], %c64
// CHECK:               memref.load %[[A]][%[[I0]], %[[KA:.*]], %[[MA:.*]]] :
// CHECK:               memref.load %[[B]][%{{.*}}, %[[I1]], %{{.*}}] :
// CHECK:               memref.load %[[B1]][%{{.*}}, %{{.*}}] :
// CHECK:               scf.for
// CHECK:                 %[[U:.*]] = memref.load
// CHECK:                 %[[V:.*]] = memref.load
// CHECK:                 %[[W:.*]] = memref.load %[[S]][]
// CHECK:                 memref.store %[[W]], %[[D]][%[[I0]], %[[I1]], %[[MI:.*]], %[[NJ:.*]]] :
// CHECK:                 memref.store %{{.*}}, %[[E]][%[[NJ]], %[[I1]], %[[I0]], %[[MI]]] :
gpu.module @kernels {
  gpu.func @batches(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %b1: memref<?x?xf16>, %s: memref<f32>,
                    %d: memref<?x?x?x?xf32>, %e: memref<?x?x?x?xf16>, %x0: index, %x1: index, %m: index, %n: index,
                    %k: index) kernel {
    cutl_tile.work_loop extents(%x0, %x1, %m, %n, %k)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [2, 1], swap_operands = true>)
        schedule(#cutl.data_parallel) {
    ^bb0(%i: index, %j: index, %m0: index, %n0: index, %k0: index, %k1: index):
      %acc:2 = cutl_tile.mainloop at(%i, %j, %m0, %n0) k(%k0 to %k1)
          ins(%a : (b0, k, m), %b : (n, b1, k), %b1 : (k, n))
          : (memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?xf16>)
          -> (!cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
      cutl_tile.epilogue at(%i, %j, %m0, %n0)
          accumulators(%acc#0, %acc#1 : !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
          aux(%s : ()) outs(%d : (b0, b1, m, n), %e : (n, b1, b0, m)) {
      ^bb0(%u: f32, %v: f32, %w: f32):
        %p = arith.mulf %u, %v : f32
        %q = arith.truncf %p : f32 to f16
        cutl_tile.yield %w, %q : f32, f16
      } : (memref<f32>, memref<?x?x?x?xf32>, memref<?x?x?x?xf16>) -> ()
    }
    gpu.return
  }
}

// -----

// Entries become functions that call their kernels and free what lies between. Names that are taken give way; what is
// no kernel stays.
// CHECK-LABEL: func.func @host(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?xi8>)
// CHECK-NEXT:    call @[[ENTRY:taken_[0-9]+]](%[[A]], %[[D]], %[[W]]) :
// A function that is called keeps its arguments.
// CHECK:       func.func @called(%[[A:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?xi8>, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-NEXT:    call @[[ENTRY]](%[[A]], %[[A]], %[[W]]) :
// CHECK:       func.func private @taken()
// CHECK:       func.func private @[[ONE:taken_[0-9]+]](
// CHECK:         memref.dealloc
// CHECK:       func.func private @[[ENTRY]](%[[A:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>, %{{.*}}: memref<?xi8>)
// CHECK-NEXT:    %[[ALLOC:.*]] = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT:    %[[H:.*]] = memref.cast %[[ALLOC]]
// CHECK-NEXT:    call @[[ONE]](%[[A]], %[[H]])
// CHECK-NEXT:    call @[[ONE]](%[[H]], %[[D]])
// CHECK-NEXT:    memref.dealloc %[[ALLOC]]
// CHECK-NEXT:    return
// CHECK:       cutl.bundle @bundle {
// CHECK-NEXT:    gpu.module @kernels {
// CHECK-NEXT:      gpu.func @helper() {
// CHECK-NOT:   gpu.func
// CHECK-NOT:   cutl.
func.func @host(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  cutl.launch @bundle::@taken(%a, %d) workspace(%workspace) stream(%stream) : (memref<?x?xf32>, memref<?x?xf32>)
  return
}
func.func @called(%a: memref<?x?xf32>, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  cutl.launch @bundle::@taken(%a, %a) workspace(%workspace) stream(%stream) : (memref<?x?xf32>, memref<?x?xf32>)
  return
}
func.func @caller(%a: memref<?x?xf32>, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  call @called(%a, %workspace, %stream) : (memref<?x?xf32>, memref<?xi8>, !llvm.ptr) -> ()
  return
}
func.func private @taken()
cutl.bundle @bundle {
cutl.entry @taken(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %workspace: memref<?xi8>) {
  %alloc = memref.alloc() : memref<4x4xf32>
  %h = memref.cast %alloc : memref<4x4xf32> to memref<?x?xf32>
  cutl.launch_kernel @kernels::@taken(%a, %h) : (memref<?x?xf32>, memref<?x?xf32>)
  cutl.launch_kernel @kernels::@taken(%h, %d) : (memref<?x?xf32>, memref<?x?xf32>)
}
gpu.module @kernels {
  gpu.func @helper() {
    gpu.return
  }
  gpu.func @taken(%a: memref<?x?xf32>, %d: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %m = memref.dim %a, %c0 : memref<?x?xf32>
    cutl_tile.work_loop extents(%m, %m, %m) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
          : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x8xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
      ^bb0(%x: f32):
        cutl_tile.yield %x : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
}

// -----

// A condition from outside the loop.
// CHECK-LABEL:  func.func private @outer_condition(
// CHECK-SAME:     %[[WHETHER:[a-z0-9]+]]: i1)
// CHECK:          scf.if %[[WHETHER]] {
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @outer_condition(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index, %whether: i1) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) if(%whether) outs(%d : (m, n)) {
      ^bb0(%z: f32):
        cutl_tile.yield %z : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
