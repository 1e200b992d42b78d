// REQUIRES: cutl-run

// Two gemms in sequence: the intermediate is no argument, and `n` names two
// dimensions of which one is static.

// RUN: cutl-run %s --shape m=5,gemm0.n=12 --verify | FileCheck %s
// RUN: cutl-run %s --shape m=5,n=12 --verify | FileCheck %s
// RUN: cutl-run %s --shape m=5,gemm1.k=12 --verify | FileCheck %s
// RUN: not cutl-run %s --shape m=5 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not cutl-run %s --shape m=5,gemm0.n=12,gemm1.k=13 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE

// CHECK: function mlp(5x8xf16, 12x8xf16, 10x12xf16, 5x10xf32)
// CHECK: verified result 0: 50 of 50 elements

// OPEN: error: expected a size for dynamic dimension 'n' (dimension 0 of arg1); dynamic dimensions are n{{$}}
// TWICE: error: expected tied dimensions to have one size, but gemm1.k=13 gives 13 and gemm0.n=12 gives 12

func.func @mlp(%x: tensor<?x8xf16>, %w: tensor<?x8xf16>,
               %v: tensor<10x?xf16>, %d: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf16>
  %hidden = tensor.dim %w, %c0 : tensor<?x8xf16>
  %e = tensor.empty(%m, %hidden) : tensor<?x?xf16>
  %h = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%e : (m, n)) {
  ^bb0(%acc: f32):
    %r = cutl.relu %acc : f32
    %o = arith.truncf %r : f32 to f16
    cutl.yield %o : f16
  } : (tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  %y = cutl.gemm ins(%h : (m, k), %v : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x?xf16>, tensor<10x?xf16>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return %y : tensor<?x10xf32>
}
