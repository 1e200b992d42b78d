// Each role gets a work loop of its own.
// RUN: cutl-opt %s --cutl-tile-specialize-warps | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-specialize-warps --cutl-tile-specialize-warps | FileCheck %s

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// One consumer.
// CHECK-LABEL: gpu.func @single(
// CHECK:         %[[RING:.*]] = cutl_tile.ring readers(1) : <2, <64x64xf16, k_major>, <16x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}producer count(1) registers(40) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}consumer count(1) registers(248) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]])
// CHECK-NEXT:        cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]]
// CHECK:         gpu.return
  gpu.func @single(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Consumers take tiles in turn: one of them releases a stage. 128x200 f32 elements
// are 200 registers of each thread.
// CHECK-LABEL: gpu.func @pingpong(
// CHECK:         %[[RING:.*]] = cutl_tile.ring readers(1) : <4, <128x64xf16, k_major>, <200x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}producer count(1) registers(24) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}consumer count(2) registers(240) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]])
// CHECK-NEXT:        cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]]
// CHECK:         gpu.return
  gpu.func @pingpong(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>> -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// A small tile leaves registers to the producer.
// CHECK-LABEL: gpu.func @pingpong_of_few(
// CHECK:         %[[RING:.*]] = cutl_tile.ring readers(1) : <4, <64x64xf16, k_major>, <128x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}producer count(1) registers(40) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}consumer count(2) registers(232) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]])
// CHECK-NEXT:        cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]]
// CHECK:         gpu.return
  gpu.func @pingpong_of_few(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<4, <64x64xf16, k_major>, <128x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : !cutl_tile.ring<4, <64x64xf16, k_major>, <128x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<4, <64x64xf16, k_major>, <128x64xf16, k_major>> -> !cutl_tile.acc<64x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x128xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Consumers share each tile: both release a stage.
// CHECK-LABEL: gpu.func @cooperative(
// CHECK:         %[[RING:.*]] = cutl_tile.ring readers(2) : <3, <256x64xf16, k_major>, <128x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}producer count(1) registers(40) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}consumer count(2) registers(232) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]])
// CHECK-NEXT:        cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]]
// CHECK:         gpu.return
  gpu.func @cooperative(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<3, <256x64xf16, k_major>, <128x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : !cutl_tile.ring<3, <256x64xf16, k_major>, <128x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<3, <256x64xf16, k_major>, <128x64xf16, k_major>> -> !cutl_tile.acc<256x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<256x128xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Two products of 64 accumulators each per thread.
// CHECK-LABEL: gpu.func @cooperative_pair(
// CHECK:         %[[RING:.*]] = cutl_tile.ring readers(2) : <3, <128x64xf16, k_major>, <128x64xf16, k_major>, <128x64xf16, k_major>>
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}producer count(1) registers(40) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [128, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}consumer count(2) registers(232) {
// CHECK-NEXT:      cutl_tile.work_loop extents(%{{.*}}) config(#cutl.tile_config<cta = [128, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        %[[ACC:.*]]:2 = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]])
// CHECK-NEXT:        cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]]
// CHECK:         gpu.return
  gpu.func @cooperative_pair(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring : !cutl_tile.ring<3, <128x64xf16, k_major>, <128x64xf16, k_major>, <128x64xf16, k_major>>
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k), %b : (n, k))
          : !cutl_tile.ring<3, <128x64xf16, k_major>, <128x64xf16, k_major>, <128x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>
      %acc:2 = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<3, <128x64xf16, k_major>, <128x64xf16, k_major>, <128x64xf16, k_major>> -> !cutl_tile.acc<128x128xf32>, !cutl_tile.acc<128x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc#0, %acc#1 : !cutl_tile.acc<128x128xf32>, !cutl_tile.acc<128x128xf32>) outs(%d : (m, n)) {
      ^bb0(%y0: f32, %y1: f32):
        %o = arith.truncf %y0 : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }
}
