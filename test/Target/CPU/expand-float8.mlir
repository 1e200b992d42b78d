// RUN: cutl-opt %s --cutl-cpu-expand-float8 | FileCheck %s
// What is left moves 8-bit floats and does not compute with them.
// RUN: cutl-opt %s --cutl-cpu-expand-float8 | FileCheck %s --check-prefix=NONE
// NONE-NOT: arith.extf {{.*}}f8E
// NONE-NOT: arith.truncf {{.*}} to f8E{{.*(FN|M2)$}}

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

// Other arithmetic is done in f32, and a constant becomes its bits.
// CHECK-LABEL: func @arithmetic(
func.func @arithmetic(%x: f8E4M3FN) -> f8E4M3FN {
  // CHECK: %[[BITS:.*]] = arith.constant 56 : i8
  // CHECK: arith.bitcast %[[BITS]] : i8 to f8E4M3FN
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f8E4M3FN
  %one = arith.constant 1.0 : f8E4M3FN
  %m = arith.maximumf %x, %one : f8E4M3FN
  %c = arith.cmpf olt, %x, %m : f8E4M3FN
  %y = arith.select %c, %m, %x : f8E4M3FN
  return %y : f8E4M3FN
}

// Other 8-bit floats and other types are left alone.
// CHECK-LABEL: func @others(
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f8E4M3FNUZ
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT:    return
func.func @others(%x: f32) -> (f8E4M3FNUZ, f16) {
  %y = arith.truncf %x : f32 to f8E4M3FNUZ
  %z = arith.truncf %x : f32 to f16
  return %y, %z : f8E4M3FNUZ, f16
}
