// What several tiles reduce is combined in a kernel of its own.
// RUN: cutl-opt %s --cutl-tile-split-reductions | FileCheck %s
// RUN: cutl-opt %s --cutl-tile-split-reductions --cutl-tile-split-reductions | FileCheck %s

// Each dropped dimension is cut into blocks and comes first; sizes known as they stand stay known. The output stays an
// argument, behind which the partial results are one.
// CHECK:       cutl.entry @f(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<96x?xbf16>, %[[R:.*]]: memref<?xbf16>, %[[C:.*]]: memref<96xf32>, %[[S:.*]]: memref<f32>, %{{.*}}: memref<?xi8>)
// CHECK-DAG:     %[[P_S:.*]] = memref.alloc(%[[CHUNKS_S:.*]]) : memref<?x3xf32>
// CHECK-DAG:     %[[CHUNKS_S]] = arith.ceildivsi %[[M:.*]], %{{.*}} : index
// CHECK-DAG:     %[[M]] = memref.dim %[[A]], %{{.*}}
// CHECK-DAG:     %[[P_C:.*]] = memref.alloc(%[[CHUNKS_C:.*]]) : memref<?x96xf32>
// CHECK-DAG:     %[[CHUNKS_C]] = arith.ceildivsi
// CHECK-DAG:     %[[P_R:.*]] = memref.alloc(%[[M_R:.*]]) : memref<3x?xf32>
// CHECK-DAG:     %[[M_R]] = memref.dim %[[R]], %{{.*}}
// CHECK:         cutl.launch_kernel @kernels::@f_0(%[[A]], %[[B]], %[[R]], %[[P_R]], %[[C]], %[[P_C]], %[[S]], %[[P_S]]) sm_budget(7)
// CHECK-NEXT:    cutl.launch_kernel @kernels::@f_0_combine_0(%[[P_R]], %[[R]]) sm_budget(7) : (memref<3x?xf32>, memref<?xbf16>)
// CHECK-NEXT:    cutl.launch_kernel @kernels::@f_0_combine_1(%[[P_C]], %[[C]]) sm_budget(7) : (memref<?x96xf32>, memref<96xf32>)
// CHECK-NEXT:    cutl.launch_kernel @kernels::@f_0_combine_2(%[[P_S]], %[[S]]) sm_budget(7) : (memref<?x3xf32>, memref<f32>)
// CHECK:       gpu.func @f_0(
// CHECK-SAME:    %[[P_R:arg3]]: memref<3x?xf32>, %{{.*}}: memref<96xf32>, %[[P_C:arg5]]: memref<?x96xf32>, %{{.*}}: memref<f32>, %[[P_S:arg7]]: memref<?x3xf32>) kernel
// CHECK:         outs(%[[P_R]] : (n floordiv 32, m) add, %[[P_C]] : (m floordiv 16, n) max, %[[P_S]] : (m floordiv 16, n floordiv 32) amax) {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:      %[[O:.*]] = arith.truncf %[[X]] : f32 to bf16
// A sum of a narrow type is made in a wider one.
// CHECK-NEXT:      %[[W:.*]] = arith.extf %[[O]] : bf16 to f32
// CHECK-NEXT:      cutl_tile.yield %[[W]], %[[X]], %[[X]] : f32, f32, f32
// CHECK:       gpu.func @f_0_combine_0(%[[P:.*]]: memref<3x?xf32>, %[[D:.*]]: memref<?xbf16>) kernel {
// CHECK-NEXT:    cutl_tile.combine add %[[P]] into %[[D]] : memref<3x?xf32> into memref<?xbf16>
// CHECK-NEXT:    gpu.return
// CHECK:       gpu.func @f_0_combine_1(
// CHECK-NEXT:    cutl_tile.combine max
// CHECK:       gpu.func @f_0_combine_2(
// CHECK-NEXT:    cutl_tile.combine amax %{{.*}} into %{{.*}} : memref<?x3xf32> into memref<f32>
cutl.bundle @reduced attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @f(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %r: memref<?xbf16>, %c: memref<96xf32>, %s: memref<f32>,
                %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f_0(%a, %b, %r, %c, %s) sm_budget(7)
        : (memref<?x?xbf16>, memref<96x?xbf16>, memref<?xbf16>, memref<96xf32>, memref<f32>)
    cutl.end_entry
  }
  gpu.module @kernels {
    gpu.func @f_0(%a: memref<?x?xbf16>, %b: memref<96x?xbf16>, %r: memref<?xbf16>, %c: memref<96xf32>,
                  %s: memref<f32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 96 : index
      %m = memref.dim %a, %c0 : memref<?x?xbf16>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      cutl_tile.work_loop extents(%m, %n, %k)
          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : (memref<?x?xbf16>, memref<96x?xbf16>) -> !cutl_tile.acc<64x32xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x32xf32>)
            outs(%r : (m) add, %c : (n) max, %s : () amax) {
        ^bb0(%x: f32):
          %o = arith.truncf %x : f32 to bf16
          cutl_tile.yield %o, %x, %x : bf16, f32, f32
        } : (memref<?xbf16>, memref<96xf32>, memref<f32>) -> ()
      }
      gpu.return
    }
  }
}

// Swapped operands swap what a warp and what a tile combine; a batch that is dropped is not combined before.
// CHECK-LABEL: gpu.func @swapped(
// CHECK:         outs(%{{.*}} : (b, m floordiv 16, n) add, %{{.*}} : (n floordiv 16, b, m) min) {
cutl.bundle @other attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.module @kernels {
    gpu.func @swapped(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?xf32>, %r: memref<?x?xf32>, %x: index)
        kernel {
      cutl_tile.work_loop extents(%x, %x, %x, %x)
          config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>)
          schedule(#cutl.data_parallel) {
      ^bb0(%i: index, %m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.mainloop at(%i, %m0, %n0) k(%k0 to %k1) ins(%a : (b, m, k), %b : (b, n, k))
            : (memref<?x?x?xf16>, memref<?x?x?xf16>) -> !cutl_tile.acc<16x64xf32>
        cutl_tile.epilogue at(%i, %m0, %n0) accumulators(%acc : !cutl_tile.acc<16x64xf32>)
            outs(%c : (n) add, %r : (b, m) min) {
        ^bb0(%y: f32):
          cutl_tile.yield %y, %y : f32, f32
        } : (memref<?xf32>, memref<?x?xf32>) -> ()
      }
      gpu.return
    }
  }
}
