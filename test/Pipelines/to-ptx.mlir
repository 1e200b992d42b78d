// From a problem to PTX that is complete: for the right chip, and calling nothing.
// RUN: cutl-opt %s --cutl-to-ptx=chip=sm_90a | FileCheck %s
// RUN: cutl-opt %s --cutl-to-ptx=chip=sm_90a | FileCheck %s --check-prefix=WHOLE --implicit-check-not='.extern .func'

// CHECK:      cutl.entry @linear
// CHECK:        cutl.launch_kernel @kernels::@linear_0(
// CHECK:      gpu.binary @kernels [#gpu.object<#nvvm.target<
// CHECK-SAME:   chip = "sm_90a"
// CHECK-SAME:   #gpu.kernel_metadata<"linear_0",
// CHECK-SAME:   cutl_tile.launch_info = {alternative = @linear_0_elements,
// CHECK-SAME:   .version 8.0
// CHECK-SAME:   .target sm_90a
// CHECK-SAME:   .visible .entry linear_0(
// CHECK-SAME:   mbarrier.init.shared
// CHECK-SAME:   setmaxnreg.inc
// CHECK-SAME:   wgmma.mma_async.sync.aligned
// CHECK-SAME:   stmatrix.sync.aligned
// CHECK-SAME:   cp.async.bulk.tensor.2d.global.shared::cta
// CHECK-SAME:   setmaxnreg.dec
// CHECK-SAME:   cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK-SAME:   .visible .entry linear_0_elements(
// WHOLE:      gpu.binary
func.func @linear(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>, %b: tensor<?xf32>, %d: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%b : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %bias: f32):
    %s = arith.addf %acc, %bias : f32
    %t = math.tanh %s : f32
    %o = arith.truncf %t : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xf32>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
