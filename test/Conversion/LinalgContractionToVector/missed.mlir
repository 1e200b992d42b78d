// RUN: cutl-opt %s -split-input-file -convert-linalg-contraction-to-vector --remarks-filter=".*" --remark-policy=all 2>&1 | FileCheck %s
// RUN: not cutl-opt %s -split-input-file -convert-linalg-contraction-to-vector=vector-bits=64 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not cutl-opt %s -split-input-file -convert-linalg-contraction-to-vector=block-k=0 2>&1 | FileCheck %s --check-prefix=BLOCK

// BITS: error: expected vector-bits to be 128, 256 or 512, got 64
// BLOCK: error: expected block-k between 1 and 4096, got 0

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-DAG: expected a body that yields the accumulator plus a product
func.func @sum(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %acc: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%acc : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %p = arith.addf %x, %y : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-DAG: a factor reads the accumulator
func.func @reads_accumulator(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %acc: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%acc : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %q = arith.subf %y, %c : f32
    %p = arith.mulf %x, %q : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-DAG: 'linalg.index' in a factor is not a pure function of the inputs
func.func @index(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %acc: memref<?x?xi32>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xi32>, memref<?x?xi32>) outs(%acc : memref<?x?xi32>) {
  ^bb0(%x: i32, %y: i32, %c: i32):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i32
    %p = arith.muli %x, %j : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// CHECK-DAG: expected an accumulator of f32, f64, i32 or i64
func.func @half(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %acc: memref<?x?xf16>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%acc : memref<?x?xf16>) {
  ^bb0(%x: f16, %y: f16, %c: f16):
    %p = arith.mulf %x, %y : f16
    %s = arith.addf %c, %p : f16
    linalg.yield %s : f16
  }
  return
}

// CHECK-DAG: expected one reduction dimension and parallel ones
func.func @two_reductions(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %acc: memref<?xf32>) {
  linalg.generic {indexing_maps = [#mk, #kn, affine_map<(m, n, k) -> (m)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%acc : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Each of the five is still there, and nothing else was made of them.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: vector
// CHECK-COUNT-5: linalg.generic
// CHECK-NOT: scf.for
