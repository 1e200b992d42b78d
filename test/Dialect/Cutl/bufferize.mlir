// RUN: cutl-opt %s --one-shot-bufferize=bufferize-function-boundaries --canonicalize --split-input-file | FileCheck %s

// C is D: an auxiliary operand may be the destination when their maps are equal.
// CHECK-LABEL: func @in_place
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: memref<{{.*}}>, %[[B:[a-z0-9]+]]: memref<{{.*}}>, %[[D:[a-z0-9]+]]: memref<{{.*}}>)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         cutl.gemm ins(%[[A]] : (m, k), %[[B]] : (n, k)) aux(%[[D]] : (m, n)) outs(%[[D]] : (m, n)) {
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return %[[D]]
func.func @in_place(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    cutl.yield %s : f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// The same for two auxiliary operands and two outputs.
// CHECK-LABEL: func @in_place_twice
// CHECK-SAME:    (%{{.*}}: memref<{{.*}}>, %{{.*}}: memref<{{.*}}>, %[[D:[a-z0-9]+]]: memref<{{.*}}>, %[[E:[a-z0-9]+]]: memref<{{.*}}>)
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         aux(%[[D]] : (n, m), %[[E]] : (m, n)) outs(%[[E]] : (m, n), %[[D]] : (n, m)) {
// CHECK-NOT:     memref.{{alloc|copy}}
func.func @in_place_twice(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<6x4xf32>, %e: tensor<4x6xf32>)
    -> (tensor<6x4xf32>, tensor<4x6xf32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (n, m), %e : (m, n)) outs(%e : (m, n), %d : (n, m)) {
  ^bb0(%acc: f32, %x: f32, %y: f32):
    %s = arith.addf %acc, %x : f32
    %t = arith.addf %acc, %y : f32
    cutl.yield %t, %s : f32, f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>)
      -> (tensor<4x6xf32>, tensor<6x4xf32>)
  return %0#1, %0#0 : tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

// The destination's contents are not read: a fresh buffer is not filled.
// CHECK-LABEL: func @chain
// CHECK:         %[[T:.*]] = memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         cutl.gemm {{.*}} outs(%[[T]] : (m, n)) compute(math = bf16) {
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         cutl.gemm ins(%[[T]] : (m, k), {{.*}} outs(%[[D:.*]] : (m, n)) {
// CHECK:         return %[[D]]
func.func @chain(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<5x6xf32>, %d: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %t = tensor.empty() : tensor<4x6xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%t : (m, n)) compute(math = bf16) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = cutl.gemm ins(%0 : (m, k), %c : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x6xf32>, tensor<5x6xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// A is D: A's tiles are read many times, so D gets memory of its own.
// CHECK-LABEL: func @a_is_d
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: memref
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm ins(%[[A]] : (m, k), %{{.*}} : (n, k)) outs(%[[NEW]] : (m, n)) {
// CHECK:         return %[[NEW]]
func.func @a_is_d(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%a : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// The same for B.
// CHECK-LABEL: func @b_is_d
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} outs(%[[NEW]] : (m, n)) {
func.func @b_is_d(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%b : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func @scale_is_d
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} scales(%[[S:.*]] of b : (n)) outs(%{{.*}} : (m, n), %[[NEW]] : (n) amax) {
func.func @scale_is_d(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %s: tensor<6xf32>, %d: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<6xf32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n)) outs(%d : (m, n), %s : (n) amax) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<6xf32>)
      -> (tensor<4x6xf32>, tensor<6xf32>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<6xf32>
}

// -----

// The transposed C is read where another element of D has been written.
// CHECK-LABEL: func @aux_with_another_map
// CHECK-SAME:    %[[D:[a-z0-9]+]]: memref<4x4xf32{{.*}}>) ->
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} aux(%[[D]] : (n, m)) outs(%[[NEW]] : (m, n)) {
func.func @aux_with_another_map(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (n, m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    cutl.yield %s : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A reduced output starts from the identity, so the auxiliary operand would be
// lost even though the maps are equal.
// CHECK-LABEL: func @aux_is_reduced
// CHECK-SAME:    %[[S:[a-z0-9]+]]: memref<4xf32{{.*}}>) ->
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} aux(%[[S]] : (n)) outs(%[[NEW]] : (n) add) {
func.func @aux_is_reduced(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%s : (n)) outs(%s : (n) add) {
  ^bb0(%acc: f32, %x: f32):
    %t = arith.addf %acc, %x : f32
    cutl.yield %t : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// One destination for two outputs makes two buffers.
// CHECK-LABEL: func @one_destination_twice
// CHECK-SAME:    %[[D:[a-z0-9]+]]: memref<4x4xf32{{.*}}>) ->
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} outs(%[[D]] : (m, n), %[[NEW]] : (m, n)) {
func.func @one_destination_twice(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %d: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %d : (m, n)) {
  ^bb0(%acc: f32):
    %n = arith.negf %acc : f32
    cutl.yield %acc, %n : f32, f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A destination that is needed afterwards is not overwritten.
// CHECK-LABEL: func @destination_read_later
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK:         cutl.gemm {{.*}} outs(%[[NEW]] : (m, n)) {
// CHECK:         cutl.gemm {{.*}} aux(%[[NEW]] : (m, n)) outs(%[[NEW]] : (m, n)) {
func.func @destination_read_later(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = cutl.gemm ins(%d : (m, k), %b : (n, k)) aux(%0 : (m, n)) outs(%0 : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Everything on the op survives; numbers stay numbers.
// CHECK-LABEL: func @attributes
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) split(interleaved) scales(%{{.*}} of a : ()) zeros(%{{.*}} of b : (n)) aux(%{{.*}} : ()) outs(%{{.*}} : (m, n)) promises(k divisible_by 4, a aligned 16) config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) attributes {note = "kept"} {
// CHECK:         } : (memref<{{.*}}>, memref<{{.*}}>, f32, memref<{{.*}}>, f32, memref<{{.*}}>) -> ()
func.func @attributes(%a: tensor<4x8xf32>, %b: tensor<12x8xf32>, %s: f32, %z: tensor<12xf32>, %x: f32, %d: tensor<4x6xf32>)
    -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(interleaved) scales(%s of a : ()) zeros(%z of b : (n))
      aux(%x : ()) outs(%d : (m, n)) promises(k divisible_by 4, a aligned 16)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel)
      attributes {note = "kept"} {
  ^bb0(%acc: f32, %acc1: f32, %y: f32):
    %t = math.fma %acc, %acc1, %y : f32
    cutl.yield %t : f32
  } : (tensor<4x8xf32>, tensor<12x8xf32>, f32, tensor<12xf32>, f32, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
