// How each output is written, and the alternative of a kernel that the tensor
// copy engine writes for.
// RUN: cutl-opt %s --cutl-tile-select-transfers | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-select-transfers --cutl-tile-select-transfers | FileCheck %s

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// Lines of 128 bytes along n.
// CHECK-LABEL: gpu.func @row_major(
// CHECK-SAME:    cutl_tile.alternative = @row_major_elements
// CHECK:         outs(%{{.*}} : (m, n)) stores(tensor) {
// CHECK-LABEL: gpu.func @row_major_elements(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @row_major(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Lines along the rows of a warpgroup: 64 f16 elements.
// CHECK-LABEL: gpu.func @column_major(
// CHECK-SAME:    cutl_tile.alternative = @column_major_elements
// CHECK:         outs(%{{.*}} : (n, m)) stores(tensor) {
// CHECK-LABEL: gpu.func @column_major_elements(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (n, m)) stores(elements) {
  gpu.func @column_major(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (n, m)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// What only the last unit of a tile reads is not loaded ahead.
// CHECK-LABEL: gpu.func @conditional(
// CHECK:         if(%{{.*}}) aux(%{{.*}} : (m, n)) outs(%{{.*}} : (m, n)) stores(tensor) {
  gpu.func @conditional(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index,
                        %y: i1) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) if(%y) aux(%c : (m, n))
          outs(%d : (m, n)) {
      ^bb0(%z: f32, %w: f16):
        %u = arith.extf %w : f16 to f32
        %s = arith.addf %z, %u : f32
        %o = arith.truncf %s : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>, memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// A batch is one more dimension of the tensor map.
// CHECK-LABEL: gpu.func @batched(
// CHECK-SAME:    cutl_tile.alternative = @batched_elements
// CHECK:         outs(%{{.*}} : (b, m, n)) stores(tensor) {
// CHECK-LABEL: gpu.func @batched_elements(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (b, m, n)) stores(elements) {
  gpu.func @batched(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %d: memref<?x?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x, %x)
        config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
    ^bb0(%b0: index, %m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%b0, %m0, %n0) k(%k0 to %k1) ins(%a : (b, m, k), %b : (b, n, k))
          : (memref<?x?x?xf16>, memref<?x?x?xf16>) -> !cutl_tile.acc<256x128xf32>
      cutl_tile.epilogue at(%b0, %m0, %n0) accumulators(%acc : !cutl_tile.acc<256x128xf32>) outs(%d : (b, m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?x?xf16>) -> ()
    }
    gpu.return
  }

// Lines of 64 bytes.
// CHECK-LABEL: gpu.func @narrow_tile(
// CHECK-SAME:    cutl_tile.alternative = @narrow_tile_elements
// CHECK:         outs(%{{.*}} : (m, n)) stores(tensor) {
// CHECK-LABEL: gpu.func @narrow_tile_elements(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @narrow_tile(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// The contiguous dimension is the one of stride 1, wherever it stands.
// CHECK-LABEL: gpu.func @unit_stride_first(
// CHECK-SAME:    cutl_tile.alternative = @unit_stride_first_elements
// CHECK:         outs(%{{.*}} : (n, m)) stores(tensor) {
// CHECK-LABEL: gpu.func @unit_stride_first_elements(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (n, m)) stores(elements) {
  gpu.func @unit_stride_first(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16, strided<[1, ?]>>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (n, m)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16, strided<[1, ?]>>) -> ()
    }
    gpu.return
  }

// Lines of 16 f16 elements are 32 bytes.
// CHECK-LABEL: gpu.func @short_lines(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @short_lines(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// With swap_operands n runs along the rows; 64 f32 elements are 256 bytes.
// CHECK-LABEL: gpu.func @swapped(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @swapped(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<16x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<16x64xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// A pitch of 20 bytes is known to be no multiple of 16.
// CHECK-LABEL: gpu.func @pitch(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @pitch(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x8xf16, strided<[10, 1]>>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x8xf16, strided<[10, 1]>>) -> ()
    }
    gpu.return
  }

