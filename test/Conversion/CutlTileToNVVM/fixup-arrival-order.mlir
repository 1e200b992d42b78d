// Units that share a tile add to one row in global memory as they arrive.
// RUN: cutl-opt %s --cutl-tile-select-transfers --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// Vectors are added by instructions that the chip's version of PTX does not have.
// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    {{.*}}%[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[C:[a-z0-9]+]]: !llvm.ptr<1>)
// CHECK-SAME:    cutl_tile.min_ptx = 81 : i64
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         %[[PART:.*]] = arith.cmpi ne, %{{.*}}, %c1_i32
// CHECK:         scf.if %[[PART]] -> (i1) {
// CHECK:           llvm.getelementptr %[[P]][
// CHECK-COUNT-2:   llvm.inline_asm has_side_effects "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}" %{{.*}} : (!llvm.ptr<1>, f32, f32, f32, f32) -> ()
// CHECK-NOT:       red.
// CHECK-NOT:       llvm.store
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           nvvm.barrier id =
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK:             llvm.atomicrmw add
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK:           llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.count"
// The last one reads the row.
// CHECK:         scf.if %{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK-NOT:       scf.for
// CHECK-COUNT-2:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT:       arith.addf
// CHECK:           scf.yield
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %p: memref<?x1024xf32>, %c: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %b, %c0 : memref<?x?xf16>
    %k = memref.dim %a, %c1 : memref<?x?xf16>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.split_k<4, reduction = arrival_order>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) arrival_order
          : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) if(%last) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}
