// RUN: cutl-opt %s --split-input-file --verify-diagnostics

func.func @slope(%x: f32) -> f32 {
  // expected-error @below {{'cutl.leaky_relu' op expected a finite slope, got INF}}
  %0 = cutl.leaky_relu %x slope 0x7FF0000000000000 : f32
  return %0 : f32
}

// -----

func.func @slope_of_derivative(%x: f32) -> f32 {
  // expected-error @below {{'cutl.leaky_relu_grad' op expected a finite slope, got nan}}
  %0 = cutl.leaky_relu_grad %x slope 0x7FF8000000000000 : f32
  return %0 : f32
}

// -----

func.func @clamp_order(%x: f32) -> f32 {
  // expected-error @below {{'cutl.clamp' op expected low <= high, got low 1.000000e+00 and high -1.000000e+00}}
  %0 = cutl.clamp %x low 1.0 high -1.0 : f32
  return %0 : f32
}

// -----

func.func @clamp_nan(%x: f32) -> f32 {
  // expected-error @below {{'cutl.clamp' op expected high to be a number, got NaN; leave a side open with inf}}
  %0 = cutl.clamp %x low 1.0 high 0x7FF8000000000000 : f32
  return %0 : f32
}

// -----

func.func @integer_activation(%x: i32) -> i32 {
  // expected-error @below {{'cutl.hardswish' op operand #0 must be floating-point, but got 'i32'}}
  %0 = "cutl.hardswish"(%x) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @to_integer_without_saturate(%x: f32) -> i8 {
  // expected-error @below {{'cutl.convert' op expected 'saturate' in a conversion from 'f32' to 'i8'; arith.fptosi and arith.fptoui leave what is out of range undefined}}
  %0 = cutl.convert %x : f32 to i8
  return %0 : i8
}

// -----

func.func @cannot_overflow(%x: f16) -> f32 {
  // expected-error @below {{'cutl.convert' op expected no 'saturate' in a conversion that cannot overflow, got 'f16' to 'f32'}}
  %0 = cutl.convert %x saturate : f16 to f32
  return %0 : f32
}

// -----

func.func @integer_cannot_overflow(%x: i8) -> f8E4M3FN {
  // expected-error @below {{'cutl.convert' op expected no 'saturate' in a conversion that cannot overflow, got 'i8' to 'f8E4M3FN'}}
  %0 = cutl.convert %x saturate unsigned : i8 to f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

func.func @integers(%x: i32) -> i8 {
  // expected-error @below {{'cutl.convert' op expected a float operand or result, got 'i32' to 'i8'; arith.extsi, arith.extui and arith.trunci convert integers}}
  %0 = cutl.convert %x saturate : i32 to i8
  return %0 : i8
}

// -----

func.func @unsigned_floats(%x: f32) -> f16 {
  // expected-error @below {{'cutl.convert' op expected an integer operand or result with 'unsigned', got 'f32' to 'f16'}}
  %0 = cutl.convert %x unsigned : f32 to f16
  return %0 : f16
}

// -----

func.func @rounding_of_floats(%x: f32) -> f16 {
  // expected-error @below {{'cutl.convert' op expected to_nearest_even, the rounding of a conversion to 'f16', got toward_zero; arith.truncf has the others}}
  %0 = cutl.convert %x toward_zero : f32 to f16
  return %0 : f16
}

// -----

func.func @rounding_of_float8(%x: f32) -> f8E5M2 {
  // expected-error-re @below {{expected to_nearest_even, the rounding of a conversion to 'f8E5M2', got upward{{$}}}}
  %0 = cutl.convert %x upward : f32 to f8E5M2
  return %0 : f8E5M2
}

// -----

func.func @other_float(%x: f32) -> f8E4M3FNUZ {
  // expected-error @below {{'cutl.convert' op expected a float result to be f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, got 'f8E4M3FNUZ'}}
  %0 = cutl.convert %x : f32 to f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// -----

func.func @other_integer(%x: i4) -> f32 {
  // expected-error @below {{'cutl.convert' op expected an integer operand to be i8, i16, i32 or i64, got 'i4'}}
  %0 = cutl.convert %x : i4 to f32
  return %0 : f32
}

// -----

func.func @vector(%x: vector<4xf32>) -> vector<4xi8> {
  // expected-error @below {{'cutl.convert' op operand #0 must be floating-point or signless integer, but got 'vector<4xf32>'}}
  %0 = cutl.convert %x saturate : vector<4xf32> to vector<4xi8>
  return %0 : vector<4xi8>
}
