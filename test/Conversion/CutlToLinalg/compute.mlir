// RUN: cutl-opt %s --convert-cutl-to-linalg --split-input-file | FileCheck %s

// tf32 keeps ten bits of mantissa, rounded to nearest even; infinity and NaN stay.
// CHECK-LABEL: func @tf32
// CHECK:         ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[S:.*]]: f32):
// CHECK:           %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK:           arith.constant 13 : i32
// CHECK:           arith.shrui %[[BITS]], %{{.*}} : i32
// CHECK:           arith.constant 4095 : i32
// CHECK:           arith.constant -8192 : i32
// CHECK:           arith.constant 2139095040 : i32
// CHECK:           %[[XR:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK:           arith.bitcast %[[Y]] : f32 to i32
// CHECK:           %[[YR:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK:           arith.mulf %[[XR]], %[[YR]] : f32
func.func @tf32(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Three products of tf32 stand for one of f32.
// CHECK-LABEL: func @tf32x3
// CHECK:         ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT:      arith.addf %[[S]], %[[P]] : f32
func.func @tf32x3(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32x3) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @narrow_math
// CHECK:           %[[XB:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:      arith.extf %[[XB]] : bf16 to f32
// CHECK-NEXT:      %[[YB:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:      arith.extf %[[YB]] : bf16 to f32
// CHECK:           %[[XH:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT:      arith.extf %[[XH]] : f16 to f32
func.func @narrow_math(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = bf16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n)) compute(math = f16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @signedness
// CHECK:         ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %[[S:.*]]: i32):
// CHECK-NEXT:      arith.extui %[[X]] : i8 to i32
// CHECK-NEXT:      arith.extsi %[[Y]] : i8 to i32
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      arith.addi
func.func @signedness(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %d: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = unsigned) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// The exact sum is clamped once, where the epilogue reads it.
// CHECK-LABEL: func @saturate
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         linalg.fill ins(%[[ZERO]] : i64) outs(%{{.*}} : tensor<4x6xi64>)
// CHECK:           arith.extsi %{{.*}} : i8 to i64
// CHECK:           arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:           arith.addi %{{.*}}, %{{.*}} : i64
// CHECK:         ^bb0(%[[SUM:.*]]: i64, %{{.*}}: i32):
// CHECK-NEXT:      %[[HI:.*]] = arith.constant 2147483647 : i64
// CHECK-NEXT:      %[[CAP:.*]] = arith.minsi %[[SUM]], %[[HI]] : i64
// CHECK-NEXT:      %[[LO:.*]] = arith.constant -2147483648 : i64
// CHECK-NEXT:      %[[CLAMP:.*]] = arith.maxsi %[[CAP]], %[[LO]] : i64
// CHECK-NEXT:      %[[ACC:.*]] = arith.trunci %[[CLAMP]] : i64 to i32
// CHECK-NEXT:      linalg.yield %[[ACC]] : i32
func.func @saturate(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %d: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(saturate) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// Accumulators of other types; fp8 widens to them, `promote` changes nothing here.
// CHECK-LABEL: func @accumulators
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f16
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK:         arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK:         arith.extf %{{.*}} : f8E5M2 to f32
func.func @accumulators(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf16>, %e: tensor<4x8xf64>,
                        %f: tensor<6x8xf64>, %g: tensor<4x6xf64>, %h: tensor<4x8xf8E4M3FN>, %i: tensor<6x8xf8E5M2>,
                        %j: tensor<4x6xf32>) -> (tensor<4x6xf16>, tensor<4x6xf64>, tensor<4x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f16):
    cutl.yield %acc : f16
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf16>) -> tensor<4x6xf16>
  %1 = cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%g : (m, n)) {
  ^bb0(%acc: f64):
    cutl.yield %acc : f64
  } : (tensor<4x8xf64>, tensor<6x8xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  %2 = cutl.gemm ins(%h : (m, k), %i : (n, k)) outs(%j : (m, n)) compute(promote = 4) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf8E4M3FN>, tensor<6x8xf8E5M2>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf16>, tensor<4x6xf64>, tensor<4x6xf32>
}
