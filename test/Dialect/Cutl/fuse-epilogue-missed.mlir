// RUN: cutl-opt %s --cutl-fuse-epilogue --remark-format=emitRemark --remarks-filter=cutl-fuse-epilogue 2>%t.remarks \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: cutl-opt %s --cutl-fuse-epilogue=max-outputs=2 | FileCheck %s --check-prefix=TWO
// What must stay beside a gemm, and why.

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func @not_admitted
// CHECK:         linalg.generic
// REMARK:      Function=not_admitted | Remark="'linalg.generic' stays beside the gemm: an epilogue does not admit 'linalg.index'
func.func @not_admitted(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x6xf32>) outs(%d : tensor<4x6xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 0 : index
    %i32 = arith.index_cast %i : index to i32
    %f = arith.sitofp %i32 : i32 to f32
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func @captured_tensor
// CHECK:         linalg.generic
// REMARK:      Function=captured_tensor | Remark="'linalg.generic' stays beside the gemm: its body uses a value from outside that is not a number
func.func @captured_tensor(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %t: tensor<3xf32>, %i: index)
    -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x6xf32>) outs(%d : tensor<4x6xf32>) {
  ^bb0(%x: f32, %out: f32):
    %f = tensor.extract %t[%i] : tensor<3xf32>
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func @repeated
// CHECK:         linalg.broadcast
// REMARK:      Function=repeated | Remark="'linalg.broadcast' stays beside the gemm: it does not read each element of the result once
func.func @repeated(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %e: tensor<4x6x2xf32>)
    -> tensor<4x6x2xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.broadcast ins(%0 : tensor<4x6xf32>) outs(%e : tensor<4x6x2xf32>) dimensions = [2]
  return %1 : tensor<4x6x2xf32>
}

