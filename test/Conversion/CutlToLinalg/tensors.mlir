// RUN: cutl-opt %s --convert-cutl-to-linalg --split-input-file | FileCheck %s

// The accumulator is filled with zero and laid out like the first whole output;
// the epilogue is one element-wise op.
// CHECK-DAG:   #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG:   #[[$T:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-DAG:   #[[$TE:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[$N:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @product
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<6x8xbf16>, %[[C:.*]]: tensor<6xf32>, %[[D:.*]]: tensor<6x4xf16>)
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<6x4xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[F:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]] : tensor<6x4xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$T]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[F]] : {{.*}}) {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f16, %[[Y:.*]]: bf16, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[X32:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      %[[Y32:.*]] = arith.extf %[[Y]] : bf16 to f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[X32]], %[[Y32]] : f32
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[S]], %[[M]] : f32
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[$TE]], #[[$N]], #[[$TE]]], iterator_types = ["parallel", "parallel"]} ins(%[[P]], %[[C]] : {{.*}}) outs(%[[D]] : {{.*}}) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[ACC]], %[[BIAS]] : f32
// CHECK-NEXT:      %[[O:.*]] = arith.truncf %[[T]] : f32 to f16
// CHECK-NEXT:      linalg.yield %[[O]] : f16
// CHECK:         return %[[R]]
func.func @product(%a: tensor<4x8xf16>, %b: tensor<6x8xbf16>, %c: tensor<6xf32>, %d: tensor<6x4xf16>) -> tensor<6x4xf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (n, m)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    %o = arith.truncf %s : f32 to f16
    cutl.yield %o : f16
  } : (tensor<4x8xf16>, tensor<6x8xbf16>, tensor<6xf32>, tensor<6x4xf16>) -> tensor<6x4xf16>
  return %0 : tensor<6x4xf16>
}

// -----

// Sizes come from whichever operand has them.
// CHECK-LABEL: func @dynamic
// CHECK-SAME:    (%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[D:.*]]: tensor<?x7xf32>)
// CHECK:         %[[M:.*]] = tensor.dim %[[A]], %{{.*}} : tensor<?x?xf32>
// CHECK-NOT:     tensor.dim
// CHECK:         tensor.empty(%[[M]]) : tensor<?x7xf32>
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %d: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

// Broadcast batch dimensions are missing from the maps and iterated all the same.
// CHECK-DAG:   #[[$A:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG:   #[[$B:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
// CHECK-DAG:   #[[$D:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG:   #[[$DE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG:   #[[$C:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-LABEL: func @batches
// CHECK:         linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$D]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK:         linalg.generic {indexing_maps = [#[[$DE]], #[[$C]], #[[$DE]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
func.func @batches(%a: tensor<3x4x8xf32>, %b: tensor<2x6x8xf32>, %c: tensor<2x6xf32>, %d: tensor<3x2x4x6xf32>)
    -> tensor<3x2x4x6xf32> {
  %0 = cutl.gemm ins(%a : (b0, m, k), %b : (b1, n, k)) aux(%c : (b1, n)) outs(%d : (b0, b1, m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<3x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6xf32>, tensor<3x2x4x6xf32>) -> tensor<3x2x4x6xf32>
  return %0 : tensor<3x2x4x6xf32>
}

// -----

// One product per B, one epilogue over all.
// CHECK-LABEL: func @several_b
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf32>, %[[B0:.*]]: tensor<6x8xf32>, %[[B1:.*]]: tensor<8x6xf32>, %[[D:.*]]: tensor<4x6xf32>)
// CHECK:         %[[P0:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B0]] :
// CHECK:         %[[P1:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B1]] :
// CHECK:         linalg.generic {{.*}} ins(%[[P0]], %[[P1]] : {{.*}} outs(%[[D]] :
// CHECK-NEXT:    ^bb0(%[[G:.*]]: f32, %[[U:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.mulf %[[G]], %[[U]] : f32
func.func @several_b(%a: tensor<4x8xf32>, %b0: tensor<6x8xf32>, %b1: tensor<8x6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b0 : (n, k), %b1 : (k, n)) outs(%d : (m, n)) {
  ^bb0(%gate: f32, %up: f32):
    %p = arith.mulf %gate, %up : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @split_halves
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<12x8xf32>, %{{.*}}: tensor<4x6xf32>)
// CHECK:         %[[B0:.*]] = tensor.extract_slice %[[B]][0, 0] [6, 8] [1, 1] : tensor<12x8xf32> to tensor<6x8xf32>
// CHECK:         %[[B1:.*]] = tensor.extract_slice %[[B]][6, 0] [6, 8] [1, 1] : tensor<12x8xf32> to tensor<6x8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B0]] :
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B1]] :
func.func @split_halves(%a: tensor<4x8xf32>, %b: tensor<12x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%gate: f32, %up: f32):
    %p = arith.mulf %gate, %up : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf32>, tensor<12x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Column-major B; the size of the output is only known through B.
