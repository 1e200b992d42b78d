// Kernels get what their schedule asks for.
// RUN: cutl-opt %s --cutl-apply-schedule --canonicalize --cse | FileCheck %s
// RUN: cutl-opt %s --cutl-apply-schedule --cutl-apply-schedule --canonicalize --cse | FileCheck %s

// The default: all tiles but the full waves, less one of those where some tiles are left. Positions in the row of all
// iterations have 64 bits.
// CHECK:       cutl.entry @f(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<96x?xbf16>, %[[D:.*]]: memref<?x96xbf16>, %{{.*}}: memref<?xi8>) {
// CHECK:         %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK:         %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK:         %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c64
// CHECK:         %[[STEPS:.*]] = arith.ceildivui %[[K]], %c64
// CHECK:         %[[WORKERS:.*]] = cutl.resident_ctas @kernels::@f_0
// CHECK:         %[[TILES:.*]] = arith.muli %[[TILES_M]], %c3
// CHECK:         %[[WAVES:.*]] = arith.divui %[[TILES]], %[[WORKERS]]
// CHECK:         %[[REST:.*]] = arith.remui %[[TILES]], %[[WORKERS]]
// CHECK:         %[[ONE:.*]] = arith.minui %[[REST]], %c1
// CHECK:         %[[AT_LEAST:.*]] = arith.maxui %[[WAVES]], %[[ONE]]
// CHECK:         %[[FULL:.*]] = arith.subi %[[AT_LEAST]], %[[ONE]]
// CHECK:         %[[WHOLE:.*]] = arith.muli %[[FULL]], %[[WORKERS]]
// CHECK:         %[[LEFT:.*]] = arith.subi %[[TILES]], %[[WHOLE]]
// CHECK:         %[[STREAMED:.*]] = arith.muli %[[LEFT]], %{{.*}}
// CHECK:         %[[ITERATIONS:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         %[[SHARERS64:.*]] = arith.minui %{{.*}}, %[[ITERATIONS]] : i64
// CHECK:         %[[SHARERS:.*]] = arith.index_castui %[[SHARERS64]] : i64 to index
// CHECK:         %[[OTHERS:.*]] = arith.subi %[[TILES]], %[[STREAMED]]
// CHECK:         %[[USEFUL:.*]] = arith.maxui %[[SHARERS]], %[[OTHERS]]
// CHECK:         %[[GRID:.*]] = arith.minui %[[WORKERS]], %[[USEFUL]]
// CHECK:         %[[SLOTS:.*]] = arith.addi %[[STREAMED]], %[[SHARERS]]
// CHECK:         %[[P:.*]] = memref.alloc(%[[SLOTS]]) : memref<?x2048xf32>
// CHECK:         %[[C:.*]] = memref.alloc(%[[SLOTS]]) : memref<?xi32>
// CHECK:         cutl.memset %[[C]] to 0 : memref<?xi32>
// CHECK-NEXT:    cutl.launch_kernel @kernels::@f_0(%[[A]], %[[B]], %[[D]], %[[P]], %[[C]]) grid(%[[GRID]])

// Each CTA of a cluster has a row, and each consumer with rows of its own a counter.
// CHECK:       cutl.entry @some(
// CHECK:         %[[CTAS:.*]] = cutl.resident_ctas @kernels::@some_0
// CHECK:         %[[WORKERS:.*]] = arith.divui %[[CTAS]], %c2
// CHECK:         arith.minui %{{.*}}, %c40
// CHECK:         %[[GRID:.*]] = arith.minui %[[WORKERS]],
// CHECK:         %[[SLOTS:.*]] = arith.addi
// CHECK:         %[[ROWS:.*]] = arith.muli %[[SLOTS]], %c2
// CHECK:         %[[COUNTERS:.*]] = arith.muli %[[SLOTS]], %c4
// CHECK:         memref.alloc(%[[ROWS]]) : memref<?x4096xf32>
// CHECK:         memref.alloc(%[[COUNTERS]]) : memref<?xi32>
// CHECK:         %[[IN_CTAS:.*]] = arith.muli %[[GRID]], %c2
// CHECK:         cutl.launch_kernel @kernels::@some_0({{.*}}) grid(%[[IN_CTAS]])

// No more run at once than the launch may take.
// CHECK:       cutl.entry @limited(
// CHECK:         %[[CTAS:.*]] = cutl.resident_ctas @kernels::@some_0
// CHECK:         %[[ALLOWED:.*]] = arith.minui %[[CTAS]], %c7
// CHECK:         %[[WORKERS:.*]] = arith.divui %[[ALLOWED]], %c2
// CHECK:         %[[GRID:.*]] = arith.minui %[[WORKERS]],
// CHECK:         %[[IN_CTAS:.*]] = arith.muli %[[GRID]], %c2
// CHECK:         cutl.launch_kernel @kernels::@some_0({{.*}}) grid(%[[IN_CTAS]]) sm_budget(7)

// CHECK:       gpu.func @f_0({{.*}}, %[[P:arg3]]: memref<?x2048xf32>, %[[C:arg4]]: memref<?xi32>) kernel {
// CHECK:         ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[SLOT:.*]]: index, %[[FIRST:.*]]: index, %[[COUNT:.*]]: index):
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.mainloop
// CHECK-NEXT:      %[[SUM:.*]], %[[LAST:.*]] = cutl_tile.fixup %[[ACC]] slot(%[[SLOT]]) of(%[[FIRST]], %[[COUNT]]) partials(%[[P]]) arrivals(%[[C]])
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[SUM]] : !cutl_tile.acc<64x32xf32>) if(%[[LAST]]) outs(

// CHECK:       gpu.func @some_0({{.*}}, %{{.*}}: memref<?x4096xf32>, %{{.*}}: memref<?xi32>) kernel {

// CHECK:       gpu.func @whole_tiles(
// CHECK-NOT:     cutl_tile.fixup
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @f(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f_0(%a, %b, %d) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
    cutl.end_entry
  }
  cutl.entry @some(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@some_0(%a, %b, %d) : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    cutl.end_entry
  }
  cutl.entry @limited(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@some_0(%a, %b, %d) sm_budget(7)
        : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    cutl.end_entry
  }
  gpu.module @kernels {
    gpu.func @f_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %o = arith.truncf %x : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x96xbf16>) -> ()
      }
      gpu.return
    }
    gpu.func @some_0(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      %n = memref.dim %b, %c0 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [128, 32, 64], stages = 2, kernel = cooperative, cluster = [2, 1]>)
          schedule(#cutl.stream_k<tiles = 40>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<?x?xbf16>) -> !cutl_tile.acc<128x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x32xf32>) outs(%d : (m, n)) {
        ^bb0(%x: f32):
          %o = arith.truncf %x : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x?xbf16>) -> ()
      }
      gpu.return
    }
    gpu.func @whole_tiles(%a: memref<?x?xbf16>, %d: memref<?x?xf32>, %x: index) kernel {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
            : (memref<?x?xbf16>, memref<?x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>) outs(%d : (m, n)) {
        ^bb0(%y: f32):
          cutl_tile.yield %y : f32
        } : (memref<?x?xf32>) -> ()
      }
      gpu.return
    }
  }
}
