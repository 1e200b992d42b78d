// An output written by the threads: no tensor map of it, but its address and its
// dynamic strides.
// RUN: cutl-opt %s --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    %[[D:[a-z0-9]+]]: !llvm.ptr<1>, %[[STRIDE:[a-z0-9]+]]: i64)
// CHECK-NOT:     stored
// CHECK-SAME:    {arg = 0 : i64, dim = 1 : i64, kind = "size"}, {arg = 2 : i64, kind = "pointer"}, {arg = 2 : i64, dim = 0 : i64, kind = "stride"}],
// CHECK:         nvvm.wgmma.mma_async
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.global
// CHECK-NOT:     nvvm.cp.async.bulk.wait_group
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[D]][
// CHECK:         llvm.store %{{.*}}, %{{[^ ]*}} {{.*}}: i16, !llvm.ptr<1>
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.global
// CHECK:         llvm.return

// A static stride is no parameter.
// CHECK-LABEL: llvm.func @static_stride(
// CHECK-SAME:    {arg = 2 : i64, kind = "pointer"}], programmatic, shared_bytes
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
  gpu.func @static_stride(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x10xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x10xf16>) -> ()
    }
    gpu.return
  }
}
