// RUN: cutl-opt %s --split-input-file --verify-diagnostics --convert-cutl-to-linalg
// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-tile-for-cpu='tile-m=2 tile-n=2'
// RUN: cutl-opt %s --split-input-file -o /dev/null

// Memory that an output must not share. The op itself is valid: two values may
// become one by any rewrite.

func.func @out_is_a(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{expected outs[0] not to be a: it would be overwritten while it is read}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%a : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// -----

func.func @out_is_b(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{expected outs[0] not to be b: it would be overwritten while it is read}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%b : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// -----

func.func @out_is_a_scale(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %s: memref<6xf32>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected outs[1] not to be scales[0]: it would be overwritten while it is read}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n)) outs(%d : (m, n), %s : (n) add) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<6xf32>, memref<4x6xf32>, memref<6xf32>) -> ()
  return
}

// -----

func.func @out_is_a_zero(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %z: memref<4xf32>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected outs[1] not to be zeros[0]: it would be overwritten while it is read}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) zeros(%z of a : (m)) outs(%d : (m, n), %z : (m) max) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4xf32>, memref<4x6xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @two_outs(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected outs[1] not to be outs[0]: both would be written}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>, memref<4x6xf32>) -> ()
  return
}

// -----

func.func @aux_with_other_map(%a: memref<6x8xf32>, %b: memref<6x8xf32>, %d: memref<6x6xf32>) {
  // expected-error @below {{expected outs[0] and aux[0], the same memory, to have equal maps without a combiner, got (m, n) and (n, m)}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (n, m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    cutl.yield %acc : f32
  } : (memref<6x8xf32>, memref<6x8xf32>, memref<6x6xf32>, memref<6x6xf32>) -> ()
  return
}

// -----

func.func @aux_is_reduced(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %s: memref<6xf32>, %d: memref<4x6xf32>) {
  // expected-error @below {{expected outs[1] and aux[0], the same memory, to have equal maps without a combiner, got (n) add and (n)}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%s : (n)) outs(%d : (m, n), %s : (n) add) {
  ^bb0(%acc: f32, %x: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<6xf32>, memref<4x6xf32>, memref<6xf32>) -> ()
  return
}

// -----

func.func @cast_of_out(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  %c = memref.cast %a : memref<4x4xf32> to memref<?x4xf32>
  // expected-error @below {{expected outs[0] not to be a: it would be overwritten while it is read}}
  cutl.gemm ins(%c : (m, k), %b : (n, k)) outs(%a : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// -----

func.func @equal_views(%a: memref<8x4xf32>, %b: memref<4x4xf32>, %i: index) {
  %v = memref.subview %a[%i, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
  %w = memref.subview %a[%i, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
  // expected-error @below {{expected outs[0] not to be a: it would be overwritten while it is read}}
  cutl.gemm ins(%v : (m, k), %b : (n, k)) outs(%w : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x4xf32, strided<[4, 1], offset: ?>>, memref<4x4xf32>, memref<4x4xf32, strided<[4, 1], offset: ?>>) -> ()
  return
}
