// What the faults that numeric tests seed look like.
// REQUIRES: cutl-test-opt
// RUN: cutl-test-opt %s --test-cutl-seed-fault=fault=drop-last-k-tile | FileCheck %s --check-prefix=DROP
// RUN: cutl-test-opt %s --test-cutl-seed-fault=fault=repeat-tile | FileCheck %s --check-prefix=REPEAT
// RUN: cutl-test-opt %s --test-cutl-seed-fault='fault=tail-mask dim=n by=1' | FileCheck %s --check-prefix=MASK
// RUN: cutl-test-opt %S/fixup.mlir --test-cutl-seed-fault=fault=skip-fixup | FileCheck %s --check-prefix=SKIP
// RUN: cutl-test-opt %S/fixup.mlir --test-cutl-seed-fault=fault=keep-arrivals | FileCheck %s --check-prefix=KEEP
// RUN: cutl-test-opt %S/fixup-arrival-order.mlir --test-cutl-seed-fault=fault=keep-sums | FileCheck %s --check-prefix=SUMS
// RUN: not cutl-test-opt %s --test-cutl-seed-fault=fault=sloth 2>&1 | FileCheck %s --check-prefix=SLOTH
// RUN: not cutl-test-opt %s --test-cutl-seed-fault='fault=tail-mask dim=b' 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not cutl-opt --test-cutl-seed-fault 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// DROP:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// DROP-NEXT:   %[[LENGTH:.*]] = arith.subi %[[K1]], %[[K0]]
// DROP-NEXT:   %[[C1:.*]] = arith.constant 1
// DROP-NEXT:   %[[LAST:.*]] = arith.subi %[[LENGTH]], %[[C1]]
// DROP-NEXT:   %[[C0:.*]] = arith.constant 0
// DROP-NEXT:   %[[POSITIVE:.*]] = arith.maxsi %[[LAST]], %[[C0]]
// DROP-NEXT:   %[[C64:.*]] = arith.constant 64
// DROP-NEXT:   %[[STEPS:.*]] = arith.divui %[[POSITIVE]], %[[C64]]
// DROP-NEXT:   %[[C64:.*]] = arith.constant 64
// DROP-NEXT:   %[[KEPT:.*]] = arith.muli %[[STEPS]], %[[C64]]
// DROP-NEXT:   %[[END:.*]] = arith.addi %[[K0]], %[[KEPT]]
// DROP-NEXT:   cutl_tile.mainloop at(%[[M0]], %[[N0]]) k(%[[K0]] to %[[END]])

// REPEAT:      ^bb0(%[[M0:.*]]: index, %[[N0:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// REPEAT-NEXT:   %[[C128:.*]] = arith.constant 128
// REPEAT-NEXT:   %[[C0:.*]] = arith.constant 0
// REPEAT-NEXT:   %[[BEFORE:.*]] = arith.subi %[[M0]], %[[C128]]
// REPEAT-NEXT:   %[[AT:.*]] = arith.maxsi %[[BEFORE]], %[[C0]]
// REPEAT-NEXT:   cutl_tile.mainloop at(%[[AT]], %[[N0]]) k(%[[K0]] to %[[K1]])
// REPEAT:        cutl_tile.epilogue at(%[[AT]], %[[N0]])

// MASK:      %[[C1:.*]] = arith.constant 1 : index
// MASK-NEXT: %[[N:.*]] = arith.addi %[[X:.*]], %[[C1]]
// MASK-NEXT: cutl_tile.work_loop extents(%[[X]], %[[N]], %[[X]])

// SKIP:      %[[C1:.*]] = arith.constant 1 : index
// SKIP-NEXT: cutl_tile.fixup %{{.*}} slot(%{{.*}}) of(%{{.*}}, %[[C1]])

// KEEP:      cutl.entry @f(
// KEEP-NOT:  cutl.memset
// KEEP:      cutl.launch_kernel

// SUMS:      cutl.entry @f(
// SUMS-NOT:  cutl.memset
// SUMS:      cutl.memset %{{.*}} to 0 : memref<?xi32>

// SLOTH: error: 'cutl_tile.work_loop' op expected fault to be drop-last-k-tile, repeat-tile, skip-fixup, keep-arrivals, keep-sums, or tail-mask of m, n or k, got 'sloth' of 'm'
// BATCH: error: 'cutl_tile.work_loop' op expected fault to be drop-last-k-tile, repeat-tile, skip-fixup, keep-arrivals, keep-sums, or tail-mask of m, n or k, got 'tail-mask' of 'b'
// UNKNOWN: Unknown command line argument '--test-cutl-seed-fault'

gpu.module @kernels {
  gpu.func @f(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [128, 8, 64], stages = 2, kernel = cooperative>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<128x8xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x8xf32>) outs(%d : (m, n)) {
      ^bb0(%y: f32):
        cutl_tile.yield %y : f32
      } : (memref<?x?xf32>) -> ()
    }
    gpu.return
  }
}
