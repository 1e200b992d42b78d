// Operands are copied into rows along k ahead of the product.
// RUN: cutl-opt %s --cutl-tile-repack-operands | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-repack-operands --cutl-tile-repack-operands | FileCheck %s
// A launch from then on has an intermediate more.
// RUN: cutl-opt %s --cutl-tile-repack-operands --cutl-plan-workspace | FileCheck %s --check-prefix=PLAN

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @bundle {
// Along m: transposed. A pitch of whole cache lines, of what is known and of what is not.
// CHECK-LABEL: cutl.entry @along_m(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xi8>, %[[B:.*]]: memref<200x100xi8>, %[[D:.*]]: memref<?x200xi32>, %{{.*}}: memref<?xi8>)
// CHECK:         %[[M:.*]] = memref.dim %[[A]], %c1{{.*}} : memref<?x?xi8>
// CHECK:         %[[K:.*]] = memref.dim %[[A]], %c0{{.*}} : memref<?x?xi8>
// CHECK:         %[[LINES:.*]] = arith.ceildivsi %[[K]], %c128
// CHECK:         %[[PITCH:.*]] = arith.muli %[[LINES]], %c128
// CHECK:         %[[WIDE:.*]] = memref.alloc(%[[M]], %[[PITCH]]) : memref<?x?xi8>
// CHECK:         %[[ROWS:.*]] = memref.subview %[[WIDE]][0, 0] [%[[M]], %[[K]]] [1, 1] : memref<?x?xi8> to memref<?x?xi8, strided<[?, 1]>>
// CHECK:         cutl.launch_kernel @kernels::@along_m_repack_a(%[[A]], %[[ROWS]]) sm_budget(64) :
// CHECK:         %[[BWIDE:.*]] = memref.alloc() : memref<200x128xi8>
// CHECK:         %[[BROWS:.*]] = memref.subview %[[BWIDE]][0, 0] [200, 100] [1, 1] : memref<200x128xi8> to memref<200x100xi8, strided<[128, 1]>>
// CHECK:         cutl.launch_kernel @kernels::@along_m_repack_b(%[[B]], %[[BROWS]]) sm_budget(64) :
// CHECK:         cutl.launch_kernel @kernels::@along_m(%[[ROWS]], %[[BROWS]], %[[D]]) sm_budget(64) :

// PLAN-LABEL: cutl.entry @along_m(
// PLAN:         memref.view
// PLAN:         cutl.launch_kernel @kernels::@along_m_repack_a(
// PLAN:         memref.view
// PLAN:         cutl.launch_kernel @kernels::@along_m_repack_b(
  cutl.entry @along_m(%a: memref<?x?xi8>, %b: memref<200x100xi8>, %d: memref<?x200xi32>, %w: memref<?xi8>) {
    cutl.launch_kernel @kernels::@along_m(%a, %b, %d) sm_budget(64) : (memref<?x?xi8>, memref<200x100xi8>, memref<?x200xi32>)
  }
// Kernels of one launch read the same copies. Nothing is done to the other operand.
// CHECK-LABEL: cutl.entry @variants(
// CHECK-COUNT-1: cutl.launch_kernel @kernels::@pair_repack_b(
// CHECK-COUNT-1: cutl.launch_kernel @kernels::@pair_repack_b1(
// CHECK-NOT:     repack
// CHECK:         cutl.launch_kernel @kernels::@pair(%{{.*}}, %[[R0:.*]], %[[R1:.*]], %{{.*}}) variants(%{{.*}} : [@kernels::@pair_few]) :
  cutl.entry @variants(%a: memref<?x?xf16>, %b0: memref<3x64x99xf16>, %b1: memref<3x64x99xf16>, %d: memref<3x?x64xf16>,
                       %w: memref<?xi8>) {
    %true = arith.constant true
    cutl.launch_kernel @kernels::@pair(%a, %b0, %b1, %d) variants(%true : [@kernels::@pair_few])
        : (memref<?x?xf16>, memref<3x64x99xf16>, memref<3x64x99xf16>, memref<3x?x64xf16>)
  }
  gpu.module @kernels {
// CHECK-LABEL: gpu.func @along_m_repack_a(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xi8>, %[[Y:.*]]: memref<?x?xi8, strided<[?, 1]>>) kernel
// CHECK-NEXT:    cutl_tile.repack %[[X]] permuted [1, 0] into %[[Y]] :
// CHECK-NEXT:    gpu.return
// CHECK-LABEL: gpu.func @along_m_repack_b(
// CHECK-NEXT:    cutl_tile.repack %{{.*}} permuted [0, 1] into %{{.*}} :
// CHECK-LABEL: gpu.func @along_m(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xi8, strided<[?, 1]>>, %[[B:.*]]: memref<200x100xi8, strided<[128, 1]>>, %[[D:.*]]: memref
// CHECK:         %[[M:.*]] = memref.dim %[[A]], %c0{{.*}} : memref<?x?xi8, strided<[?, 1]>>
// CHECK:         %[[K:.*]] = memref.dim %[[A]], %c1{{.*}} : memref<?x?xi8, strided<[?, 1]>>
// CHECK:         cutl_tile.work_loop extents(%[[M]], %{{.*}}, %[[K]]) config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>)
// CHECK:           cutl_tile.mainloop {{.*}} ins(%[[A]] : (m, k), %[[B]] : (n, k)) :
    gpu.func @along_m(%a: memref<?x?xi8>, %b: memref<200x100xi8>, %d: memref<?x200xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 200 : index
      %m = memref.dim %a, %c1 : memref<?x?xi8>
      %k = memref.dim %a, %c0 : memref<?x?xi8>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single, repack = [a, b]>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (k, m), %b : (n, k))
            : (memref<?x?xi8>, memref<200x100xi8>) -> !cutl_tile.acc<64x16xi32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xi32>) outs(%d : (m, n)) {
        ^bb0(%y: i32):
          cutl_tile.yield %y : i32
        } : (memref<?x200xi32>) -> ()
      }
      gpu.return
    }
