// Units that share a tile take turns, in the order of numbers that CTAs draw.
// RUN: cutl-opt %s --cutl-tile-select-transfers --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    {{.*}}%[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[C:[a-z0-9]+]]: !llvm.ptr<1>)
// One thread draws the number of the CTA, all read it.
// CHECK:         %[[SHARED:.*]] = llvm.mlir.addressof @k_shared
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         nvvm.barrier
// CHECK:         %[[TICKET:.*]] = llvm.getelementptr %[[SHARED]][22560]
// CHECK:         scf.if
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:      %[[NUMBER:.*]] = llvm.atomicrmw add %[[C]], %[[ONE]] syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK-NEXT:      llvm.store %[[NUMBER]], %[[TICKET]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK-NOT:     nvvm.read.ptx.sreg.ctaid.x
// CHECK:         llvm.load %[[TICKET]] : !llvm.ptr<3> -> i32
// CHECK:         nvvm.wgmma.mma_async
// One of the warpgroup waits for the turn.
// CHECK:         scf.if %{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, i1) {
// CHECK:           %[[COUNTER:.*]] = llvm.getelementptr %[[C]][
// CHECK:           llvm.inline_asm has_side_effects "{{.*}}ld.acquire.gpu.global.b32 arrived, [$0];{{.*}}", "l,r,~{memory}" %[[COUNTER]], %{{.*}} : (!llvm.ptr<1>, i32) -> ()
// CHECK:           nvvm.barrier id =
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           scf.if %{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK:           } else {
// CHECK-COUNT-2:     llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:             arith.addf
// All but the last leave what they have, and count.
// CHECK:           scf.if
// CHECK:           } else {
// CHECK-COUNT-2:     llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK:             nvvm.barrier id =
// CHECK:               llvm.fence syncscope("device") acq_rel
// CHECK:               llvm.atomicrmw add %[[COUNTER]], %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %p: memref<?x1024xf32>, %c: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %b, %c0 : memref<?x?xf16>
    %k = memref.dim %a, %c1 : memref<?x?xf16>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.split_k<4, reduction = turnstile>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) turnstile
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
