// REQUIRES: cutl-run

// What an argument is called, here as in a bundle.

// RUN: cutl-run %s --shape A.0=9,S.0=7,k=20 --verify | FileCheck %s
// RUN: not cutl-run %s --shape n=7,k=20 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not cutl-run %s --shape A.0=9,C.0=8,n=7,k=20 2>&1 | FileCheck %s --check-prefix=TIED
// RUN: not cutl-run %s --shape arg0.0=9,n=7,k=20 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not cutl-run %s --shape m=9,k=20,n=7,C.1=8 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: sed 's/#layout = strided<\[64, 1\]>/#layout = strided<[-64, 1]>/' %s \
// RUN:   | not cutl-run --shape m=9,k=20,n=7 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: sed 's/%%x: i8/%%x: i4/' %s | not cutl-run --shape m=9,k=20,n=7 2>&1 | FileCheck %s --check-prefix=BITS

// CHECK: verified C: 63 of 63 elements
// CHECK: verified S: 7 of 7 elements
// OPEN: error: expected a size for dynamic dimension 'm' (dimension 0 of A); dynamic dimensions are m
// TIED: error: expected tied dimensions to have one size, but C.0=8 gives 8 and A.0=9 gives 9
// NUMBER: error: expected the name of a dimension before '=', got 'arg0.0=9'; dynamic dimensions are m, n, k
// STATIC: error: expected tied dimensions to have one size, but C.1=8 gives 8 and n=7 gives 7
// NEGATIVE: error: expected B to have no negative strides, got 'memref<?x?xf32, strided<[-64, 1]>>'
// BITS: error: expected scale to be numbers of 8, 16, 32 or 64 bits, got 'i4'

#layout = strided<[64, 1]>
func.func @named(%a: memref<?x?xf32> {cutl.name = "A"}, %b: memref<?x?xf32, #layout> {cutl.name = "B"},
                 %c: memref<?x?xf32> {cutl.name = "C"}, %s: memref<?xf32> {cutl.name = "S"},
                 %x: i8 {cutl.name = "scale"}) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%c : (m, n), %s : (n) add) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (memref<?x?xf32>, memref<?x?xf32, #layout>, memref<?x?xf32>, memref<?xf32>) -> ()
  return
}
