// From the dialect to the file: tensor maps for what TMA loads and stores, a second variant for a D that it cannot store.
// REQUIRES: cutl-compile
// RUN: cutl-compile --chip=sm_90a %s --emit=bundle-text | FileCheck %s
// RUN: cutl-compile --chip=sm_90a %s -o %t.cutlb
// RUN: cutl-compile --chip=sm_90a %s --emit=bundle -o %t.again
// RUN: cmp %t.cutlb %t.again

// CHECK:      bundle abi 1
// CHECK-NEXT: entry linear
// CHECK-NEXT:   operand X : ?x?xbf16{{$}}
// CHECK-NEXT:   operand W : ?x?xbf16{{$}}
// CHECK-NEXT:   operand arg2 : ?xf32{{$}}
// CHECK-NEXT:   operand D : ?x?xbf16 written
// CHECK-COUNT-4: requires size(
// CHECK:        variant primary for sm_90a
// CHECK-DAG:      guard address(X) divisible by 16
// CHECK-DAG:      guard stride(X, 1) in 1 to 1
// CHECK-DAG:      guard stride(X, 0) in bytes divisible by 16
// CHECK-DAG:      guard stride(D, 0) in bytes divisible by 16
// CHECK:          step 0 launch linear_0 of linear_bundle.kernels.ptx (ptx,
// CHECK-NEXT:       grid [min({{.*}}(size(X, 0) ceildiv {{.*}} * (size(W, 0) ceildiv {{.*}}, occupancy(0))]
// CHECK:            tensor_map 0 X : bfloat16 sizes [size(X, 1), size(X, 0)] strides [stride(X, 0) * 2] box [64,
// CHECK-NEXT:       tensor_map 1 W : bfloat16 sizes [size(W, 1), size(W, 0)] strides [stride(W, 0) * 2] box [64,
// CHECK-NEXT:       tensor_map 2 D : bfloat16 sizes [size(D, 1), size(D, 0)]
// CHECK:            parameter address arg2
// CHECK:        variant alternative for sm_90a
// CHECK-NOT:      guard {{.*}}'D'
// CHECK:          step 0 launch linear_0_elements of linear_bundle.kernels.ptx (ptx,
// CHECK-NOT:        tensor_map {{.}} D
// CHECK:            parameter address D
func.func @linear(%x: tensor<?x?xbf16> {cutl.name = "X"}, %w: tensor<?x?xbf16> {cutl.name = "W"}, %b: tensor<?xf32>,
                  %d: tensor<?x?xbf16> {cutl.name = "D"}) -> tensor<?x?xbf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%b : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %bias: f32):
    %s = arith.addf %acc, %bias : f32
    %o = arith.truncf %s : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xf32>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
