// Parts of an auxiliary matrix are loaded into the buffers of an output.
// RUN: cutl-opt %s --cutl-tile-select-transfers --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// A tensor map that is not stored, and no pointer. The one buffer takes the first of two parts after the first products
// have been started, when the tile before has left it; the second part is fetched into the cache, and loaded when the
// first one's output has left. The parts overlap: what is loaded has arrived before the buffer is filled with results.
// CHECK-LABEL: llvm.func @one_buffer(
// CHECK-SAME:    cutl_tile.launch_info = {{.*}}{arg = 3 : i64, box = array<i64: 64, 64>, dims = array<i64: 1, 0>, kind = "tensor_map", stored, swizzle = "128B"}, {arg = 2 : i64, box = array<i64: 64, 64>, dims = array<i64: 1, 0>, kind = "tensor_map", swizzle = "128B"}
// CHECK:         nvvm.mbarrier.init
// CHECK:         nvvm.setmaxregister increase
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         scf.if
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:           nvvm.mbarrier.arrive.expect_tx
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:           nvvm.cp.async.bulk.tensor.prefetch
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:         mbarrier.try_wait.parity
// CHECK:         nvvm.barrier id
// CHECK:         nvvm.ldmatrix
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK:         scf.if
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:           nvvm.mbarrier.arrive.expect_tx
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         mbarrier.try_wait.parity
// CHECK:         nvvm.barrier id
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.ldmatrix
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-LABEL: llvm.func @one_buffer_elements(
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         ld.global.b16
// CHECK-NOT:     nvvm.ldmatrix
  gpu.func @one_buffer(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 72, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x72xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x72xf32>) aux(%c : (m, n)) outs(%d : (m, n)) {
      ^bb0(%y: f32, %p: f16):
        %q = arith.extf %p : f16 to f32
        %z = arith.mulf %y, %q : f32
        %o = arith.truncf %z : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>, memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Where a factor is zero nothing is loaded and nothing waited for; words and bytes are read in pairs.
// CHECK-LABEL: llvm.func @gated(
// CHECK:         %[[GATE:.*]] = arith.cmpf une
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         scf.if
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:      scf.if %[[GATE]] {
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         scf.if %[[GATE]] {
// CHECK:           mbarrier.try_wait.parity
// CHECK:         %[[PAIR:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:         arith.select %[[GATE]], %[[PAIR]], %{{.*}} : vector<2xi32>
  gpu.func @gated(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>, %d: memref<?x?xf32>, %beta: f32, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, epilogue_buffers = 2>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>) aux(%c : (m, n), %beta : ()) outs(%d : (m, n)) {
      ^bb0(%y: f32, %p: f32, %f: f32):
        %one = arith.constant 1.0 : f32
        %z = cutl.linear_combination %one, %y, %f, %p : f32
        cutl_tile.yield %z : f32
      } : (memref<?x?xf32>, f32, memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
