// The functions, one formula each.
// RUN: cutl-opt %s --convert-cutl-math-to-nvvm --split-input-file | FileCheck %s

gpu.module @kernels {
// CHECK-LABEL: llvm.func @exp
// CHECK-SAME:  (%[[X:.*]]: f32) -> f32
// CHECK:         %[[MIN:.*]] = llvm.intr.minnum(%[[X]], %{{.*}})
// CHECK:         %[[BOUNDED:.*]] = llvm.intr.maxnum(%[[MIN]], %{{.*}})
// CHECK:         %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK:         %[[ROUNDED:.*]] = llvm.intr.fma(%[[BOUNDED]], %[[LOG2E]], %{{.*}})
// CHECK:         %[[MINUS_N:.*]] = arith.subf %{{.*}}, %[[ROUNDED]] : f32
// CHECK:         %[[HIGH:.*]] = llvm.intr.fma(%[[X]], %{{.*}}, %[[MINUS_N]])
// CHECK:         %[[FRACTION:.*]] = llvm.intr.fma(%[[X]], %{{.*}}, %[[HIGH]])
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[ROUNDED]] : f32 to i32
// CHECK:         %[[SHIFTED:.*]] = arith.shli %[[BITS]], %{{.*}} : i32
// CHECK:         %[[SCALE:.*]] = arith.bitcast %[[SHIFTED]] : i32 to f32
// CHECK:         %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[FRACTION]])
// CHECK:         %[[Y:.*]] = arith.mulf %[[POWER]], %[[SCALE]] : f32
// CHECK:         llvm.return %[[Y]]
llvm.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  llvm.return %y : f32
}
}

// -----

gpu.module @kernels {
// Narrower types are computed in f32.
// CHECK-LABEL: llvm.func @gelu_tanh
// CHECK-SAME:  (%[[H:.*]]: f16) -> f16
// CHECK:         %[[X:.*]] = arith.extf %[[H]] : f16 to f32
// CHECK:         %[[ABS:.*]] = llvm.intr.fabs(%[[X]])
// CHECK:         %[[C:.*]] = llvm.intr.minimum(%[[ABS]], %{{.*}})
// CHECK:         %[[SQUARE:.*]] = arith.mulf %[[C]], %[[C]] : f32
// CHECK:         %[[FACTOR:.*]] = llvm.intr.fma(%[[SQUARE]], %{{.*}}, %{{.*}})
// CHECK:         %[[EXPONENT:.*]] = arith.mulf %[[C]], %[[FACTOR]] : f32
// CHECK:         %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[EXPONENT]])
// CHECK:         %[[SUM:.*]] = arith.addf %[[POWER]], %{{.*}} : f32
// CHECK:         %[[R:.*]] = nvvm.rcp.approx.ftz.f %[[SUM]] : f32
// CHECK:         %[[MINUS:.*]] = arith.negf %[[C]] : f32
// CHECK:         %[[POSITIVE:.*]] = llvm.intr.maximum(%[[X]], %{{.*}})
// CHECK:         %[[Y:.*]] = llvm.intr.fma(%[[MINUS]], %[[R]], %[[POSITIVE]])
// CHECK:         arith.truncf %[[Y]] : f32 to f16
llvm.func @gelu_tanh(%x: f16) -> f16 {
  %y = cutl.gelu tanh %x : f16
  llvm.return %y : f16
}
}

// -----

gpu.module @kernels {
// CHECK-LABEL: llvm.func @gelu_erf
// CHECK-SAME:  (%[[X:.*]]: f32) -> f32
// CHECK:         %[[ABS:.*]] = llvm.intr.fabs(%[[X]])
// CHECK:         %[[A:.*]] = llvm.intr.minimum(%[[ABS]], %{{.*}})
// CHECK-COUNT-10: llvm.intr.fma(%{{.*}}, %[[A]], %{{.*}})
// CHECK:         %[[TAIL:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK:         %[[POSITIVE:.*]] = llvm.intr.maximum(%[[X]], %{{.*}})
// CHECK:         %[[MINUS_A:.*]] = arith.negf %[[A]] : f32
// CHECK:         llvm.intr.fma(%[[MINUS_A]], %[[TAIL]], %[[POSITIVE]])
llvm.func @gelu_erf(%x: f32) -> f32 {
  %y = cutl.gelu %x : f32
  llvm.return %y : f32
}
}

// -----

