// REQUIRES: cutl-run

// RUN: cutl-run %s --shape m=33 --verify --time | FileCheck %s
// RUN: cutl-run %s --shape m=33 --verify --cpu x86-64-v2 \
// RUN:   | FileCheck %s --check-prefix=V2
// RUN: cutl-run %s --shape m=0 --verify | FileCheck %s --check-prefix=EMPTY
// RUN: cutl-opt %s --emit-bytecode -o %t.mlirbc
// RUN: cutl-run %t.mlirbc --shape m=33 --verify --seed 7 --function linear \
// RUN:   | FileCheck %s --check-prefix=BYTECODE

// CHECK: function linear(33x64xbf16, 48x64xbf16, 48xbf16, 33x48xbf16)
// CHECK-NEXT: compiled for host in {{[0-9]+}} ms
// CHECK-NEXT: verified result 0: 1584 of 1584 elements, worst error 0.{{[0-9]+}} of its bound
// CHECK-NEXT: time: {{[0-9.]+}} ms (median of {{[0-9]+}} runs, fastest {{[0-9.]+}} ms), {{[0-9.]+}} GFLOP/s

// V2: compiled for x86-64-v2
// V2-NEXT: verified result 0: 1584 of 1584 elements

// EMPTY: verified result 0: 0 of 0 elements, worst error 0.000 of its bound

// BYTECODE: verified result 0: 1584 of 1584 elements

func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<48x64xbf16>,
                  %b: tensor<48xbf16>, %d: tensor<?x48xbf16>)
    -> tensor<?x48xbf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%b : (n))
      outs(%d : (m, n)) {
  ^bb0(%acc: f32, %bias: bf16):
    %b32 = arith.extf %bias : bf16 to f32
    %s = arith.addf %acc, %b32 : f32
    %g = cutl.gelu %s : f32
    %o = arith.truncf %g : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x64xbf16>, tensor<48x64xbf16>, tensor<48xbf16>,
       tensor<?x48xbf16>) -> tensor<?x48xbf16>
  return %y : tensor<?x48xbf16>
}