// The sum of a matrix and its transpose.
// CHECK-LABEL: func @two_orders
// CHECK:         linalg.generic
// REMARK:      Function=two_orders | Remark="'linalg.generic' stays beside the gemm: it reads the result in two orders of its dimensions
func.func @two_orders(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #tr, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: func @used_twice
// CHECK:         math.exp %{{.*}} : tensor<4x6xf32>
// REMARK:      Function=used_twice | Remark="'math.exp' stays beside the gemm: something else uses the result too, and with that the gemm would have 2 outputs (max-outputs would have to allow them)
// The result that is kept keeps its destination.
// TWO-LABEL:   func @used_twice
// TWO-SAME:      %[[D:[^,]*]]: tensor<4x6xf32>)
// TWO:           %[[E:.*]] = tensor.empty() : tensor<4x6xf32>
// TWO-NEXT:      %[[R:.*]]:2 = cutl.gemm {{.*}} outs(%[[D]] : (m, n), %[[E]] : (m, n)) {
// TWO-NEXT:      ^bb0(%[[ACC:.*]]: f32):
// TWO-NEXT:        %[[X:.*]] = math.exp %[[ACC]]
// TWO-NEXT:        cutl.yield %[[ACC]], %[[X]]
// TWO:           return %[[R]]#0, %[[R]]#1
func.func @used_twice(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = math.exp %0 : tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

func.func private @use(tensor<4x6xf32>) -> tensor<4x6xf32>

// CHECK-LABEL: func @used_before
// CHECK:         linalg.generic
// REMARK:      Function=used_before | Remark="'linalg.generic' stays beside the gemm: something else uses the result too
// Something uses the result before the op that goes in, so what the op reads is
// computed earlier.
// TWO-LABEL:   func @used_before
// TWO:           cutl.gemm {{.*}} aux(%{{.*}} : (m, n))
// TWO:           call @use
// TWO-NOT:       linalg
func.func @used_before(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %r: tensor<4x6xf16>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = func.call @use(%0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf16>
  %r2 = linalg.negf ins(%r : tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) -> tensor<4x6xf16>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %r2 : tensor<4x6xf32>, tensor<4x6xf16>) outs(%d : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f16, %out: f32):
    %y32 = arith.extf %y : f16 to f32
    %s = arith.addf %x, %y32 : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func @pinned
// CHECK:         arith.addf %{{.*}} : tensor<4x6xf32>
// REMARK:      Function=pinned | Remark="'arith.addf' stays beside the gemm: something else uses the result too
// What has effects stays where it is.
// TWO-LABEL:   func @pinned
// TWO:           call @use
// TWO:           call @use
// TWO:           arith.addf %{{.*}}, %{{.*}} : tensor<4x6xf32>
func.func @pinned(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %r: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = func.call @use(%0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %r2 = func.call @use(%r) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = arith.addf %0, %r2 : tensor<4x6xf32>
  return %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func @in_loop
// CHECK:         arith.addf %{{.*}} : tensor<4x6xf32>
// REMARK:      Function=in_loop | Remark="'arith.addf' stays beside the gemm: it stands in another block
func.func @in_loop(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %d) -> (tensor<4x6xf32>) {
    %2 = arith.addf %0, %t : tensor<4x6xf32>
    scf.yield %2 : tensor<4x6xf32>
  }
  return %1 : tensor<4x6xf32>
}

// The greatest number of a row is not known before the row is.
// CHECK-LABEL: func @softmax
// CHECK:         linalg.reduce
// CHECK:         arith.subf %{{.*}} : tensor<4x6xf32>
// REMARK:      Function=softmax | Remark="'linalg.reduce' stays beside the gemm: something else uses the result too{{.*}}
// REMARK:      Function=softmax | Remark="'arith.subf' stays beside the gemm: it reads something else that is computed from the result
// TWO-LABEL:   func @softmax
// TWO:           cutl.gemm {{.*}} outs(%{{.*}} : (m, n), %{{.*}} : (m) max) {
// TWO:           linalg.broadcast
// TWO:           arith.subf
func.func @softmax(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %least = arith.constant dense<0xFF800000> : tensor<4xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<4x6xf32>) outs(%least : tensor<4xf32>) dimensions = [1]
  %2 = linalg.broadcast ins(%1 : tensor<4xf32>) outs(%d : tensor<4x6xf32>) dimensions = [1]
  %3 = arith.subf %0, %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: func @batch_extent
// CHECK:         linalg.reduce
// REMARK:      Function=batch_extent | Remark="'linalg.reduce' stays beside the gemm: only the result says how large a batch dimension is
func.func @batch_extent(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<3x4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %least = arith.constant dense<0xFF800000> : tensor<4x6xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<3x4x6xf32>) outs(%least : tensor<4x6xf32>) dimensions = [0]
  return %1 : tensor<4x6xf32>
}

// A program that contradicts itself; but to say so is not for this pass.
// CHECK-LABEL: func @contradiction
// CHECK:         linalg.generic
// REMARK:      Function=contradiction | Remark="'linalg.generic' stays beside the gemm: its static sizes disagree with those of the gemm or with what is promised about them
func.func @contradiction(%a: tensor<?x8xf32>, %b: tensor<6x8xf32>, %d: tensor<?x6xf32>, %r: tensor<5x6xf32>) -> tensor<?x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) promises(m divisible_by 4) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x8xf32>, tensor<6x8xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %r : tensor<?x6xf32>, tensor<5x6xf32>) outs(%d : tensor<?x6xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x6xf32>
  return %1 : tensor<?x6xf32>
}

// CHECK-LABEL: func @float_sum
// CHECK:         linalg.reduce
// REMARK:      Function=float_sum | Remark="'linalg.reduce' stays beside the gemm: a sum of floats is made in another order only under fast-math 'reassoc'
func.func @float_sum(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// -0.0 is the neutral element of a sum, 0.0 that of a sum that is not -0.0. What
// is given can be either.
// CHECK-LABEL: func @negative_zero
// CHECK:         linalg.reduce
// CHECK:         linalg.reduce
// REMARK-COUNT-2: Function=negative_zero | Remark="'linalg.reduce' stays beside the gemm: a sum that starts from -0.0 can be -0.0, that of an output cannot, and it has no fast-math 'nsz'
func.func @negative_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %s: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<-0.0> : tensor<4xf32>
  %1 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %t = arith.addf %x, %out fastmath<reassoc> : f32
    linalg.yield %t : f32
  }
  %2 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%s : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %t = arith.addf %x, %out fastmath<reassoc> : f32
    linalg.yield %t : f32
  }
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @narrow_sum
// CHECK:         arith.truncf
// CHECK:         linalg.reduce
// REMARK:      Function=narrow_sum | Remark="'linalg.reduce' stays beside the gemm: a sum of narrow floats is made in f32, which leaves out roundings and needs fast-math 'contract'
func.func @narrow_sum(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4xbf16>
  %1 = arith.truncf %0 : tensor<4x6xf32> to tensor<4x6xbf16>
  %2 = linalg.reduce ins(%1 : tensor<4x6xbf16>) outs(%z : tensor<4xbf16>) dimensions = [1] (%x: bf16, %out: bf16) {
    %s = arith.addf %x, %out fastmath<reassoc> : bf16
    linalg.yield %s : bf16
  }
  return %2 : tensor<4xbf16>
}