gpu.module @kernels {
// What NVPTX has becomes an intrinsic of LLVM in its own type.
// CHECK-LABEL: llvm.func @intrinsics
// CHECK:         llvm.intr.fabs(%{{.*}}) : (bf16) -> bf16
// CHECK:         llvm.intr.roundeven(%{{.*}}) : (bf16) -> bf16
// CHECK:         llvm.intr.fma(%{{.*}}) : (bf16, bf16, bf16) -> bf16
// CHECK:         llvm.intr.sqrt(%{{.*}}) : (f64) -> f64
// CHECK:         "llvm.intr.abs"(%{{.*}}) <{is_int_min_poison = false}> : (i32) -> i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%{{.*}}) : (f32) -> f32
llvm.func @intrinsics(%x: bf16, %d: f64, %i: i32, %f: f32, %p: !llvm.ptr) {
  %0 = math.absf %x : bf16
  %1 = math.roundeven %0 : bf16
  %2 = math.fma %x, %0, %1 : bf16
  llvm.store %2, %p : bf16, !llvm.ptr
  %3 = math.sqrt %d : f64
  llvm.store %3, %p : f64, !llvm.ptr
  %4 = math.absi %i : i32
  llvm.store %4, %p : i32, !llvm.ptr
  %5 = math.rsqrt %f : f32
  llvm.store %5, %p : f32, !llvm.ptr
  llvm.return
}
}

// -----

gpu.module @kernels {
// Ops without a function to approximate keep the formula that defines them.
// CHECK-LABEL: llvm.func @linear_combination
// CHECK:         %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.cmpf oeq
// CHECK:         arith.select %{{.*}}, %[[PRODUCT]], %{{.*}} : f32
// CHECK-NOT:     cutl.
llvm.func @linear_combination(%a: f32, %x: f32, %b: f32, %c: f32) -> f32 {
  %0 = cutl.linear_combination %a, %x, %b, %c : f32
  %1 = cutl.relu %0 : f32
  llvm.return %1 : f32
}
}

// -----

// Only kernels are concerned.
// CHECK-LABEL: func.func @host
// CHECK:         math.exp
func.func @host(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// -----

gpu.module @kernels {
// One exponential and a polynomial; no logarithm.
// CHECK-LABEL: llvm.func @softplus
// CHECK-SAME:  (%[[X:.*]]: f32) -> f32
// CHECK:         %[[ABS:.*]] = llvm.intr.fabs(%[[X]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK:         %[[T:.*]] = arith.mulf
// CHECK-COUNT-9: llvm.intr.fma(%{{.*}}, %[[T]], %{{.*}})
// CHECK:         %[[POSITIVE:.*]] = llvm.intr.maximum(%[[X]], %{{.*}})
// CHECK:         arith.addf %[[POSITIVE]], %{{.*}} : f32
// CHECK-NOT:     ex2
llvm.func @softplus(%x: f32) -> f32 {
  %y = cutl.softplus %x : f32
  llvm.return %y : f32
}

// One exponential and one reciprocal.
// CHECK-LABEL: llvm.func @silu_grad
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK:         %[[R:.*]] = nvvm.rcp.approx.ftz.f
// CHECK:         %[[S:.*]] = arith.mulf %{{.*}}, %[[R]] : f32
// CHECK:         %[[D:.*]] = arith.mulf %[[S]], %[[R]] : f32
// CHECK:         %[[SMALL:.*]] = llvm.intr.fma(%{{.*}}, %[[D]], %[[S]])
// CHECK:         %[[LARGE:.*]] = arith.subf %{{.*}}, %[[SMALL]] : f32
// CHECK:         arith.select %{{.*}}, %[[SMALL]], %[[LARGE]] : f32
llvm.func @silu_grad(%x: f32) -> f32 {
  %y = cutl.silu_grad %x : f32
  llvm.return %y : f32
}

// Bounds are the two instructions that keep NaN.
// CHECK-LABEL: llvm.func @bounds
// CHECK:         llvm.intr.maximum
// CHECK-NOT:     arith.select
// CHECK:         llvm.intr.maximum
// CHECK:         llvm.intr.minimum
// CHECK-NOT:     arith.select
// CHECK:         arith.maximumf
// CHECK:         arith.minimumf
// CHECK:         llvm.return
llvm.func @bounds(%x: f32) -> f32 {
  %0 = cutl.relu %x : f32
  %1 = cutl.hardswish %0 : f32
  %2 = cutl.clamp %1 low -1.0 high 1.0 : f32
  llvm.return %2 : f32
}
}
