// CTAs of a cluster share what they load: each copies a slice for all that read
// it, and a stage is free once all of them have released it.
// RUN: cutl-opt %s --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    cluster = array<i64: 2, 1, 1>
// CHECK-SAME:    grid = [{arg = 0 : i64, dim = 0 : i64, tile = 256 : i64}, {arg = 1 : i64, dim = 0 : i64, tile = 128 : i64}]
// CHECK-SAME:    {arg = 0 : i64, box = array<i64: 64, 128>,
// CHECK-SAME:    {arg = 1 : i64, box = array<i64: 64, 64>,
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// Two readers, each of two CTAs, release a stage.
// CHECK-COUNT-3: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-COUNT-3: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         nvvm.cluster.arrive
// CHECK-NEXT:    nvvm.cluster.wait
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg0,
// CHECK-NOT:     multicast_mask
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg1, {{.*}}multicast_mask = %
// CHECK:         mapa.shared::cluster.u32
// CHECK-SAME:    mbarrier.arrive.shared::cluster.b64
// CHECK:         nvvm.cluster.arrive
// CHECK-NEXT:    nvvm.cluster.wait
// CHECK-NEXT:    llvm.return
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 3, cluster = [2, 1], kernel = cooperative>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x128xf32>) outs(%d : (m, n)) stores(tensor) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}
