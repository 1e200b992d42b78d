// RUN: cutl-opt %s --convert-cutl-to-linalg --split-input-file | FileCheck %s

// Each reduced output: the identity, then a generic of its own that reads only
// what it needs, before the whole outputs are written.
// CHECK-DAG:   #[[$MN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[$N:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[$M:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:   #[[$NIL:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @combiners
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<4x6xf32>, %[[D:[a-z0-9]+]]: tensor<4x6xf32>, %[[S:[a-z0-9]+]]: tensor<6xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[I:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<f32>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}}"reduction"]
// CHECK:         %[[ADD0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[ADDF:.*]] = linalg.fill ins(%[[ADD0]] : f32) outs(%[[S]] :
// CHECK:         %[[ADD:.*]] = linalg.generic {indexing_maps = [#[[$MN]], #[[$N]]], iterator_types = ["reduction", "parallel"]} ins(%[[P]] : {{.*}}) outs(%[[ADDF]] :
// CHECK-NEXT:    ^bb0(%[[V:.*]]: f32, %[[CUR:.*]]: f32):
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %[[CUR]], %[[V]] : f32
// CHECK-NEXT:      linalg.yield %[[NEXT]]
// CHECK:         %[[MAX0:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[MAXF:.*]] = linalg.fill ins(%[[MAX0]] : f32) outs(%[[X]] :
// CHECK:         %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[$MN]], #[[$MN]], #[[$M]]], iterator_types = ["parallel", "reduction"]} ins(%[[P]], %[[C]] : {{.*}}) outs(%[[MAXF]] :
// CHECK:           arith.addf
// CHECK:           arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK:         %[[MIN0:.*]] = arith.constant 0x7F800000 : f32
// CHECK:         %[[MINF:.*]] = linalg.fill ins(%[[MIN0]] : f32) outs(%[[I]] :
// CHECK:         %[[MIN:.*]] = linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%[[MINF]] :
// CHECK:           arith.minimumf %{{.*}}, %{{.*}} : f32
// CHECK:         %[[AMAX0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[AMAXF:.*]] = linalg.fill ins(%[[AMAX0]] : f32) outs(%[[Y]] :
// CHECK:         %[[AMAX:.*]] = linalg.generic {indexing_maps = [#[[$MN]], #[[$NIL]]], iterator_types = ["reduction", "reduction"]} ins(%[[P]] : {{.*}}) outs(%[[AMAXF]] :
// CHECK-NEXT:    ^bb0(%[[V:.*]]: f32, %[[CUR:.*]]: f32):
// CHECK-NEXT:      %[[ABS:.*]] = math.absf %[[V]] : f32
// CHECK-NEXT:      arith.maximumf %[[CUR]], %[[ABS]] : f32
// CHECK:         %[[W:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[C]] : {{.*}}) outs(%[[D]] :
// CHECK:         return %[[W]], %[[ADD]], %[[MAX]], %[[MIN]], %[[AMAX]]
func.func @combiners(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>, %d: tensor<4x6xf32>, %s: tensor<6xf32>,
                     %x: tensor<4xf32>, %i: tensor<4xf32>, %y: tensor<f32>)
    -> (tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %0:5 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n))
      outs(%d : (m, n), %s : (n) add, %x : (m) max, %i : (m) min, %y : () amax) {
  ^bb0(%acc: f32, %e: f32):
    %t = arith.addf %acc, %e : f32
    cutl.yield %t, %acc, %t, %acc, %acc : f32, f32, f32, f32, f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>,
       tensor<f32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func @integer_combiners
// CHECK:         linalg.fill
// CHECK:         arith.constant 0 : i32
// CHECK:           arith.addi
// CHECK:         arith.constant -2147483648 : i32
// CHECK:           arith.maxsi
// CHECK:         arith.constant 127 : i8
// CHECK:           arith.minsi
// CHECK:         arith.constant 0 : i32
// The magnitude of the least integer has no place in its type.
// CHECK:           %[[LEAST:.*]] = arith.constant -2147483647 : i32
// CHECK:           %[[CLAMPED:.*]] = arith.maxsi %{{.*}}, %[[LEAST]] : i32
// CHECK:           %[[ABS:.*]] = math.absi %[[CLAMPED]] : i32
// CHECK:           arith.maxsi %{{.*}}, %[[ABS]] : i32
func.func @integer_combiners(%a: tensor<4x8xi8>, %b: tensor<6x8xi8>, %s: tensor<6xi32>, %x: tensor<6xi32>, %i: tensor<6xi8>,
                             %y: tensor<i32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<i32>) {
  %0:4 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%s : (n) add, %x : (n) max, %i : (n) min, %y : () amax) {
  ^bb0(%acc: i32):
    %t = arith.trunci %acc : i32 to i8
    cutl.yield %acc, %acc, %t, %acc : i32, i32, i8, i32
  } : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<i32>)
      -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<i32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<i32>
}

