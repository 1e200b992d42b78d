// Tiles pass through shared memory: elements are read along the dimension that is contiguous, rows are written in
// vectors.
// RUN: cutl-opt %s --convert-cutl-tile-to-nvvm --canonicalize --cse | FileCheck %s

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK:         llvm.mlir.global internal @rows_tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8448 x i8>
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME:    grid = [{arg = 1 : i64, dim = 0 : i64, tile = 64 : i64}, {arg = 1 : i64, dim = 1 : i64, tile = 64 : i64}]
// CHECK-SAME:    params = [{arg = 0 : i64, kind = "pointer"}, {arg = 1 : i64, kind = "pointer"}, {arg = 1 : i64, dim = 0 : i64, kind = "size"}, {arg = 1 : i64, dim = 1 : i64, kind = "size"}, {arg = 0 : i64, dim = 0 : i64, kind = "stride"}, {arg = 1 : i64, dim = 0 : i64, kind = "stride"}]
// CHECK-SAME:    programmatic
// CHECK:         nvvm.griddepcontrol wait
// CHECK:         scf.for
// CHECK-COUNT-16: ld.global.b16
// CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK:           nvvm.barrier
// CHECK:           scf.if
// CHECK-COUNT-4:     llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK:           nvvm.barrier
// CHECK:         llvm.return
  gpu.func @rows(%a: memref<?x?xf16>, %t: memref<?x?xf16, strided<[?, 1]>>) kernel {
    cutl_tile.repack %a permuted [0, 1] into %t : memref<?x?xf16> into memref<?x?xf16, strided<[?, 1]>>
    gpu.return
  }

// A batch of bytes, transposed: known strides are no parameters.
// CHECK:         llvm.mlir.global internal @columns_tile() {{.*}} : !llvm.array<4352 x i8>
// CHECK-LABEL: llvm.func @columns(
// CHECK-SAME:    grid = [{arg = 1 : i64, dim = 0 : i64, tile = 1 : i64}, {arg = 1 : i64, dim = 1 : i64, tile = 64 : i64}, {arg = 1 : i64, dim = 2 : i64, tile = 64 : i64}]
// CHECK-SAME:    {arg = 1 : i64, dim = 2 : i64, kind = "size"}]
// CHECK-COUNT-16: ld.global.b8
  gpu.func @columns(%a: memref<4x100x30xi8>, %t: memref<4x30x100xi8, strided<[3840, 128, 1]>>) kernel {
    cutl_tile.repack %a permuted [0, 2, 1] into %t : memref<4x100x30xi8> into memref<4x30x100xi8, strided<[3840, 128, 1]>>
    gpu.return
  }
}
