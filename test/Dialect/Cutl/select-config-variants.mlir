// Extents that are known at run time: a few configurations, and which extents each serves.
// RUN: cutl-opt %s --cutl-select-config | FileCheck %s
// RUN: cutl-opt %s --cutl-select-config --cutl-verify-config -o /dev/null
// RUN: cutl-opt %s --cutl-select-config=variants=1 | FileCheck %s --check-prefix=ONE
// RUN: cutl-opt %s --cutl-select-config=variants=2 | FileCheck %s --check-prefix=TWO
// RUN: cutl-opt %s --cutl-select-config --remark-format=emitRemark --remarks-filter=cutl-select-config 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// ONE-NOT: variants(

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// Few rows have swapped operands; what has no guard serves many.
// CHECK-LABEL: func @rows
// CHECK:         config(#cutl.tile_config<cta = [128, {{[0-9]+}}, 64], {{[^()]*}}>)
// CHECK-SAME:    variants(#cutl.variant<m at_most {{[0-9]+}}, config = <cta = [64, {{[0-9]+}}, 128], {{[^<>]*}}swap_operands = true>>, #cutl.variant<m at_most {{[0-9]+}}, config = <
// CHECK-SAME:    schedule(#cutl.data_parallel)
// TWO-LABEL:   func @rows
// TWO:           config(#cutl.tile_config<cta = [[REST:[^>]*]]>) variants(#cutl.variant<m at_most {{[0-9]+}}, config = <cta = {{[^>]*}}>>
// REMARK:      Function=rows
// REMARK-SAME:   chose 128x{{[^)]*}} us), but 64x{{[^,]*}},{{[^<]*}} swapped if m <= {{[0-9]+}}, {{.*}} if m <= {{[0-9]+}}"
func.func @rows(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>, %d: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x4096xbf16>, tensor<4096x4096xbf16>, tensor<?x4096xbf16>) -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// Products of extents are compared where several are dynamic.
// CHECK-LABEL: func @all
// CHECK:         variants(#cutl.variant<{{.*}}results at_most {{[0-9]+}}
func.func @all(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %d: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (b, n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x?x?xbf16>, tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}

// One configuration where the caller wrote it or the schedule, where what else runs follows from the tile, and where
// all is known.
// CHECK-LABEL: func @one
// CHECK-NOT:     variants(
// CHECK-LABEL: func @end
func.func @one(%a: memref<?x512xbf16>, %b: memref<512x512xbf16>, %d: memref<?x512xf32>, %r: memref<?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x512xbf16>, memref<512x512xbf16>, memref<?x512xf32>) -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x512xbf16>, memref<512x512xbf16>, memref<?x512xf32>) -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%r : (m) add) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x512xbf16>, memref<512x512xbf16>, memref<?xf32>) -> ()
  return
}

func.func @end(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %d: memref<512x512xf32>) {
  // CHECK-NOT:   variants(
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
  return
}
}
