// REQUIRES: cutl-run
//
// Upstream bufferization and canonicalization keep the numbers, whatever the order
// of the operands: layout is in the maps, not in the types. (Afterwards the
// destination counts as an argument and as the result.)
// RUN: cutl-opt %s --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse -o %t.mlir
// RUN: cutl-run %s --function row_row --verify --seed 3 | grep -o '851 of .*' | uniq > %t.before
// RUN: cutl-run %t.mlir --function row_row --verify --seed 3 | grep -o '851 of .*' | uniq > %t.after
// RUN: FileCheck %s --check-prefix=RESULT --input-file=%t.before
// RUN: diff %t.before %t.after
// RUN: cutl-run %s --function row_column --verify --seed 3 | grep -o '851 of .*' | uniq > %t.before
// RUN: cutl-run %t.mlir --function row_column --verify --seed 3 | grep -o '851 of .*' | uniq > %t.after
// RUN: FileCheck %s --check-prefix=RESULT --input-file=%t.before
// RUN: diff %t.before %t.after
// RUN: cutl-run %s --function column_row --verify --seed 3 | grep -o '851 of .*' | uniq > %t.before
// RUN: cutl-run %t.mlir --function column_row --verify --seed 3 | grep -o '851 of .*' | uniq > %t.after
// RUN: FileCheck %s --check-prefix=RESULT --input-file=%t.before
// RUN: diff %t.before %t.after
// RUN: cutl-run %s --function column_column --verify --seed 3 | grep -o '851 of .*' | uniq > %t.before
// RUN: cutl-run %t.mlir --function column_column --verify --seed 3 | grep -o '851 of .*' | uniq > %t.after
// RUN: FileCheck %s --check-prefix=RESULT --input-file=%t.before
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.mlir

// RESULT: 851 of 851 elements, worst error 0.{{[0-9]+}} of its bound

// CHECK-LABEL: func @row_row
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (k, n)) aux(%[[D:.*]] : (m, n)) outs(%[[D]] : (m, n)) {
func.func @row_row(%a: tensor<37x29xf16>, %b: tensor<29x23xf16>, %d: tensor<37x23xf32>) -> tensor<37x23xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (k, n)) aux(%d : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    %r = cutl.relu %s : f32
    cutl.yield %r : f32
  } : (tensor<37x29xf16>, tensor<29x23xf16>, tensor<37x23xf32>, tensor<37x23xf32>) -> tensor<37x23xf32>
  return %0 : tensor<37x23xf32>
}

// CHECK-LABEL: func @row_column
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) aux(%[[D:.*]] : (m, n)) outs(%[[D]] : (m, n)) {
func.func @row_column(%a: tensor<37x29xf16>, %b: tensor<23x29xf16>, %d: tensor<37x23xf32>) -> tensor<37x23xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%d : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    %r = cutl.relu %s : f32
    cutl.yield %r : f32
  } : (tensor<37x29xf16>, tensor<23x29xf16>, tensor<37x23xf32>, tensor<37x23xf32>) -> tensor<37x23xf32>
  return %0 : tensor<37x23xf32>
}

// CHECK-LABEL: func @column_row
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         cutl.gemm ins(%{{.*}} : (k, m), %{{.*}} : (k, n)) aux(%[[D:.*]] : (m, n)) outs(%[[D]] : (m, n)) {
func.func @column_row(%a: tensor<29x37xf16>, %b: tensor<29x23xf16>, %d: tensor<37x23xf32>) -> tensor<37x23xf32> {
  %0 = cutl.gemm ins(%a : (k, m), %b : (k, n)) aux(%d : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    %r = cutl.relu %s : f32
    cutl.yield %r : f32
  } : (tensor<29x37xf16>, tensor<29x23xf16>, tensor<37x23xf32>, tensor<37x23xf32>) -> tensor<37x23xf32>
  return %0 : tensor<37x23xf32>
}

// CHECK-LABEL: func @column_column
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         cutl.gemm ins(%{{.*}} : (k, m), %{{.*}} : (n, k)) aux(%[[D:.*]] : (m, n)) outs(%[[D]] : (m, n)) {
func.func @column_column(%a: tensor<29x37xf16>, %b: tensor<23x29xf16>, %d: tensor<37x23xf32>) -> tensor<37x23xf32> {
  %0 = cutl.gemm ins(%a : (k, m), %b : (n, k)) aux(%d : (m, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %c: f32):
    %s = arith.addf %acc, %c : f32
    %r = cutl.relu %s : f32
    cutl.yield %r : f32
  } : (tensor<29x37xf16>, tensor<23x29xf16>, tensor<37x23xf32>, tensor<37x23xf32>) -> tensor<37x23xf32>
  return %0 : tensor<37x23xf32>
}
