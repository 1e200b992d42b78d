// RUN: cutl-opt %s --cutl-canonicalize-epilogue | FileCheck %s
// Rewrites of scalar ops, each beside what looks like it and must stay.

// CHECK-LABEL: func @times_one
// CHECK:         ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      cutl.yield %[[ACC]]
func.func @times_one(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 1.0 : f32
    %y = arith.mulf %k, %acc : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// NaN, infinity and the sign of zero come through a factor of 0.
// CHECK-LABEL: func @times_zero
// CHECK:           %[[Y:.*]] = arith.mulf
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @times_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 0.0 : f32
    %y = arith.mulf %acc, %k : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @times_zero_fast
// CHECK:           %[[Y:.*]] = arith.constant 0.0
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @times_zero_fast(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 0.0 : f32
    %y = arith.mulf %acc, %k fastmath<nnan,nsz> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -0.0 + 0.0 is 0.0.
// CHECK-LABEL: func @plus_zero
// CHECK:           %[[Y:.*]] = arith.addf
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @plus_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 0.0 : f32
    %y = arith.addf %acc, %k : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @plus_negative_zero
// CHECK:         ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      cutl.yield %[[ACC]]
func.func @plus_negative_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant -0.0 : f32
    %y = arith.addf %acc, %k : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Infinity minus infinity is NaN.
// CHECK-LABEL: func @minus_itself
// CHECK:           arith.subf
func.func @minus_itself(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %y = arith.subf %acc, %acc : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// 0.1 · (acc + c) is neither 0.1 · acc + c nor a product scaled by 0.1 and then
// added to, whatever the flags.
// CHECK-LABEL: func @scaled_sum
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      %[[K:.*]] = arith.constant 1.000000e-01
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[ACC]], %[[C]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[T]], %[[K]]
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @scaled_sum(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 0.1 : f32
    %t = arith.addf %acc, %c0 fastmath<fast> : f32
    %y = arith.mulf %t, %k fastmath<fast> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Nor is a scale moved across an activation.
// CHECK-LABEL: func @scaled_relu
// CHECK:           arith.mulf
// CHECK-NEXT:      cutl.relu
// CHECK-NEXT:      arith.mulf
func.func @scaled_relu(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant -2.0 : f32
    %l = arith.constant 3.0 : f32
    %t = arith.mulf %acc, %k fastmath<fast> : f32
    %r = cutl.relu %t : f32
    %y = arith.mulf %r, %l fastmath<fast> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The result has the flags that both had.
// CHECK-LABEL: func @scalings
// CHECK:         ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[K:.*]] = arith.constant 6.000000e+00
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[ACC]], %[[K]] fastmath<reassoc>
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @scalings(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 2.0 : f32
    %l = arith.constant 3.0 : f32
    %t = arith.mulf %acc, %k fastmath<reassoc,nnan> : f32
    %y = arith.mulf %l, %t fastmath<reassoc> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Two roundings stay two unless both may go.
// CHECK-LABEL: func @scalings_exact
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.mulf
func.func @scalings_exact(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 2.0 : f32
    %l = arith.constant 3.0 : f32
    %t = arith.mulf %acc, %k fastmath<reassoc> : f32
    %y = arith.mulf %t, %l : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A factor of infinity would turn 1e-30 into infinity, and 0 into NaN.
// CHECK-LABEL: func @scalings_overflow
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.mulf
func.func @scalings_overflow(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 1.0e+30 : f32
    %l = arith.constant 1.0e+30 : f32
    %t = arith.mulf %acc, %k fastmath<fast> : f32
    %y = arith.mulf %t, %l fastmath<fast> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The product of the factors is subnormal, with few digits.
// CHECK-LABEL: func @scalings_underflow
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.mulf
func.func @scalings_underflow(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 1.0e-30 : f32
    %l = arith.constant 1.0e-15 : f32
    %t = arith.mulf %acc, %k fastmath<fast> : f32
    %y = arith.mulf %t, %l fastmath<fast> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Two multiplications by what is not known are not more than two others.
// CHECK-LABEL: func @scalings_by_numbers
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.mulf
func.func @scalings_by_numbers(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %t = arith.mulf %acc, %s0 fastmath<fast> : f32
    %y = arith.mulf %t, %s0 fastmath<fast> : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @constants
// CHECK:           %[[K:.*]] = arith.constant 8.0
// CHECK-NEXT:      arith.mulf %{{.*}}, %[[K]]
func.func @constants(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 2.0 : f32
    %l = arith.constant 3.0 : f32
    %t = arith.mulf %k, %l : f32
    %u = arith.addf %t, %k : f32
    %y = arith.mulf %acc, %u : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A rounding stays unless both conversions may be contracted.
// CHECK-LABEL: func @rounding
// CHECK:           arith.truncf
// CHECK-NEXT:      arith.extf
// CHECK-NEXT:      arith.addf
func.func @rounding(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %t = arith.truncf %acc : f32 to bf16
    %u = arith.extf %t : bf16 to f32
    %y = arith.addf %u, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @rounding_contract
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[ACC]], %[[C]]
func.func @rounding_contract(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %t = arith.truncf %acc fastmath<contract> : f32 to bf16
    %u = arith.extf %t fastmath<contract> : bf16 to f32
    %y = arith.addf %u, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// min(NaN, inf) is inf where NaN is ignored, and NaN where it is not.
// CHECK-LABEL: func @least
// CHECK:           arith.minnumf
func.func @least(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 0x7F800000 : f32
    %y = arith.minnumf %acc, %k : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @least_nan
// CHECK:         ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      cutl.yield %[[ACC]]
func.func @least_nan(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 0x7F800000 : f32
    %y = arith.minimumf %acc, %k : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// With beta = 0 nothing reads c.
// CHECK-LABEL: func @beta_zero
// CHECK:         cutl.gemm {{.*}} aux(%{{.*}} : ()) outs
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[S]], %[[ACC]]
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @beta_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %z = arith.constant 0.0 : f32
    %y = cutl.linear_combination %s0, %acc, %z, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @beta_negative_zero
// CHECK:         cutl.gemm {{.*}} aux(%{{.*}} : ()) outs
func.func @beta_negative_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %z = arith.constant -0.0 : f32
    %y = cutl.linear_combination %s0, %acc, %z, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// With alpha = 0 the product is still there, NaN and all.
// CHECK-LABEL: func @alpha_zero
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK-DAG:       %[[Z:.*]] = arith.constant 0.0
// CHECK-DAG:       %[[K:.*]] = arith.constant 2.0
// CHECK:           %[[T:.*]] = arith.mulf %[[ACC]], %[[Z]]
// CHECK:           %[[U:.*]] = arith.mulf %[[C]], %[[K]]
// CHECK:           arith.addf %[[T]], %[[U]]
func.func @alpha_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %z = arith.constant 0.0 : f32
    %k = arith.constant 2.0 : f32
    %y = cutl.linear_combination %z, %acc, %k, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @ones
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %[[ACC]], %[[C]]
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @ones(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 1.0 : f32
    %y = cutl.linear_combination %k, %acc, %k, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A sum of bf16 is the rounded sum, as that in f32 is.
// CHECK-LABEL: func @ones_narrow
// CHECK:           %[[X:.*]] = arith.truncf
// CHECK-NEXT:      arith.addf %[[X]], %{{.*}} : bf16
func.func @ones_narrow(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xbf16>, %s: bf16, %d: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: bf16, %s0: bf16):
    %x = arith.truncf %acc : f32 to bf16
    %k = arith.constant 1.0 : bf16
    %y = cutl.linear_combination %k, %x, %k, %c0 : bf16
    cutl.yield %y : bf16
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xbf16>, bf16, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// CHECK-LABEL: func @beta_zero_narrow
// CHECK:           %[[X:.*]] = arith.truncf
// CHECK-NEXT:      arith.mulf %{{.*}}, %[[X]] : f16
func.func @beta_zero_narrow(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf16>, %s: f16, %d: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f16, %s0: f16):
    %x = arith.truncf %acc : f32 to f16
    %z = arith.constant 0.0 : f16
    %y = cutl.linear_combination %s0, %x, %z, %c0 : f16
    cutl.yield %y : f16
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf16>, f16, tensor<4x6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// Two products and a sum in bf16 have three roundings, the combination one.
// CHECK-LABEL: func @beta_half_narrow
// CHECK:           cutl.linear_combination
func.func @beta_half_narrow(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xbf16>, %s: bf16, %d: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: bf16, %s0: bf16):
    %x = arith.truncf %acc : f32 to bf16
    %k = arith.constant 0.5 : bf16
    %y = cutl.linear_combination %s0, %x, %k, %c0 : bf16
    cutl.yield %y : bf16
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xbf16>, bf16, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// Whether beta is 0 is decided for a value of beta.
// CHECK-LABEL: func @beta_unknown
// CHECK:           cutl.linear_combination
func.func @beta_unknown(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %s: f32, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c0: f32, %s0: f32):
    %k = arith.constant 1.0 : f32
    %y = cutl.linear_combination %k, %acc, %s0, %c0 : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @beta_half_double
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
func.func @beta_half_double(%a: tensor<4x8xf64>, %b: tensor<6x8xf64>, %c: tensor<4x6xf64>, %s: f64, %d: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n), %s : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f64, %c0: f64, %s0: f64):
    %k = arith.constant 0.5 : f64
    %y = cutl.linear_combination %s0, %acc, %k, %c0 : f64
    cutl.yield %y : f64
  } : (tensor<4x8xf64>, tensor<6x8xf64>, tensor<4x6xf64>, f64, tensor<4x6xf64>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}