// Ten elements are no whole pieces of 16 bytes.
// CHECK-LABEL: gpu.func @length(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @length(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x10xf16, strided<[16, 1]>>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x10xf16, strided<[16, 1]>>) -> ()
    }
    gpu.return
  }

// No dimension has stride 1.
// CHECK-LABEL: gpu.func @no_unit_stride(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n)) stores(elements) {
  gpu.func @no_unit_stride(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16, strided<[?, 2]>>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16, strided<[?, 2]>>) -> ()
    }
    gpu.return
  }

// The contiguous dimension is neither m nor n.
// CHECK-LABEL: gpu.func @batch_innermost(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         outs(%{{.*}} : (m, n, b)) stores(elements) {
  gpu.func @batch_innermost(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %d: memref<?x?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x, %x)
        config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative>) schedule(#cutl.data_parallel) {
    ^bb0(%b0: index, %m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%b0, %m0, %n0) k(%k0 to %k1) ins(%a : (b, m, k), %b : (b, n, k))
          : (memref<?x?x?xf16>, memref<?x?x?xf16>) -> !cutl_tile.acc<256x128xf32>
      cutl_tile.epilogue at(%b0, %m0, %n0) accumulators(%acc : !cutl_tile.acc<256x128xf32>) outs(%d : (m, n, b)) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?x?xf16>) -> ()
    }
    gpu.return
  }

// What is decided stays.
// CHECK-LABEL: gpu.func @decided(
// CHECK-NOT:     cutl_tile.alternative
// CHECK:         stores(elements) {
  gpu.func @decided(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// An auxiliary matrix of the output's element size and order shares its buffers; vectors, other orders and other sizes are
// read element by element, and everything is in the alternative.
// CHECK-LABEL: gpu.func @aux(
// CHECK:         loads(elements, outs[0], elements, elements, elements) stores(tensor) {
// CHECK-LABEL: gpu.func @aux_elements(
// CHECK-NOT:     loads
// CHECK:         stores(elements) {
  gpu.func @aux(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %v: memref<?xf16>, %c: memref<?x?xbf16>, %e: memref<?x?xf32>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>)
          aux(%v : (n), %c : (m, n), %c : (m, n), %c : (n, m), %e : (m, n)) outs(%d : (m, n)) {
      ^bb0(%y: f32, %0: f16, %1: bf16, %2: bf16, %3: bf16, %4: f32):
        %o = arith.truncf %y : f32 to f16
        cutl_tile.yield %o : f16
      } : (memref<?xf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>, memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Each output lends its buffers once. The second operand's first part would be needed with the first output's first part,
// for which one buffer is too few.
// CHECK-LABEL: gpu.func @two_aux(
// CHECK:         loads(outs[0], outs[1]) stores(tensor, tensor) {
// CHECK-LABEL: gpu.func @two_aux_elements(
// CHECK-LABEL: gpu.func @one_buffer(
// CHECK:         loads(outs[0], elements) stores(tensor, tensor) {
// CHECK-LABEL: gpu.func @one_buffer_elements(
  gpu.func @two_aux(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, epilogue_buffers = 2>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x128xf32>)
          aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n), %d : (m, n)) {
      ^bb0(%y: f32, %0: f16, %1: f16):
        cutl_tile.yield %0, %1 : f16, f16
      } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
    }
    gpu.return
  }
  gpu.func @one_buffer(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x128xf32>)
          aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n), %d : (m, n)) {
      ^bb0(%y: f32, %0: f16, %1: f16):
        cutl_tile.yield %0, %1 : f16, f16
      } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
    }
    gpu.return
  }

// Threads write an output of a dimension that is no multiple of 16 bytes from the same buffers.
// CHECK-LABEL: gpu.func @beside_elements(
// CHECK-NOT:     loads
// CHECK:         stores(tensor, elements) {
  gpu.func @beside_elements(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %d: memref<?x?xf16>, %e: memref<?x10xf16, strided<[16, 1]>>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x128xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x128xf32>)
          aux(%c : (m, n)) outs(%d : (m, n), %e : (m, n)) {
      ^bb0(%y: f32, %0: f16):
        cutl_tile.yield %0, %0 : f16, f16
      } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x10xf16, strided<[16, 1]>>) -> ()
    }
    gpu.return
  }
}
