// What is refused, by name.
// RUN: cutl-opt %s --convert-cutl-math-to-nvvm --split-input-file --verify-diagnostics

gpu.module @kernels {
llvm.func @sin(%x: f64) -> f64 {
  // expected-error @below {{'math.sin' op expected f16, bf16 or f32, for which there is an expansion, got 'f64'}}
  %y = math.sin %x : f64
  llvm.return %y : f64
}
}

// -----

gpu.module @kernels {
llvm.func @vector(%x: vector<2xf32>) -> vector<2xf32> {
  // expected-error @below {{'math.exp' op expected f16, bf16 or f32, for which there is an expansion, got 'vector<2xf32>'}}
  %y = math.exp %x : vector<2xf32>
  llvm.return %y : vector<2xf32>
}
}

// -----

gpu.module @kernels {
llvm.func @float8(%bits: i8) -> f32 {
  %x = arith.bitcast %bits : i8 to f8E4M3FNUZ
  // expected-error @below {{'arith.extf' op expected f16, bf16, f32, f64, f8E4M3FN or f8E5M2, which the target converts, got 'f8E4M3FNUZ'}}
  %y = arith.extf %x : f8E4M3FNUZ to f32
  llvm.return %y : f32
}
}

// -----

gpu.module @kernels {
llvm.func @rounding(%x: f32) -> i8 {
  // expected-error @below {{'arith.truncf' op expected to_nearest_even, the rounding of the conversion to 'f8E5M2', got upward}}
  %y = arith.truncf %x upward : f32 to f8E5M2
  %bits = arith.bitcast %y : f8E5M2 to i8
  llvm.return %bits : i8
}
}

// -----

// Other functions of math are not admitted in an epilogue.
gpu.module @kernels {
llvm.func @cbrt(%x: f32) -> f32 {
  // expected-error @below {{'math.cbrt' op expected a function that epilogues admit}}
  %y = math.cbrt %x : f32
  llvm.return %y : f32
}
}
