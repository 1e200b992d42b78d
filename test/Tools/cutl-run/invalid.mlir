// REQUIRES: cutl-run

// RUN: not cutl-run %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not cutl-run %s --function third 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not cutl-run %s --function first 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not cutl-run %s --function first --shape q=3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not cutl-run %s --function first --shape m=x 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER
// RUN: not cutl-run %s --function first --shape m=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// RUN: not cutl-run %s --function first --shape m=4,k=9 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATIC
// RUN: not cutl-run %s --function first --shape m=4 --sample 0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAMPLE
// RUN: not cutl-run %s --function first --shape m=4 --cpu z80 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: not cutl-run %s --function second --verify 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHEROP
// RUN: not cutl-run %t.missing 2>&1 | FileCheck %s --check-prefix=FILE

// SEVERAL: error: expected one public function with a body, or --function with the name of one; there are first, second
// NAME: error: expected the name of a public function with a body, got 'third'; there are first, second
// OPEN: error: expected a size for dynamic dimension 'm' (dimension 0 of arg0); dynamic dimensions are m
// UNKNOWN: error: expected the name of a dimension before '=', got 'q=3'; dynamic dimensions are m
// NUMBER: error: expected name=size with a size of at least 0, got 'm=x'
// NEGATIVE: error: expected name=size with a size of at least 0, got 'm=-1'
// STATIC: error: expected tied dimensions to have one size, but k=9 gives 9 and dimension 1 of arg0 gives 8
// SAMPLE: error: expected a sample of at least 1 element, got 0
// CPU: error: {{.*}}z80
// OTHEROP: error: expected cutl.gemm, tensor.empty, memref.alloc, a dim op or a constant in a function that is to be verified, got 'arith.addf'
// FILE: cutl-run: cannot open input file

func.func @first(%a: tensor<?x8xf32>, %b: tensor<4x8xf32>,
                 %d: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func @second(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %x: f32,
                  %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %alpha = arith.addf %x, %x : f32
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%alpha : ())
      outs(%d : (m, n)) {
  ^bb0(%acc: f32, %t: f32):
    %o = arith.mulf %acc, %t : f32
    cutl.yield %o : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>, f32, tensor<4x4xf32>)
      -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
