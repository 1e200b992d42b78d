// What the host computes for a kernel's arguments, argument by argument.
// REQUIRES: cutl-compile
// RUN: cutl-compile %s --emit=bundle-text | FileCheck %s

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @values {

  // Layers with an intermediate in the workspace, whose rows are padded so that no guard is needed for them.
  // CHECK-LABEL: entry workspace
  // CHECK-NOT:     guard {{.*}}workspace
  // CHECK:         workspace ((size(x, 0) * 96) ceildiv 256) * 256
  // CHECK:         tensor_map 0 workspace[256] : float16 sizes [40, size(x, 0)] strides [96] box
  // CHECK:         parameter address workspace[256]
  // CHECK-NEXT:    parameter 48 : i64
  cutl.entry @workspace(%x: memref<?x40xf16> {cutl.name = "x"}, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %c256 = arith.constant 256 : index
    %m = memref.dim %x, %c0 : memref<?x40xf16>
    %bytes = arith.muli %m, %c96 : index
    %blocks = arith.ceildivsi %bytes, %c256 : index
    %total = arith.muli %blocks, %c256 : index
    %wide = memref.view %workspace[%c256][%m] : memref<?xi8> to memref<?x48xf16>
    %h = memref.subview %wide[0, 0] [%m, 40] [1, 1] : memref<?x48xf16> to memref<?x40xf16, strided<[48, 1]>>
    cutl.launch_kernel @kernels::@map(%h) : (memref<?x40xf16, strided<[48, 1]>>)
    cutl.launch_kernel @kernels::@strides(%h) : (memref<?x40xf16, strided<[48, 1]>>)
    cutl.end_entry workspace(%total)
  }

  // Views of an operand. What the type fixes is required of the caller and needs no guard.
  // CHECK-LABEL: entry views
  // CHECK-NEXT:    operand x : 64x96xf16 written
  // CHECK-NEXT:    requires stride(x, 0) in 96 to 96 "expected dimension 0 of 'x' to have stride 96"
  // CHECK-NEXT:    requires stride(x, 1) in 1 to 1 "expected dimension 1 of 'x' to have stride 1"
  // CHECK-NEXT:    variant primary for sm_90a
  // CHECK-NEXT:    guard address(x) divisible by 16
  // CHECK-NEXT:    step 0
  // CHECK:         tensor_map 0 x[784] : float16 sizes [32, 20] strides [192] box
  // CHECK:         step 1
  // CHECK:         parameter address x[784]
  // CHECK-NEXT:    parameter 1 : i64
  // CHECK-NEXT:    parameter 96 : i64
  // CHECK:         step 2
  // CHECK:         parameter address x{{$}}
  // CHECK-NEXT:    parameter 1536 : i64
  // CHECK-NEXT:    parameter 1 : i64
  cutl.entry @views(%x: memref<64x96xf16> {cutl.name = "x"}, %workspace: memref<?xi8>) {
    %v = memref.subview %x[4, 8] [20, 32] [1, 1] : memref<64x96xf16> to memref<20x32xf16, strided<[96, 1], offset: 392>>
    %c = memref.cast %v : memref<20x32xf16, strided<[96, 1], offset: 392>> to memref<?x?xf16, strided<[?, ?], offset: ?>>
    cutl.launch_kernel @kernels::@map(%c) : (memref<?x?xf16, strided<[?, ?], offset: ?>>)
    %t = memref.transpose %c (i, j) -> (j, i) : memref<?x?xf16, strided<[?, ?], offset: ?>> to memref<?x?xf16, strided<[?, ?], offset: ?>>
    cutl.launch_kernel @kernels::@strides(%t) : (memref<?x?xf16, strided<[?, ?], offset: ?>>)
    %e = memref.expand_shape %x [[0, 1], [2]] output_shape [4, 16, 96] : memref<64x96xf16> into memref<4x16x96xf16>
    %k = memref.collapse_shape %e [[0], [1, 2]] : memref<4x16x96xf16> into memref<4x1536xf16>
    cutl.launch_kernel @kernels::@strides(%k) : (memref<4x1536xf16>)
    cutl.end_entry
  }

  // Offsets and strides that only the call knows are conditions. Where the size may be one, its stride is free.
  // CHECK-LABEL: entry open
  // CHECK:         variant primary
  // CHECK-NEXT:    guard address(x) divisible by 16
  // CHECK-NEXT:    guard (((n * stride(x, 0)) * 2) mod 16) == 0 "expected the address of 'x' to be a multiple of 16 bytes"
  // CHECK-NEXT:    guard stride(x, 1) in 1 to 1 "expected dimension 1 of 'x' to have stride 1"
  // CHECK-NEXT:    guard max((size(x, 0) - n) <= 1, (((2 * stride(x, 0)) * 2) mod 16) == 0) "expected the stride of dimension 0 of 'x' to be a multiple of 16 bytes"
  // CHECK-NEXT:    guard max((size(x, 0) - n) <= 1, min({{.*}})) "expected the stride of dimension 0 of 'x' to be 0 to 549755813880"
  // CHECK-NEXT:    step 0
  cutl.entry @open(%x: memref<?x?xf16, strided<[?, ?], offset: ?>> {cutl.name = "x"}, %n: index {cutl.name = "n"},
                   %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : memref<?x?xf16, strided<[?, ?], offset: ?>>
    %k = memref.dim %x, %c1 : memref<?x?xf16, strided<[?, ?], offset: ?>>
    %rest = arith.subi %m, %n : index
    %v = memref.subview %x[%n, 0] [%rest, %k] [2, 1]
        : memref<?x?xf16, strided<[?, ?], offset: ?>> to memref<?x?xf16, strided<[?, ?], offset: ?>>
    cutl.launch_kernel @kernels::@map(%v) : (memref<?x?xf16, strided<[?, ?], offset: ?>>)
    cutl.end_entry
  }

  // A memref taken apart and put together again.
  // CHECK-LABEL: entry metadata
  // CHECK:         parameter address x[(stride(x, 0) * 3) * 2]
  // CHECK-NEXT:    parameter stride(x, 0) : i64
  // CHECK-NEXT:    parameter 1 : i64
  cutl.entry @metadata(%x: memref<?x?xf16, strided<[?, 1]>> {cutl.name = "x"}, %workspace: memref<?xi8>) {
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %x : memref<?x?xf16, strided<[?, 1]>>
        -> memref<f16>, index, index, index, index, index
    %start = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 3)>()[%offset, %strides#0]
    %v = memref.reinterpret_cast %base to offset: [%start], sizes: [%sizes#0, %sizes#1], strides: [%strides#0, 1]
        : memref<f16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
    cutl.launch_kernel @kernels::@strides(%v) : (memref<?x?xf16, strided<[?, 1], offset: ?>>)
    cutl.end_entry
  }

  // An operand whose type states an offset: the runtime is given the address of the first element.
  // CHECK-LABEL: entry offset
  // CHECK:         parameter address x[16]
  cutl.entry @offset(%x: memref<4x8xf16, strided<[8, 1], offset: 40>> {cutl.name = "x"}, %workspace: memref<?xi8>) {
    %v = memref.subview %x[1, 0] [1, 8] [1, 1]
        : memref<4x8xf16, strided<[8, 1], offset: 40>> to memref<1x8xf16, strided<[8, 1], offset: 48>>
    cutl.launch_kernel @kernels::@strides(%v) : (memref<1x8xf16, strided<[8, 1], offset: 48>>)
    cutl.end_entry
  }

  // CHECK-LABEL: entry numbers
  // CHECK-NEXT:    scalar i : s64
  // CHECK-NEXT:    scalar h : f16
  // CHECK-NEXT:    scalar b : s32
  // CHECK:         step 0
  // CHECK:         parameter scalar i
  // CHECK-NEXT:    parameter scalar h
  // CHECK-NEXT:    parameter scalar b
  // CHECK-NEXT:    parameter 1069547520 : i32
  // CHECK-NEXT:    parameter 4611686018427387904 : i64
  // CHECK-NEXT:    parameter ((i + 7) floordiv 8) - ((max(i, 0) mod 3) - (max(0 - i, 0) mod 3)) : i64
  // CHECK-NEXT:    parameter min(max({{i, 16|16, i}}), (i ceildiv 4) * 2) : i64
  cutl.entry @numbers(%i: index {cutl.name = "i"}, %h: f16 {cutl.name = "h"}, %b: i32 {cutl.name = "b"},
                      %workspace: memref<?xi8>) {
    %f = arith.constant 1.5 : f32
    %d = arith.constant 2.0 : f64
    %c3 = arith.constant 3 : index
    %q = affine.apply affine_map<(d0) -> ((d0 + 7) floordiv 8)>(%i)
    %r = arith.remsi %i, %c3 : index
    %s = arith.subi %q, %r : index
    %x = affine.max affine_map<(d0) -> (d0, 16)>(%i)
    %y = affine.min affine_map<(d0)[s0] -> (s0, (d0 ceildiv 4) * 2)>(%i)[%x]
    cutl.launch_kernel @kernels::@numbers(%i, %h, %b, %f, %d, %s, %y) : (index, f16, i32, f32, f64, index, index)
    cutl.end_entry
  }

  // CHECK-LABEL: entry nothing
  // CHECK-NEXT:    variant primary for sm_90a
  // CHECK-NOT:     step
  cutl.entry @nothing(%workspace: memref<?xi8>) {
    cutl.end_entry
  }

  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"map", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 0, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32, 64>, swizzle = "none"}]}}>,
    #gpu.kernel_metadata<"numbers", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 0, grid = [],
      params = [{kind = "scalar", arg = 0}, {kind = "scalar", arg = 1}, {kind = "scalar", arg = 2},
                {kind = "scalar", arg = 3}, {kind = "scalar", arg = 4}, {kind = "scalar", arg = 5},
                {kind = "scalar", arg = 6}]}}>,
    #gpu.kernel_metadata<"strides", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 0, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "pointer", arg = 0}, {kind = "stride", arg = 0, dim = 0}, {kind = "stride", arg = 0, dim = 1}]}}>
    ]>, assembly = ".version 8.0">]
}
}
