// RUN: cutl-opt %s --cutl-serialize-kernels --split-input-file --verify-diagnostics

// expected-error @below {{'gpu.module' op expected a target at or above it in cutl-serialize-kernels; run cutl-attach-target first}}
gpu.module @kernels {
  llvm.func @f_0() attributes {nvvm.kernel, cutl_tile.launch_info = {}} {
    llvm.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  llvm.func @f_0() attributes {nvvm.kernel, cutl_tile.launch_info = {}} {
    llvm.return
  }
  // expected-error @below {{'gpu.func' op expected an llvm.func with 'cutl_tile.launch_info' as a kernel in cutl-serialize-kernels; run convert-cutl-tile-to-nvvm first}}
  gpu.func @f_1() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  llvm.func @f_0() attributes {nvvm.kernel, cutl_tile.launch_info = {}} {
    llvm.return
  }
  // expected-error @below {{'llvm.func' op expected an llvm.func with 'cutl_tile.launch_info' as a kernel}}
  llvm.func @f_1() attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

// A bundle's kernels are ours in whatever phase they are.
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' op expected an llvm.func with 'cutl_tile.launch_info' as a kernel in cutl-serialize-kernels; run convert-cutl-tile-to-nvvm first}}
    gpu.func @f() kernel {
      gpu.return
    }
  }
}

// -----

// The driver has no such function.
// expected-error @below {{expected kernels that call nothing outside their module, got a call of '__nv_expf'}}
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @f_0(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel, cutl_tile.launch_info = {}} {
    %0 = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
