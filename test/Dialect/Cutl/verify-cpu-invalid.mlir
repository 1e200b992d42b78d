// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-verify-cpu
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-to-cpu

func.func @fp4_operand(%a: memref<4x8xf4E2M1FN>, %b: memref<6x8xf4E2M1FN>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected a to have a type of the CPU target (f16, bf16, f32, f64, f8E4M3FN, f8E5M2, or an integer of 8, 16, 32 or 64 bits), got 'f4E2M1FN'}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%x: f32):
    cutl.yield %x : f32
  } : (memref<4x8xf4E2M1FN>, memref<6x8xf4E2M1FN>, memref<4x6xf32>) -> ()
  return
}

// -----

func.func @other_output(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf8E4M3B11FNUZ>) {
  // expected-error @below {{expected outs[0] to have a type of the CPU target}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to f8E4M3B11FNUZ
    cutl.yield %o : f8E4M3B11FNUZ
  } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf8E4M3B11FNUZ>) -> ()
  return
}

// -----

func.func @other_fp8_inside(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected 'arith.truncf' in the epilogue to have a type of the CPU target}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to f8E4M3FNUZ
    %w = arith.extf %o : f8E4M3FNUZ to f32
    cutl.yield %w : f32
  } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> ()
  return
}

// -----

func.func @output_is_a(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{expected outs[0] not to be a: it would be overwritten while it is read}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%a : (m, n)) {
  ^bb0(%x: f32):
    cutl.yield %x : f32
  } : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
