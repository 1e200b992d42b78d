// What ptxas makes of kernels passes the checks of cubins.
// REQUIRES: cutl-compile, ptxas
// RUN: cutl-opt %s --cutl-to-tiled=chip=sm_90a --cutl-lower-to-nvvm --cutl-serialize-kernels=format=cubin -o %t.mlir
// RUN: cutl-compile %t.mlir -o %t.cutlb
// RUN: cutl-compile %t.mlir --emit=bundle-text | FileCheck %s

// CHECK: step 0 launch product_0 of product_bundle.kernels.cubin (cubin,
func.func @product(%a: memref<256x64xf16>, %b: memref<128x64xf16>, %d: memref<256x128xf16>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<256x64xf16>, memref<128x64xf16>, memref<256x128xf16>) -> ()
  return
}
