// An entry whose kernel divides tiles: counters are set to zero first, the grid is what the workspace is for, and the
// alternative has a workspace of its own number of CTAs.
// REQUIRES: cutl-compile
// RUN: cutl-compile %s --chip=sm_90a --emit=bundle-text | FileCheck %s

// CHECK-LABEL: entry product
// CHECK:         variant primary
// CHECK:         workspace {{.*}}131072 * {{.*}}occupancy(1){{.*}}
// CHECK-NEXT:      step 0 memset workspace with 0 of 4 bytes, {{.*}}occupancy(1){{.*}} * 2 times
// CHECK-NEXT:      step 1 launch product_0 of
// CHECK-NEXT:        grid [min(min(occupancy(1), 100), max(
// CHECK:             parameter address workspace[
// CHECK-NEXT:        parameter address workspace
// CHECK:         variant alternative
// CHECK:         workspace {{.*}}131072 * {{.*}}occupancy(1){{.*}}
// CHECK-NEXT:      step 0 memset workspace
// CHECK-NEXT:      step 1 launch product_0_elements of
// CHECK-NEXT:        grid [min(min(occupancy(1), 100), max(
func.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>)
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 100)
      config(#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>) schedule(#cutl.stream_k) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>) -> ()
  return
}
