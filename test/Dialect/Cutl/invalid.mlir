// RUN: cutl-opt %s --split-input-file --verify-diagnostics

// One or more cases per constraint of cutl.gemm's description, by its label.

//===----------------------------------------------------------------------===//
// C1: one map per operand over one domain
//===----------------------------------------------------------------------===//

#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_fewer_maps(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one indexing map per operand, got 2 for 3 operands}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c1_no_maps(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one indexing map per operand, got 0 for 3 operands}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#ab = affine_map<(m, k) -> (m, k)>
func.func @gemm_c1_domain_too_small(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of a to be over (m, n, k) at least, got 2 dimension(s)}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#ab, #ab, #ab],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#bnk = affine_map<(b, m, n, k) -> (n, k)>
func.func @gemm_c1_domains_differ(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected all maps to be over one domain, but that of a has 3 dimensions and that of b has 4}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #bnk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#snk = affine_map<(m, n, k)[s] -> (n, k)>
func.func @gemm_c1_symbols(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of b to have no symbols, got 1}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #snk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_no_b(%a: tensor<4x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at least one b}}
  %0 = "cutl.gemm"(%a, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #mn],
      operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_two_a(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected exactly one a, got 2}}
  %0 = "cutl.gemm"(%a, %a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #mk, #nk, #mn],
      operandSegmentSizes = array<i32: 2, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_no_a(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected exactly one a, got 0}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 0, 2, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
func.func @gemm_c1_no_output(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at least one output}}
  "cutl.gemm"(%a, %b) <{combiners = [], indexing_maps = [#mk, #nk],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield
  }) : (tensor<4x8xf16>, tensor<6x8xf16>) -> ()
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_combiners(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one combiner per output, got 2 for 1 outputs}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>, #cutl<combiner add>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_scale_targets(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one target per scale, got 1 for 0}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64: 1>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_zero_targets(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one target per zero, got 2 for 0}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64: 0, 1>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(b0, b1, b2, b3, b4, b5, b6, m, n, k) -> (m, k)>
#nk = affine_map<(b0, b1, b2, b3, b4, b5, b6, m, n, k) -> (n, k)>
#mn = affine_map<(b0, b1, b2, b3, b4, b5, b6, m, n, k) -> (m, n)>
func.func @gemm_c1_seven_batches(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at most 6 batch dimensions, got 7}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(b, m, n, k) -> (m, k)>
#nk = affine_map<(b, m, n, k) -> (n, k)>
#mn = affine_map<(b, m, n, k) -> (m, n)>
func.func @gemm_c1_batch_without_extent(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected some operand to have dimension 'b', which gives it its extent}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner add>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c1_batch_named_by_a_later_one(%a: tensor<3x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<3x4x6xf32>) {
  // expected-error @below {{expected some operand to have dimension 'b0', which gives it its extent}}
  %0 = cutl.gemm ins(%a : (b1, m, k), %b : (n, k)) outs(%d : (b1, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<3x4x8xf16>, tensor<6x8xf16>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C2: form of the maps
//===----------------------------------------------------------------------===//

func.func @gemm_c2_a_rank(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of a to have as many results as the operand has dimensions, got 3 for rank 2}}
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c2_out_rank(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of outs[0] to have as many results as the operand has dimensions, got 1 for rank 2}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (n) add) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c2_number_with_map(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %x: f32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of aux[0] to have as many results as the operand has dimensions, got 1 for rank 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%x : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %y: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c2_repeated_dimension(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected each dimension at most once in the map of a, but 'm' occurs twice}}
  %0 = cutl.gemm ins(%a : (m, m), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c2_repeated_in_scale(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<8x2xf32>,
                                     %d: tensor<4x6xf32>) {
  // expected-error @below {{expected each dimension at most once in the map of scales[0], but 'k' occurs twice}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of a : (k, k floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<8x2xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c2_floordiv_outside_scales(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the results of the map of b to be dimensions, got affine_map<(d0, d1, d2) -> (d1, d2 floordiv 2)>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k floordiv 2)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#sum = affine_map<(m, n, k) -> (m + n, k)>
func.func @gemm_c2_sum(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the results of the map of a to be dimensions, got affine_map<(d0, d1, d2) -> (d0 + d1, d2)>}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#sum, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#zero = affine_map<(m, n, k) -> (n, 0)>
func.func @gemm_c2_constant(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the results of the map of b to be dimensions, got affine_map<(d0, d1, d2) -> (d1, 0)>}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #zero, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mod = affine_map<(m, n, k) -> (k mod 4)>
func.func @gemm_c2_mod_in_scale(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<4xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the results of the map of scales[0] to be dimensions or 'd floordiv c', got affine_map<(d0, d1, d2) -> (d2 mod 4)>}}
  %0 = "cutl.gemm"(%a, %b, %s, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mod, #mn],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, scale_targets = array<i64: 0>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#div = affine_map<(m, n, k) -> (k floordiv -4)>
func.func @gemm_c2_negative_divisor(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<4xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the results of the map of scales[0] to be dimensions or 'd floordiv c', got affine_map<(d0, d1, d2) -> (d2 floordiv -4)>}}
  %0 = "cutl.gemm"(%a, %b, %s, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #div, #mn],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, scale_targets = array<i64: 0>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C3: dimensions of A and B
//===----------------------------------------------------------------------===//

func.func @gemm_c3_a_without_k(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of a to use 'k', got (b, m)}}
  %0 = cutl.gemm ins(%a : (b, m), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c3_a_without_m(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of a to use 'm', got (n, k)}}
  %0 = cutl.gemm ins(%a : (n, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c3_a_with_n(%a: tensor<6x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of a not to use 'n', got (n, m, k)}}
  %0 = cutl.gemm ins(%a : (n, m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<6x4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c3_b_with_m(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of b to use 'n', got (m, k)}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (m, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c3_b_with_m_and_n(%a: tensor<4x8xf16>, %b: tensor<6x8x4xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of b not to use 'm', got (n, k, m)}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k, m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8x4xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c3_second_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %b1: tensor<3x6xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of b[1] to use 'k', got (b, n)}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (b, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<3x6xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C4: auxiliary operands and outputs do not see k
//===----------------------------------------------------------------------===//

func.func @gemm_c4_out_with_k(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of outs[0] not to use 'k', got (m, k)}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, k)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c4_aux_with_k(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: tensor<8xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of aux[0] not to use 'k', got (k)}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C5: outputs and combiners
//===----------------------------------------------------------------------===//

func.func @gemm_c5_reduction_without_combiner(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>,
                                              %s: tensor<6xf32>) {
  // expected-error @below {{expected a combiner (add, max, min, amax) on outs[1], whose map drops 'm'}}
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %s : (n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
  return
}

// -----

func.func @gemm_c5_batch_dropped(%a: tensor<3x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a combiner (add, max, min, amax) on outs[0], whose map drops 'b'}}
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<3x4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c5_combiner_on_whole_output(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected no combiner on outs[0], whose map drops no dimension, got max}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n) max) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c5_reduction_of_narrow_floats(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<6xf4E2M1FN>) {
  // expected-error @below {{expected outs[0], which is reduced, to have elements of f16, bf16, f32, f64 or an integer type, got 'f4E2M1FN'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%s : (n) max) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f4E2M1FN
    cutl.yield %o : f4E2M1FN
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6xf4E2M1FN>) -> tensor<6xf4E2M1FN>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C6: extents
//===----------------------------------------------------------------------===//

func.func @gemm_c6_k_mismatch(%a: tensor<4x8xf16>, %b: tensor<6x9xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected equal extents of 'k', but a has 8 and b has 9}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x9xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_m_mismatch(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<5x6xf32>) {
  // expected-error @below {{expected equal extents of 'm', but a has 4 and outs[0] has 5}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<5x6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @gemm_c6_n_mismatch(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x7xf32>) {
  // expected-error @below {{expected equal extents of 'n', but b has 6 and outs[0] has 7}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x7xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @gemm_c6_zero_is_an_extent(%a: tensor<4x0xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected equal extents of 'k', but a has 0 and b has 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x0xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_batch_mismatch(%a: tensor<3x4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<1x4x6xf32>) {
  // expected-error @below {{expected equal extents of 'b', but a has 3 and outs[0] has 1}}
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<3x4x8xf16>, tensor<6x8xf16>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @gemm_c6_aux_mismatch(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: tensor<4xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected equal extents of 'n', but b has 6 and aux[0] has 4}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_second_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %b1: tensor<12x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected equal extents of 'n', but b[0] has 6 and b[1] has 12}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<12x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_split_rows(%a: tensor<4x8xf16>, %b: tensor<8x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected equal extents of 'n', but b has 4 and outs[0] has 6}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<8x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_scale_entries(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<2xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to have 3 entries along 'k' (extent 8 in steps of 3), got 2}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (k floordiv 3)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<2xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_split_scale_entries(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %s: tensor<6xf32>,
                                       %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to have 12 entries along 'n' (extent 12 in steps of 1), got 6}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) scales(%s of b : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c6_zero_entries(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %z: tensor<1xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected zeros[0] to have 4 entries along 'm' (extent 4 in steps of 1), got 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of a : (m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<1xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C7: element types
//===----------------------------------------------------------------------===//

func.func @gemm_c7_several_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %b1: tensor<6x8xbf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected all b to have one element type, but b[0] has 'f16' and b[1] has 'bf16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x8xbf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c7_types_that_do_not_meet(%a: tensor<4x8xf16>, %b: tensor<6x8xf64>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected element types that can be multiplied, got f16 and f64}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf64>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c7_not_in_the_table(%a: tensor<4x8xi16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a to have an element type of the data-type table, got 'i16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xi16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c7_scale_type_as_operand(%a: tensor<4x8xf16>, %b: tensor<6x8xf8E8M0FNU>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected b to have an element type of the data-type table, got 'f8E8M0FNU'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf8E8M0FNU>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c7_accumulator(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the accumulator of f16 and f16 to be f32 or f16, got 'f64'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f64):
    %o = arith.truncf %acc : f64 to f32
    cutl.yield %o : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c7_bf16_accumulator(%a: tensor<4x8xbf16>, %b: tensor<6x8xbf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the accumulator of bf16 and bf16 to be f32, got 'bf16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: bf16):
    %o = arith.extf %acc : bf16 to f32
    cutl.yield %o : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c7_integer_accumulator(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the accumulator of s8 and s8 to be s32, got 'f32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C8: arguments of the region
//===----------------------------------------------------------------------===//

func.func @gemm_c8_no_argument(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 1 region arguments (1 accumulator(s), 0 auxiliary), got 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0:
    %x = arith.constant 0.0 : f32
    cutl.yield %x : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c8_missing_auxiliary(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: tensor<6xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 2 region arguments (1 accumulator(s), 1 auxiliary), got 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c8_split_has_two(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 2 region arguments (2 accumulator(s), 0 auxiliary), got 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c8_one_accumulator_per_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %b1: tensor<6x8xf16>,
                                         %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 2 region arguments (2 accumulator(s), 0 auxiliary), got 3}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32, %acc2: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c8_accumulators_differ(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected all accumulators to have one type, but region argument 0 is 'f32' and region argument 1 is 'f16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f16):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c8_auxiliary_type(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: tensor<6xbf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected region argument 1 to have the element type of aux[0], 'bf16', got 'f32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6xbf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C9: yielded values
//===----------------------------------------------------------------------===//

func.func @gemm_c9_too_few(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one yielded value per output, got 0 for 1 outputs}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c9_too_many(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one yielded value per output, got 2 for 1 outputs}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c9_type(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xbf16>) {
  // expected-error @below {{expected yielded value 0 to have the element type of outs[0], 'bf16', got 'f32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return
}

// -----

func.func @gemm_c9_other_terminator(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the region to end in 'cutl.yield', got 'llvm.unreachable'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    llvm.unreachable
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C10: tensors or memrefs
//===----------------------------------------------------------------------===//

func.func @gemm_c10_mixed(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected operands to be all tensors or all memrefs, but a is 'tensor<4x8xf16>' and outs[0] is 'memref<4x6xf32>'}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, memref<4x6xf32>) -> ()
  return
}

// -----

func.func @gemm_c10_mixed_aux(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %x: tensor<f32>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected operands to be all tensors or all memrefs, but a is 'memref<4x8xf16>' and aux[0] is 'tensor<f32>'}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%x : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %y: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<6x8xf16>, tensor<f32>, memref<4x6xf32>) -> ()
  return
}

// -----

func.func @gemm_c10_no_result(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 1 result(s) for 1 tensor output(s), got 0}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> ()
  return
}

// -----

func.func @gemm_c10_stray_result(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 1 result(s) for 1 tensor output(s), got 2}}
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return
}

// -----

func.func @gemm_c10_memref_with_result(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected 0 result(s) for 1 memref output(s), got 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c10_result_type(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected result 0 to have the type of outs[0], 'tensor<4x6xf32>', got 'tensor<?x6xf32>'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<?x6xf32>
  return
}

// -----

func.func @gemm_c10_encoding(%a: tensor<4x8xf16, "column_major">, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a to have no encoding, which bufferization would drop, got 'tensor<4x8xf16, "column_major">'; layout is the operand's map}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16, "column_major">, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C11: split B
//===----------------------------------------------------------------------===//

func.func @gemm_c11_two_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %b1: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected exactly one b with split(halves), got 2}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c11_odd_rows(%a: tensor<4x8xf16>, %b: tensor<13x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a split b to have an even extent of 'n', got 13}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<13x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C12: scales and zeros
//===----------------------------------------------------------------------===//

func.func @gemm_c12_no_such_b(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: f32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to name a or one of 1 b, got b[3]}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b[3] : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_no_such_b_for_zero(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %z: f16, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected zeros[0] to name a or one of 1 b, got b[1]}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of b[1] : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f16, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> ()>
func.func @gemm_c12_negative_target(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: f32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to name a or one of 1 b, got b[-2]}}
  %0 = "cutl.gemm"(%a, %b, %s, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #s, #mn],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, scale_targets = array<i64: -1>,
      zero_targets = array<i64>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_two_scales(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: f32, %t: tensor<6xf32>,
                               %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at most one scale per operand, but b has two}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (), %t of b[0] : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_two_zeros(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %z: f16, %y: f16, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at most one zero per operand, but a has two}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of a : (), %y of a : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f16, f16, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_other_dimension(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<6xf32>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the map of scales[0] to use only dimensions of a, but it uses 'n'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of a : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_integer_scale(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: i32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to have a floating-point element type, got 'i32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of a : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, i32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_integer_accumulator(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %s: f32, %d: tensor<4x6xi32>) {
  // expected-error @below {{expected a floating-point accumulator with scales[0] of type 'f32', got 'i32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of a : ()) outs(%d : (m, n)) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, f32, tensor<4x6xi32>) -> tensor<4x6xi32>
  return
}

// -----

func.func @gemm_c12_integer_accumulator_of_zero(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %z: f32, %d: tensor<4x6xi32>) {
  // expected-error @below {{expected a floating-point accumulator with zeros[0] of type 'f32', got 'i32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of b : ()) outs(%d : (m, n)) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, f32, tensor<4x6xi32>) -> tensor<4x6xi32>
  return
}

// -----

func.func @gemm_c12_integer_zero(%a: tensor<4x8xf16>, %b: tensor<6x8xi8>, %z: i16, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected zeros[0], an integer, to have the element type of b, 'i8', got 'i16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of b : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xi8>, i16, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_wide_scale(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: f64, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to be no wider than the accumulator, 'f32', got 'f64'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of a : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f64, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_wide_zero(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %z: f32, %d: tensor<4x6xf16>) {
  // expected-error @below {{expected zeros[0] to be no wider than the accumulator, 'f16', got 'f32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of a : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f16):
    cutl.yield %acc : f16
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<4x6xf16>) -> tensor<4x6xf16>
  return
}

// -----

func.func @gemm_c12_odd_block_of_interleaved_rows(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %s: tensor<4xf32>,
                                                  %d: tensor<4x6xf32>) {
  // expected-error @below {{expected scales[0] to cover an even number of rows with split(interleaved), got 3}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) scales(%s of b : (n floordiv 3)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_block_across_halves(%a: tensor<4x8xf16>, %b: tensor<12x8xf16>, %z: tensor<3xf16>,
                                        %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 'n' to be divisible by the 4 rows that zeros[0] covers with split(halves), got 6}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) zeros(%z of b : (n floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<12x8xf16>, tensor<3xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c12_block_across_dynamic_halves(%a: tensor<4x8xf16>, %b: tensor<?x8xf16>, %s: tensor<?xf32>,
                                                %d: tensor<4x?xf32>) {
  // expected-error @below {{expected 'n' to be divisible by the 4 rows that scales[0] covers with split(halves), got a dynamic extent; promise 'n divisible_by 4' if it is}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) scales(%s of b : (n floordiv 4)) outs(%d : (m, n)) promises(n divisible_by 2) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<?x8xf16>, tensor<?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C13: operations of the region
//===----------------------------------------------------------------------===//

func.func @gemm_c13_not_admitted(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected only admitted ops in the epilogue region, got 'math.cbrt'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    // expected-note @below {{admitted are the epilogue ops of cutl and the scalar ops of arith and math that EpilogueOpInterface covers}}
    %x = math.cbrt %acc : f32
    cutl.yield %x : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c13_side_effect(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected only admitted ops in the epilogue region, got 'memref.alloc'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    // expected-note @below {{admitted are}}
    %x = memref.alloc() : memref<4xf32>
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c13_vector(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ops of the epilogue region to work on floats and signless integers of up to 64 bits, but 'arith.constant' gives 'vector<4xf32>'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %v = arith.constant dense<1.0> : vector<4xf32>
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c13_index(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ops of the epilogue region to work on floats and signless integers of up to 64 bits, but 'arith.constant' gives 'index'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %i = arith.constant 1 : index
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c13_wide_integer(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %c: i32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected ops of the epilogue region to work on floats and signless integers of up to 64 bits, but 'arith.extsi' gives 'i128'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : ()) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: i32):
    %w = arith.extsi %x : i32 to i128
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, i32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C14: compute
//===----------------------------------------------------------------------===//

func.func @gemm_c14_math_on_f16(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected f32 operands with 'math = tf32', got 'f16' and 'f16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = tf32) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_math_on_one_f32(%a: tensor<4x8xf32>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected f32 operands with 'math = bf16', got 'f32' and 'f16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = bf16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_math_with_zeros(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %z: f32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected no zeros with 'math = tf32', got 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of b : ()) outs(%d : (m, n)) compute(math = tf32) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_unsigned_float(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a to be an integer operand with 'a = unsigned', got 'f16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = unsigned) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_unsigned_float_b(%a: tensor<4x8xi8>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected b to be an integer operand with 'b = unsigned', got 'f16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = unsigned, b = unsigned) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xi8>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_saturate_float(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected an integer accumulator with 'saturate', got 'f32'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(saturate) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_promote_f16(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected 8-bit floating-point operands with 'promote', got 'f16' and 'f16'}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(promote = 4) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_promote_zero(%a: tensor<4x8xf8E4M3FN>, %b: tensor<6x8xf8E5M2>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a positive promotion interval, got 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(promote = 0) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf8E4M3FN>, tensor<6x8xf8E5M2>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c14_promote_negative(%a: tensor<4x8xf8E4M3FN>, %b: tensor<6x8xf8E5M2>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected a positive promotion interval, got -1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(promote = -1) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf8E4M3FN>, tensor<6x8xf8E5M2>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C15: promises
//===----------------------------------------------------------------------===//

func.func @gemm_c15_divisor_of_static_extent(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the extent of 'k' to be divisible by the promised 3, got 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(k divisible_by 3) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c15_divisor_zero(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the promised divisor of 'm' to be at least 1, got 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(m divisible_by 0) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c15_divisor_negative(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the promised divisor of 'n' to be at least 1, got -2}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(n divisible_by -2) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c15_alignment_not_a_power(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the promised alignment of a to be a power of two of at least 2 bytes, got 12; nearest is 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(a aligned 12) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c15_alignment_below_element(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the promised alignment of outs[0] to be a power of two of at least 4 bytes, got 2; nearest is 4}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(outs aligned 2) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c15_alignment_negative(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected the promised alignment of b to be a power of two of at least 2 bytes, got -16; nearest is 2}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(b aligned -16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c15_alignment_of_number(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %x: f32, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected no promised alignment of aux[0], a number passed by value, got 16}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%x : ()) outs(%d : (m, n)) promises(aux[0] aligned 16) {
  ^bb0(%acc: f32, %y: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_no_divisors(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one promised divisor per dimension (3), got 0}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>,
      dim_divisors = array<i64>, split = #cutl<split halves>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_number_of_divisors(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one promised divisor per dimension (3), got 2}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>,
      dim_divisors = array<i64: 2, 2>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_divisors_of_one(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at least one promised divisor other than 1}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>,
      dim_divisors = array<i64: 1, 1, 1>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_number_of_alignments(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected one promised alignment per operand (3), got 1}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>,
      operand_alignments = array<i64: 16>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_alignments_of_zero(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected at least one promised alignment other than 0}}
  %0 = "cutl.gemm"(%a, %b, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [#mk, #nk, #mn],
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>, scale_targets = array<i64>,
      zero_targets = array<i64>,
      operand_alignments = array<i64: 0, 0, 0>}> ({
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }) : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// C16: layouts of memrefs
//===----------------------------------------------------------------------===//

func.func @gemm_c16_stride_zero(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32, strided<[0, 1]>>) {
  // expected-error @below {{expected outs[0] to have no stride 0 along an extent above 1, got 'memref<4x6xf32, strided<[0, 1]>>': its elements would overlap}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32, strided<[0, 1]>>) -> ()
  return
}

// -----

func.func @gemm_c16_stride_zero_dynamic(%a: memref<4x8xf32>, %b: memref<6x8xf32>,
                                        %d: memref<4x?xf32, strided<[8, 0], offset: ?>>) {
  // expected-error @below {{expected outs[0] to have no stride 0 along an extent above 1, got 'memref<4x?xf32, strided<[8, 0], offset: ?>>': its elements would overlap}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x?xf32, strided<[8, 0], offset: ?>>) -> ()
  return
}

// -----

func.func @gemm_c16_layout(%a: memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>,
                           %b: memref<6x8xf32>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected a to have a strided layout, got 'memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>'}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>, memref<6x8xf32>, memref<4x6xf32>) -> ()
  return
}

// -----

func.func @gemm_c16_overlapping_rows(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32, strided<[5, 1]>>) {
  // expected-error @below {{expected outs[0] to have a place for each element, got 'memref<4x6xf32, strided<[5, 1]>>': strides up to 5 overlap}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32, strided<[5, 1]>>) -> ()
  return
}

// -----

func.func @gemm_c16_equal_strides(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32>,
                                  %e: memref<4x6xf32, strided<[-2, 2]>>) {
  // expected-error @below {{expected outs[1] to have a place for each element, got 'memref<4x6xf32, strided<[-2, 2]>>': strides up to 2 overlap}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %e : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>, memref<4x6xf32, strided<[-2, 2]>>) -> ()
  return
}

// -----

func.func @gemm_c18_no_config(%a: tensor<?x8xf16>, %b: tensor<6x8xf16>, %d: tensor<?x6xf32>) {
  // expected-error @below {{expected a config for the calls that no variant serves}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      variants(#cutl.variant<m at_most 16, config = <cta = [64, 64, 64], stages = 2, kernel = single>>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x8xf16>, tensor<6x8xf16>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return
}

// -----

func.func @gemm_c17_no_sms(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected sm_budget to be at least 1, got 0; nearest legal value is 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 0) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c17_negative_sms(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected sm_budget to be at least 1, got -3; nearest legal value is 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = -3) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c17_invariant_in_any_order(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) {
  // expected-error @below {{expected deterministic sums with batch_invariant, got deterministic = false; nearest legal value is true}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = false, batch_invariant) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