// CHECK-LABEL: func @ignores_nan
// CHECK:         linalg.reduce
// REMARK:      Function=ignores_nan | Remark="'linalg.reduce' stays beside the gemm: it ignores NaN, which a reduced output keeps, and has no fast-math 'nnan'
func.func @ignores_nan(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0xFF800000> : tensor<4xf32>
  %1 = linalg.reduce { arith.maxnumf } ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @product
// CHECK:         linalg.reduce
// REMARK:      Function=product | Remark="'linalg.reduce' stays beside the gemm: no combiner of an output does what 'arith.mulf' does
func.func @product(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<1.0> : tensor<4xf32>
  %1 = linalg.reduce { arith.mulf } ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @recurrence
// CHECK:         linalg.reduce
// REMARK:      Function=recurrence | Remark="'linalg.reduce' stays beside the gemm: it does not combine each element with what has been reduced by one op
func.func @recurrence(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %1 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %p = arith.mulf %x, %out : f32
    %s = arith.addf %p, %out fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  return %1 : tensor<4xf32>
}

// An output that is reduced has another domain.
// CHECK-LABEL: func @after_reduction
// CHECK:         math.exp %{{.*}} : tensor<4xf32>
// REMARK:      Function=after_reduction | Remark="'math.exp' stays beside the gemm: it reads a reduced output
func.func @after_reduction(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m) max) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @producer_not_admitted
// CHECK:         linalg.generic
// REMARK:      Function=producer_not_admitted | Remark="'linalg.generic' stays beside the gemm: an epilogue does not admit 'linalg.index'
func.func @producer_not_admitted(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %iota = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<6xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %i32 = arith.index_cast %i : index to i32
    %f = arith.sitofp %i32 : i32 to f32
    linalg.yield %f : f32
  } -> tensor<6xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%iota : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What two gemms read is computed once.
// CHECK-LABEL: func @shared_producer
// CHECK:         arith.extf %{{.*}} : tensor<6xf16> to tensor<6xf32>
// CHECK-COUNT-2: cutl.gemm {{.*}} aux(%{{.*}} : (n))
// REMARK:      Function=shared_producer | Remark="'arith.extf' stays beside the gemm: something else uses it too
func.func @shared_producer(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %v: tensor<6xf16>, %d: tensor<4x6xf32>, %e: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %v32 = arith.extf %v : tensor<6xf16> to tensor<6xf32>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%v32 : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%v32 : (n)) outs(%e : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.mulf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Nobody expects another product in an epilogue.
// CHECK-LABEL: func @next_product
// CHECK:         linalg.matmul
// REMARK-NOT:  Function=next_product
func.func @next_product(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %w: tensor<6x3xf32>, %f: tensor<4x3xf32>)
    -> tensor<4x3xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x6xf32>, tensor<6x3xf32>) outs(%f : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// Reshapes are no functions of elements.
// CHECK-LABEL: func @reshaped
// CHECK:         tensor.collapse_shape
// CHECK:         math.exp %{{.*}} : tensor<24xf32>
// REMARK:      Function=reshaped | Remark="'tensor.collapse_shape' stays beside the gemm: it is no elementwise op
func.func @reshaped(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %2 = math.exp %1 : tensor<24xf32>
  return %2 : tensor<24xf32>
}

// A written over, which can only be done when the whole product is there; and an
// operand, which is read along the other dimension first.
// CHECK-LABEL: func @written_over
// CHECK:         linalg.exp
// CHECK:         linalg.add
// REMARK:      Function=written_over | Remark="'linalg.exp' stays beside the gemm: it writes into a tensor that the gemm reads in another way
// REMARK:      Function=written_over | Remark="'linalg.add' stays beside the gemm: it writes into a tensor that the gemm reads in another way
func.func @written_over(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>, %d: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = cutl.gemm ins(%1 : (m, k), %b : (n, k)) aux(%c : (n, m)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.mulf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.add ins(%2, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @read_transposed
// CHECK:         linalg.transpose
// CHECK:         cutl.gemm {{.*}} aux(%{{.*}} : (m, n)) outs(%{{.*}} : (m, n))
func.func @read_transposed(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%c : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%t : (m, n)) outs(%c : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Sizes of dimensions that there are not, or that nobody knows yet which they are,
// are questions to the result.
// CHECK-LABEL: func @sizes
// CHECK:         tensor.dim %{{.*}}, %c5
// CHECK:         tensor.dim %{{.*}}, %{{.*}} : tensor<?x6xf32>
// CHECK:         arith.mulf %{{.*}} : tensor<?x6xf32>
// REMARK:      Function=sizes | Remark="'arith.mulf' stays beside the gemm: something else uses the result too
func.func @sizes(%a: tensor<?x8xf32>, %b: tensor<6x8xf32>, %d: tensor<?x6xf32>, %i: index) -> (index, index, tensor<?x6xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x8xf32>, tensor<6x8xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %c5 = arith.constant 5 : index
  %x = tensor.dim %0, %c5 : tensor<?x6xf32>
  %y = tensor.dim %0, %i : tensor<?x6xf32>
  %1 = arith.mulf %0, %0 : tensor<?x6xf32>
  return %x, %y, %1 : index, index, tensor<?x6xf32>
}
