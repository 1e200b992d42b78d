// CTAs of a cluster that divide k meet where their rings were.
// RUN: cutl-opt %s --cutl-tile-select-transfers --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    cluster = array<i64: 2, 1, 4>
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 8, 1, 1>
// Of its own consumers' barriers, one arrival comes from each part of k; of the producer's, one from each consumer.
// CHECK:         nvvm.mbarrier.init %{{.*}}, %[[FOUR:.*]] : !llvm.ptr<3>, i32
// CHECK:         nvvm.mbarrier.init %{{.*}}, %[[EIGHT:.*]] : !llvm.ptr<3>, i32
// CHECK:         nvvm.cluster.arrive
// The producer waits for those that read the sums of the unit before.
// CHECK:         scf.for
// CHECK:           llvm.inline_asm {{.*}}mbarrier.try_wait.parity.acquire.cluster
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.wgmma.mma_async
// Each thread stores its accumulators, four at a time.
// CHECK-COUNT-8: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT:     llvm.store
// CHECK:         nvvm.barrier id
// CHECK:         llvm.inline_asm {{.*}}mbarrier.arrive.release.cluster
// CHECK:         llvm.inline_asm {{.*}}mbarrier.try_wait.parity.acquire.cluster
// It reads its share, two blocks of eight columns, from the four CTAs in the order of their parts.
// CHECK-COUNT-4: nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK:         %[[V0:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK:         %[[V1:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK:         %[[S1:.*]] = arith.addf %[[V0]], %[[V1]] : vector<4xf32>
// CHECK:         %[[V2:.*]] = llvm.load
// CHECK:         %[[S2:.*]] = arith.addf %[[S1]], %[[V2]] : vector<4xf32>
// CHECK:         %[[V3:.*]] = llvm.load
// CHECK:         arith.addf %[[S2]], %[[V3]] : vector<4xf32>
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK-NOT:     !llvm.ptr<7> -> vector<4xf32>
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
// CHECK:         nvvm.barrier id
// CHECK:         llvm.inline_asm {{.*}}mbarrier.arrive.release.cluster
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %b, %c0 : memref<?x?xf16>
    %k = memref.dim %a, %c1 : memref<?x?xf16>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1, 4]>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 : !cutl_tile.acc<64x64xf32> -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n1) accumulators(%sum : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
