// Auxiliary operands are loaded where they lie inside the extents; several outputs go through the same buffers.
// RUN: cutl-opt %s --split-input-file --cutl-tile-pipeline --cutl-tile-specialize-warps --cutl-tile-allocate-smem --convert-cutl-tile-to-nvvm | FileCheck %s

// Vectors are loaded before the accumulators are waited for, once for what each element serves: a row's elements for each
// of the thread's columns, a column's for each of its rows. A matrix is loaded per element, where it is needed, and what no
// dimension of the tile indexes without a condition. The matrix's lines are on their way to the L2 cache by then.
// CHECK-LABEL: llvm.func @aux(
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         scf.if
// CHECK:           nvvm.prefetch level = {{ *}}L2
// CHECK-NOT:     nvvm.prefetch
// CHECK:         %[[ROWS:.*]] = arith.subi
// CHECK:         %[[COLUMNS:.*]] = arith.subi
// CHECK:         %[[IN_COLUMN:.*]] = arith.cmpi slt, %{{.*}}, %[[COLUMNS]]
// CHECK:         %[[BYTE:.*]] = llvm.inline_asm has_side_effects {{.*}}"mov.b16 $0, 0; @$1 ld.global.b8 $0, [$2];", "=&h,b,l" %[[IN_COLUMN]],
// CHECK:         %[[BYTE8:.*]] = llvm.trunc %[[BYTE]] : i16 to i8
// CHECK:         arith.bitcast %[[BYTE8]] : i8 to f8E4M3FN
// CHECK-COUNT-3: ld.global.b8
// CHECK:         %[[IN_ROW:.*]] = arith.cmpi slt, %{{.*}}, %[[ROWS]]
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"mov.b32 $0, 0; @$1 ld.global.b32 $0, [$2];", "=&r,b,l" %[[IN_ROW]],
// CHECK:         ld.global.b32
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:         arith.select %{{.*}}, %[[COLUMNS]], %{{.*}} : i32
// CHECK:         %[[BITS:.*]] = llvm.inline_asm has_side_effects {{.*}}"mov.b16 $0, 0; @$1 ld.global.b16 $0, [$2];", "=&h,b,l"
// CHECK:         arith.bitcast %[[BITS]] : i16 to bf16
// CHECK:         %[[ONE:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK:         arith.bitcast %[[ONE]] : i64 to f64
// CHECK-NOT:     ld.global.b32
// CHECK-NOT:     ld.global.b8
// CHECK:         ld.global.b16
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @aux(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xbf16>, %row: memref<?xf8E4M3FN>,
                %column: memref<?xf32>, %one: memref<f64>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>)
          aux(%c : (m, n), %row : (n), %column : (m), %one : ()) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32, %p: bf16, %q: f8E4M3FN, %r: f32, %s: f64):
        %p32 = arith.extf %p : bf16 to f32
        %q32 = arith.extf %q : f8E4M3FN to f32
        %s32 = arith.truncf %s : f64 to f32
        %1 = arith.addf %y, %p32 : f32
        %2 = arith.mulf %1, %q32 : f32
        %3 = arith.addf %2, %r : f32
        %4 = arith.mulf %3, %s32 : f32
        cutl_tile.yield %4 : f32
      } : (memref<?x?xbf16>, memref<?xf8E4M3FN>, memref<?xf32>, memref<f64>, memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

// Parts that start in the same columns follow each other: a copy, a copy of half as many columns, single elements, the
// other half. A buffer is waited for where a copy used it last.
// CHECK-LABEL: llvm.func @outputs(
// CHECK-SAME:    cutl_tile.launch_info = {{.*}}"tensor_map", stored, {{.*}}"tensor_map", stored, {{.*}}{arg = 4 : i64, kind = "pointer"}
// CHECK:         nvvm.wgmma.mma_async
// CHECK-NOT:     cp.async.bulk.wait_group
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK:         nvvm.cp.async.bulk.tensor.global
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<2xi32>, !llvm.ptr<3>
// CHECK:         nvvm.cp.async.bulk.tensor.global
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<2xi8>, !llvm.ptr<3>
// CHECK:         llvm.store %{{.*}} : i8, !llvm.ptr<1>
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<2xi32>, !llvm.ptr<3>
// CHECK:         nvvm.cp.async.bulk.tensor.global
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @outputs(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xbf16>, %e: memref<?x?xf32>,
                    %f: memref<?x?xi8>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, epilogue_buffers = 2>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>)
          outs(%d : (m, n), %e : (m, n), %f : (m, n)) stores(tensor, tensor, elements) {
      ^bb0(%y: f32):
        %o = arith.truncf %y : f32 to bf16
        %zero = arith.constant 0.0 : f32
        %p = arith.cmpf ogt, %y, %zero : f32
        %mask = arith.extui %p : i1 to i8
        cutl_tile.yield %o, %y, %mask : bf16, f32, i8
      } : (memref<?x?xbf16>, memref<?x?xf32>, memref<?x?xi8>) -> ()
    }
    gpu.return
  }
}

