// A mainloop becomes a ring, what fills it and what reads it.
// RUN: cutl-opt %s --cutl-tile-pipeline | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-pipeline --cutl-tile-pipeline | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-pipeline | FileCheck %s --check-prefix=GONE --implicit-check-not=cutl_tile.mainloop

// GONE: cutl_tile.multiply

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// Both operands contiguous along k.
// CHECK-LABEL: gpu.func @k_major(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<
// CHECK:         %[[RING:.*]] = cutl_tile.ring : <4, <128x64xbf16, k_major>, <200x64xbf16, k_major>>
// CHECK-NEXT:    cutl_tile.work_loop
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k)) : !cutl_tile.ring<4, <128x64xbf16, k_major>, <200x64xbf16, k_major>>,
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <4, <128x64xbf16, k_major>, <200x64xbf16, k_major>> -> !cutl_tile.acc<128x200xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]] :
  gpu.func @k_major(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xbf16>, memref<?x?xbf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to bf16
        cutl_tile.yield %o : bf16
      } : (memref<?x?xbf16>) -> ()
    }
    gpu.return
  }

// Contiguous along m and along n; a batch.
// CHECK-LABEL: gpu.func @mn_major(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<
// CHECK:         %[[RING:.*]] = cutl_tile.ring : <3, <256x64xf16, mn_major>, <128x64xf16, mn_major>>
// CHECK-NEXT:    cutl_tile.work_loop
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.load %[[RING]] at(%{{.*}}, %[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (b, k, m), %[[B]] : (b, k, n)) : !cutl_tile.ring<3, <256x64xf16, mn_major>, <128x64xf16, mn_major>>,
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <3, <256x64xf16, mn_major>, <128x64xf16, mn_major>> -> !cutl_tile.acc<256x128xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%{{.*}}, %[[M0]], %[[N0]]) accumulators(%[[ACC]] :
  gpu.func @mn_major(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %d: memref<?x?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x, %x)
        config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
    ^bb0(%b0: index, %m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%b0, %m0, %n0) k(%k0 to %k1) ins(%a : (b, k, m), %b : (b, k, n))
          : (memref<?x?x?xf16>, memref<?x?x?xf16>) -> !cutl_tile.acc<256x128xf32>
      cutl_tile.epilogue at(%b0, %m0, %n0) accumulators(%acc : !cutl_tile.acc<256x128xf32>) outs(%d : (b, m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?x?xf16>) -> ()
    }
    gpu.return
  }

// With swap_operands A has the tile's second extent.
// CHECK-LABEL: gpu.func @swapped(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<
// CHECK:         %[[RING:.*]] = cutl_tile.ring : <2, <16x64xf16, k_major>, <64x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.work_loop
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k)) : !cutl_tile.ring<2, <16x64xf16, k_major>, <64x64xf16, k_major>>,
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <2, <16x64xf16, k_major>, <64x64xf16, k_major>> -> !cutl_tile.acc<16x64xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]] :
  gpu.func @swapped(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<16x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<16x64xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Two B share the stages of A.
// CHECK-LABEL: gpu.func @two_products(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<
// CHECK:         %[[RING:.*]] = cutl_tile.ring : <2, <64x64xf16, k_major>, <16x64xf16, k_major>, <16x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.work_loop
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k), %[[B]] : (n, k)) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>, <16x64xf16, k_major>>,
// CHECK-NEXT:      %[[ACC:.*]]:2 = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <2, <64x64xf16, k_major>, <16x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]]#0, %[[ACC]]#1 :
  gpu.func @two_products(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> (!cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>)
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc#0, %acc#1 : !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y0: f32, %y1: f32):
        %o = arith.truncf %y0 : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// The contiguous dimension is the one of stride 1, wherever it stands.
// CHECK-LABEL: gpu.func @unit_stride_first(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<
// CHECK:         %[[RING:.*]] = cutl_tile.ring : <2, <64x64xf16, mn_major>, <16x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.work_loop
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k)) : !cutl_tile.ring<2, <64x64xf16, mn_major>, <16x64xf16, k_major>>,
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <2, <64x64xf16, mn_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]] :
  gpu.func @unit_stride_first(%a: memref<?x?xf16, strided<[1, ?], offset: ?>>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16, strided<[1, ?], offset: ?>>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Static sizes that make multiples of 16 bytes.
// CHECK-LABEL: gpu.func @aligned(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<
// CHECK:         %[[RING:.*]] = cutl_tile.ring : <2, <64x64xf16, k_major>, <16x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.work_loop
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k)) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>,
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]] :
  gpu.func @aligned(%a: memref<?x784xf16>, %b: memref<10x784xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x784xf16>, memref<10x784xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}
