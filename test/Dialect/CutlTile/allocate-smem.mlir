// Places in shared memory, and the total.
// RUN: cutl-opt %s --cutl-tile-allocate-smem | FileCheck %s

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// 4 x 16384 bytes of A, 4 x 25600 of B, a buffer of 128 lines of 128 bytes for each of two consumers,
// 4 + 4 barriers of 8 bytes.
// CHECK-LABEL: gpu.func @pingpong(
// CHECK-SAME:    kernel attributes {cutl_tile.shared_bytes = 200768 : i64}
// CHECK:         cutl_tile.ring readers(1) layout(<operands = [0, 65536], full = 200704, empty = 200736>) :
// CHECK:         stores({{tensor|elements}}) staging(<offset = 167936, bytes = 16384, buffers = 1>) {
  gpu.func @pingpong(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(24) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(240) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>> -> !cutl_tile.acc<128x200xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) stores(tensor) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }

// Each consumer stages its half of the rows.
// CHECK-LABEL: gpu.func @cooperative(
// CHECK-SAME:    kernel attributes {cutl_tile.shared_bytes = 180272 : i64}
// CHECK:         cutl_tile.ring readers(2) layout(<operands = [0, 98304], full = 180224, empty = 180248>) :
// CHECK:         stores({{tensor|elements}}) staging(<offset = 147456, bytes = 16384, buffers = 1>) {
  gpu.func @cooperative(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring readers(2) : !cutl_tile.ring<3, <256x64xf16, mn_major>, <128x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (k, m), %b : (n, k))
            : !cutl_tile.ring<3, <256x64xf16, mn_major>, <128x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(232) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<3, <256x64xf16, mn_major>, <128x64xf16, k_major>> -> !cutl_tile.acc<256x128xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<256x128xf32>) outs(%d : (m, n)) stores(tensor) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }

// Forty contiguous rows of B take a box of 64. Lines are 32 f16 elements: the widest swizzle does not fit.
// CHECK-LABEL: gpu.func @padded(
// CHECK-SAME:    kernel attributes {cutl_tile.shared_bytes = 36896 : i64}
// CHECK:         cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 36864, empty = 36880>) :
// CHECK:         stores({{tensor|elements}}) staging(<offset = 32768, bytes = 4096, buffers = 1>) {
  gpu.func @padded(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <40x64xf16, mn_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 40, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (k, n))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <40x64xf16, mn_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 40, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <40x64xf16, mn_major>> -> !cutl_tile.acc<64x40xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x40xf32>) outs(%d : (m, n)) stores(elements) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }

// Two buffers per consumer.
// CHECK-LABEL: gpu.func @two_buffers(
// CHECK-SAME:    kernel attributes {cutl_tile.shared_bytes = 28704 : i64}
// CHECK:         cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 28672, empty = 28688>) :
// CHECK:         stores({{tensor|elements}}) staging(<offset = 20480, bytes = 4096, buffers = 2>) {
  gpu.func @two_buffers(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel {
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, epilogue_buffers = 2>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, epilogue_buffers = 2>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) stores(tensor) {
        ^bb0(%y: f32):
          cutl_tile.yield %y : f32
        } : (memref<?x?xf32>) -> ()
      }
    }
    gpu.return
  }

// Lines along the rows: 64 f16 elements, at most 8192 bytes of them.
// CHECK-LABEL: gpu.func @column_major(
// CHECK-SAME:    kernel attributes {cutl_tile.shared_bytes = 184384 : i64}
// CHECK:         cutl_tile.ring readers(1) layout(<operands = [0, 65536], full = 184320, empty = 184352>) :
// CHECK:         stores({{tensor|elements}}) staging(<offset = 167936, bytes = 8192, buffers = 1>) {
  gpu.func @column_major(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    %ring = cutl_tile.ring readers(1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(24) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(240) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<4, <128x64xf16, k_major>, <200x64xf16, k_major>> -> !cutl_tile.acc<128x200xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (n, m)) stores(tensor) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }
}
