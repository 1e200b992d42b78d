// What each op prints, and that it parses again.
// RUN: cutl-opt %s | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --mlir-print-op-generic | cutl-opt | FileCheck %s

// CHECK-LABEL: gpu.func @plain(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?xf32>, %[[D:.*]]: memref<?x?xbf16>) kernel
// CHECK:         cutl_tile.work_loop extents(%[[M:.*]], %[[N:.*]], %[[K:.*]]) config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:      %[[ACC:.*]] = cutl_tile.mainloop at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k)) : (memref<?x?xbf16, strided<[?, ?], offset: ?>>, memref<?x?xbf16>) -> !cutl_tile.acc<128x200xf32>
// CHECK-NEXT:      cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]] : !cutl_tile.acc<128x200xf32>) aux(%[[C]] : (n)) outs(%[[D]] : (m, n)) {
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT:        %[[R:.*]] = cutl.relu %[[S]] : f32
// CHECK-NEXT:        %[[O:.*]] = arith.truncf %[[R]] : f32 to bf16
// CHECK-NEXT:        cutl_tile.yield %[[O]] : bf16
// CHECK-NEXT:      } : (memref<?xf32>, memref<?x?xbf16>) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.return
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @plain(%a: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %b: memref<?x?xbf16>, %c: memref<?xf32>,
                  %d: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    %n = memref.dim %b, %c0 : memref<?x?xbf16>
    %k = memref.dim %a, %c1 : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xbf16, strided<[?, ?], offset: ?>>, memref<?x?xbf16>) -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) aux(%c : (n))
          outs(%d : (m, n)) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        %r = cutl.relu %s : f32
        %o = arith.truncf %r : f32 to bf16
        cutl_tile.yield %o : bf16
      } : (memref<?xf32>, memref<?x?xbf16>) -> ()
    }
    gpu.return
  }

// An operand is copied into aligned rows; products of types that do not say it all.
// CHECK-LABEL: gpu.func @repacked(
// CHECK-NEXT:    cutl_tile.repack %{{.*}} permuted [0, 2, 1] into %{{.*}} : memref<?x?x?xf8E4M3FN, strided<[?, ?, ?]>> into memref<?x?x?xf8E4M3FN, strided<[?, ?, 1]>>
  gpu.func @repacked(%a: memref<?x?x?xf8E4M3FN, strided<[?, ?, ?]>>, %t: memref<?x?x?xf8E4M3FN, strided<[?, ?, 1]>>) kernel {
    cutl_tile.repack %a permuted [0, 2, 1] into %t
        : memref<?x?x?xf8E4M3FN, strided<[?, ?, ?]>> into memref<?x?x?xf8E4M3FN, strided<[?, ?, 1]>>
    gpu.return
  }

// CHECK-LABEL: gpu.func @computes(
// CHECK:         cutl_tile.mainloop at(%{{.*}}) k(%{{.*}}) ins({{.*}}) compute(<math = tf32>) : (
// CHECK:         cutl_tile.mainloop at(%{{.*}}) k(%{{.*}}) ins({{.*}}) compute(<promote = 128>) : (
// CHECK:         cutl_tile.mainloop at(%{{.*}}) k(%{{.*}}) ins({{.*}}) compute(<a = unsigned, b = unsigned>) : (
  gpu.func @computes(%f: memref<?x?xf32>, %e: memref<?x?xf8E5M2>, %i: memref<?x?xi8>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 128], stages = 2, kernel = single>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %0 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%f : (m, k), %f : (n, k)) compute(<math = tf32>)
          : (memref<?x?xf32>, memref<?x?xf32>) -> !cutl_tile.acc<64x16xf32>
      %1 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%e : (m, k), %e : (n, k)) compute(<promote = 128>)
          : (memref<?x?xf8E5M2>, memref<?x?xf8E5M2>) -> !cutl_tile.acc<64x16xf32>
      %2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%i : (m, k), %i : (n, k)) compute(<a = unsigned, b = unsigned>)
          : (memref<?x?xi8>, memref<?x?xi8>) -> !cutl_tile.acc<64x16xi32>
    }
    gpu.return
  }

