// RUN: cutl-opt %s --cutl-cpu-expand-float8 | FileCheck %s
// What is left moves 8-bit floats and does not compute with them.
// RUN: cutl-opt %s --cutl-cpu-expand-float8 | FileCheck %s --check-prefix=NONE
// NONE-NOT: arith.extf {{.*}}f8E
// NONE-NOT: arith.truncf {{.*}} to f8E

// CHECK-LABEL: func @widen_e5m2(
// CHECK-SAME:      %[[X:.*]]: f8E5M2)
func.func @widen_e5m2(%x: f8E5M2) -> f32 {
  // CHECK: %[[B:.*]] = arith.bitcast %[[X]] : f8E5M2 to i8
  // CHECK: %[[W:.*]] = arith.extui %[[B]] : i8 to i16
  // CHECK: %[[S:.*]] = arith.shli %[[W]], %{{.*}} : i16
  // CHECK: %[[H:.*]] = arith.bitcast %[[S]] : i16 to f16
  // CHECK: %[[Y:.*]] = arith.extf %[[H]] : f16 to f32
  // CHECK: return %[[Y]]
  %y = arith.extf %x : f8E5M2 to f32
  return %y : f32
}

// CHECK-LABEL: func @widen_e4m3(
func.func @widen_e4m3(%x: f8E4M3FN) -> bf16 {
  // CHECK: %[[H:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[P:.*]] = arith.mulf %[[H]], %{{.*}} : f32
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[P]] : f32
  // CHECK: arith.truncf %[[S]] : f32 to bf16
  %y = arith.extf %x : f8E4M3FN to bf16
  return %y : bf16
}

// CHECK-LABEL: func @narrow(
func.func @narrow(%x: f16, %y: f64) -> (f8E4M3FN, f8E5M2) {
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E4M3FN
  // CHECK: arith.bitcast %{{.*}} : f64 to i64
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  %a = arith.truncf %x : f16 to f8E4M3FN
  %b = arith.truncf %y : f64 to f8E5M2
  return %a, %b : f8E4M3FN, f8E5M2
}