// CHECK-DAG:   #[[$HALF:.*]] = affine_map<()[s0] -> (s0 floordiv 2)>
// CHECK-LABEL: func @split_interleaved
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x?xf32>, %{{.*}}: tensor<4xf32>)
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[B]], %{{.*}} : tensor<8x?xf32>
// CHECK:         %[[N:.*]] = affine.apply #[[$HALF]]()[%[[ROWS]]]
// CHECK:         tensor.extract_slice %[[B]][0, 0] [8, %[[N]]] [1, 2] : tensor<8x?xf32> to tensor<8x?xf32>
// CHECK:         tensor.extract_slice %[[B]][0, 1] [8, %{{.*}}] [1, 2] : tensor<8x?xf32> to tensor<8x?xf32>
func.func @split_interleaved(%a: tensor<4x8xf32>, %b: tensor<8x?xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (k, n)) split(interleaved) outs(%s : (m) add) {
  ^bb0(%gate: f32, %up: f32):
    %p = arith.mulf %gate, %up : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf32>, tensor<8x?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// (x - zero) * scale, zero first; whole blocks share one entry.
// CHECK-DAG:   #[[$SCALE:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 4, d2 floordiv 2)>
// CHECK-DAG:   #[[$ZERO:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG:   #[[$NONE:.*]] = affine_map<(d0, d1, d2) -> ()>
// CHECK-LABEL: func @scales_and_zeros
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<6x8xi8>, %[[SB:.*]]: tensor<2x4xf32>, %[[SA:.*]]: f16, %[[Z:.*]]: tensor<6xi8>, %{{.*}}: tensor<4x6xf32>)
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[$NONE]], #[[$SCALE]], #[[$ZERO]], #{{.*}}], {{.*}}} ins(%[[A]], %[[B]], %[[SA]], %[[SB]], %[[Z]] : {{.*}}) outs
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f16, %[[Y:.*]]: i8, %[[XS:.*]]: f16, %[[YS:.*]]: f32, %[[YZ:.*]]: i8, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[X32:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      %[[XS32:.*]] = arith.extf %[[XS]] : f16 to f32
// CHECK-NEXT:      %[[L:.*]] = arith.mulf %[[X32]], %[[XS32]] : f32
// CHECK-NEXT:      %[[Y32:.*]] = arith.sitofp %[[Y]] : i8 to f32
// CHECK-NEXT:      %[[Z32:.*]] = arith.sitofp %[[YZ]] : i8 to f32
// CHECK-NEXT:      %[[YD:.*]] = arith.subf %[[Y32]], %[[Z32]] : f32
// CHECK-NEXT:      %[[R:.*]] = arith.mulf %[[YD]], %[[YS]] : f32
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[L]], %[[R]] : f32
// CHECK-NEXT:      arith.addf %[[S]], %[[P]] : f32
func.func @scales_and_zeros(%a: tensor<4x8xf16>, %b: tensor<6x8xi8>, %sb: tensor<2x4xf32>, %sa: f16, %z: tensor<6xi8>,
                            %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%sb of b : (n floordiv 4, k floordiv 2), %sa of a : ())
      zeros(%z of b : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf16>, tensor<6x8xi8>, tensor<2x4xf32>, f16, tensor<6xi8>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Each B has its own; A's scale acts in both products.
// CHECK-LABEL: func @scale_of_second_b
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf32>, %[[B0:.*]]: tensor<6x8xf32>, %[[B1:.*]]: tensor<6x8xf32>, %[[S:.*]]: tensor<6xf32>, %[[SA:.*]]: f32, %{{.*}}: tensor<4x6xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B0]], %[[SA]] :
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B1]], %[[SA]], %[[S]] :
func.func @scale_of_second_b(%a: tensor<4x8xf32>, %b0: tensor<6x8xf32>, %b1: tensor<6x8xf32>, %s: tensor<6xf32>, %sa: f32,
                             %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b0 : (n, k), %b1 : (n, k)) scales(%s of b[1] : (n), %sa of a : ()) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Two interleaved rows share a block of an even number of rows, so n is divided
// by half of it; each half has blocks of its own.
// CHECK-DAG:   #[[$PAIR:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 2)>
// CHECK-DAG:   #[[$BLOCK:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 3)>
// CHECK-LABEL: func @split_scales
// CHECK-SAME:    %[[S4:[a-z0-9]+]]: tensor<3xf32>, %[[S3:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         linalg.generic {indexing_maps = [{{.*}}, #[[$PAIR]], {{.*}}]{{.*}} ins(%{{.*}}, %{{.*}}, %[[S4]] :
// CHECK:         linalg.generic {indexing_maps = [{{.*}}, #[[$PAIR]], {{.*}}]{{.*}} ins(%{{.*}}, %{{.*}}, %[[S4]] :
// CHECK:         %[[LO:.*]] = tensor.extract_slice %[[S3]][0] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK:         %[[HI:.*]] = tensor.extract_slice %[[S3]][2] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK:         linalg.generic {indexing_maps = [{{.*}}, #[[$BLOCK]], {{.*}}]{{.*}} ins(%{{.*}}, %{{.*}}, %[[LO]] :
// CHECK:         linalg.generic {indexing_maps = [{{.*}}, #[[$BLOCK]], {{.*}}]{{.*}} ins(%{{.*}}, %{{.*}}, %[[HI]] :
func.func @split_scales(%a: tensor<4x8xf32>, %b: tensor<12x8xf32>, %s4: tensor<3xf32>, %s3: tensor<4xf32>,
                        %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) scales(%s4 of b : (n floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf32>, tensor<12x8xf32>, tensor<3xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) scales(%s3 of b : (n floordiv 3)) outs(%0 : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    cutl.yield %p : f32
  } : (tensor<4x8xf32>, tensor<12x8xf32>, tensor<4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// Splitting an empty B is not out of bounds.
// CHECK-LABEL: func @split_of_no_rows
// CHECK:         linalg.generic
func.func @split_of_no_rows(%a: tensor<4x8xf32>, %b: tensor<0x8xf32>, %d: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    cutl.yield %x : f32
  } : (tensor<4x8xf32>, tensor<0x8xf32>, tensor<4x0xf32>) -> tensor<4x0xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) outs(%0 : (m, n)) {
  ^bb0(%x: f32, %y: f32):
    cutl.yield %x : f32
  } : (tensor<4x8xf32>, tensor<0x8xf32>, tensor<4x0xf32>) -> tensor<4x0xf32>
  return %1 : tensor<4x0xf32>
}
