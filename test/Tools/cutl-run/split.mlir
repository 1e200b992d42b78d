// REQUIRES: cutl-run

// The rows of a split B are twice n, and blocks of scales follow from k.

// RUN: cutl-run %s --shape m=6,n=10,k=40 --verify | FileCheck %s
// RUN: cutl-run %s --shape m=6,arg1.0=20,k=40 --verify | FileCheck %s
// RUN: not cutl-run %s --shape m=6,arg1.0=21,k=40 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ODD

// CHECK: function gated(6x40xf16, 20x40xf16, 6x2xf32, 6x10xf32)
// CHECK: verified result 0: 60 of 60 elements

// ODD: error: expected a split b to have an even number of rows, but arg1.0=21 gives 21

func.func @gated(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %s: tensor<?x?xf32>,
                 %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved)
      scales(%s of a : (m, k floordiv 32)) outs(%d : (m, n)) {
  ^bb0(%gate: f32, %up: f32):
    %g = cutl.silu %gate : f32
    %o = arith.mulf %g, %up : f32
    cutl.yield %o : f32
  } : (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf32>)
      -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
