// Parts of k become the outermost batch dimension, and another kernel adds them.
// RUN: cutl-opt %s --cutl-apply-schedule --canonicalize --cse | FileCheck %s
// RUN: cutl-opt %s --cutl-apply-schedule --cutl-apply-schedule --canonicalize --cse | FileCheck %s

// CHECK:       cutl.entry @f(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<96x?xbf16>, %[[D:.*]]: memref<?x96xbf16>, %{{.*}}: memref<?xi8>) {
// CHECK:         %[[M:.*]] = memref.dim %[[D]], %c0
// CHECK:         %[[P:.*]] = memref.alloc(%[[M]]) : memref<4x?x96xf32>
// CHECK:         cutl.launch_kernel @kernels::@f_0(%[[A]], %[[B]], %[[D]], %[[P]]) sm_budget(7)
// CHECK-NEXT:    cutl.launch_kernel @kernels::@f_0_combine_0(%[[P]], %[[D]]) sm_budget(7)
// CHECK:       gpu.func @f_0({{.*}}, %[[P:arg3]]: memref<4x?x96xf32>) kernel {
// CHECK:         cutl_tile.work_loop extents(%c4, %{{.*}}, %c96, %{{.*}}) parts(4) config({{.*}}) schedule(#cutl.split_k<4>) {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: index, %[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.mainloop at(%[[S]], %[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%{{.*}} : (m, k), %{{.*}} : (n, k))
// CHECK-NEXT:      cutl_tile.epilogue at(%[[S]], %[[M0]], %[[N0]]) {{.*}} outs(%[[P]] : (b, m, n)) {
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:        cutl_tile.yield %[[X]] : f32
// CHECK:       gpu.func @f_0_combine_0(%[[P:.*]]: memref<4x?x96xf32>, %[[D:.*]]: memref<?x96xbf16>) kernel {
// CHECK-NEXT:    cutl_tile.combine add %[[P]] into %[[D]]
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @f(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %d: memref<?x96xbf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f_0(%a, %b, %d) sm_budget(7) : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?x96xbf16>)
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
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>) schedule(#cutl.split_k<4>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
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
  }
}
