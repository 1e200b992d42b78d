// RUN: cutl-opt %s --cutl-fuse-epilogue | FileCheck %s --implicit-check-not=linalg.
// Fused is fused: nothing is left to do, and to verify, the second time.
// RUN: cutl-opt %s --cutl-fuse-epilogue --cutl-fuse-epilogue | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#scalar = affine_map<(i, j) -> ()>
#unit = affine_map<(i, j) -> (0, j)>

// Bias, activation, residual, cast. The new destination gets its size from an
// operand of the gemm, not from the result that is no more.
// CHECK-LABEL: func @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<?x32xbf16>, %[[W:.*]]: tensor<64x32xbf16>, %[[B:.*]]: tensor<64xbf16>, %[[R:.*]]: tensor<?x64xf32>, %{{.*}}: tensor<?x64xf32>)
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[M:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK-NEXT:    %[[E:.*]] = tensor.empty(%[[M]]) : tensor<?x64xbf16>
// CHECK-NEXT:    %[[Y:.*]] = cutl.gemm ins(%[[X]] : (m, k), %[[W]] : (n, k)) aux(%[[B]] : (n), %[[R]] : (m, n)) outs(%[[E]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: bf16, %[[RES:.*]]: f32):
// CHECK-NEXT:      %[[B32:.*]] = arith.extf %[[BIAS]] : bf16 to f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[B32]] : f32
// CHECK-NEXT:      %[[T:.*]] = math.tanh %[[S]] : f32
// CHECK-NEXT:      %[[U:.*]] = arith.addf %[[T]], %[[RES]] : f32
// CHECK-NEXT:      %[[O:.*]] = arith.truncf %[[U]] : f32 to bf16
// CHECK-NEXT:      cutl.yield %[[O]] : bf16
// CHECK:         return %[[Y]]
func.func @chain(%x: tensor<?x32xbf16>, %w: tensor<64x32xbf16>, %b: tensor<64xbf16>, %res: tensor<?x64xf32>, %d: tensor<?x64xf32>)
    -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x32xbf16>, tensor<64x32xbf16>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %rows = tensor.dim %y, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty() : tensor<64xf32>
  %b32 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%b : tensor<64xbf16>) outs(%e0 : tensor<64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %e = tensor.empty(%rows) : tensor<?x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #j, #id], iterator_types = ["parallel", "parallel"]}
    ins(%y, %b32 : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %0 = arith.addf %in, %bias : f32
    linalg.yield %0 : f32
  } -> tensor<?x64xf32>
  %t = math.tanh %s : tensor<?x64xf32>
  %u = arith.addf %t, %res : tensor<?x64xf32>
  %v = arith.truncf %u : tensor<?x64xf32> to tensor<?x64xbf16>
  return %v : tensor<?x64xbf16>
}

