// RUN: cutl-opt %s --cutl-fuse-epilogue | FileCheck %s
// Reductions of a result. Those that stay are in fuse-epilogue-missed.mlir.

#id = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#none = affine_map<(i, j) -> ()>

// CHECK-LABEL: func @sum
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:    %[[R:.*]] = cutl.gemm {{.*}} outs(%[[E]] : (m) add) {
// CHECK:         return %[[R]]
func.func @sum(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%i : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %t = arith.addf %x, %out fastmath<reassoc> : f32
    linalg.yield %t : f32
  }
  return %1 : tensor<4xf32>
}

// With a function of the result and of something else, into a destination of its
// own.
// CHECK-LABEL: func @sum_of_products
// CHECK-SAME:    %[[G:[^,]*]]: tensor<4x6xf16>, %[[S:[^,]*]]: tensor<6xf32>)
// CHECK-NEXT:    cutl.gemm {{.*}} aux(%[[G]] : (m, n)) outs(%[[S]] : (n) add) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[Y:.*]]: f16):
// CHECK-NEXT:      %[[Y32:.*]] = arith.extf %[[Y]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[ACC]], %[[Y32]]
// CHECK-NEXT:      cutl.yield %[[P]]
func.func @sum_of_products(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %g: tensor<4x6xf16>, %s: tensor<6xf32>)
    -> tensor<6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%s : tensor<6xf32>) -> tensor<6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #j], iterator_types = ["reduction", "parallel"]}
    ins(%0, %g : tensor<4x6xf32>, tensor<4x6xf16>) outs(%i : tensor<6xf32>) {
  ^bb0(%x: f32, %y: f16, %out: f32):
    %y32 = arith.extf %y : f16 to f32
    %p = arith.mulf %x, %y32 : f32
    %t = arith.addf %out, %p fastmath<fast> : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// CHECK-LABEL: func @amax
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<f32>
// CHECK-NEXT:    cutl.gemm {{.*}} outs(%[[E]] : () amax) {
func.func @amax(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<f32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %1 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<4x6xf32>) outs(%z : tensor<f32>) {
  ^bb0(%x: f32, %out: f32):
    %m = math.absf %x : f32
    %s = arith.maximumf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %1 : tensor<f32>
}

// The magnitude may be computed elsewhere.
// CHECK-LABEL: func @amax_of_chain
// CHECK:         cutl.gemm {{.*}} outs(%{{.*}} : (m) amax) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = math.absf %[[ACC]]
// CHECK-NEXT:      cutl.yield %[[M]]
func.func @amax_of_chain(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %1 = linalg.abs ins(%0 : tensor<4x6xf32>) outs(%d : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %2 : tensor<4xf32>
}

// From minus infinity it is a maximum of magnitudes like any other.
// CHECK-LABEL: func @magnitudes
// CHECK:         cutl.gemm {{.*}} outs(%{{.*}} : (m) max) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = math.absf %[[ACC]]
// CHECK-NEXT:      cutl.yield %[[M]]
func.func @magnitudes(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0xFF800000> : tensor<4xf32>
  %1 = math.absf %0 : tensor<4x6xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %2 : tensor<4xf32>
}

// A start that is no identity is combined with the result.
// CHECK-LABEL: func @max_from_zero
// CHECK-NEXT:    %[[Z:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK:         %[[R:.*]] = cutl.gemm {{.*}} outs(%{{.*}} : (m) max) {
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[R]] : tensor<4xf32>) outs(%[[Z]] : tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT:      arith.maximumf %[[OUT]], %[[IN]]
// CHECK:         return %[[S]]
func.func @max_from_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @sum_from
// CHECK-SAME:    %[[S:[^,]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = cutl.gemm {{.*}} outs(%{{.*}} : (m) add) {
// CHECK:         linalg.generic {{.*}} ins(%[[R]] : tensor<4xf32>) outs(%[[S]] : tensor<4xf32>) {
// CHECK:           arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,nsz>
func.func @sum_from(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%s : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %t = arith.addf %x, %out fastmath<reassoc,nsz> : f32
    linalg.yield %t : f32
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @negative_zero
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:    cutl.gemm {{.*}} outs(%[[E]] : (m) add) {
func.func @negative_zero(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<-0.0> : tensor<4xf32>
  %1 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %t = arith.addf %x, %out fastmath<reassoc,nsz> : f32
    linalg.yield %t : f32
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @ignores_nan
// CHECK:         cutl.gemm {{.*}} outs(%{{.*}} : (m) min) {
func.func @ignores_nan(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = arith.constant dense<0x7F800000> : tensor<4xf32>
  %1 = linalg.reduce ins(%0 : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1] (%x: f32, %out: f32) {
    %s = arith.minnumf %x, %out fastmath<nnan> : f32
    linalg.yield %s : f32
  }
  return %1 : tensor<4xf32>
}

// Integers wrap in any order. From a transposed result, under a cast.
// CHECK-LABEL: func @integers
// CHECK-SAME:    %[[S:[^,]*]]: tensor<6xi32>)
// CHECK:         cutl.gemm {{.*}} outs(%{{.*}} : (n) max) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: i32):
// CHECK-NEXT:      %[[X:.*]] = arith.trunci %[[ACC]] : i32 to i16
// CHECK-NEXT:      %[[Y:.*]] = arith.extsi %[[X]] : i16 to i32
// CHECK-NEXT:      cutl.yield %[[Y]]
func.func @integers(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %s: tensor<6xi32>) -> tensor<6xi32> {
  %d = tensor.empty() : tensor<4x6xi16>
  %e = tensor.empty() : tensor<6x4xi16>
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: i32):
    %x = arith.trunci %acc : i32 to i16
    cutl.yield %x : i16
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<4x6xi16>) -> tensor<4x6xi16>
  %1 = linalg.transpose ins(%0 : tensor<4x6xi16>) outs(%e : tensor<6x4xi16>) permutation = [1, 0]
  %least = arith.constant -2147483648 : i32
  %i = linalg.fill ins(%least : i32) outs(%s : tensor<6xi32>) -> tensor<6xi32>
  %2 = linalg.generic {indexing_maps = [#id, #i], iterator_types = ["parallel", "reduction"]}
    ins(%1 : tensor<6x4xi16>) outs(%i : tensor<6xi32>) {
  ^bb0(%x: i16, %out: i32):
    %x32 = arith.extsi %x : i16 to i32
    %m = arith.maxsi %out, %x32 : i32
    linalg.yield %m : i32
  } -> tensor<6xi32>
  return %2 : tensor<6xi32>
}

// Sizes of the reduced output come from the operands too; a batch dimension can
// be reduced where A or B has it.
// CHECK-LABEL: func @dynamic
// CHECK-SAME:    (%[[A:.*]]: tensor<?x?x8xf32>, %[[B:.*]]: tensor<?x8xf32>, %{{.*}}: tensor<?x?x?xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[B]], %{{.*}} : tensor<?x8xf32>
// CHECK-NEXT:    %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT:    cutl.gemm {{.*}} outs(%[[E]] : (n) min) {
func.func @dynamic(%a: tensor<?x?x8xf32>, %b: tensor<?x8xf32>, %d: tensor<?x?x?xf32>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x?x8xf32>, tensor<?x8xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %n = tensor.dim %0, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %inf = arith.constant 0x7F800000 : f32
  %i = linalg.fill ins(%inf : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.reduce { arith.minimumf } ins(%0 : tensor<?x?x?xf32>) outs(%i : tensor<?xf32>) dimensions = [0, 1]
  return %1 : tensor<?xf32>
}
