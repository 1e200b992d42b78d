// REQUIRES: ptxas
// RUN: cutl-opt %s --cutl-serialize-kernels=format=cubin | FileCheck %s

// CHECK: gpu.binary @kernels [#gpu.object<{{.*}}, bin = "\7FELF
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  llvm.func @f_0() attributes {nvvm.kernel, cutl_tile.launch_info = {}} {
    llvm.return
  }
}
