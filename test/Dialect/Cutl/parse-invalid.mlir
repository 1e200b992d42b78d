// RUN: cutl-opt %s --split-input-file --verify-diagnostics

// What ODS types and the parser refuse.

//===----------------------------------------------------------------------===//
// Operand types
//===----------------------------------------------------------------------===//

func.func @operand_of_strings(%a: tensor<4x8xindex>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor or memref of numbers, of rank at most 8, but got 'tensor<4x8xindex>'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xindex>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @operand_unranked(%a: tensor<4x8xf16>, %b: tensor<*xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{operand #1 must be variadic of ranked tensor or memref of numbers, of rank at most 8, but got 'tensor<*xf16>'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<*xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @operand_signed_integer(%a: tensor<4x8xsi8>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor or memref of numbers, of rank at most 8, but got 'tensor<4x8xsi8>'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xsi8>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @output_number(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: f32) {
  // expected-error @below {{must be variadic of ranked tensor or memref of numbers, of rank at most 8, but got 'f32'}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : () add) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32) -> ()
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{expects parent op 'cutl.gemm'}}
  cutl.yield
}

// -----

func.func @epilogue_op_on_integers(%x: i32) {
  // expected-error @below {{invalid kind of type specified}}
  %0 = cutl.relu %x : i32
  return
}

// -----

func.func @epilogue_op_on_tensors(%x: tensor<4xf32>) {
  // expected-error @below {{invalid kind of type specified}}
  %0 = cutl.gelu tanh %x : tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// What the parser refuses
//===----------------------------------------------------------------------===//

func.func @parse_no_ins(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'ins'}}
  %0 = cutl.gemm outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_no_outs(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'outs': every yielded value needs a destination}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : () -> ()
  return
}

// -----

func.func @parse_empty_outs(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at least one output}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs() {
  ^bb0(%acc: f32):
    cutl.yield
  } : (tensor<4x8xf16>, tensor<6x8xf16>) -> ()
  return
}

// -----

func.func @parse_no_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ins to hold A and at least one B, got 1 operand}}
  %0 = cutl.gemm ins(%a : (m, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_empty_ins(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ins to hold A and at least one B, got 0 operands}}
  %0 = cutl.gemm ins() outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_dimension(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown dimension 'q', expected one of m, n, k}}
  %0 = cutl.gemm ins(%a : (m, q), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_dimension_with_batch(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown dimension 'batch', expected one of b, m, n, k}}
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (batch, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_mixed_b_and_b0(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected either 'b' or 'b0', 'b1', … for batch dimensions, got both}}
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (b0, n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_b_with_b1(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected either 'b' or 'b0', 'b1', … for batch dimensions, got both}}
  %0 = cutl.gemm ins(%a : (b1, m, k), %b : (n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_seventh_batch(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at most 6 batch dimensions, got 'b6'}}
  %0 = cutl.gemm ins(%a : (b6, m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_number_in_map(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the name of a dimension in a map}}
  %0 = cutl.gemm ins(%a : (0, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_sum_in_map(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ')' in a map}}
  %0 = cutl.gemm ins(%a : (m + n, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_affine_map_in_place_of_names(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected '(' in a map}}
  %0 = cutl.gemm ins(%a : affine_map<(m, k) -> (m, k)>, %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : () -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_no_map(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ':'}}
  %0 = cutl.gemm ins(%a, %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : () -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_zero_divisor(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a positive divisor, got 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%b of b : (k floordiv 0)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_combiner(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown combiner 'mul', expected one of add, max, min, amax}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m) mul) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_combiner_on_aux(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ')'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (m) add) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_split(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown split 'thirds', expected one of none, halves, interleaved}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(thirds) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_scale_without_target(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'of'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%d : (m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_scale_of_output(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'a', 'b' or 'b[i]' after 'of', got 'outs'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%d of outs : (m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_scale_of_negative_index(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a non-negative index of b, got -1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%d of b[-1] : (m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : () -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_clauses_out_of_order(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'outs': every yielded value needs a destination}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (m)) scales(%d of a : (m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_compute_entry(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown entry 'round' of compute, expected one of math, a, b, saturate, promote}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(round = up) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_math_mode(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown math mode 'tf19', expected one of exact, tf32, tf32x3, bf16, f16}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf19) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_signedness(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown signedness 'positive', expected one of signed, unsigned}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = positive) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_compute_entry_twice(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{entry 'math' of compute is given twice}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32, math = exact) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_unknown_dimension(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown dimension 'b' in a promise, expected one of m, n, k}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(b divisible_by 8) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_unknown_operand(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown operand 'd' in a promise, expected one of a, b, scales, zeros, aux, outs}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(d aligned 16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_index(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected an index of outs below 1, got 2}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(outs[2] aligned 16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_absent_clause(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected an index of aux below 0, got 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(aux[0] aligned 16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_neither(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'aligned' or 'divisible_by' in a promise}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(k 8) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_divisor_twice(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{two divisors are promised for 'k': 8 and 4}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(k divisible_by 8, k divisible_by 4) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_promise_alignment_twice(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{two alignments are promised for b[0]: 16 and 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(b aligned 16, b[0] aligned 8) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_unknown_execution_entry(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{unknown entry 'streams' of execution, expected one of deterministic, batch_invariant, sm_budget}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(streams = 2) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_execution_entry_twice(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{entry 'sm_budget' of execution is given twice}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 2, sm_budget = 4) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_execution_deterministic_alone(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'deterministic = false' in execution}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_execution_batch_invariant_value(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected batch_invariant of execution to stand alone, or to be left out}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant = false) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_execution_deterministic_value(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'false' or 'true' for deterministic}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = 1) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_execution_budget_value(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected integer value}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = many) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_config_of_another_kind(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{invalid kind of attribute specified}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) config(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_schedule_of_another_kind(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{invalid kind of attribute specified}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) schedule(#cutl.target<chip = "sm_90a">) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_type_count(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  // expected-error @below {{expected one type per operand, got 2 for 3 operands}}
  } : (tensor<4x8xf16>, tensor<6x8xf16>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_no_region(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected '{' to begin a region}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_empty_region(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{region #0 ('epilogue') failed to verify constraint: region with 1 blocks}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @parse_no_function_type(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  // expected-error @below {{invalid kind of type specified: expected builtin.function, but found 'tensor<4x6xf32>'}}
  } : tensor<4x6xf32>
  return
}

// -----

func.func @parse_value_from_above(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %x: f32, %d: tensor<4x6xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    // expected-error @below {{using value defined outside the region}}
    %y = arith.addf %acc, %x : f32
    cutl.yield %y : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
