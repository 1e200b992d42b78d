// Places in shared memory that convert-cutl-tile-to-nvvm refuses: each is one of these kernels with another number in it.
// RUN: cutl-opt %s --convert-cutl-tile-to-nvvm | FileCheck %s
// RUN: sed 's/ticket(22560)/ticket(22562)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-ODD
// RUN: sed 's/ticket(22560)/ticket(22564)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-BEYOND
// RUN: sed 's/ticket(22560)/ticket(-4)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-BEFORE
// RUN: sed 's/ticket(22560)/ticket(9223372036854775804)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-FAR
// RUN: sed 's/ticket(22560)/ticket(22556)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-BARRIERS
// RUN: sed 's/ticket(22560)/ticket(22524)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-STAGING
// RUN: sed 's/ticket(22560)/ticket(0)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TICKET-RING
// RUN: sed 's/cutl_tile.shared_bytes = 22564/x = 22564/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=NO-TOTAL
// RUN: sed 's/cutl_tile.shared_bytes = 22564/cutl_tile.shared_bytes = 22559/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=TOTAL
// RUN: sed 's/operands = \[0, 16384\]/operands = [0, 16896]/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=BOXES
// RUN: sed 's/operands = \[0, 16384\]/operands = [0, 15360]/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=OPERANDS
// RUN: sed 's/full = 22528/full = 22532/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: sed 's/empty = 22544/empty = 22536/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: sed 's/offset = 20480/offset = 19456/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=STAGING
// RUN: sed 's/bytes = 2048/bytes = 4611686018427387904/;s/buffers = 1/buffers = 4/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=STAGING-FAR
// RUN: sed 's/barriers(36896)/barriers(36888)/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: sed 's/barriers = 40992/barriers = 40960/' %s | not cutl-opt --convert-cutl-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=LOADS

// CHECK-COUNT-3: llvm.func @
// TICKET-ODD: 'cutl_tile.fixup' op expected the ticket at a multiple of 4 bytes, got 22562
// TICKET-BEYOND: 'cutl_tile.fixup' op expected the ticket within the 22564 bytes of shared memory, got 4 bytes from 22564
// TICKET-BEFORE: 'cutl_tile.fixup' op expected the ticket within the 22564 bytes of shared memory, got 4 bytes from -4
// TICKET-FAR: 'cutl_tile.fixup' op expected the ticket within the 22564 bytes of shared memory, got 4 bytes from 9223372036854775804
// TICKET-BARRIERS: 'cutl_tile.fixup' op expected the ticket to share no bytes with the empty barriers, got 4 bytes from 22556 and 16 from 22544
// TICKET-STAGING: 'cutl_tile.fixup' op expected the ticket to share no bytes with the staging buffers, got 4 bytes from 22524 and 2048 from 20480
// TICKET-RING: 'cutl_tile.fixup' op expected the ticket to share no bytes with operand 0 of the ring, got 4 bytes from 0 and 16384 from 0
// NO-TOTAL: 'gpu.func' op expected cutl_tile.shared_bytes in convert-cutl-tile-to-nvvm; run cutl-tile-allocate-smem first
// TOTAL: 'cutl_tile.ring' op expected the empty barriers within the 22559 bytes of shared memory, got 16 bytes from 22544
// BOXES: 'cutl_tile.ring' op expected operand 1 of the ring at a multiple of 1024 bytes, got 16896
// OPERANDS: 'cutl_tile.ring' op expected operand 1 of the ring to share no bytes with operand 0 of the ring, got 4096 bytes from 15360 and 16384 from 0
// FULL: 'cutl_tile.ring' op expected the full barriers at a multiple of 8 bytes, got 22532
// EMPTY: 'cutl_tile.ring' op expected the empty barriers to share no bytes with the full barriers, got 16 bytes from 22536 and 16 from 22528
// STAGING: 'cutl_tile.epilogue' op expected the staging buffers to share no bytes with operand 1 of the ring, got 2048 bytes from 19456 and 4096 from 16384
// STAGING-FAR: 'cutl_tile.epilogue' op expected the staging buffers within the 22564 bytes of shared memory, got 9223372036854775807 bytes from 20480
// SUM: 'cutl_tile.cluster_sum' op expected the barriers of the sum over the cluster to share no bytes with the empty barriers, got 16 bytes from 36888 and 16 from 36880
// LOADS: 'cutl_tile.epilogue' op expected the barriers of loads to share no bytes with the full barriers, got 8 bytes from 40960 and 16 from 40960
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @turns(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %p: memref<?x1024xf32>, %c: memref<?xi32>, %x: index) kernel attributes {cutl_tile.shared_bytes = 22564 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 22528, empty = 22544>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.split_k<4, reduction = turnstile>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single>) schedule(#cutl.split_k<4, reduction = turnstile>) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>> -> !cutl_tile.acc<64x16xf32>
        %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) turnstile ticket(22560)
            : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%sum : !cutl_tile.acc<64x16xf32>) if(%last) outs(%d : (m, n))
            stores(elements) staging(<offset = 20480, bytes = 2048, buffers = 1>) {
        ^bb0(%y: f32):
          %o = arith.truncf %y : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }

  gpu.func @summed(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel attributes {cutl_tile.shared_bytes = 36912 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 36864, empty = 36880>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <64x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, cluster = [2, 1, 4]>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <64x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, cluster = [2, 1, 4]>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <64x64xf16, k_major>> -> !cutl_tile.acc<64x64xf32>
        %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 barriers(36896) : !cutl_tile.acc<64x64xf32> -> !cutl_tile.acc<64x16xf32>
        cutl_tile.epilogue at(%m0, %n1) accumulators(%sum : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n))
            stores(elements) staging(<offset = 32768, bytes = 4096, buffers = 1>) {
        ^bb0(%y: f32):
          cutl_tile.yield %y : f32
        } : (memref<?x?xf32>) -> ()
      }
    }
    gpu.return
  }

  gpu.func @loaded(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) kernel attributes {cutl_tile.shared_bytes = 41000 : i64} {
    %ring = cutl_tile.ring readers(1) layout(<operands = [0, 16384], full = 40960, empty = 40976>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <64x64xf16, k_major>>
    cutl_tile.warpgroups producer count(1) registers(40) {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
            : !cutl_tile.ring<2, <64x64xf16, k_major>, <64x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
      }
    }
    cutl_tile.warpgroups consumer count(1) registers(248) {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
        %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <64x64xf16, k_major>> -> !cutl_tile.acc<64x64xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x64xf32>) aux(%c : (m, n)) outs(%d : (m, n))
            loads(outs[0]) stores(tensor) staging(<offset = 32768, bytes = 8192, buffers = 1, barriers = 40992>) {
        ^bb0(%y: f32, %z: f16):
          %w = arith.extf %z : f16 to f32
          %s = arith.addf %y, %w : f32
          %o = arith.truncf %s : f32 to f16
          cutl_tile.yield %o : f16
        } : (memref<?x?xf16>, memref<?x?xf16>) -> ()
      }
    }
    gpu.return
  }
}
