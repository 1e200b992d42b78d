// A whole kernel, from the barriers to the copy of the output.
// RUN: cutl-opt %s --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm=programmatic-launch=false | FileCheck %s --check-prefix=ALONE

// CHECK:      llvm.mlir.global external @k_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK:      llvm.func @k(
// CHECK-SAME:   %[[A:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// CHECK-SAME:   %[[B:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// CHECK-SAME:   %[[D:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// CHECK-SAME:   %[[M:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32, %[[K:[a-z0-9]+]]: i32)
// CHECK-SAME:   cutl_tile.launch_info = {alternative = @other, block = 256 : i64, cluster = array<i64: 1, 1, 1>,
// CHECK-SAME:   grid = [{arg = 0 : i64, dim = 0 : i64, tile = 64 : i64}, {arg = 1 : i64, dim = 0 : i64, tile = 64 : i64}],
// CHECK-SAME:   params = [
// CHECK-SAME:   {arg = 0 : i64, box = array<i64: 64, 64>, dims = array<i64: 1, 0>, kind = "tensor_map", swizzle = "128B"},
// CHECK-SAME:   {arg = 1 : i64, box = array<i64: 64, 64>, dims = array<i64: 1, 0>, kind = "tensor_map", swizzle = "128B"},
// CHECK-SAME:   {arg = 2 : i64, box = array<i64: 64, 64>, dims = array<i64: 1, 0>, kind = "tensor_map", stored, swizzle = "128B"},
// CHECK-SAME:   {arg = 0 : i64, dim = 0 : i64, kind = "size"}, {arg = 1 : i64, dim = 0 : i64, kind = "size"},
// CHECK-SAME:   {arg = 0 : i64, dim = 1 : i64, kind = "size"}], programmatic, shared_bytes = 40992 : i64}, nvvm.kernel
// CHECK-SAME:   nvvm.reqntid = array<i32: 256, 1, 1>

// CHECK-NOT:     nvvm.griddepcontrol
// Two full and two empty barriers; one arrival each.
// CHECK-COUNT-4: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NOT:     nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         nvvm.barrier{{$}}

// Memory is touched only when what ran before has ended.
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.griddepcontrol

// ALONE-NOT: programmatic
// ALONE-NOT: griddepcontrol

// One thread of the producer waits for an empty stage and copies.
// CHECK:         nvvm.setmaxregister {{ *}}decrease 40
// CHECK:         scf.for
// CHECK:         mbarrier.try_wait.parity
// CHECK:         %[[BYTES:.*]] = arith.constant 16384 : i32
// CHECK-NEXT:    nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[A]],
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[B]],
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global

// The consumer starts at zero with the first step of a tile and adds the others.
// CHECK:         nvvm.setmaxregister {{ *}}increase 248
// CHECK:         mbarrier.try_wait.parity
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         nvvm.wgmma.mma_async {{.*}} <m = 64, n = 64, k = 16>, D[<f32>, <zero>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         wgmma.wait_group.sync.aligned 0
// CHECK:         nvvm.mbarrier.arrive

// Staged, made visible to the copy engine, written; the next tile waits until
// the buffer is read.
// CHECK:         nvvm.cp.async.bulk.wait_group
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[D]],
// CHECK:         nvvm.cp.async.bulk.commit.group
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {{.*}}read
// CHECK-NOT:     llvm.store
// CHECK:         llvm.return
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel
      attributes {cutl_tile.alternative = @other} {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>) outs(%d : (m, n)) stores(tensor) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}
