// Functions whose result is rounded to at most 16 bits have shorter formulas.
// RUN: cutl-opt %s --convert-cutl-math-to-nvvm --split-input-file | FileCheck %s

gpu.module @kernels {
// CHECK-LABEL: llvm.func @sigmoid
// CHECK-SAME:  (%[[X:.*]]: f32) -> bf16
// CHECK:         %[[EXPONENT:.*]] = arith.mulf %[[X]], %{{.*}} : f32
// CHECK-NEXT:    %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[EXPONENT]])
// CHECK:         %[[SUM:.*]] = arith.addf %[[POWER]], %{{.*}} : f32
// CHECK-NEXT:    %[[Y:.*]] = nvvm.rcp.approx.ftz.f %[[SUM]] : f32
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[Y]] : f32 to bf16
// CHECK-NEXT:    llvm.return %[[R]]
llvm.func @sigmoid(%x: f32) -> bf16 {
  %y = cutl.sigmoid %x : f32
  %r = arith.truncf %y : f32 to bf16
  llvm.return %r : bf16
}

// A coarse fit is enough for bf16.
// CHECK-LABEL: llvm.func @gelu_to_bf16
// CHECK-COUNT-5: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
llvm.func @gelu_to_bf16(%x: f32) -> bf16 {
  %y = cutl.gelu %x : f32
  %r = arith.truncf %y : f32 to bf16
  llvm.return %r : bf16
}

// f16 has more digits.
// CHECK-LABEL: llvm.func @gelu_to_both
// CHECK-COUNT-7: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
llvm.func @gelu_to_both(%x: f32, %p: !llvm.ptr) -> bf16 {
  %y = cutl.gelu %x : f32
  %h = arith.truncf %y : f32 to f16
  llvm.store %h, %p : f16, !llvm.ptr
  %r = arith.truncf %y : f32 to bf16
  llvm.return %r : bf16
}

// Factors, signs, bounds and choices keep a relative error.
// CHECK-LABEL: llvm.func @through
// CHECK:         arith.mulf
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK-NOT:     arith.shli
llvm.func @through(%x: f32, %z: f32, %c: i1) -> i8 {
  %y = math.exp %x : f32
  %0 = arith.mulf %z, %y : f32
  %1 = arith.negf %0 : f32
  %2 = arith.maximumf %1, %z : f32
  %3 = cutl.relu %2 : f32
  %4 = cutl.clamp %3 low -2.0 high 2.0 : f32
  %5 = arith.divf %4, %z : f32
  %6 = arith.select %c, %5, %z : f32
  %7 = cutl.convert %6 saturate : f32 to f8E4M3FN
  %r = arith.bitcast %7 : f8E4M3FN to i8
  llvm.return %r : i8
}

// Two results may be rounded by one instruction.
// CHECK-LABEL: llvm.func @packed
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK-NOT:     arith.shli
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
llvm.func @packed(%x: f32, %z: f32) -> vector<2xbf16> {
  %y = math.exp %x : f32
  %w = math.exp %z : f32
  %r = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%y, %w) : (f32, f32) -> vector<2xbf16>
  llvm.return %r : vector<2xbf16>
}

// CHECK-LABEL: llvm.func @derivatives
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK-NOT:     arith.shli
// CHECK-NOT:     arith.cmpf
// CHECK:         llvm.return
llvm.func @derivatives(%x: f32, %z: f32) -> bf16 {
  %0 = cutl.sigmoid_grad %x : f32
  %1 = cutl.tanh_grad %x : f32
  %2 = cutl.silu_grad %x : f32
  %3 = cutl.softplus_grad %x : f32
  %4 = arith.mulf %0, %1 : f32
  %5 = arith.mulf %2, %3 : f32
  %6 = arith.mulf %4, %5 : f32
  %r = arith.truncf %6 : f32 to bf16
  llvm.return %r : bf16
}

// An op on a narrow type rounds its result itself.
// CHECK-LABEL: llvm.func @of_bf16
// CHECK:         %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[EXPONENT:.*]] = arith.mulf %[[X]], %{{.*}} : f32
// CHECK-NEXT:    %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[EXPONENT]])
// CHECK-NEXT:    arith.truncf %[[POWER]] : f32 to bf16
llvm.func @of_bf16(%x: bf16) -> bf16 {
  %y = math.exp %x : bf16
  llvm.return %y : bf16
}
}

// -----

// Whatever else is done with a result takes it as an f32: each has the integer
// part of the exponent apart.
gpu.module @kernels {
// CHECK-LABEL: llvm.func @stored
// CHECK:         arith.shli
llvm.func @stored(%x: f32, %p: !llvm.ptr) -> bf16 {
  %y = math.exp %x : f32
  llvm.store %y, %p : f32, !llvm.ptr
  %r = arith.truncf %y : f32 to bf16
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @added
// CHECK:         arith.shli
llvm.func @added(%x: f32, %z: f32) -> bf16 {
  %y = math.exp %x : f32
  %s = arith.addf %y, %z : f32
  %r = arith.truncf %s : f32 to bf16
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @compared
// CHECK:         arith.shli
llvm.func @compared(%x: f32, %z: f32) -> bf16 {
  %y = math.exp %x : f32
  %c = arith.cmpf olt, %y, %z : f32
  %s = arith.select %c, %y, %z : f32
  %r = arith.truncf %s : f32 to bf16
  llvm.return %r : bf16
}

// A reduction takes the value of another lane.
// CHECK-LABEL: llvm.func @exchanged
// CHECK:         arith.shli
llvm.func @exchanged(%x: f32, %mask: i32, %i: i32) -> bf16 {
  %y = math.exp %x : f32
  %b = arith.bitcast %y : f32 to i32
  %o = nvvm.shfl.sync bfly %mask, %b, %i, %i : i32 -> i32
  %z = arith.bitcast %o : i32 to f32
  %r = arith.truncf %z : f32 to bf16
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @divisor
// CHECK:         arith.shli
llvm.func @divisor(%x: f32, %z: f32) -> bf16 {
  %y = math.exp %x : f32
  %q = arith.divf %z, %y : f32
  %r = arith.truncf %q : f32 to bf16
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @widened
// CHECK:         arith.shli
llvm.func @widened(%x: f32) -> f64 {
  %y = math.exp %x : f32
  %r = arith.extf %y : f32 to f64
  llvm.return %r : f64
}

// The last bit decides where rounding goes one way.
// CHECK-LABEL: llvm.func @toward_zero
// CHECK:         arith.shli
llvm.func @toward_zero(%x: f32) -> bf16 {
  %y = math.exp %x : f32
  %r = arith.truncf %y toward_zero : f32 to bf16
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @to_integer
// CHECK:         arith.shli
llvm.func @to_integer(%x: f32) -> i8 {
  %y = math.exp %x : f32
  %r = cutl.convert %y saturate : f32 to i8
  llvm.return %r : i8
}
}
