// A copy, element by element.
// RUN: cutl-opt %s --convert-cutl-tile-to-scf --canonicalize | FileCheck %s

// CHECK-LABEL: func.func private @k(
// CHECK-SAME:    %[[A:.*]]: memref<?x3xf32>, %[[T:.*]]: memref<3x?xf32, strided<[?, 1]>>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT:      %[[N:.*]] = memref.dim %[[T]], %c1
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 {
// CHECK-NEXT:        %[[X:.*]] = memref.load %[[A]][%[[J]], %[[I]]]
// CHECK-NEXT:        memref.store %[[X]], %[[T]][%[[I]], %[[J]]]
gpu.module @kernels {
  gpu.func @k(%a: memref<?x3xf32>, %t: memref<3x?xf32, strided<[?, 1]>>) kernel {
    cutl_tile.repack %a permuted [1, 0] into %t : memref<?x3xf32> into memref<3x?xf32, strided<[?, 1]>>
    gpu.return
  }
}