// x / (1 + exp(-x)): the result has two readers, which go in together.
// CHECK-LABEL: func @diamond
// CHECK:         cutl.gemm {{.*}} outs(%{{.*}} : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[ACC]]
// CHECK-NEXT:      %[[X:.*]] = math.exp %[[N]]
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT:      %[[P:.*]] = arith.addf %[[X]], %[[ONE]]
// CHECK-NEXT:      %[[Q:.*]] = arith.divf %[[ACC]], %[[P]]
// CHECK-NEXT:      cutl.yield %[[Q]]
func.func @diamond(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.negf ins(%0 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.exp ins(%1 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = linalg.add ins(%2, %ones : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = linalg.div ins(%0, %3 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// A destination that the last op has stays the destination.
// CHECK-LABEL: func @named
// CHECK-SAME:    %[[R:[^,]*]]: tensor<4x6xf32>, %[[D:[^,]*]]: tensor<4x6xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[R]] : (m, n)) outs(%[[D]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[T1:.*]] = arith.mulf %[[ACC]], %[[X]]
// CHECK-NEXT:      %[[T2:.*]] = math.exp %[[T1]]
// CHECK-NEXT:      %[[T3:.*]] = math.sqrt %[[T2]]
// CHECK-NEXT:      %[[T4:.*]] = arith.mulf %[[T3]], %[[T3]]
// CHECK-NEXT:      %[[T5:.*]] = arith.maximumf %[[T4]], %[[X]]
// CHECK-NEXT:      %[[T6:.*]] = arith.subf %[[T5]], %[[X]]
// CHECK-NEXT:      cutl.yield %[[T6]]
func.func @named(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %r: tensor<4x6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%e : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.mul ins(%0, %r : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%1 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = linalg.map { math.sqrt } ins(%2 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
  %4 = linalg.square ins(%3 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %5 = linalg.max ins(%4, %r : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = linalg.sub ins(%5, %r : tensor<4x6xf32>, tensor<4x6xf32>) outs(%d : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}

// Numbers by value, numbers in memory, and constants of every kind.
// CHECK-LABEL: func @numbers
// CHECK-SAME:    %[[S:[^,]*]]: f32, %[[T:[^,]*]]: tensor<f32>, %[[U:[^,]*]]: tensor<1x6xf32>,
// CHECK-NEXT:    %[[U1:.*]] = tensor.extract_slice %[[U]][0, 0] [1, 6] [1, 1] : tensor<1x6xf32> to tensor<6xf32>
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[U1]] : (n), %[[S]] : (), %[[T]] : ()) outs({{.*}}) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
// CHECK-NEXT:      %[[C0:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:      %[[C1:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-NEXT:      %[[T0:.*]] = arith.mulf %[[ACC]], %[[C0]]
// CHECK-NEXT:      %[[T1:.*]] = arith.addf %[[T0]], %[[X]]
// CHECK-NEXT:      %[[T2:.*]] = arith.mulf %[[T1]], %[[Y]]
// CHECK-NEXT:      %[[T3:.*]] = arith.mulf %[[T2]], %[[Z]]
// CHECK-NEXT:      %[[T4:.*]] = arith.mulf %[[T3]], %[[C1]]
// CHECK-NEXT:      cutl.yield %[[T4]]
func.func @numbers(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %s: f32, %t: tensor<f32>, %u: tensor<1x6xf32>, %d: tensor<4x6xf32>)
    -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %tv = tensor.extract %t[] : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<6xf32>
  %c3 = arith.constant 3.0 : f32
  %1 = linalg.generic {indexing_maps = [#id, #j, #unit, #scalar, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %half, %u, %s : tensor<4x6xf32>, tensor<6xf32>, tensor<1x6xf32>, f32) outs(%d : tensor<4x6xf32>) {
  ^bb0(%x: f32, %h: f32, %v: f32, %sv: f32, %out: f32):
    %2 = arith.mulf %x, %h : f32
    %3 = arith.addf %2, %v : f32
    %4 = arith.mulf %3, %sv : f32
    %5 = arith.mulf %4, %tv : f32
    %6 = arith.mulf %5, %c3 : f32
    linalg.yield %6 : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A destination that is read is an auxiliary operand too.
// CHECK-LABEL: func @reads_destination
// CHECK-SAME:    %[[C:[^,]*]]: tensor<4x6xf32>, %[[D:[^,]*]]: tensor<4x6xf32>)
// CHECK:         cutl.gemm {{.*}} aux(%[[C]] : (m, n)) outs(%[[C]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[ACC]], %[[X]]
func.func @reads_destination(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.addf %x, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// The result as destination: what is written in place stays in place. The same
// for an op that has no destination.
// CHECK-LABEL: func @in_place
// CHECK-SAME:    %[[V:[^,]*]]: tensor<6xf32>, %[[D:[^,]*]]: tensor<4x6xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[V]] : (n)) outs(%[[D]] : (m, n)) promises(outs[0] aligned 64) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[X]], %[[ACC]]
// CHECK-NEXT:      math.absf %[[S]]
func.func @in_place(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %bias: tensor<6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(outs[0] aligned 64) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#j, #id], iterator_types = ["parallel", "parallel"]}
    ins(%bias : tensor<6xf32>) outs(%0 : tensor<4x6xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.addf %x, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  %3 = math.absf %1 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// Transpositions become maps. The gemm's own maps need not be those of the
// domain.
// CHECK-LABEL: func @transposed
// CHECK-SAME:    %[[V:[^,]*]]: tensor<6xf32>, %[[R:[^,]*]]: tensor<4x6xf32>, %{{[^,]*}}: tensor<6x4xf32>, %[[E:[^,]*]]: tensor<4x6xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[V]] : (n), %[[R]] : (m, n)) outs(%[[E]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[X]]
// CHECK-NEXT:      %[[T:.*]] = arith.mulf %[[S]], %[[Y]]
// CHECK-NEXT:      cutl.yield %[[T]]
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %v: tensor<6xf32>, %r: tensor<4x6xf32>, %d: tensor<6x4xf32>,
                      %e: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (n, m)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = linalg.broadcast ins(%v : tensor<6xf32>) outs(%d : tensor<6x4xf32>) dimensions = [1]
  %2 = linalg.add ins(%0, %1 : tensor<6x4xf32>, tensor<6x4xf32>) outs(%d : tensor<6x4xf32>) -> tensor<6x4xf32>
  %3 = linalg.transpose ins(%2 : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
  %4 = linalg.mul ins(%3, %r : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// Casts, scalings and transpositions of auxiliary operands. What is computed for
// A and B stays.
// CHECK-LABEL: func @producers
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<6x8xf32>, %[[R:.*]]: tensor<6x4xf16>, %[[V:.*]]: tensor<6xf16>, %[[D:.*]]: tensor<4x6xf32>)
// CHECK-NEXT:    %[[A32:.*]] = arith.extf %[[A]]
// CHECK-NEXT:    cutl.gemm ins(%[[A32]] : (m, k), %[[B]] : (n, k)) aux(%[[V]] : (n), %[[R]] : (n, m)) outs(%[[D]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f16, %[[Y:.*]]: f16):
// CHECK-DAG:       %[[Y32:.*]] = arith.extf %[[Y]] : f16 to f32
// CHECK-DAG:       %[[X32:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-DAG:       %[[TWO:.*]] = arith.constant 2.0
// CHECK:           %[[X2:.*]] = arith.mulf %[[X32]], %[[TWO]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[X2]]
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[S]], %[[Y32]]
// CHECK-NEXT:      cutl.yield %[[T]]
func.func @producers(%a: tensor<4x8xf16>, %b: tensor<6x8xf32>, %rt: tensor<6x4xf16>, %bias: tensor<6xf16>, %d: tensor<4x6xf32>)
    -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %et = tensor.empty() : tensor<4x6xf16>
  %two = arith.constant 2.0 : f32
  %twos = linalg.fill ins(%two : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %bias32 = arith.extf %bias : tensor<6xf16> to tensor<6xf32>
  %scaled = linalg.mul ins(%bias32, %twos : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %rr = linalg.transpose ins(%rt : tensor<6x4xf16>) outs(%et : tensor<4x6xf16>) permutation = [1, 0]
  %r32 = arith.extf %rr : tensor<4x6xf16> to tensor<4x6xf32>
  %a32 = arith.extf %a : tensor<4x8xf16> to tensor<4x8xf32>
  %0 = cutl.gemm ins(%a32 : (m, k), %b : (n, k)) aux(%scaled : (n), %r32 : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32, %y: f32):
    %s = arith.addf %acc, %x : f32
    %t = arith.addf %s, %y : f32
    cutl.yield %t : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Ops of the dialect in the body of a generic, to an 8-bit result.
// CHECK-LABEL: func @quantised
// CHECK-SAME:    %[[S:[^,]*]]: tensor<4xf32>, %{{[^,]*}}: tensor<4x6xf32>, %[[Q:[^,]*]]: tensor<4x6xf8E4M3FN>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[S]] : (m)) outs(%[[Q]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[Y:.*]] = cutl.leaky_relu %[[ACC]]
// CHECK-NEXT:      %[[Z:.*]] = arith.mulf %[[Y]], %[[X]]
// CHECK-NEXT:      %[[O:.*]] = cutl.convert %[[Z]] saturate : f32 to f8E4M3FN
// CHECK-NEXT:      cutl.yield %[[O]]
func.func @quantised(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %s: tensor<4xf32>, %d: tensor<4x6xf32>, %q: tensor<4x6xf8E4M3FN>)
    -> tensor<4x6xf8E4M3FN> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #i, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %s : tensor<4x6xf32>, tensor<4xf32>) outs(%q : tensor<4x6xf8E4M3FN>) {
  ^bb0(%x: f32, %scale: f32, %out: f8E4M3FN):
    %y = cutl.leaky_relu %x slope 0.01 : f32
    %z = arith.mulf %y, %scale : f32
    %o = cutl.convert %z saturate : f32 to f8E4M3FN
    linalg.yield %o : f8E4M3FN
  } -> tensor<4x6xf8E4M3FN>
  return %1 : tensor<4x6xf8E4M3FN>
}

// What was stored in bf16 is rounded to bf16.
// CHECK-LABEL: func @rounding
// CHECK:           %[[O:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:      %[[X:.*]] = arith.extf %[[O]] : bf16 to f32
// CHECK-NEXT:      %[[T:.*]] = math.tanh %[[X]] : f32
// CHECK-NEXT:      cutl.yield %[[T]] : f32
func.func @rounding(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xbf16>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %1 = arith.extf %0 : tensor<4x6xbf16> to tensor<4x6xf32>
  %2 = math.tanh %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Gated pair, batch dimensions, decisions and promises: all but the epilogue
// stays. The promise about an operand goes where the operand goes.
// CHECK-LABEL: func @everything_else
// CHECK-SAME:    %[[V:[^,]*]]: tensor<2xf16>, %[[W:[^,]*]]: tensor<12xf16>, %[[E:[^,]*]]: tensor<2x4x6xf16>)
// CHECK:         cutl.gemm ins(%{{.*}} : (b, m, k), %{{.*}} : (n, k)) split(halves) aux(%[[V]] : (b)) outs(%[[E]] : (b, m, n))
// CHECK-SAME:      promises(k divisible_by 8, a aligned 16, aux[0] aligned 4) execution(batch_invariant, sm_budget = 8)
// CHECK-SAME:      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel)
// CHECK-SAME:      attributes {cutl.target = #cutl.target<chip = "sm_90a">}
// CHECK-NEXT:    ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32, %[[X:.*]]: f16):
func.func @everything_else(%a: tensor<2x4x8xf16>, %b: tensor<12x8xf16>, %v: tensor<2xf16>, %w: tensor<12xf16>, %e: tensor<2x4x6xf16>)
    -> tensor<2x4x6xf16> {
  %d = tensor.empty() : tensor<2x4x6xf16>
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) split(halves) aux(%v : (b)) outs(%d : (b, m, n))
      promises(k divisible_by 8, a aligned 16, aux[0] aligned 4, outs[0] aligned 16) execution(batch_invariant, sm_budget = 8)
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel)
      attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  ^bb0(%p: f32, %q: f32, %x: f16):
    %s = cutl.silu %p : f32
    %g = arith.mulf %s, %q : f32
    %o = arith.truncf %g : f32 to f16
    %t = arith.mulf %o, %x : f16
    cutl.yield %t : f16
  } : (tensor<2x4x8xf16>, tensor<12x8xf16>, tensor<2xf16>, tensor<2x4x6xf16>) -> tensor<2x4x6xf16>
  %1 = linalg.negf ins(%0 : tensor<2x4x6xf16>) outs(%e : tensor<2x4x6xf16>) -> tensor<2x4x6xf16>
  return %1 : tensor<2x4x6xf16>
}

// Of several outputs each is read by itself or with the others, and they stay as
// many as they were or fewer.
// CHECK-LABEL: func @two_outputs
// CHECK-SAME:    %[[D:[^,]*]]: tensor<4x6xf32>, %[[S:[^,]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]]:2 = cutl.gemm {{.*}} outs(%[[S]] : (m) max, %[[D]] : (m, n)) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[X:.*]] = math.exp %[[ACC]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[ACC]], %[[X]]
// CHECK-NEXT:      cutl.yield %[[X]], %[[Y]]
// CHECK:         return %[[R]]#1, %[[R]]#0
func.func @two_outputs(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %s: tensor<4xf32>)
    -> (tensor<4x6xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %0:3 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %e : (m, n), %s : (m) max) {
  ^bb0(%acc: f32):
    %x = math.exp %acc : f32
    cutl.yield %acc, %x, %x : f32, f32, f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>)
      -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>)
  %1 = arith.mulf %0#0, %0#1 : tensor<4x6xf32>
  return %1, %0#2 : tensor<4x6xf32>, tensor<4xf32>
}

// The memref form is left alone.
// CHECK-LABEL: func @memrefs
// CHECK:         cutl.gemm {{.*}} outs(%{{.*}} : (m, n)) {
// CHECK-NEXT:    ^bb0(%{{.*}}: f32):
// CHECK-NEXT:      cutl.yield
func.func @memrefs(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>) -> ()
  return
}

// A comparison and a choice on tensors.
// CHECK-LABEL: func @chosen
// CHECK:         ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[Z:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:      %[[P:.*]] = arith.cmpf ogt, %[[ACC]], %[[Z]] : f32
// CHECK-NEXT:      %[[Z1:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.select %[[P]], %[[ACC]], %[[Z1]] : f32
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @chosen(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4x6xf32>
  %p = arith.cmpf ogt, %0, %z : tensor<4x6xf32>
  %y = arith.select %p, %0, %z : tensor<4x6xi1>, tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
