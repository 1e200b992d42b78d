// 8-bit results by saturating and other conversions, and an 8-bit float as an
// auxiliary operand.
// REQUIRES: cutl-run

// RUN: cutl-run %s --shape m=33 --verify | FileCheck %s
// RUN: cutl-run %s --shape m=33 --verify --cpu x86-64-v2 | FileCheck %s

// CHECK: verified result 0: 1584 of 1584 elements
// CHECK-NEXT: verified result 1: 1584 of 1584 elements
// CHECK-NEXT: verified result 2: 1584 of 1584 elements
// CHECK-NEXT: verified result 3: 1584 of 1584 elements
// CHECK-NEXT: verified result 4: 1584 of 1584 elements

func.func @quantize(%a: tensor<?x64xf16>, %b: tensor<48x64xf16>, %s: tensor<48xf8E4M3FN>,
                    %d: tensor<?x48xf8E4M3FN>, %e: tensor<?x48xf8E5M2>, %q: tensor<?x48xi8>, %h: tensor<?x48xf16>,
                    %g: tensor<?x48xf32>)
    -> (tensor<?x48xf8E4M3FN>, tensor<?x48xf8E5M2>, tensor<?x48xi8>, tensor<?x48xf16>, tensor<?x48xf32>) {
  %r:5 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%s : (n))
      outs(%d : (m, n), %e : (m, n), %q : (m, n), %h : (m, n), %g : (m, n)) {
  ^bb0(%acc: f32, %scale: f8E4M3FN):
    %c = cutl.convert %scale : f8E4M3FN to f32
    %x = arith.mulf %acc, %c : f32
    %ten = arith.constant 10.0 : f32
    %y = arith.mulf %x, %ten : f32
    %0 = cutl.convert %y saturate : f32 to f8E4M3FN
    %1 = cutl.convert %acc : f32 to f8E5M2
    %2 = cutl.convert %y saturate : f32 to i8
    %3 = cutl.convert %x saturate : f32 to f16
    %u = cutl.convert %acc toward_zero saturate unsigned : f32 to i8
    %w = cutl.convert %u unsigned : i8 to f32
    cutl.yield %0, %1, %2, %3, %w : f8E4M3FN, f8E5M2, i8, f16, f32
  } : (tensor<?x64xf16>, tensor<48x64xf16>, tensor<48xf8E4M3FN>, tensor<?x48xf8E4M3FN>, tensor<?x48xf8E5M2>,
       tensor<?x48xi8>, tensor<?x48xf16>, tensor<?x48xf32>)
      -> (tensor<?x48xf8E4M3FN>, tensor<?x48xf8E5M2>, tensor<?x48xi8>, tensor<?x48xf16>, tensor<?x48xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4
      : tensor<?x48xf8E4M3FN>, tensor<?x48xf8E5M2>, tensor<?x48xi8>, tensor<?x48xf16>, tensor<?x48xf32>
}
