// Extents that are known at run time: a kernel for each configuration on a GPU, and none of it on a CPU.
// RUN: cutl-opt %s --cutl-to-ptx=chip=sm_90a | FileCheck %s
// RUN: cutl-opt %s --cutl-to-ptx="chip=sm_90a variants=1" | FileCheck %s --check-prefix=ONE
// RUN: cutl-opt %s --cutl-configure=chip=sm_90a | cutl-opt --cutl-to-cpu | FileCheck %s --check-prefix=CPU
// RUN: cutl-opt %s --cutl-to-tiled=chip=sm_90a --convert-cutl-tile-to-scf=grid=2 | FileCheck %s --check-prefix=HOST

// CHECK:      cutl.entry @linear
// CHECK:        cutl.launch_kernel @kernels::@linear_0({{.*}}) variants(%{{.*}} : [@kernels::@linear_0_variant_0
// CHECK:      gpu.binary @kernels
// CHECK-SAME:   "linear_0",
// CHECK-SAME:   "linear_0_variant_0",

// ONE:        cutl.entry @linear
// ONE-NEXT:     cutl.launch_kernel @kernels::@linear_0({{[^)]*}}) : (
// ONE-NOT:    variant

// CPU-NOT:    variant
// CPU:        llvm.func @linear
// CPU-NOT:    variant

// The host runs what serves many.
// HOST:       func.func private @linear_0(
// HOST:       func.func private @linear_0_variant_0(
// HOST:       func.func private @linear_1(
// HOST:         call @linear_0(
// HOST-NOT:     call @linear_0_variant
func.func @linear(%x: memref<?x256xbf16>, %w: memref<1024x256xbf16>, %d: memref<?x1024xbf16>) {
  cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x256xbf16>, memref<1024x256xbf16>, memref<?x1024xbf16>) -> ()
  return
}