// -----

// What a linear combination alone reads is not read where its factor is zero: then no column of it is inside.
// CHECK-LABEL: llvm.func @gate(
// CHECK-SAME:    %[[BETA:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: !llvm.ptr<1>, %{{[a-z0-9]+}}: i64)
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         %[[FETCHED:.*]] = arith.cmpf une, %[[BETA]], %{{.*}} : f32
// CHECK:         %[[LINE:.*]] = arith.andi %{{.*}}, %[[FETCHED]] : i1
// CHECK-NEXT:    scf.if %[[LINE]]
// CHECK:           nvvm.prefetch level = {{ *}}L2
// CHECK:         %[[GATE:.*]] = arith.cmpf une, %[[BETA]], %{{.*}} : f32
// CHECK:         %[[COUNT:.*]] = arith.select %[[GATE]], %{{.*}}, %{{.*}} : i32
// CHECK:         %[[ROW:.*]] = arith.select %{{.*}}, %[[COUNT]], %{{.*}} : i32
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[ROW]] : i32
// CHECK:         "mov.b16 $0, 0; @$1 ld.global.b16 $0, [$2];", "=&h,b,l" %[[INSIDE]],
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @gate(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>, %beta: f32,
                 %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>)
          aux(%c : (m, n), %beta : ()) outs(%d : (m, n)) stores(elements) {
      ^bb0(%y: f32, %p: bf16, %q: f32):
        %one = arith.constant 1.0 : f32
        %p32 = arith.extf %p : bf16 to f32
        %r = cutl.linear_combination %one, %y, %q, %p32 : f32
        cutl_tile.yield %r : f32
      } : (memref<?x?xbf16>, f32, memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}

// -----

// What is computed on in 16 bits is rounded for two neighbours at once, and what is only stored where it is packed.
// CHECK-LABEL: llvm.func @rounded(
// CHECK:         nvvm.wgmma.mma_async
// CHECK-NOT:     arith.truncf
// CHECK:         %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"(%[[HIGH:.*]], %[[LOW:.*]]) : (f32, f32) -> vector<2xf16>
// CHECK:         %[[FIRST:.*]] = llvm.extractelement %[[PAIR]][%{{.*}} : i32] : vector<2xf16>
// CHECK:         %[[SECOND:.*]] = llvm.extractelement %[[PAIR]][%{{.*}} : i32] : vector<2xf16>
// CHECK:         arith.addf %[[FIRST]], %[[FIRST]] : f16
// CHECK:         arith.addf %[[SECOND]], %[[SECOND]] : f16
// CHECK:         arith.truncf %[[LOW]] : f32 to bf16
// CHECK:         arith.truncf %[[HIGH]] : f32 to bf16
// CHECK-NOT:     arith.truncf {{.*}} : f32 to f16
// CHECK:         llvm.return
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @rounded(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %e: memref<?x?xbf16>, %x: index)
      kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x64xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>)
          outs(%d : (m, n), %e : (m, n)) stores(tensor, tensor) {
      ^bb0(%y: f32):
        %h = arith.truncf %y : f32 to f16
        %s = arith.addf %h, %h : f16
        %o = arith.truncf %y : f32 to bf16
        cutl_tile.yield %s, %o : f16, bf16
      } : (memref<?x?xf16>, memref<?x?xbf16>) -> ()
    }
    gpu.return
  }
}