// Reduced outputs, of several tiles and of one, and the op that combines.
// CHECK-LABEL: gpu.func @reduced(
// CHECK:         cutl_tile.epilogue at({{.*}}) accumulators({{.*}}) outs(%{{.*}} : (n) amax, %{{.*}} : (n floordiv 16, m) add, %{{.*}} : (m, n)) {
// CHECK-LABEL: gpu.func @combine(
// CHECK-NEXT:    cutl_tile.combine min %{{.*}} into %{{.*}} : memref<?x?x8xf16> into memref<8xf16>
  gpu.func @reduced(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %s: memref<?xf32>, %p: memref<?x?xf32>, %d: memref<?x?xf32>,
                    %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>)
          outs(%s : (n) amax, %p : (n floordiv 16, m) add, %d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y, %y, %y : f32, f32, f32
      } : (memref<?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
    }
    gpu.return
  }
  gpu.func @combine(%p: memref<?x?x8xf16>, %s: memref<8xf16>) kernel {
    cutl_tile.combine min %p into %s : memref<?x?x8xf16> into memref<8xf16>
    gpu.return
  }

// Units that share tiles.
// CHECK-LABEL: gpu.func @shared_tiles(
// CHECK-SAME:    %[[P:arg4]]: memref<?x2048xf32>, %[[C:arg5]]: memref<?xi32>)
// CHECK:         schedule(#cutl.stream_k<tiles = 4>) {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[SLOT:.*]]: index, %[[FIRST:.*]]: index, %[[COUNT:.*]]: index):
// CHECK:         %[[ACC:.*]]:2 = cutl_tile.mainloop
// CHECK:         %[[SUM:.*]]:2, %[[LAST:[a-z0-9]+]] = cutl_tile.fixup %[[ACC]]#0, %[[ACC]]#1 slot(%[[SLOT]]) of(%[[FIRST]], %[[COUNT]]) partials(%[[P]]) arrivals(%[[C]]) : (!cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>), memref<?x2048xf32>, memref<?xi32>
// CHECK:         cutl_tile.epilogue at({{.*}}) accumulators(%[[SUM]]#0, %[[SUM]]#1 : !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>) if(%[[LAST]])
  gpu.func @shared_tiles(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index,
                         %p: memref<?x2048xf32>, %c: memref<?xi32>) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>)
        schedule(#cutl.stream_k<tiles = 4>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> (!cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>)
      %sum:2, %last = cutl_tile.fixup %acc#0, %acc#1 slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
          : (!cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>), memref<?x2048xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum#0, %sum#1 : !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>)
          if(%last) outs(%d : (m, n)) {
      ^bb0(%y: f32, %z: f32):
        %w = arith.mulf %y, %z : f32
        cutl_tile.yield %w : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @arrival_order(
// CHECK:         cutl_tile.fixup %{{.*}} slot(%{{.*}}) of(%{{.*}}, %{{.*}}) partials(%{{.*}}) arrivals(%{{.*}}) arrival_order : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
  gpu.func @arrival_order(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index,
                          %p: memref<?x1024xf32>, %c: memref<?xi32>) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>)
        schedule(#cutl.split_k<4, reduction = arrival_order>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) arrival_order
          : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) if(%last) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @turnstile(
// CHECK:         cutl_tile.fixup %{{.*}} slot(%{{.*}}) of(%{{.*}}, %{{.*}}) partials(%{{.*}}) arrivals(%{{.*}}) turnstile ticket(64) : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
  gpu.func @turnstile(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index,
                      %p: memref<?x1024xf32>, %c: memref<?xi32>) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>)
        schedule(#cutl.split_k<4, reduction = turnstile>) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) turnstile ticket(64)
          : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) if(%last) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// CTAs that divide k, and finish columns of a tile or, with swapped operands, rows.
// CHECK-LABEL: gpu.func @divided_k(
// CHECK:         cluster = [1, 1, 2]
// CHECK:         %[[SUM:.*]]:2, %[[N1:[a-z0-9]+]] = cutl_tile.cluster_sum %{{.*}}#0, %{{.*}}#1 from %{{.*}} : !cutl_tile.acc<64x32xf32>, !cutl_tile.acc<64x32xf32> -> !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>
// CHECK:         cutl_tile.epilogue at(%{{.*}}, %[[N1]]) accumulators(%[[SUM]]#0, %[[SUM]]#1 :
// CHECK:         cluster = [2, 1, 4], swap_operands = true
// CHECK:         cutl_tile.cluster_sum %{{.*}} from %{{.*}} barriers(4096) : !cutl_tile.acc<32x64xf32> -> !cutl_tile.acc<8x64xf32>
  gpu.func @divided_k(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single, cluster = [1, 1, 2]>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> (!cutl_tile.acc<64x32xf32>, !cutl_tile.acc<64x32xf32>)
      %sum:2, %n1 = cutl_tile.cluster_sum %acc#0, %acc#1 from %n0
          : !cutl_tile.acc<64x32xf32>, !cutl_tile.acc<64x32xf32> -> !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n1) accumulators(%sum#0, %sum#1 : !cutl_tile.acc<64x16xf32>, !cutl_tile.acc<64x16xf32>)
          outs(%d : (m, n)) {
      ^bb0(%y: f32, %z: f32):
        %w = arith.mulf %y, %z : f32
        cutl_tile.yield %w : f32
      } : (memref<?x?xf32>) -> ()
    }
    cutl_tile.work_loop extents(%x, %x, %x)
        config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single, cluster = [2, 1, 4], swap_operands = true>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<32x64xf32>
      %sum, %m1 = cutl_tile.cluster_sum %acc from %m0 barriers(4096) : !cutl_tile.acc<32x64xf32> -> !cutl_tile.acc<8x64xf32>
      cutl_tile.epilogue at(%m1, %n0) accumulators(%sum : !cutl_tile.acc<8x64xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// An epilogue that may be left out.
// CHECK-LABEL: gpu.func @conditional(
// CHECK:         cutl_tile.epilogue at({{.*}}) accumulators(%{{.*}} : !cutl_tile.acc<64x16xf32>) if(%{{.*}}) outs(%{{.*}} : (m, n)) {
  gpu.func @conditional(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index, %y: i1) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) if(%y) outs(%d : (m, n)) {
      ^bb0(%z: f32):
        cutl_tile.yield %z : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }

// Batches, two B, a number by value, two outputs, swapped sides, attributes.
// CHECK-LABEL: gpu.func @forms(
// CHECK:         cutl_tile.work_loop extents({{.*}}) config({{.*}}swap_operands = true{{.*}}) schedule(#cutl.data_parallel) attributes {note} {
// CHECK:         %[[ACC:.*]]:2 = cutl_tile.mainloop at(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) k(%{{.*}} to %{{.*}}) ins(%{{.*}} : (b0, k, m), %{{.*}} : (n, b1, k), %{{.*}} : (k, n)) attributes {note} :
// CHECK-SAME:      -> (!cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
// CHECK:         cutl_tile.epilogue at({{.*}}) accumulators(%[[ACC]]#0, %[[ACC]]#1 : !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
// CHECK-SAME:      aux(%{{.*}} : (), %{{.*}} : ()) outs(%{{.*}} : (b0, b1, m, n), %{{.*}} : (n, b1, b0, m)) attributes {note} {
// CHECK:         } : (f32, memref<f32>, memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) -> ()
  gpu.func @forms(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %b1: memref<?x?xf16>, %s: f32, %p: memref<f32>,
                  %d: memref<?x?x?x?xf32>, %e: memref<?x?x?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>)
        schedule(#cutl.data_parallel) attributes {note} {
    ^bb0(%i: index, %j: index, %m0: index, %n0: index, %k0: index, %k1: index):
      %acc:2 = cutl_tile.mainloop at(%i, %j, %m0, %n0) k(%k0 to %k1)
          ins(%a : (b0, k, m), %b : (n, b1, k), %b1 : (k, n)) attributes {note}
          : (memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?xf16>)
          -> (!cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
      cutl_tile.epilogue at(%i, %j, %m0, %n0)
          accumulators(%acc#0, %acc#1 : !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
          aux(%s : (), %p : ()) outs(%d : (b0, b1, m, n), %e : (n, b1, b0, m)) attributes {note} {
      ^bb0(%u: f32, %v: f32, %w: f32, %q: f32):
        cutl_tile.yield %u, %v : f32, f32
      } : (f32, memref<f32>, memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) -> ()
    }
    gpu.return
  }

// A staged kernel: the roles, the ring between them, places in shared memory.
// CHECK-LABEL: gpu.func @staged(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xbf16>, %[[X:.*]]: index) kernel
// CHECK-NEXT:    %[[RING:.*]] = cutl_tile.ring readers(1) layout(<operands = [0, 65536], full = 200704, empty = 200736>) : <4, <128x64xbf16, k_major>, <200x64xbf16, k_major>>
// CHECK-NEXT:    cutl_tile.warpgroups {{ *}}producer count(1) registers(24) {
// CHECK-NEXT:      cutl_tile.work_loop
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        cutl_tile.load %[[RING]] at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[K1]]) ins(%[[A]] : (m, k), %[[B]] : (n, k)) : !cutl_tile.ring<4, <128x64xbf16, k_major>, <200x64xbf16, k_major>>, memref<?x?xbf16>, memref<?x?xbf16>
// CHECK:         cutl_tile.warpgroups {{ *}}consumer count(2) registers(240) attributes {note} {
// CHECK-NEXT:      cutl_tile.work_loop
// CHECK-NEXT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK-NEXT:        %[[ACC:.*]] = cutl_tile.multiply %[[RING]] k(%[[K0]] to %[[K1]]) : <4, <128x64xbf16, k_major>, <200x64xbf16, k_major>> -> !cutl_tile.acc<128x200xf32>
// CHECK-NEXT:        cutl_tile.epilogue at(%[[M0]], %[[N0]]) accumulators(%[[ACC]] : !cutl_tile.acc<128x200xf32>) outs(%[[D]] : (m, n)) stores(tensor) staging(<offset = 167936, bytes = 16384, buffers = 1>) {
  gpu.func @staged(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %x: index) kernel
      attributes {cutl_tile.alternative = @forms_of_stages, cutl_tile.shared_bytes = 200768 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 65536], full = 200704, empty = 200736>)
        : !cutl_tile.ring<4, !cutl_tile.stage<128x64xbf16, k_major>, !cutl_tile.stage<200x64xbf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(24) {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<4, <128x64xbf16, k_major>, <200x64xbf16, k_major>>, memref<?x?xbf16>, memref<?x?xbf16>
      }
    }
    cutl_tile.warpgroups consumer count(2) registers(240) attributes {note} {
      cutl_tile.work_loop extents(%x, %x, %x)
          config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1)
            : !cutl_tile.ring<4, <128x64xbf16, k_major>, <200x64xbf16, k_major>> -> !cutl_tile.acc<128x200xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>) outs(%d : (m, n)) stores(tensor)
            staging(<offset = 167936, bytes = 16384, buffers = 1>) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to bf16
          cutl_tile.yield %o : bf16
        } : (memref<?x?xbf16>) -> ()
      }
    }
    gpu.return
  }

