// REQUIRES: cutl-compile
// RUN: cutl-compile %s --emit=bundle-text | FileCheck %s --match-full-lines --strict-whitespace
// RUN: cutl-compile %s -o %t.cutlb
// RUN: cutl-compile %s -o %t.again.cutlb
// RUN: cmp %t.cutlb %t.again.cutlb

// One product with a bias and a factor: the kernel that stores D by a tensor map, and the one that does not.
//
//      CHECK:bundle abi 1
// CHECK-NEXT:entry linear
// CHECK-NEXT:  operand X : ?x?xbf16
// CHECK-NEXT:  operand W : ?x?xbf16
// CHECK-NEXT:  operand arg3 : ?xf32
// CHECK-NEXT:  operand Y : ?x?xbf16 written
// CHECK-NEXT:  scalar alpha : f32
// CHECK-NEXT:  requires stride(W, 1) in 1 to 1 "expected dimension 1 of 'W' to have stride 1"
// CHECK-NEXT:  requires size(W, 1) == size(X, 1) "expected dimension 1 of 'X' and dimension 1 of 'W' to be equal"
// CHECK-NEXT:  requires size(arg3, 0) == size(W, 0) "expected dimension 0 of 'W' and dimension 0 of 'arg3' to be equal"
// CHECK-NEXT:  variant primary for sm_90a
// CHECK-NEXT:    guard address(X) divisible by 16 "expected the address of 'X' to be a multiple of 16 bytes"
// CHECK-NEXT:    guard stride(X, 1) in 1 to 1 "expected dimension 1 of 'X' to have stride 1"
// CHECK-NEXT:    guard stride(X, 0) in bytes divisible by 16 "expected the stride of dimension 0 of 'X' to be a multiple of 16 bytes"
// CHECK-NEXT:    guard stride(X, 0) in 0 to 549755813880 "expected the stride of dimension 0 of 'X' to be 0 to 549755813880"
// CHECK-NEXT:    guard address(W) divisible by 16 "expected the address of 'W' to be a multiple of 16 bytes"
// CHECK-NEXT:    guard stride(W, 0) in bytes divisible by 16 "expected the stride of dimension 0 of 'W' to be a multiple of 16 bytes"
// CHECK-NEXT:    guard stride(W, 0) in 0 to 549755813880 "expected the stride of dimension 0 of 'W' to be 0 to 549755813880"
// CHECK-NEXT:    guard address(Y) divisible by 16 "expected the address of 'Y' to be a multiple of 16 bytes"
// CHECK-NEXT:    guard stride(Y, 1) in 1 to 1 "expected dimension 1 of 'Y' to have stride 1"
// CHECK-NEXT:    guard stride(Y, 0) in bytes divisible by 16 "expected the stride of dimension 0 of 'Y' to be a multiple of 16 bytes"
// CHECK-NEXT:    guard stride(Y, 0) in 0 to 549755813880 "expected the stride of dimension 0 of 'Y' to be 0 to 549755813880"
// CHECK-NEXT:    guard size(X, 0) in 0 to 2147483647 "expected the size of dimension 0 of 'X' to be at most 2147483647"
// CHECK-NEXT:    guard size(X, 1) in 0 to 2147483647 "expected the size of dimension 1 of 'X' to be at most 2147483647"
// CHECK-NEXT:      step 0 launch linear_0 of linear_bundle.kernels.ptx (ptx, 13 bytes)
// CHECK-NEXT:        grid [min(((size(X, 0) ceildiv 256) * (size(W, 0) ceildiv 128)) * 2, occupancy(0))]
// CHECK-NEXT:        cluster [2]
// CHECK-NEXT:        block [384]
// CHECK-NEXT:        shared_bytes 200000
// CHECK-NEXT:        programmatic
// CHECK-NEXT:        tensor_map 0 X : bfloat16 sizes [size(X, 1), size(X, 0)] strides [stride(X, 0) * 2] box [64, 128] swizzle 128B promotion 128B outside zero
// CHECK-NEXT:        tensor_map 1 W : bfloat16 sizes [size(W, 1), size(W, 0)] strides [stride(W, 0) * 2] box [64, 64] swizzle 128B promotion 128B outside zero
// CHECK-NEXT:        tensor_map 2 Y : bfloat16 sizes [size(Y, 1), size(Y, 0)] strides [stride(Y, 0) * 2] box [32, 64] swizzle 64B promotion 128B outside zero
// CHECK-NEXT:        parameter tensor_map 0
// CHECK-NEXT:        parameter tensor_map 1
// CHECK-NEXT:        parameter tensor_map 2
// CHECK-NEXT:        parameter size(X, 0) : i32
// CHECK-NEXT:        parameter size(X, 1) : i32
// CHECK-NEXT:        parameter address arg3
// CHECK-NEXT:        parameter stride(arg3, 0) : i64
// CHECK-NEXT:        parameter scalar alpha
// CHECK-NEXT:  variant alternative for sm_90a
// CHECK-NEXT:    guard address(X) divisible by 16 "expected the address of 'X' to be a multiple of 16 bytes"
//  CHECK-NOT:    guard {{.*}}'Y'{{.*}}
//      CHECK:      step 0 launch linear_0_elements of linear_bundle.kernels.ptx (ptx, 13 bytes)
//      CHECK:        parameter address Y
// CHECK-NEXT:        parameter stride(Y, 0) : i64
// CHECK-NEXT:        parameter stride(Y, 1) : i64

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @linear_bundle {
  cutl.entry @linear(%x: memref<?x?xbf16, strided<[?, ?], offset: ?>> {cutl.name = "X"},
                     %alpha: f32 {cutl.name = "alpha"},
                     %w: memref<?x?xbf16> {cutl.name = "W"},
                     %b: memref<?xf32, strided<[?], offset: ?>>,
                     %y: memref<?x?xbf16, strided<[?, ?], offset: ?>> {cutl.name = "Y"},
                     %workspace: memref<?xi8>)
      attributes {cutl.host_writes = array<i64: 4>,
                  cutl.host_ties = [array<i64: 0, 1, 1, 1, 2, 1>, array<i64: 2, 0, 1, 1, 3, 0>]} {
    cutl.launch_kernel @kernels::@linear_0(%x, %w, %b, %y, %alpha)
        : (memref<?x?xbf16, strided<[?, ?], offset: ?>>, memref<?x?xbf16>, memref<?xf32, strided<[?], offset: ?>>,
           memref<?x?xbf16, strided<[?, ?], offset: ?>>, f32)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"linear_0", () -> (), metadata = {cutl_tile.launch_info = {
      block = 384, cluster = array<i64: 2, 1>, programmatic, shared_bytes = 200000, alternative = @linear_0_elements,
      grid = [{arg = 0, dim = 0, tile = 256}, {arg = 1, dim = 0, tile = 128}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 64, 128>, swizzle = "128B"},
                {kind = "tensor_map", arg = 1, dims = array<i64: 1, 0>, box = array<i64: 64, 64>, swizzle = "128B"},
                {kind = "tensor_map", arg = 3, dims = array<i64: 1, 0>, box = array<i64: 32, 64>, swizzle = "64B"},
                {kind = "size", arg = 0, dim = 0}, {kind = "size", arg = 0, dim = 1},
                {kind = "pointer", arg = 2}, {kind = "stride", arg = 2, dim = 0}, {kind = "scalar", arg = 4}]}}>,
    #gpu.kernel_metadata<"linear_0_elements", () -> (), metadata = {cutl_tile.launch_info = {
      block = 384, cluster = array<i64: 2, 1>, shared_bytes = 200000,
      grid = [{arg = 0, dim = 0, tile = 256}, {arg = 1, dim = 0, tile = 128}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 64, 128>, swizzle = "128B"},
                {kind = "tensor_map", arg = 1, dims = array<i64: 1, 0>, box = array<i64: 64, 64>, swizzle = "128B"},
                {kind = "size", arg = 0, dim = 0}, {kind = "size", arg = 0, dim = 1},
                {kind = "pointer", arg = 2}, {kind = "stride", arg = 2, dim = 0}, {kind = "scalar", arg = 4},
                {kind = "pointer", arg = 3}, {kind = "stride", arg = 3, dim = 0}, {kind = "stride", arg = 3, dim = 1}]}}>
    ]>, assembly = ".version 8.0">]
}
}
