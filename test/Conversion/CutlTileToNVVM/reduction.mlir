// Reduced outputs of a tile, and the kernel that combines partial results.
// RUN: cutl-opt %s --split-input-file --cutl-tile-select-transfers --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// Over columns: the four lanes of a row exchange their sums, and one of them writes.
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME:    params = [{{.*}}{arg = 2 : i64, kind = "pointer"}, {arg = 2 : i64, dim = 0 : i64, kind = "stride"}]
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         %[[IDENTITY:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[IDENTITY]] : f32
// CHECK:         arith.addf
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32{{.*}}, %c31
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32{{.*}}, %c31
// CHECK:         scf.if
// CHECK:           llvm.store %{{.*}} : f32, !llvm.ptr<1>
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @rows(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %p: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>)
          outs(%p : (n floordiv 16, m) add) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

// Over rows: each exchange leaves a lane half of the columns that it had, until eight lanes have one block of eight each.
// CHECK-LABEL: llvm.func @columns(
// CHECK:         nvvm.wgmma.mma_async
// CHECK-COUNT-4: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c16_i32{{.*}}, %c31
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c8_i32{{.*}}, %c31
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c4_i32{{.*}}, %c31
// CHECK:         arith.maximumf
// CHECK-NOT:     nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32{{.*}}, %c31
// CHECK:         llvm.return
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @columns(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %p: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>)
          outs(%p : (m floordiv 16, n) max) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

// A CTA has 32 neighbours times 32 slices of what they combine.
// CHECK:       llvm.mlir.global internal @combine_slots() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x f32>
// CHECK:       llvm.func @combine(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME:    block = 1024 : i64
// CHECK-SAME:    grid = [{arg = 1 : i64, dim = 0 : i64, tile = 1 : i64}, {arg = 1 : i64, dim = 1 : i64, tile = 32 : i64}]
// CHECK-SAME:    params = [{arg = 0 : i64, kind = "pointer"}, {arg = 1 : i64, kind = "pointer"}, {arg = 0 : i64, dim = 0 : i64, kind = "size"}, {arg = 1 : i64, dim = 0 : i64, kind = "size"}, {arg = 1 : i64, dim = 1 : i64, kind = "size"}, {arg = 1 : i64, dim = 0 : i64, kind = "stride"}, {arg = 1 : i64, dim = 1 : i64, kind = "stride"}]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-8:     @$1 ld.global.b32
// CHECK:           llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK:           nvvm.barrier
// CHECK-COUNT-32:  llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT:       nvvm.barrier
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK:           llvm.store %{{.*}} : bf16, !llvm.ptr<1>
// CHECK:           nvvm.barrier
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @combine(%p: memref<?x?x?xf32>, %s: memref<?x?xbf16, strided<[?, ?]>>) kernel {
    cutl_tile.combine add %p into %s : memref<?x?x?xf32> into memref<?x?xbf16, strided<[?, ?]>>
    gpu.return
  }
}

// -----

// A number alone is combined from 1024 slices in two steps.
// CHECK-LABEL: llvm.func @number(
// CHECK-SAME:    grid = []
// CHECK-COUNT-3: nvvm.barrier
// CHECK-NOT:     nvvm.barrier
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @number(%p: memref<?x?xi64>, %s: memref<i64>) kernel {
    cutl_tile.combine max %p into %s : memref<?x?xi64> into memref<i64>
    gpu.return
  }
}
