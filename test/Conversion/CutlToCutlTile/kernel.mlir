// RUN: cutl-opt %s --convert-cutl-to-cutl-tile | FileCheck %s

// CHECK-LABEL: gpu.func @batched(
// CHECK-SAME:    %[[A:.*]]: memref<?x?x?xbf16>, %[[B:.*]]: memref<?x?x?xbf16>, %[[C:.*]]: memref<?xf32>, %[[D:.*]]: memref<?x?x?xbf16>) kernel
// CHECK-DAG:     %[[BATCH:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[A]], %c1
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[B]], %c2
// CHECK-DAG:     %[[K:.*]] = memref.dim %[[A]], %c2
// CHECK:         cutl_tile.work_loop extents(%[[BATCH]], %[[M]], %[[N]], %[[K]]) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:    ^bb0(%[[B0:.*]]: index, %[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.mainloop at(%[[B0]], %[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (b, m, k), %[[B]] : (b, k, n)) : {{.*}} -> !cutl_tile.acc<16x64xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[B0]], %[[M0]], %[[N0]]) accumulators(%[[ACC]] : !cutl_tile.acc<16x64xf32>) aux(%[[C]] : (n)) outs(%[[D]] : (b, m, n)) {
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT:        %[[O:.*]] = arith.truncf %[[S]] : f32 to bf16
// CHECK-NEXT:        cutl_tile.yield %[[O]] : bf16
// CHECK-NOT:     cutl.gemm
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @batched(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %c: memref<?xf32>, %d: memref<?x?x?xbf16>) kernel {
    cutl.gemm ins(%a : (b, m, k), %b : (b, k, n)) aux(%c : (n)) outs(%d : (b, m, n))
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>)
        schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32, %bias: f32):
      %s = arith.addf %acc, %bias : f32
      %o = arith.truncf %s : f32 to bf16
      cutl.yield %o : bf16
    } : (memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?xf32>, memref<?x?x?xbf16>) -> ()
    gpu.return
  }
}
