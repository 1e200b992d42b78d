// RUN: cutl-opt %s | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --mlir-print-op-generic | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --emit-bytecode | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --verify-roundtrip -o /dev/null
// RUN: cutl-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

// The generic form holds affine maps; defaults and absent clauses leave no
// trace in the pretty form.
// CHECK-LABEL: func @row_row
// CHECK:         %{{.*}} = cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (k, n)) outs(%{{.*}} : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      cutl.yield %[[ACC]] : f32
// CHECK-NEXT:    } : (tensor<4x8xf16>, tensor<8x6xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
// GENERIC-DAG:   #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// GENERIC-DAG:   #[[$KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// GENERIC-DAG:   #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// GENERIC-LABEL: sym_name = "row_row"
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    combiners = [#cutl<combiner none>]
// GENERIC-SAME:    indexing_maps = [#[[$MK]], #[[$KN]], #[[$MN]]]
// GENERIC-SAME:    operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>
func.func @row_row(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (k, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<8x6xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @row_column
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) {
func.func @row_column(%a: tensor<4x8xbf16>, %b: tensor<6x8xbf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @column_row
// CHECK:         cutl.gemm ins(%{{.*}} : (k, m), %{{.*}} : (k, n)) outs(%{{.*}} : (n, m)) {
func.func @column_row(%a: tensor<8x4xf32>, %b: tensor<8x6xf32>, %d: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = cutl.gemm ins(%a : (k, m), %b : (k, n)) outs(%d : (n, m)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<8x4xf32>, tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func @column_column
// CHECK:         cutl.gemm ins(%{{.*}} : (k, m), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) {
// CHECK-NEXT:    ^bb0(%{{.*}}: f64):
func.func @column_column(%a: tensor<8x4xf64>, %b: tensor<6x8xf64>, %d: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %0 = cutl.gemm ins(%a : (k, m), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f64):
    cutl.yield %acc : f64
  } : (tensor<8x4xf64>, tensor<6x8xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// CHECK-LABEL: func @dynamic_and_empty
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) {
// CHECK:         } : (tensor<?x0xf16>, tensor<0x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
func.func @dynamic_and_empty(%a: tensor<?x0xf16>, %b: tensor<0x?xf16>, %d: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f16):
    cutl.yield %acc : f16
  } : (tensor<?x0xf16>, tensor<0x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

//===----------------------------------------------------------------------===//
// Batch dimensions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @batch
// CHECK:         cutl.gemm ins(%{{.*}} : (b, m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, b, n)) {
func.func @batch(%a: tensor<3x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x3x6xf32>) -> tensor<4x3x6xf32> {
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (m, b, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<3x4x8xf16>, tensor<6x8xf16>, tensor<4x3x6xf32>) -> tensor<4x3x6xf32>
  return %0 : tensor<4x3x6xf32>
}

// A single batch dimension may be written b0 and is printed b.
// CHECK-LABEL: func @batch_b0
// CHECK:         cutl.gemm ins(%{{.*}} : (b, m, k), %{{.*}} : (b, n, k)) outs(%{{.*}} : (b, m, n))
// CHECK-SAME:      promises(b divisible_by 3)
func.func @batch_b0(%a: tensor<3x4x8xf16>, %b: tensor<3x6x8xf16>, %d: tensor<3x4x6xf32>) -> tensor<3x4x6xf32> {
  %0 = cutl.gemm ins(%a : (b0, m, k), %b : (b0, n, k)) outs(%d : (b0, m, n)) promises(b0 divisible_by 3) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<3x4x8xf16>, tensor<3x6x8xf16>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// Each operand may broadcast any of the batch dimensions.
// CHECK-LABEL: func @batches_broadcast
// CHECK:         cutl.gemm ins(%{{.*}} : (b0, m, k), %{{.*}} : (b1, n, k)) aux(%{{.*}} : (b0, n), %{{.*}} : (b1, b0)) outs(%{{.*}} : (b0, b1, m, n)) {
func.func @batches_broadcast(%a: tensor<3x4x8xf16>, %b: tensor<2x6x8xf16>, %bias: tensor<3x6xf32>,
                             %scale: tensor<2x3xf32>, %d: tensor<3x2x4x6xf32>) -> tensor<3x2x4x6xf32> {
  %0 = cutl.gemm ins(%a : (b0, m, k), %b : (b1, n, k)) aux(%bias : (b0, n), %scale : (b1, b0))
      outs(%d : (b0, b1, m, n)) {
  ^bb0(%acc: f32, %x: f32, %y: f32):
    %s = math.fma %acc, %y, %x : f32
    cutl.yield %s : f32
  } : (tensor<3x4x8xf16>, tensor<2x6x8xf16>, tensor<3x6xf32>, tensor<2x3xf32>, tensor<3x2x4x6xf32>)
      -> tensor<3x2x4x6xf32>
  return %0 : tensor<3x2x4x6xf32>
}

// CHECK-LABEL: func @six_batches
// CHECK:         cutl.gemm ins(%{{.*}} : (b0, b1, b2, b3, b4, b5, m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (b5, b4, b3, b2, b1, b0, m, n)) {
func.func @six_batches(%a: tensor<1x2x3x1x2x3x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<3x2x1x3x2x1x4x6xf32>)
    -> tensor<3x2x1x3x2x1x4x6xf32> {
  %0 = cutl.gemm ins(%a : (b0, b1, b2, b3, b4, b5, m, k), %b : (n, k)) outs(%d : (b5, b4, b3, b2, b1, b0, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<1x2x3x1x2x3x4x8xf16>, tensor<6x8xf16>, tensor<3x2x1x3x2x1x4x6xf32>) -> tensor<3x2x1x3x2x1x4x6xf32>
  return %0 : tensor<3x2x1x3x2x1x4x6xf32>
}

//===----------------------------------------------------------------------===//
// Several B, split B
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @several_b
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k), %{{.*}} : (k, n), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) {
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
func.func @several_b(%a: tensor<4x8xf16>, %b0: tensor<6x8xf16>, %b1: tensor<8x6xf16>, %b2: tensor<6x8xf16>,
                     %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b0 : (n, k), %b1 : (k, n), %b2 : (n, k)) outs(%d : (m, n)) {
  ^bb0(%gate: f32, %up: f32, %more: f32):
    %s = cutl.silu %gate : f32
    %p = arith.mulf %s, %up : f32
    %q = arith.addf %p, %more : f32
    cutl.yield %q : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<8x6xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @split_halves
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) split(halves) outs(%{{.*}} : (m, n)) {
// GENERIC-LABEL: sym_name = "split_halves"
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    split = #cutl<split halves>
func.func @split_halves(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%gate: f32, %up: f32):
    %p = arith.mulf %gate, %up : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @split_interleaved
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (k, n)) split(interleaved) outs(%{{.*}} : (m, n)) {
func.func @split_interleaved(%a: tensor<4x8xf16>, %b: tensor<8x?xf16>, %d: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (k, n)) split(interleaved) outs(%d : (m, n)) {
  ^bb0(%gate: f32, %up: f32):
    %p = arith.mulf %gate, %up : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf16>, tensor<8x?xf16>, tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func @split_none_is_the_default
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) {
func.func @split_none_is_the_default(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(none) outs(%d : (m, n))
      compute(math = exact, a = signed, b = signed) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

//===----------------------------------------------------------------------===//
// Scales and zeros
//===----------------------------------------------------------------------===//

// Blocks of 128 x 128 of B, rows of 128 of A.
// CHECK-LABEL: func @block_scales
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) scales(%{{.*}} of a : (m, k floordiv 128), %{{.*}} of b : (n floordiv 128, k floordiv 128)) outs(%{{.*}} : (m, n)) {
func.func @block_scales(%a: tensor<?x512xf8E4M3FN>, %b: tensor<300x512xf8E4M3FN>, %sa: tensor<?x4xf32>,
                        %sb: tensor<3x4xf32>, %d: tensor<?x300xbf16>) -> tensor<?x300xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k))
      scales(%sa of a : (m, k floordiv 128), %sb of b : (n floordiv 128, k floordiv 128)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x512xf8E4M3FN>, tensor<300x512xf8E4M3FN>, tensor<?x4xf32>, tensor<3x4xf32>, tensor<?x300xbf16>)
      -> tensor<?x300xbf16>
  return %0 : tensor<?x300xbf16>
}

// Targets are named by position; `d floordiv 1` is `d`; a number scales all.
// CHECK-LABEL: func @scale_and_zero_targets
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k), %{{.*}} : (n, k)) scales(%{{.*}} of b : (n, k floordiv 4), %{{.*}} of b[1] : (n), %{{.*}} of a : ()) zeros(%{{.*}} of b[1] : (n), %{{.*}} of b : ()) outs(%{{.*}} : (m, n)) {
// GENERIC-LABEL: sym_name = "scale_and_zero_targets"
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    operandSegmentSizes = array<i32: 1, 2, 3, 2, 0, 1>
// GENERIC-SAME:    scale_targets = array<i64: 1, 2, 0>
// GENERIC-SAME:    zero_targets = array<i64: 2, 1>
func.func @scale_and_zero_targets(%a: tensor<4x8xf16>, %b0: tensor<6x8xi8>, %b1: tensor<6x8xi8>, %s0: tensor<6x2xf32>,
                                  %s1: tensor<6xf32>, %sa: f32, %z1: tensor<6xi8>, %z0: i8, %d: tensor<4x6xf32>)
    -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b0 : (n, k), %b1 : (n, k))
      scales(%s0 of b[0] : (n, k floordiv 4), %s1 of b[1] : (n floordiv 1), %sa of a : ())
      zeros(%z1 of b[1] : (n), %z0 of b : ()) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    cutl.yield %s : f32
  } : (tensor<4x8xf16>, tensor<6x8xi8>, tensor<6x8xi8>, tensor<6x2xf32>, tensor<6xf32>, f32, tensor<6xi8>, i8,
       tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @split_scales
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) split(interleaved) scales(%{{.*}} of b : (n floordiv 4)) zeros(%{{.*}} of a : (m)) outs(%{{.*}} : (m, n)) {
func.func @split_scales(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %s: tensor<3xf32>, %z: tensor<4xf16>,
                        %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) scales(%s of b : (n floordiv 4))
      zeros(%z of a : (m)) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<3xf32>, tensor<4xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

//===----------------------------------------------------------------------===//
// Auxiliary operands and outputs
//===----------------------------------------------------------------------===//

// Numbers by value, rank-0 tensors, vectors, matrices.
// CHECK-LABEL: func @aux_kinds
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) aux(%{{.*}} : (), %{{.*}} : (), %{{.*}} : (m), %{{.*}} : (n, m)) outs(%{{.*}} : (m, n)) {
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f16, %{{.*}}: bf16):
// CHECK:         } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<f32>, tensor<4xf16>, tensor<6x4xbf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @aux_kinds(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %alpha: f32, %beta: tensor<f32>, %row: tensor<4xf16>,
                     %c: tensor<6x4xbf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%alpha : (), %beta : (), %row : (m), %c : (n, m))
      outs(%d : (m, n)) {
  ^bb0(%acc: f32, %al: f32, %be: f32, %r: f16, %x: bf16):
    %x32 = arith.extf %x : bf16 to f32
    %r32 = arith.extf %r : f16 to f32
    %s = cutl.linear_combination %al, %acc, %be, %x32 : f32
    %t = arith.addf %s, %r32 : f32
    cutl.yield %t : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<f32>, tensor<4xf16>, tensor<6x4xbf16>, tensor<4x6xf32>)
      -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Every combiner, and several whole outputs of different types and maps.
// CHECK-LABEL: func @outputs
// CHECK:         %[[R:.*]]:7 = cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n), %{{.*}} : (n, m), %{{.*}} : (n) add, %{{.*}} : (m) max, %{{.*}} : (m) min, %{{.*}} : () amax, %{{.*}} : (n) add) {
// CHECK:           cutl.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f16, f32, f32, f32, f32, i32
// CHECK:         return %[[R]]#0, %[[R]]#1
// GENERIC-LABEL: sym_name = "outputs"
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    combiners = [#cutl<combiner none>, #cutl<combiner none>, #cutl<combiner add>, #cutl<combiner max>, #cutl<combiner min>, #cutl<combiner amax>, #cutl<combiner add>]
func.func @outputs(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d0: tensor<4x6xf32>, %d1: tensor<6x4xf16>,
                   %s: tensor<6xf32>, %x: tensor<4xf32>, %n: tensor<4xf32>, %t: tensor<f32>, %c: tensor<6xi32>)
    -> (tensor<4x6xf32>, tensor<6x4xf16>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<6xi32>) {
  %0:7 = cutl.gemm ins(%a : (m, k), %b : (n, k))
      outs(%d0 : (m, n), %d1 : (n, m), %s : (n) add, %x : (m) max, %n : (m) min, %t : () amax, %c : (n) add) {
  ^bb0(%acc: f32):
    %h = arith.truncf %acc : f32 to f16
    %zero = arith.constant 0.0 : f32
    %isPositive = arith.cmpf ogt, %acc, %zero : f32
    %count = arith.extui %isPositive : i1 to i32
    cutl.yield %acc, %h, %acc, %acc, %acc, %acc, %count : f32, f16, f32, f32, f32, f32, i32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<6x4xf16>, tensor<6xf32>, tensor<4xf32>,
       tensor<4xf32>, tensor<f32>, tensor<6xi32>)
      -> (tensor<4x6xf32>, tensor<6x4xf16>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<6xi32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6
      : tensor<4x6xf32>, tensor<6x4xf16>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<6xi32>
}

// A combiner spelt out as `none` is none.
// CHECK-LABEL: func @batch_reduction
// CHECK:         cutl.gemm ins(%{{.*}} : (b, m, k), %{{.*}} : (b, n, k)) outs(%{{.*}} : (b, m, n), %{{.*}} : (m, n) add, %{{.*}} : (b) max) {
func.func @batch_reduction(%a: tensor<3x4x8xf32>, %b: tensor<3x6x8xf32>, %d: tensor<3x4x6xf32>, %s: tensor<4x6xf32>,
                           %x: tensor<3xf32>) -> (tensor<3x4x6xf32>, tensor<4x6xf32>, tensor<3xf32>) {
  %0:3 = cutl.gemm ins(%a : (b, m, k), %b : (b, n, k)) outs(%d : (b, m, n) none, %s : (m, n) add, %x : (b) max) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc, %acc : f32, f32, f32
  } : (tensor<3x4x8xf32>, tensor<3x6x8xf32>, tensor<3x4x6xf32>, tensor<4x6xf32>, tensor<3xf32>)
      -> (tensor<3x4x6xf32>, tensor<4x6xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x4x6xf32>, tensor<4x6xf32>, tensor<3xf32>
}

//===----------------------------------------------------------------------===//
// compute, promises, execution, config, schedule, attributes
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @compute_math
// CHECK:         outs(%{{.*}} : (m, n)) compute(math = tf32) {
// CHECK:         outs(%{{.*}} : (m, n)) compute(math = tf32x3) {
// CHECK:         outs(%{{.*}} : (m, n)) compute(math = bf16) {
// CHECK:         outs(%{{.*}} : (m, n)) compute(math = f16) {
func.func @compute_math(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n)) compute(math = tf32x3) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%1 : (m, n)) compute(math = bf16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%2 : (m, n)) compute(math = f16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// Entries may come in any order.
// CHECK-LABEL: func @compute_integers
// CHECK:         outs(%{{.*}} : (m, n)) compute(a = unsigned, b = unsigned, saturate) {
// CHECK:         outs(%{{.*}} : (m, n)) compute(b = unsigned) {
func.func @compute_integers(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %d: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(saturate, b = unsigned, a = unsigned) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4x6xi32>) -> tensor<4x6xi32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n)) compute(a = signed, b = unsigned) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return %1 : tensor<4x6xi32>
}

// CHECK-LABEL: func @compute_promote
// CHECK:         compute(promote = 4) {
func.func @compute_promote(%a: tensor<4x8xf8E4M3FN>, %b: tensor<6x8xf8E5M2>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(promote = 4) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf8E4M3FN>, tensor<6x8xf8E5M2>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @promises
// CHECK:         promises(m divisible_by 2, k divisible_by 8, a aligned 16, b[1] aligned 16, scales[0] aligned 4, zeros[0] aligned 2, aux[1] aligned 64, outs[0] aligned 128, outs[1] aligned 4) {
// GENERIC-LABEL: sym_name = "promises"
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    dim_divisors = array<i64: 2, 1, 8>
// GENERIC-SAME:    operand_alignments = array<i64: 16, 0, 16, 4, 2, 0, 64, 128, 4>
func.func @promises(%a: tensor<?x?xf16>, %b0: tensor<?x?xf16>, %b1: tensor<?x?xf16>, %s: tensor<?xf32>,
                    %z: tensor<?xf16>, %alpha: f32, %c: tensor<?x?xf32>, %d: tensor<?x?xf32>, %r: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b0 : (n, k), %b1 : (n, k)) scales(%s of b[1] : (n)) zeros(%z of a : (m))
      aux(%alpha : (), %c : (m, n)) outs(%d : (m, n), %r : (n) add)
      promises(outs[0] aligned 128, k divisible_by 8, m divisible_by 2, a aligned 16, b[1] aligned 16,
               scales[0] aligned 4, zeros[0] aligned 2, aux[1] aligned 64, outs[1] aligned 4) {
  ^bb0(%x: f32, %y: f32, %al: f32, %e: f32):
    %p = arith.mulf %x, %al : f32
    %q = arith.addf %y, %e : f32
    cutl.yield %p, %q : f32, f32
  } : (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf32>, tensor<?xf16>, f32, tensor<?x?xf32>,
       tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?xf32>
}

// Entries may come in any order; what is so anyway is not printed.
// CHECK-LABEL: func @execution
// CHECK:         promises(k divisible_by 2) execution(batch_invariant, sm_budget = 64) schedule(#cutl.data_parallel) {
// CHECK:         execution(deterministic = false, sm_budget = 1) {
// CHECK:         outs(%{{.*}} : (m, n)) {
// GENERIC-LABEL: sym_name = "execution"
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    batch_invariant
// GENERIC-SAME:    deterministic = true
// GENERIC-SAME:    sm_budget = 64 : i64
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    deterministic = false
// GENERIC-SAME:    sm_budget = 1 : i64
// GENERIC:       "cutl.gemm"
// GENERIC-SAME:    deterministic = true
// GENERIC-NOT:     sm_budget
// GENERIC:       return
func.func @execution(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(k divisible_by 2)
      execution(sm_budget = 64, batch_invariant) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n)) execution(sm_budget = 1, deterministic = false) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%1 : (m, n)) execution(deterministic = true) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @decisions
// CHECK:         outs(%{{.*}} : (m, n)) compute(math = tf32) promises(k divisible_by 2) config(#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>) schedule(#cutl.data_parallel) attributes {cutl.target = #cutl.target<chip = "sm_90a">, note = "kept"} {
func.func @decisions(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32) promises(k divisible_by 2)
      config(#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>)
      schedule(#cutl.data_parallel) attributes {note = "kept", cutl.target = #cutl.target<chip = "sm_90a">} {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

//===----------------------------------------------------------------------===//
// Memref form
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @memrefs
// CHECK:         {{^ *}}cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) aux(%{{.*}} : (), %{{.*}} : (m, n)) outs(%[[D:.*]] : (m, n), %{{.*}} : (n) add) {
// CHECK:         } : (memref<?x8xf16, strided<[?, 1], offset: ?>>, memref<6x8xf16, strided<[1, 6]>>, memref<f32>, memref<?x6xf32, strided<[0, 1]>>, memref<?x6xf32, strided<[16, 1], offset: 3>, 1>, memref<6xf32>) -> ()
func.func @memrefs(%a: memref<?x8xf16, strided<[?, 1], offset: ?>>, %b: memref<6x8xf16, strided<[1, 6]>>,
                   %beta: memref<f32>, %c: memref<?x6xf32, strided<[0, 1]>>,
                   %d: memref<?x6xf32, strided<[16, 1], offset: 3>, 1>, %s: memref<6xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%beta : (), %c : (m, n)) outs(%d : (m, n), %s : (n) add) {
  ^bb0(%acc: f32, %be: f32, %x: f32):
    %r = math.fma %be, %x, %acc : f32
    cutl.yield %r, %r : f32, f32
  } : (memref<?x8xf16, strided<[?, 1], offset: ?>>, memref<6x8xf16, strided<[1, 6]>>, memref<f32>,
       memref<?x6xf32, strided<[0, 1]>>, memref<?x6xf32, strided<[16, 1], offset: 3>, 1>, memref<6xf32>) -> ()
  return
}

// C is D: equal maps.
// CHECK-LABEL: func @in_place
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) aux(%[[D:.*]] : (n, m)) outs(%[[D]] : (n, m)) {
func.func @in_place(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<6x4xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (n, m)) outs(%d : (n, m)) {
  ^bb0(%acc: f32, %c: f32):
    %r = arith.addf %acc, %c : f32
    cutl.yield %r : f32
  } : (memref<4x8xf16>, memref<6x8xf16>, memref<6x4xf32>, memref<6x4xf32>) -> ()
  return
}

//===----------------------------------------------------------------------===//
// Epilogue operations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @epilogue_ops
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      %[[X0:.*]] = cutl.linear_combination %[[ACC]], %[[C]], %[[C]], %[[ACC]] : f32
// CHECK-NEXT:      %[[X1:.*]] = cutl.relu %[[X0]] : f32
// CHECK-NEXT:      %[[X2:.*]] = cutl.gelu %[[X1]] : f32
// CHECK-NEXT:      %[[X3:.*]] = cutl.gelu tanh %[[X2]] : f32
// CHECK-NEXT:      %[[X4:.*]] = cutl.silu %[[X3]] : f32
// CHECK-NEXT:      %[[X5:.*]] = cutl.sigmoid %[[X4]] : f32
// CHECK-NEXT:      %[[X6:.*]] = cutl.tanh %[[X5]] : f32
// CHECK-NEXT:      %[[X7:.*]] = arith.truncf %[[X6]] : f32 to bf16
// CHECK-NEXT:      %[[X8:.*]] = cutl.relu %[[X7]] {note} : bf16
// CHECK-NEXT:      cutl.yield %[[X8]] : bf16
func.func @epilogue_ops(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: tensor<4x6xf32>, %d: tensor<4x6xbf16>)
    -> tensor<4x6xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %0 = cutl.linear_combination %acc, %x, %x, %acc : f32
    %1 = cutl.relu %0 : f32
    %2 = cutl.gelu %1 : f32
    %3 = cutl.gelu tanh %2 : f32
    %4 = cutl.silu %3 : f32
    %5 = cutl.sigmoid %4 : f32
    %6 = cutl.tanh %5 : f32
    %7 = arith.truncf %6 : f32 to bf16
    %8 = cutl.relu %7 {note} : bf16
    cutl.yield %8 : bf16
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// Outside a region too: they are ordinary scalar ops.
// CHECK-LABEL: func @epilogue_ops_elsewhere
// CHECK:         cutl.gelu tanh %{{.*}} : f64
func.func @epilogue_ops_elsewhere(%x: f64) -> f64 {
  %0 = cutl.gelu tanh %x : f64
  return %0 : f64
}

// Every arith and math op that a region admits.
// CHECK-LABEL: func @admitted_ops
// CHECK:         cutl.gemm
func.func @admitted_ops(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>, %e: tensor<4x6xi32>)
    -> (tensor<4x6xf32>, tensor<4x6xi32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %e : (m, n)) {
  ^bb0(%acc: f32):
    %c = arith.constant 2.0 : f32
    %0 = arith.addf %acc, %c : f32
    %1 = arith.subf %0, %c : f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.divf %2, %c : f32
    %4 = arith.negf %3 : f32
    %5 = arith.maximumf %4, %c : f32
    %6 = arith.minimumf %5, %c : f32
    %7 = arith.maxnumf %6, %c : f32
    %8 = arith.minnumf %7, %c : f32
    %9 = arith.truncf %8 : f32 to f16
    %10 = arith.extf %9 : f16 to f32
    %11 = math.absf %10 : f32
    %12 = math.copysign %11, %c : f32
    %13 = math.floor %12 : f32
    %14 = math.ceil %13 : f32
    %15 = math.round %14 : f32
    %16 = math.roundeven %15 : f32
    %17 = math.fma %16, %c, %c : f32
    %18 = math.sqrt %17 : f32
    %19 = math.rsqrt %18 : f32
    %20 = math.exp %19 : f32
    %21 = math.exp2 %20 : f32
    %22 = math.log %21 : f32
    %23 = math.log2 %22 : f32
    %24 = math.erf %23 : f32
    %25 = math.tanh %24 : f32
    %26 = math.powf %25, %c : f32
    %27 = math.sin %26 : f32
    %28 = math.cos %27 : f32
    %n = arith.constant 3 : i32
    %i0 = arith.fptosi %28 : f32 to i32
    %i1 = arith.fptoui %28 : f32 to i32
    %i2 = arith.addi %i0, %i1 : i32
    %i3 = arith.subi %i2, %n : i32
    %i4 = arith.muli %i3, %n : i32
    %i5 = arith.divsi %i4, %n : i32
    %i6 = arith.divui %i5, %n : i32
    %i7 = arith.andi %i6, %n : i32
    %i8 = arith.ori %i7, %n : i32
    %i9 = arith.xori %i8, %n : i32
    %i10 = arith.maxsi %i9, %n : i32
    %i11 = arith.maxui %i10, %n : i32
    %i12 = arith.minsi %i11, %n : i32
    %i13 = arith.minui %i12, %n : i32
    %i14 = math.absi %i13 : i32
    %t = arith.trunci %i14 : i32 to i16
    %i15 = arith.extsi %t : i16 to i32
    %i16 = arith.extui %t : i16 to i32
    %f = arith.cmpf olt, %28, %c : f32
    %g = arith.cmpi slt, %i15, %i16 : i32
    %h = arith.andi %f, %g : i1
    %i17 = arith.select %h, %i15, %i16 : i32
    %29 = arith.sitofp %i17 : i32 to f32
    %30 = arith.uitofp %i17 : i32 to f32
    %31 = arith.addf %29, %30 : f32
    cutl.yield %31, %i17 : f32, i32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xi32>
}
