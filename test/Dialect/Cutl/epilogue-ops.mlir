// Round trips of the scalar ops; see ops.mlir for the older ones.
// RUN: cutl-opt %s | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --mlir-print-op-generic | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --emit-bytecode | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --verify-roundtrip -o /dev/null

// CHECK-LABEL: func @activations
// CHECK:         cutl.leaky_relu %{{.*}} slope 1.000000e-02 : f32
// CHECK:         cutl.hardswish %{{.*}} : f16
// CHECK:         cutl.softplus %{{.*}} : bf16
// CHECK:         cutl.clamp %{{.*}} low -1.000000e+00 high 6.000000e+00 : f64
// CHECK:         cutl.clamp %{{.*}} low 0xFFF0000000000000 high 1.000000e+00 {note} : f8E5M2
func.func @activations(%x: f32, %h: f16, %b: bf16, %d: f64, %e: f8E5M2) -> (f32, f16, bf16, f64, f8E5M2) {
  %0 = cutl.leaky_relu %x slope 0.01 : f32
  %1 = cutl.hardswish %h : f16
  %2 = cutl.softplus %b : bf16
  %3 = cutl.clamp %d low -1.0 high 6.0 : f64
  %4 = cutl.clamp %e low 0xFFF0000000000000 high 1.0 {note} : f8E5M2
  return %0, %1, %2, %3, %4 : f32, f16, bf16, f64, f8E5M2
}

// CHECK-LABEL: func @derivatives
// CHECK:         cutl.relu_grad %{{.*}} : f32
// CHECK:         cutl.leaky_relu_grad %{{.*}} slope -5.000000e-01 : f32
// CHECK:         cutl.gelu_grad %{{.*}} : f32
// CHECK:         cutl.gelu_grad tanh %{{.*}} : f32
// CHECK:         cutl.silu_grad %{{.*}} : f32
// CHECK:         cutl.sigmoid_grad %{{.*}} : f32
// CHECK:         cutl.tanh_grad %{{.*}} : f32
// CHECK:         cutl.hardswish_grad %{{.*}} : f32
// CHECK:         cutl.softplus_grad %{{.*}} : f32
func.func @derivatives(%x: f32) -> f32 {
  %0 = cutl.relu_grad %x : f32
  %1 = cutl.leaky_relu_grad %0 slope -0.5 : f32
  %2 = cutl.gelu_grad %1 : f32
  %3 = cutl.gelu_grad tanh %2 : f32
  %4 = cutl.silu_grad %3 : f32
  %5 = cutl.sigmoid_grad %4 : f32
  %6 = cutl.tanh_grad %5 : f32
  %7 = cutl.hardswish_grad %6 : f32
  %8 = cutl.softplus_grad %7 : f32
  return %8 : f32
}

// CHECK-LABEL: func @conversions
// CHECK:         cutl.convert %{{.*}} saturate : f32 to i8
// CHECK:         cutl.convert %{{.*}} toward_zero saturate unsigned : f16 to i16
// CHECK:         cutl.convert %{{.*}} downward saturate : f64 to i64
// CHECK:         cutl.convert %{{.*}} upward saturate : bf16 to i32
// CHECK:         cutl.convert %{{.*}} unsigned : i8 to f32
// CHECK:         cutl.convert %{{.*}} saturate unsigned : i16 to f8E4M3FN
// CHECK:         cutl.convert %{{.*}} : f32 to f8E5M2
// CHECK:         cutl.convert %{{.*}} saturate {note} : f8E5M2 to f8E4M3FN
// CHECK:         cutl.convert %{{.*}} : f32 to f64
func.func @conversions(%x: f32, %h: f16, %b: bf16, %d: f64) -> (i8, i16, i64, i32, f32, f8E4M3FN, f8E5M2, f8E4M3FN, f64) {
  %0 = cutl.convert %x saturate : f32 to i8
  %1 = cutl.convert %h toward_zero saturate unsigned : f16 to i16
  %2 = cutl.convert %d downward saturate : f64 to i64
  %3 = cutl.convert %b upward saturate : bf16 to i32
  %4 = cutl.convert %0 unsigned : i8 to f32
  %5 = cutl.convert %1 saturate unsigned : i16 to f8E4M3FN
  %6 = cutl.convert %x to_nearest_even : f32 to f8E5M2
  %7 = cutl.convert %6 saturate {note} : f8E5M2 to f8E4M3FN
  %8 = cutl.convert %x : f32 to f64
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i8, i16, i64, i32, f32, f8E4M3FN, f8E5M2, f8E4M3FN, f64
}
