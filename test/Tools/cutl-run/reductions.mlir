// REQUIRES: cutl-run

// RUN: cutl-run %s --function narrow_sum --verify | FileCheck %s --check-prefix=SUM
// RUN: cutl-run %s --function least_magnitude --verify | FileCheck %s --check-prefix=LEAST
// RUN: cutl-run %s --function divide --verify | FileCheck %s --check-prefix=DIVIDE

// A sum of narrow values is made in f32 and rounded once more, which the bound
// allows for.
// SUM: verified result 0: 1 of 1 elements, worst error 0.{{[0-9]+}} of its bound
func.func @narrow_sum(%a: tensor<1x16xf16>, %b: tensor<8x16xf16>, %x: tensor<8xf16>, %d: tensor<1xf16>) -> tensor<1xf16> {
  %r = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%x : (n)) outs(%d : (m) add) {
  ^bb0(%acc: f32, %e: f16):
    cutl.yield %e : f16
  } : (tensor<1x16xf16>, tensor<8x16xf16>, tensor<8xf16>, tensor<1xf16>) -> tensor<1xf16>
  return %r : tensor<1xf16>
}

// LEAST: verified result 0: 4 of 4 elements, worst error 0.000 of its bound
// LEAST: verified result 1: 4 of 4 elements, worst error 0.000 of its bound
func.func @least_magnitude(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %d: tensor<4xi8>, %e: tensor<4xi32>)
    -> (tensor<4xi8>, tensor<4xi32>) {
  %r:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m) amax, %e : (m) amax) {
  ^bb0(%acc: i32):
    %x = arith.constant -128 : i8
    %y = arith.constant -2147483648 : i32
    cutl.yield %x, %y : i8, i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4xi8>, tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi32>
}

// A division that has no value does not stop the program: the divisors are
// small numbers, 0 among them.
// DIVIDE: verified result 0: 64 of 64 elements
func.func @divide(%a: tensor<8x16xf16>, %b: tensor<8x16xf16>, %x: tensor<8xi32>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%x : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %e: i32):
    %divisor = arith.fptosi %acc : f32 to i32
    %q = arith.divsi %e, %divisor : i32
    %y = arith.sitofp %q : i32 to f32
    cutl.yield %y : f32
  } : (tensor<8x16xf16>, tensor<8x16xf16>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
