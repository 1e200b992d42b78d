// Casts that have no lowering to NVPTX, or a wrong one.
// RUN: cutl-opt %s --convert-cutl-math-to-nvvm --split-input-file | FileCheck %s

gpu.module @kernels {
// CHECK-LABEL: llvm.func @from_float8
// CHECK-SAME:  (%[[BITS:.*]]: i8) -> f32
// CHECK:         %[[X:.*]] = arith.bitcast %[[BITS]] : i8 to f8E4M3FN
// CHECK:         %[[I8:.*]] = arith.bitcast %[[X]] : f8E4M3FN to i8
// CHECK:         %[[I16:.*]] = llvm.zext %[[I8]] : i8 to i16
// CHECK:         %[[PAIR:.*]] = llvm.bitcast %[[I16]] : i16 to vector<2xi8>
// CHECK:         %[[HALVES:.*]] = nvvm.convert.f8x2.to.f16x2 %[[PAIR]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK:         %[[HALF:.*]] = llvm.extractelement %[[HALVES]]
// CHECK:         arith.extf %[[HALF]] : f16 to f32
llvm.func @from_float8(%bits: i8) -> f32 {
  %x = arith.bitcast %bits : i8 to f8E4M3FN
  %y = arith.extf %x : f8E4M3FN to f32
  llvm.return %y : f32
}
}

// -----

gpu.module @kernels {
// The instruction saturates; truncf makes infinity of what is too large.
// CHECK-LABEL: llvm.func @to_float8
// CHECK-SAME:  (%[[X:.*]]: f32) -> i8
// CHECK:         %[[PAIR:.*]] = nvvm.convert.f32x2.to.f8x2 %[[X]], %[[X]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E5M2)
// CHECK:         %[[BITS:.*]] = arith.trunci %[[PAIR]] : i16 to i8
// CHECK:         %[[OVERFLOWS:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK:         %[[SIGN:.*]] = arith.andi %[[BITS]], %{{.*}} : i8
// CHECK:         %[[INFINITY:.*]] = arith.ori %{{.*}}, %[[SIGN]] : i8
// CHECK:         arith.select %[[OVERFLOWS]], %[[INFINITY]], %[[BITS]] : i8
llvm.func @to_float8(%x: f32) -> i8 {
  %y = arith.truncf %x : f32 to f8E5M2
  %bits = arith.bitcast %y : f8E5M2 to i8
  llvm.return %bits : i8
}
}

// -----

gpu.module @kernels {
// Arithmetic of 8-bit floats is done in f32.
// CHECK-LABEL: llvm.func @add_float8
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         nvvm.convert.f32x2.to.f8x2
llvm.func @add_float8(%x: i8, %y: i8) -> i8 {
  %a = arith.bitcast %x : i8 to f8E5M2
  %b = arith.bitcast %y : i8 to f8E5M2
  %c = arith.addf %a, %b : f8E5M2
  %bits = arith.bitcast %c : f8E5M2 to i8
  llvm.return %bits : i8
}
}

// -----

gpu.module @kernels {
// CHECK-LABEL: llvm.func @toward_zero
// CHECK-SAME:  (%[[X:.*]]: f32) -> bf16
// CHECK:         %[[NEAREST:.*]] = arith.truncf %[[X]] : f32 to bf16
// CHECK:         %[[BACK:.*]] = arith.extf %[[NEAREST]] : bf16 to f32
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : bf16 to i16
// CHECK-DAG:     %[[FAR:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK-DAG:     %[[NEXT:.*]] = arith.addi %[[BITS]], %{{.*}} : i16
// CHECK:         %[[CHOSEN:.*]] = arith.select %[[FAR]], %[[NEXT]], %[[BITS]] : i16
// CHECK:         arith.bitcast %[[CHOSEN]] : i16 to bf16
llvm.func @toward_zero(%x: f32) -> bf16 {
  %y = arith.truncf %x toward_zero : f32 to bf16
  llvm.return %y : bf16
}
}

// -----

gpu.module @kernels {
// CHECK-LABEL: llvm.func @nearest
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f16
llvm.func @nearest(%x: f32) -> f16 {
  %y = arith.truncf %x to_nearest_even : f32 to f16
  llvm.return %y : f16
}
}

// -----

gpu.module @kernels {
// CHECK-LABEL: llvm.func @boolean
// CHECK:         %[[I:.*]] = arith.fptoui %{{.*}} : f32 to i32
// CHECK:         arith.trunci %[[I]] : i32 to i1
llvm.func @boolean(%x: f32) -> i1 {
  %y = arith.fptoui %x : f32 to i1
  llvm.return %y : i1
}
}