// -----

// Several whole outputs, of different types and maps, come from one generic.
// CHECK-LABEL: func @several_outputs
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<4x6xf16>, %[[E:[a-z0-9]+]]: tensor<6x4xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}}"reduction"]
// CHECK:         %[[R:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[P]] : {{.*}}) outs(%[[D]], %[[E]] :
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @several_outputs(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %d: tensor<4x6xf16>, %e: tensor<6x4xf32>)
    -> (tensor<4x6xf16>, tensor<6x4xf32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %e : (n, m)) {
  ^bb0(%acc: f32):
    %h = arith.truncf %acc : f32 to f16
    cutl.yield %h, %acc : f16, f32
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf16>, tensor<6x4xf32>) -> (tensor<4x6xf16>, tensor<6x4xf32>)
  return %0#0, %0#1 : tensor<4x6xf16>, tensor<6x4xf32>
}

// -----

// Numbers by value and rank-0 tensors have empty maps.
// CHECK-DAG:   #[[$NIL:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @linear_combination
// CHECK-SAME:    %[[ALPHA:[a-z0-9]+]]: f32, %[[BETA:[a-z0-9]+]]: tensor<f32>, %[[C:[a-z0-9]+]]: tensor<4x6xf32>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[$NIL]], #[[$NIL]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %[[ALPHA]], %[[BETA]], %[[C]] :
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[AL:.*]]: f32, %[[BE:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[AL]], %[[ACC]] : f32
// CHECK-NEXT:      %[[Q:.*]] = arith.mulf %[[BE]], %[[X]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[P]], %[[Q]] : f32
// CHECK:           %[[IS0:.*]] = arith.cmpf oeq, %[[BE]], %{{.*}} : f32
// CHECK-NEXT:      arith.select %[[IS0]], %[[P]], %[[S]] : f32
func.func @linear_combination(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %alpha: f32, %beta: tensor<f32>,
                              %c: tensor<4x6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%alpha : (), %beta : (), %c : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %al: f32, %be: f32, %x: f32):
    %r = cutl.linear_combination %al, %acc, %be, %x : f32
    cutl.yield %r : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, f32, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Every activation becomes arith and math; narrow types are computed in f32.
// CHECK-LABEL: func @activations
// CHECK:         ^bb0(%{{.*}}: f32, %{{.*}}: bf16):
// CHECK-NOT:       cutl.
// CHECK:           arith.cmpf ugt
// CHECK:           arith.select
// CHECK:           math.erf
// CHECK:           math.tanh
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK:           math.tanh
// CHECK:           %[[H:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK:           %[[W:.*]] = arith.extf %[[H]] : bf16 to f32
// CHECK:           arith.cmpf ugt, %[[W]], %{{.*}} : f32
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT:       cutl.
// CHECK:           linalg.yield
func.func @activations(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %0 = cutl.relu %acc : f32
    %1 = cutl.gelu %0 : f32
    %2 = cutl.gelu tanh %1 : f32
    %3 = cutl.silu %2 : f32
    %4 = cutl.sigmoid %3 : f32
    %5 = cutl.tanh %4 : f32
    %6 = arith.truncf %5 : f32 to bf16
    %7 = cutl.relu %6 : bf16
    cutl.yield %7 : bf16
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// -----

// The same value twice, a block argument as it is, a constant alone.
// CHECK-LABEL: func @trivial_bodies
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[CST:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:      linalg.yield %[[ACC]], %[[ACC]], %[[X]], %[[CST]]
func.func @trivial_bodies(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<6xf32>, %d: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0:4 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n), %d : (m, n), %d : (m, n), %d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %two = arith.constant 2.0 : f32
    cutl.yield %acc, %acc, %x, %two : f32, f32, f32, f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
      -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// A sum of narrow values is made in f32 and rounded once.
// CHECK-LABEL: func @narrow_sum
// CHECK-SAME:    %[[S:[a-z0-9]+]]: tensor<6xf16>)
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<6xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}}["reduction", "parallel"]{{.*}} outs(%[[FILL]] : tensor<6xf32>)
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.addf
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<6xf32>) outs(%[[S]] : tensor<6xf16>)
// CHECK:           arith.truncf %{{.*}} : f32 to f16
// CHECK:         return %[[R]]
func.func @narrow_sum(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>, %s: tensor<6xf16>) -> tensor<6xf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%s : (n) add) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<6xf16>) -> tensor<6xf16>
  return %0 : tensor<6xf16>
}
