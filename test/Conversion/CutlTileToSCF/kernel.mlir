// A kernel and its entry become functions, launches calls.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=3' --canonicalize --cse | FileCheck %s
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=3 cta-order=reverse' --canonicalize --cse | FileCheck %s --check-prefix=REVERSE
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=5 cta-order=seed:1' --canonicalize --cse | FileCheck %s --check-prefix=SEED1
// RUN: cutl-opt %s --convert-cutl-tile-to-scf='grid=5 cta-order=seed:2' | FileCheck %s --check-prefix=SEED2

// CHECK-LABEL: func.func @host(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?xf32>, %[[D:.*]]: memref<?x?xbf16>, %[[S:.*]]: f32, %[[W:.*]]: memref<?xi8>)
// CHECK-NEXT:    call @linear_entry(%[[A]], %[[B]], %[[C]], %[[D]], %[[S]], %[[W]]) :
// CHECK-NEXT:    return
func.func @host(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?xf32>, %d: memref<?x?xbf16>, %s: f32,
                %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  cutl.launch @bundle::@linear_entry(%a, %b, %c, %d, %s) workspace(%workspace) stream(%stream)
      : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?xf32>, memref<?x?xbf16>, f32)
  return
}

// CHECK-LABEL: func.func private @linear(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?xf32>, %[[D:.*]]: memref<?x?xbf16>, %[[S:.*]]: f32)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG:     %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[B]], %c0
// CHECK-DAG:     %[[TA:.*]] = memref.alloc() {{.*}}: memref<64x64xf32>
// CHECK-DAG:     %[[TB:.*]] = memref.alloc() {{.*}}: memref<64x8xf32>
// CHECK-DAG:     %[[ACC:.*]] = memref.alloc() {{.*}}: memref<64x8xf32>
// CHECK-DAG:     %[[TILESM:.*]] = arith.ceildivui %[[M]], %[[C64]]
// CHECK-DAG:     %[[TILESN:.*]] = arith.ceildivui %[[N]], %[[C8]]
// The CTAs and what the schedule gives to each.
// CHECK:         scf.for %[[CTA:.*]] = %c0 to %[[C3]] step %[[C1]] {
// CHECK-NEXT:      %[[UNITS:.*]] = arith.muli %[[TILESM]], %[[TILESN]]
// CHECK-NEXT:      scf.for %{{.*}} = %[[CTA]] to %[[UNITS]] step %[[C3]] {
// CHECK:             %[[M0:.*]] = arith.muli %{{.*}}, %[[C64]]
// CHECK-NEXT:        %[[N0:.*]] = arith.muli %{{.*}}, %[[C8]]
// CHECK-NEXT:        %[[KS:.*]] = arith.muli %{{.*}}, %[[C64]]
// CHECK-NEXT:        %[[K1:.*]] = arith.minsi %[[KS]], %[[K]]
// The product of a tile.
// CHECK:             memref.store %[[ZERO]], %[[ACC]][
// CHECK:             scf.for %[[KT:.*]] = %c0 to %[[K1]] step %[[C64]] {
// CHECK-NEXT:          scf.for %[[I:.*]] = %c0 to %[[C64]] step %[[C1]] {
// CHECK-NEXT:            scf.for %[[J:.*]] = %c0 to %[[C64]] step %[[C1]] {
// CHECK-NEXT:              %[[MI:.*]] = arith.addi %[[M0]], %[[I]]
// CHECK-NEXT:              %[[KJ:.*]] = arith.addi %[[KT]], %[[J]]
// CHECK-NEXT:              %[[INM:.*]] = arith.cmpi slt, %[[MI]], %[[M]]
// CHECK-NEXT:              %[[INK:.*]] = arith.cmpi slt, %[[KJ]], %[[K1]]
// CHECK-NEXT:              %[[IN:.*]] = arith.andi %[[INM]], %[[INK]]
// CHECK-NEXT:              %[[X:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:                %[[L:.*]] = memref.load %[[A]][%[[MI]], %[[KJ]]]
// CHECK-NEXT:                %[[E:.*]] = arith.extf %[[L]] : bf16 to f32
// CHECK-NEXT:                scf.yield %[[E]]
// CHECK-NEXT:              } else {
// CHECK-NEXT:                scf.yield %[[ZERO]]
// CHECK-NEXT:              }
// CHECK-NEXT:              memref.store %[[X]], %[[TA]][%[[I]], %[[J]]]
// CHECK:                   memref.load %[[B]][%[[NJ:.*]], %[[KI:.*]]]
// CHECK:                   memref.store %{{.*}}, %[[TB]][
// CHECK:               scf.for %[[I:.*]] = %c0 to %[[C64]] step %[[C1]] {
// CHECK-NEXT:            scf.for %[[P:.*]] = %c0 to %[[C64]] step %[[C1]] {
// CHECK-NEXT:              %[[LEFT:.*]] = memref.load %[[TA]][%[[I]], %[[P]]]
// CHECK-NEXT:              scf.for %[[J:.*]] = %c0 to %[[C8]] step %[[C1]] {
// CHECK-NEXT:                %[[RIGHT:.*]] = memref.load %[[TB]][%[[P]], %[[J]]]
// CHECK-NEXT:                %[[OLD:.*]] = memref.load %[[ACC]][%[[I]], %[[J]]]
// CHECK-NEXT:                %[[PRODUCT:.*]] = arith.mulf %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT:                %[[NEW:.*]] = arith.addf %[[OLD]], %[[PRODUCT]]
// CHECK-NEXT:                memref.store %[[NEW]], %[[ACC]][%[[I]], %[[J]]]
// The epilogue, up to the extents.
// CHECK:             %[[LEFTM:.*]] = arith.subi %[[M]], %[[M0]]
// CHECK-NEXT:        %[[ROWS:.*]] = arith.minsi %[[LEFTM]], %[[C64]]
// CHECK-NEXT:        %[[LEFTN:.*]] = arith.subi %[[N]], %[[N0]]
// CHECK-NEXT:        %[[COLUMNS:.*]] = arith.minsi %[[LEFTN]], %[[C8]]
// CHECK-NEXT:        scf.for %[[I:.*]] = %c0 to %[[ROWS]] step %[[C1]] {
// CHECK-NEXT:          scf.for %[[J:.*]] = %c0 to %[[COLUMNS]] step %[[C1]] {
// CHECK-NEXT:            %[[MI:.*]] = arith.addi %[[M0]], %[[I]]
// CHECK-NEXT:            %[[NJ:.*]] = arith.addi %[[N0]], %[[J]]
// CHECK-NEXT:            %[[X:.*]] = memref.load %[[ACC]][%[[I]], %[[J]]]
// CHECK-NEXT:            %[[Y:.*]] = memref.load %[[C]][%[[NJ]]]
// CHECK-NEXT:            %[[P:.*]] = arith.mulf %[[X]], %[[S]]
// CHECK-NEXT:            %[[SUM:.*]] = arith.addf %[[P]], %[[Y]]
// CHECK:                 %[[O:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:            memref.store %[[O]], %[[D]][%[[MI]], %[[NJ]]]
// CHECK:         memref.dealloc %[[ACC]]
// CHECK:       func.func private @linear_entry(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?xf32>, %[[D:.*]]: memref<?x?xbf16>, %[[S:.*]]: f32, %{{.*}}: memref<?xi8>) {
// CHECK-NEXT:    call @linear(%[[A]], %[[B]], %[[C]], %[[D]], %[[S]]) :
// CHECK-NEXT:    return
// CHECK-NOT:   {{gpu.module|cutl.bundle}}

