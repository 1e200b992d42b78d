// RUN: cutl-opt %s --convert-cutl-launch-to-llvm --split-input-file --verify-diagnostics

// The kernels are no code yet.
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @e(%d: memref<8xf32>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{run cutl-serialize-kernels first}}
    cutl.launch_kernel @kernels::@k(%d) : (memref<8xf32>)
    cutl.end_entry workspace(%c0)
  }
  gpu.module @kernels {
    gpu.func @k(%d: memref<8xf32>) kernel {
      gpu.return
    }
  }
}

// -----

// The runtime's name is taken.
// expected-error @below {{expected the name cutlStreamLaunch to be left to the runtime}}
func.func private @cutlStreamLaunch()
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @e(%workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    cutl.end_entry workspace(%c0)
  }
}

// -----

func.func private @beside()
module @inner {
  cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
    cutl.entry @e(%workspace: memref<?xi8>) {
      %c0 = arith.constant 0 : index
      cutl.end_entry workspace(%c0)
    }
  }
  func.func @f(%workspace: memref<?xi8>, %stream: !llvm.ptr) {
    // expected-error @below {{expected to stand in a function of the module that convert-cutl-launch-to-llvm runs on}}
    cutl.launch @bundle::@e() workspace(%workspace) stream(%stream)
    return
  }
}