// CHECK-LABEL: gpu.func @pair_repack_b(
// CHECK-NEXT:    cutl_tile.repack %{{.*}} permuted [0, 2, 1] into %{{.*}} : memref<3x64x99xf16> into memref<3x99x64xf16, strided<[6336, 64, 1]>>
// CHECK-LABEL: gpu.func @pair_repack_b1(
// CHECK-LABEL: gpu.func @pair(
// CHECK:         ins(%{{.*}} : (m, k), %{{.*}} : (b, n, k), %{{.*}} : (b, n, k)) :
// CHECK-LABEL: gpu.func @pair_few(
// CHECK:         ins(%{{.*}} : (m, k), %{{.*}} : (b, n, k), %{{.*}} : (b, n, k)) :
    gpu.func @pair(%a: memref<?x?xf16>, %b0: memref<3x64x99xf16>, %b1: memref<3x64x99xf16>, %d: memref<3x?x64xf16>) kernel {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c64 = arith.constant 64 : index
      %c99 = arith.constant 99 : index
      %m = memref.dim %a, %c0 : memref<?x?xf16>
      cutl_tile.work_loop extents(%c3, %m, %c99, %c64)
          config(#cutl.tile_config<cta = [128, 64, 64], stages = 2, kernel = pingpong, repack = [b]>) schedule(#cutl.data_parallel) {
      ^bb0(%z: index, %m0: index, %n0: index, %k0: index, %k1: index):
        %acc:2 = cutl_tile.mainloop at(%z, %m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b0 : (b, k, n), %b1 : (b, k, n))
            : (memref<?x?xf16>, memref<3x64x99xf16>, memref<3x64x99xf16>) -> (!cutl_tile.acc<128x64xf32>, !cutl_tile.acc<128x64xf32>)
      }
      gpu.return
    }
    gpu.func @pair_few(%a: memref<?x?xf16>, %b0: memref<3x64x99xf16>, %b1: memref<3x64x99xf16>, %d: memref<3x?x64xf16>) kernel {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c64 = arith.constant 64 : index
      %c99 = arith.constant 99 : index
      %m = memref.dim %a, %c0 : memref<?x?xf16>
      cutl_tile.work_loop extents(%c3, %m, %c99, %c64)
          config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, repack = [b]>) schedule(#cutl.data_parallel) {
      ^bb0(%z: index, %m0: index, %n0: index, %k0: index, %k1: index):
        %acc:2 = cutl_tile.mainloop at(%z, %m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b0 : (b, k, n), %b1 : (b, k, n))
            : (memref<?x?xf16>, memref<3x64x99xf16>, memref<3x64x99xf16>) -> (!cutl_tile.acc<64x64xf32>, !cutl_tile.acc<64x64xf32>)
      }
      gpu.return
    }
  }
}
}