// REVERSE-LABEL: func.func private @linear(
// REVERSE-DAG:     %[[C2:.*]] = arith.constant 2 : index
// REVERSE:         scf.for %[[POSITION:.*]] = %c0 to %c3 step %c1 {
// REVERSE-NEXT:      %[[CTA:.*]] = arith.subi %[[C2]], %[[POSITION]]
// REVERSE:           scf.for %{{.*}} = %[[CTA]] to %{{.*}} step %c3 {

// SEED1:       memref.global "private" constant @linear_order : memref<5xindex> = dense<[1, 4, 0, 2, 3]>
// SEED1-LABEL: func.func private @linear(
// SEED1:         scf.for %[[POSITION:.*]] = %c0 to %c5 step %c1 {
// SEED1-NEXT:      %[[ALL:.*]] = memref.get_global @linear_order
// SEED1-NEXT:      %[[CTA:.*]] = memref.load %[[ALL]][%[[POSITION]]]
// SEED1:           scf.for %{{.*}} = %[[CTA]] to %{{.*}} step %c5 {

// SEED2: memref.global "private" constant @linear_order : memref<5xindex> = dense<[0, 2, 4, 1, 3]>

cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.entry @linear_entry(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?xf32>, %d: memref<?x?xbf16>, %s: f32,
                         %workspace: memref<?xi8>) {
  cutl.launch_kernel @kernels::@linear(%a, %b, %c, %d, %s)
      : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?xf32>, memref<?x?xbf16>, f32)
}
gpu.module @kernels {
  gpu.func @linear(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?xf32>, %d: memref<?x?xbf16>, %s: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xbf16>
    %n = memref.dim %b, %c0 : memref<?x?xbf16>
    %k = memref.dim %a, %c1 : memref<?x?xbf16>
    cutl_tile.work_loop extents(%m, %n, %k) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xbf16>, memref<?x?xbf16>) -> !cutl_tile.acc<64x8xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%s : (), %c : (n)) outs(%d : (m, n)) {
      ^bb0(%x: f32, %t: f32, %y: f32):
        %p = arith.mulf %x, %t : f32
        %q = arith.addf %p, %y : f32
        %r = cutl.relu %q : f32
        %o = arith.truncf %r : f32 to bf16
        cutl_tile.yield %o : bf16
      } : (f32, memref<?xf32>, memref<?x?xbf16>) -> ()
    }
    gpu.return
  }
}
}
