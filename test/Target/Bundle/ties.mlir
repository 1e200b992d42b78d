// Sizes that must agree. What types decide is not asked again.
// REQUIRES: cutl-compile
// RUN: cutl-compile %s --emit=bundle-text | FileCheck %s --match-full-lines

//      CHECK: entry ties
// CHECK-NEXT: operand a : ?x64xf16
// CHECK-NEXT: operand b : ?x?xf16
// CHECK-NEXT: operand s : ?x2xf32 written
// CHECK-NEXT: scalar alpha : f32
// CHECK-NEXT: requires stride(a, 1) in 1 to 1 {{.*}}
// CHECK-NEXT: requires stride(b, 1) in 1 to 1 {{.*}}
// CHECK-NEXT: requires stride(s, 0) in 2 to 2 {{.*}}
// CHECK-NEXT: requires stride(s, 1) in 1 to 1 {{.*}}
// CHECK-NEXT: requires size(b, 1) == 64 "expected dimension 1 of 'a' and dimension 1 of 'b' to be equal"
// CHECK-NEXT: requires size(b, 0) == size(a, 0) * 2 "expected dimension 0 of 'b' to be dimension 0 of 'a' times 2 over 1, rounded up"
// CHECK-NEXT: requires size(s, 0) == size(b, 0) ceildiv 128 "expected dimension 0 of 's' to be dimension 0 of 'b' times 1 over 128, rounded up"
// CHECK-NEXT: requires size(b, 1) == 64 "expected the size of dimension 1 of 'b' to be 64"
// CHECK-NEXT: variant primary for sm_90a

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @ties {
  cutl.entry @ties(%a: memref<?x64xf16, strided<[?, 1]>> {cutl.name = "a"}, %alpha: f32 {cutl.name = "alpha"},
                   %b: memref<?x?xf16> {cutl.name = "b"}, %s: memref<?x2xf32> {cutl.name = "s"},
                   %workspace: memref<?xi8>)
      attributes {cutl.host_writes = array<i64: 3>,
                  cutl.host_ties = [array<i64: 0, 1, 1, 1, 2, 1>, array<i64: 0, 0, 2, 1, 2, 0>,
                                    array<i64: 2, 0, 1, 128, 3, 0>, array<i64: 0, 1, 1, 32, 3, 1>,
                                    array<i64: -1, 64, 1, 1, 2, 1>, array<i64: 0, 1, 1, 1, 2, 1>]} {
    cutl.end_entry
  }
}
}
