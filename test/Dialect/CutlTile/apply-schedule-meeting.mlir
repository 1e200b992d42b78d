// Parts of k that meet in a workspace, and units that add as they arrive.
// RUN: cutl-opt %s --cutl-apply-schedule --canonicalize --cse | FileCheck %s
// RUN: cutl-opt %s --cutl-apply-schedule --cutl-apply-schedule --canonicalize --cse | FileCheck %s

// A row for each part of each tile.
// CHECK:       cutl.entry @parts(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<96x?xbf16>, %[[D:.*]]: memref<?x96xbf16>, %{{.*}}: memref<?xi8>) {
// CHECK:         %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK:         %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c64
// CHECK:         %[[WORKERS:.*]] = cutl.resident_ctas @kernels::@parts_0
// CHECK:         %[[UNITS:.*]] = arith.muli %[[TILES_M]], %c12
// CHECK:         %[[GRID:.*]] = arith.minui %[[UNITS]], %[[WORKERS]]
// CHECK:         %[[P:.*]] = memref.alloc(%[[UNITS]]) : memref<?x2048xf32>
// CHECK:         %[[C:.*]] = memref.alloc(%[[UNITS]]) : memref<?xi32>
// CHECK-NEXT:    cutl.memset %[[C]] to 0 : memref<?xi32>
// CHECK-NEXT:    cutl.launch_kernel @kernels::@parts_0(%[[A]], %[[B]], %[[D]], %[[P]], %[[C]]) grid(%[[GRID]])
// CHECK-NOT:     cutl.launch_kernel

// Nothing is added up.
// CHECK:       cutl.entry @one_part(
// CHECK:         memref.alloc() : memref<0x2048xf32>

// A row for each tile, which is nothing at first.
// CHECK:       cutl.entry @added(
// CHECK:         %[[TILES_M:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK:         %[[TILES:.*]] = arith.muli %[[TILES_M]], %c3
// CHECK:         %[[P:.*]] = memref.alloc(%[[TILES]]) : memref<?x2048xf32>
// CHECK:         %[[C:.*]] = memref.alloc(%[[TILES]]) : memref<?xi32>
// CHECK-NEXT:    cutl.memset %[[P]] to 0 : memref<?x2048xf32>
// CHECK-NEXT:    cutl.memset %[[C]] to 0 : memref<?xi32>
// CHECK-NEXT:    cutl.launch_kernel @kernels::@added_0({{.*}}, %[[P]], %[[C]]) grid(

// CHECK:       cutl.entry @shares(
// CHECK:         arith.divui %{{.*}}, %c2 : index
// CHECK-NEXT:    arith.minui
// CHECK-NEXT:    %[[STREAMED:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    arith.index_castui %[[STREAMED]] : index to i64
// CHECK:         %[[P:.*]] = memref.alloc(%[[STREAMED]]) : memref<?x2048xf32>
// CHECK:         cutl.memset %[[P]] to 0 : memref<?x2048xf32>

// CTAs draw their numbers from one more counter.
// CHECK:       cutl.entry @turns(
// CHECK:         %[[TILES_M:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK:         arith.muli %[[TILES_M]], %c12
// CHECK:         %[[TILES:.*]] = arith.muli %[[TILES_M]], %c3
// CHECK:         %[[COUNTERS:.*]] = arith.addi %[[TILES]], %c1
// CHECK:         memref.alloc(%[[TILES]]) : memref<?x2048xf32>
// CHECK:         %[[C:.*]] = memref.alloc(%[[COUNTERS]]) : memref<?xi32>
// CHECK-NEXT:    cutl.memset %[[C]] to 0 : memref<?xi32>
// CHECK-NEXT:    cutl.launch_kernel @kernels::@turns_0(

// CHECK:       gpu.func @parts_0({{.*}}, %[[P:arg3]]: memref<?x2048xf32>, %[[C:arg4]]: memref<?xi32>) kernel {
// CHECK:         cutl_tile.work_loop extents(%{{.*}}, %c96, %{{.*}}) config({{.*}}) schedule(#cutl.split_k<4, reduction = last_arriver>) {
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[SLOT:.*]]: index, %[[FIRST:.*]]: index, %[[COUNT:.*]]: index):
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.mainloop
// CHECK-NEXT:      %[[SUM:.*]], %[[LAST:.*]] = cutl_tile.fixup %[[ACC]] slot(%[[SLOT]]) of(%[[FIRST]], %[[COUNT]]) partials(%[[P]]) arrivals(%[[C]]) : (
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[SUM]] : !cutl_tile.acc<64x32xf32>) if(%[[LAST]]) outs(
// CHECK-NEXT:      ^bb0(
// CHECK-NEXT:        cutl.relu

// CHECK:       gpu.func @added_0(
// CHECK:         cutl_tile.fixup %{{.*}} slot(%{{.*}}) of(%{{.*}}, %{{.*}}) partials(%{{.*}}) arrivals(%{{.*}}) arrival_order
// CHECK:       gpu.func @shares_0(
// CHECK:         cutl_tile.fixup {{.*}} arrival_order
// CHECK:       gpu.func @turns_0(
// CHECK:         cutl_tile.fixup {{.*}} arrivals(%{{.*}}) turnstile : (
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @parts(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@parts_0(%a, %b, %d) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
    cutl.end_entry
  }
  cutl.entry @one_part(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@one_part_0(%a, %b, %d) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
    cutl.end_entry
  }
  cutl.entry @added(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@added_0(%a, %b, %d) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
    cutl.end_entry
  }
  cutl.entry @shares(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@shares_0(%a, %b, %d) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
    cutl.end_entry
  }
  cutl.entry @turns(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@turns_0(%a, %b, %d) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
    cutl.end_entry
  }
  gpu.module @kernels {
    gpu.func @parts_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>)
          schedule(#cutl.split_k<4, reduction = last_arriver>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %y = cutl.relu %x : f32
          %o = arith.truncf %y : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x96xbf16>) -> ()
      }
      gpu.return
    }
    gpu.func @one_part_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>)
          schedule(#cutl.split_k<1, reduction = last_arriver>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %y = cutl.relu %x : f32
          %o = arith.truncf %y : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x96xbf16>) -> ()
      }
      gpu.return
    }
    gpu.func @added_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>)
          schedule(#cutl.split_k<4, reduction = arrival_order>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %y = cutl.relu %x : f32
          %o = arith.truncf %y : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x96xbf16>) -> ()
      }
      gpu.return
    }
    gpu.func @shares_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>)
          schedule(#cutl.stream_k<reduction = arrival_order>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %y = cutl.relu %x : f32
          %o = arith.truncf %y : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x96xbf16>) -> ()
      }
      gpu.return
    }
    gpu.func @turns_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>)
          schedule(#cutl.split_k<4, reduction = turnstile>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %y = cutl.relu %x : f32
          %o = arith.truncf %y : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x96xbf16>) -> ()
      }
      gpu.return
    }
  }
}
