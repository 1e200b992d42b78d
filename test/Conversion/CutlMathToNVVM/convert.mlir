// Conversions that PTX has in one instruction.
// RUN: cutl-opt %s --convert-cutl-math-to-nvvm --split-input-file | FileCheck %s

gpu.module @kernels {
// CHECK-LABEL: llvm.func @to_i8
// CHECK-SAME:  (%[[X:.*]]: f32) -> i8
// CHECK-NEXT:    %[[I:.*]] = llvm.inline_asm "cvt.rni.sat.s8.f32 $0, $1;", "=r,f" %[[X]] : (f32) -> i32
// CHECK-NEXT:    %[[Q:.*]] = arith.trunci %[[I]] : i32 to i8
// CHECK-NEXT:    llvm.return %[[Q]]
llvm.func @to_i8(%x: f32) -> i8 {
  %q = cutl.convert %x saturate : f32 to i8
  llvm.return %q : i8
}

// CHECK-LABEL: llvm.func @roundings
// CHECK:         "cvt.rzi.sat.u8.f32 $0, $1;", "=r,f"
// CHECK:         "cvt.rmi.sat.s16.f32 $0, $1;", "=r,f"
// CHECK:         "cvt.rpi.sat.u32.f32 $0, $1;", "=r,f"
llvm.func @roundings(%x: f16, %p: !llvm.ptr) {
  %0 = cutl.convert %x toward_zero saturate unsigned : f16 to i8
  llvm.store %0, %p : i8, !llvm.ptr
  %1 = cutl.convert %x downward saturate : f16 to i16
  llvm.store %1, %p : i16, !llvm.ptr
  %2 = cutl.convert %x upward saturate unsigned : f16 to i32
  llvm.store %2, %p : i32, !llvm.ptr
  llvm.return
}

// With 64 bits on either side the instruction makes something else of NaN.
// CHECK-LABEL: llvm.func @to_i64
// CHECK-SAME:  (%[[X:.*]]: f32, %[[D:.*]]: f64
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK:         %[[NUMBER:.*]] = arith.select %[[NAN]], %{{.*}}, %[[X]] : f32
// CHECK:         "cvt.rni.sat.s64.f32 $0, $1;", "=l,f" %[[NUMBER]] : (f32) -> i64
// CHECK:         arith.cmpf uno, %[[D]], %[[D]] : f64
// CHECK:         "cvt.rni.sat.s32.f64 $0, $1;", "=r,d" %{{.*}} : (f64) -> i32
llvm.func @to_i64(%x: f32, %d: f64, %p: !llvm.ptr) {
  %0 = cutl.convert %x saturate : f32 to i64
  llvm.store %0, %p : i64, !llvm.ptr
  %1 = cutl.convert %d saturate : f64 to i32
  llvm.store %1, %p : i32, !llvm.ptr
  llvm.return
}
}

// -----

gpu.module @kernels {
// The instruction saturates; that is all.
// CHECK-LABEL: llvm.func @to_float8
// CHECK-SAME:  (%[[X:.*]]: f32) -> i8
// CHECK-NEXT:    %[[PAIR:.*]] = nvvm.convert.f32x2.to.f8x2 %[[X]], %[[X]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
// CHECK-NEXT:    %[[BITS:.*]] = arith.trunci %[[PAIR]] : i16 to i8
// CHECK-NOT:     arith.select
// CHECK:         llvm.return
llvm.func @to_float8(%x: f32) -> i8 {
  %y = cutl.convert %x saturate : f32 to f8E4M3FN
  %bits = arith.bitcast %y : f8E4M3FN to i8
  llvm.return %bits : i8
}

// Without saturation NaN is chosen where the instruction has 448.
// CHECK-LABEL: llvm.func @to_float8_or_nan
// CHECK:         nvvm.convert.f32x2.to.f8x2
// CHECK:         arith.constant 4.640000e+02 : f32
// CHECK:         arith.constant 127 : i8
// CHECK:         arith.cmpf ogt
// CHECK:         arith.select
llvm.func @to_float8_or_nan(%x: f32) -> i8 {
  %y = cutl.convert %x : f32 to f8E4M3FN
  %bits = arith.bitcast %y : f8E4M3FN to i8
  llvm.return %bits : i8
}

// CHECK-LABEL: llvm.func @integer_to_float8
// CHECK:         arith.uitofp %{{.*}} : i16 to f32
// CHECK-NEXT:    nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     arith.select
// CHECK:         llvm.return
llvm.func @integer_to_float8(%i: i16) -> i8 {
  %y = cutl.convert %i saturate unsigned : i16 to f8E5M2
  %bits = arith.bitcast %y : f8E5M2 to i8
  llvm.return %bits : i8
}
}

// -----

gpu.module @kernels {
// The bounds of other floats are a maximum and a minimum, which keep NaN.
// CHECK-LABEL: llvm.func @to_f16
// CHECK-SAME:  (%[[X:.*]]: f32) -> f16
// CHECK:         %[[LOW:.*]] = arith.constant -6.550400e+04 : f32
// CHECK:         %[[A:.*]] = arith.maximumf %[[X]], %[[LOW]] : f32
// CHECK:         %[[HIGH:.*]] = arith.constant 6.550400e+04 : f32
// CHECK:         %[[B:.*]] = arith.minimumf %[[A]], %[[HIGH]] : f32
// CHECK:         arith.truncf %[[B]] : f32 to f16
llvm.func @to_f16(%x: f32) -> f16 {
  %y = cutl.convert %x saturate : f32 to f16
  llvm.return %y : f16
}

// CHECK-LABEL: llvm.func @from_integer
// CHECK-NEXT:    arith.sitofp %{{.*}} : i32 to bf16
llvm.func @from_integer(%i: i32) -> bf16 {
  %y = cutl.convert %i : i32 to bf16
  llvm.return %y : bf16
}
}