// Staged without roles and places; two B, contiguous rows, two outputs written
// in two ways, swapped sides, attributes.
// CHECK-LABEL: gpu.func @forms_of_stages(
// CHECK:         %[[RING:.*]] = cutl_tile.ring {note} : <2, <16x64xf16, mn_major>, <64x64xf16, k_major>, <64x64xf16, mn_major>>
// CHECK:         cutl_tile.load %[[RING]] at(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) k(%{{.*}} to %{{.*}}) ins(%{{.*}} : (b0, k, m), %{{.*}} : (n, b1, k), %{{.*}} : (k, n)) attributes {note} : !cutl_tile.ring<2, {{.*}}>, memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?xf16>
// CHECK-NEXT:    %[[ACC:.*]]:2 = cutl_tile.multiply %[[RING]] k(%{{.*}} to %{{.*}}) {note} : <2, {{.*}}> -> !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>
// CHECK:         outs(%{{.*}} : (b0, b1, m, n), %{{.*}} : (n, b1, b0, m)) stores(tensor, elements) attributes {note} {
  gpu.func @forms_of_stages(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %b1: memref<?x?xf16>,
                            %d: memref<?x?x?x?xf32>, %e: memref<?x?x?x?xf32>, %x: index) kernel {
    %ring = cutl_tile.ring {note} : <2, <16x64xf16, mn_major>, <64x64xf16, k_major>, <64x64xf16, mn_major>>
    cutl_tile.work_loop extents(%x, %x, %x, %x, %x)
        config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, swap_operands = true>)
        schedule(#cutl.data_parallel) {
    ^bb0(%i: index, %j: index, %m0: index, %n0: index, %k0: index, %k1: index):
      cutl_tile.load %ring at(%i, %j, %m0, %n0) k(%k0 to %k1)
          ins(%a : (b0, k, m), %b : (n, b1, k), %b1 : (k, n)) attributes {note}
          : !cutl_tile.ring<2, <16x64xf16, mn_major>, <64x64xf16, k_major>, <64x64xf16, mn_major>>,
            memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?xf16>
      %acc:2 = cutl_tile.multiply %ring k(%k0 to %k1) {note}
          : <2, <16x64xf16, mn_major>, <64x64xf16, k_major>, <64x64xf16, mn_major>>
          -> !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>
      cutl_tile.epilogue at(%i, %j, %m0, %n0)
          accumulators(%acc#0, %acc#1 : !cutl_tile.acc<16x64xf32>, !cutl_tile.acc<16x64xf32>)
          outs(%d : (b0, b1, m, n), %e : (n, b1, b0, m)) stores(tensor, elements) attributes {note} {
      ^bb0(%u: f32, %v: f32):
        cutl_tile.yield %u, %v : f32, f32
      } : (memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) -> ()
    }
    gpu.return
  }

