// Units that share a tile meet in global memory.
// RUN: cutl-opt %s --cutl-tile-select-transfers --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// The workspace comes behind the operands.
// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    {{.*}}%[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[C:[a-z0-9]+]]: !llvm.ptr<1>)
// CHECK-SAME:    {arg = 3 : i64, kind = "pointer"}, {arg = 4 : i64, kind = "pointer"}]
// CHECK:         nvvm.wgmma.mma_async
// Each thread stores its accumulators, four at a time, and publishes them.
// CHECK:         %[[PART:.*]] = arith.cmpi ne, %[[COUNT:.*]], %c1_i32
// CHECK:         scf.if %[[PART]] -> (i1) {
// CHECK:           llvm.getelementptr %[[P]][
// CHECK-COUNT-2:   llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT:       llvm.store
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           nvvm.barrier id = %[[BARRIER:.*]] number_of_threads = %{{.*}}
// One of the warpgroup counts, and all of it learn whether that was the last.
// CHECK:           %[[LAST:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:             %[[COUNTER:.*]] = llvm.getelementptr %[[C]][
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK:             %[[BEFORE:.*]] = llvm.atomicrmw add %[[COUNTER]], %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK:             %[[AFTER:.*]] = arith.addi %[[BEFORE]], %{{.*}}
// CHECK:             %[[ALL:.*]] = arith.cmpi eq, %[[AFTER]], %[[COUNT]]
// CHECK:             scf.yield %[[ALL]]
// CHECK:           %[[VOTE:.*]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.count"(%{{.*}}, %{{.*}}, %[[LAST]])
// CHECK:           scf.yield %[[VOTE]]
// CHECK:         } else {
// CHECK:           scf.yield %{{.*}} : i1
// The sum begins with the zero that changes nothing.
// CHECK:         scf.if %{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           arith.constant -0.000000e+00 : f32
// CHECK:           scf.for
// CHECK:             llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:             arith.addf
// CHECK:         scf.if %{{.*}} {
// CHECK:           nvvm.stmatrix
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %p: memref<?x1024xf32>, %c: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %b, %c0 : memref<?x?xf16>
    %k = memref.dim %a, %c1 : memref<?x?xf16>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
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
