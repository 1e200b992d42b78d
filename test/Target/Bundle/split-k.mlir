// Parts that add as they arrive: what they add to, and counters, are set to zero first, and the PTX has vector additions.
// REQUIRES: cutl-compile
// RUN: cutl-compile %s --chip=sm_90a --emit=bundle-text | FileCheck %s
// RUN: cutl-compile %s --chip=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: entry product
// CHECK:         step 0 memset workspace{{.*}} with 0 of 4 bytes, {{.*}}* 32768 times
// CHECK-NEXT:    step 1 memset workspace{{.*}} with 0 of 4 bytes, {{.*}}* 2 times
// CHECK-NEXT:    step 2 launch product_0 of
// CHECK-NEXT:      grid [min(

// PTX:           .version 8.1
// PTX:           red.relaxed.gpu.global.add.v4.f32
func.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>)
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = false)
      config(#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4, reduction = arrival_order>) {
  ^bb0(%x: f32):
    %r = cutl.relu %x : f32
    %o = arith.truncf %r : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>) -> ()
  return
}