// Types and attributes by themselves; elements of each size, and a row of boxes
// whose last one is not full.
// CHECK-LABEL: func.func private @alone(
// CHECK-SAME:    !cutl_tile.stage<200x32xf32, k_major>
// CHECK-SAME:    !cutl_tile.ring<2, <8x128xi8, k_major>, <8x128xi8, mn_major>>
// CHECK-SAME:    !cutl_tile.stage<256x256xf64, mn_major>
// CHECK-SAME:  attributes {layout = #cutl_tile.ring_layout<operands = [0, 1024], full = 2048, empty = 2064>, role = #cutl_tile<role producer>, staging = #cutl_tile.staging<offset = 0, bytes = 1024, buffers = 2>, store = #cutl_tile<store elements>}
  func.func private @alone(
      !cutl_tile.stage<200x32xf32, k_major>,
      !cutl_tile.ring<2, !cutl_tile.stage<8x128xi8, k_major>, !cutl_tile.stage<8x128xi8, mn_major>>,
      !cutl_tile.stage<256x256xf64, mn_major>)
      attributes {layout = #cutl_tile.ring_layout<operands = [0, 1024], full = 2048, empty = 2064>,
                  role = #cutl_tile<role producer>, store = #cutl_tile<store elements>,
                  staging = #cutl_tile.staging<buffers = 2, offset = 0, bytes = 1024>}
}
