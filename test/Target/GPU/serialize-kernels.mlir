// RUN: cutl-opt %s --cutl-serialize-kernels | FileCheck %s
// RUN: cutl-opt %s --cutl-serialize-kernels=format=ptx | FileCheck %s

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {

// CHECK:      gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">,
// CHECK-SAME: kernels = <[#gpu.kernel_metadata<"f_0", !llvm.func<void (ptr<1>, i32)>,
// CHECK-SAME:   metadata = {cutl_tile.launch_info = {block = 128 : i64, params = []{{.*}}}}>]>,
// CHECK-SAME: assembly = "{{.*}}.version 8.0{{.*}}.target sm_90a{{.*}}.visible .entry f_0(
// CHECK-NOT:  gpu.module @kernels
gpu.module @kernels {
  llvm.func internal @helper(%x: i32) -> i32 {
    %0 = llvm.add %x, %x : i32
    llvm.return %0 : i32
  }
  llvm.func @f_0(%p: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, cutl_tile.launch_info = {block = 128 : i64, params = []}} {
    %0 = llvm.call @helper(%n) : (i32) -> i32
    llvm.store %0, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}

// Kernels of others stay.
// CHECK: gpu.module @theirs
gpu.module @theirs {
  gpu.func @kernel() kernel {
    gpu.return
  }
}
}
