// RUN: cutl-opt %s --split-input-file --verify-diagnostics

cutl.bundle @b {
  // expected-error @below {{'cutl.entry' op expected no results, got 1}}
  cutl.entry @host_c1_results(%w: memref<?xi8>) -> index {
  }
}

// -----

cutl.bundle @b {
  // expected-error @below {{'cutl.entry' op expects region #0 to have 0 or 1 blocks}}
  cutl.entry @host_c1_blocks(%w: memref<?xi8>) {
    cf.br ^next
  ^next:
    cutl.end_entry
  }
}

// -----

cutl.bundle @b {
  // expected-error @below {{expected an entry with a body}}
  cutl.entry @host_c1_declaration(%w: memref<?xi8>)
}

// -----

cutl.bundle @b {
  // expected-error @below {{'cutl.entry' op expected the last argument to be the workspace of type 'memref<?xi8>', got no arguments}}
  cutl.entry @host_c2_no_workspace() {
    cutl.end_entry
  }
}

// -----

cutl.bundle @b {
  // expected-error @below {{'cutl.entry' op expected the last argument to be the workspace of type 'memref<?xi8>', got 'memref<64xi8>'}}
  cutl.entry @host_c2_static_workspace(%w: memref<64xi8>) {
  }
}

// -----

cutl.bundle @b {
  // expected-error @below {{'cutl.entry' op expected argument 1 to be a strided memref or a number, got 'tensor<4xf32>'}}
  cutl.entry @host_c2_tensor(%i: index, %t: tensor<4xf32>, %w: memref<?xi8>) {
  }
}

// -----

cutl.bundle @b {
  // expected-error @below {{'cutl.entry' op expected argument 0 to be a strided memref or a number, got 'memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>'}}
  cutl.entry @host_c2_layout(%m: memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>, %w: memref<?xi8>) {
  }
}

// -----

// expected-error @below {{'cutl.entry' op expects parent op 'cutl.bundle'}}
cutl.entry @outside(%w: memref<?xi8>) {
}

// -----

cutl.bundle @b {
  cutl.entry @host_c3_undefined(%w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected the name of a kernel, got @kernels::@k, which is not defined}}
    cutl.launch_kernel @kernels::@k()
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c3_entry(%w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected the name of a kernel, got @host_c3_entry, a 'cutl.entry'}}
    cutl.launch_kernel @host_c3_entry()
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c3_not_a_kernel(%w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected the name of a kernel, got @kernels::@k, a function without 'kernel'}}
    cutl.launch_kernel @kernels::@k()
  }
  gpu.module @kernels {
    gpu.func @k() {
      gpu.return
    }
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c3_not_in_the_table(%w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected the name of a kernel, got @kernels::@k, which is not defined}}
    cutl.launch_kernel @kernels::@k()
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"other", () -> ()>]>, assembly = "…">]
}

// -----

cutl.bundle @b {
  cutl.entry @host_c4_count(%x: f32, %w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected 2 operands like the arguments of @kernels::@k, got 1}}
    cutl.launch_kernel @kernels::@k(%x) : (f32)
  }
  gpu.module @kernels {
    gpu.func @k(%x: f32, %y: f32) kernel {
      gpu.return
    }
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c4_type(%x: f32, %m: memref<4x8xf16>, %w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected operand 1 to be of type 'memref<4x8xf16, strided<[?, 1]>>' like the argument of @kernels::@k, got 'memref<4x8xf16>'}}
    cutl.launch_kernel @kernels::@k(%x, %m) : (f32, memref<4x8xf16>)
  }
  gpu.module @kernels {
    gpu.func @k(%x: f32, %m: memref<4x8xf16, strided<[?, 1]>>) kernel {
      gpu.return
    }
  }
}

// -----

cutl.bundle @b {
  cutl.entry @no_sms(%w: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op attribute 'sm_budget' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
    cutl.launch_kernel @unlisted::@k() sm_budget(0)
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c5_count(%w: memref<?xi8>) {
    %few = arith.constant true
    // expected-error @below {{'cutl.launch_kernel' op expected as many variants as conditions, got 2 and 1}}
    cutl.launch_kernel @unlisted::@k() variants(%few : [@unlisted::@l, @unlisted::@m])
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c5_grid(%w: memref<?xi8>) {
    %few = arith.constant true
    %c1 = arith.constant 1 : index
    // expected-error @below {{'cutl.launch_kernel' op expected no grid with variants, which have grids of their own}}
    cutl.launch_kernel @unlisted::@k() grid(%c1) variants(%few : [@unlisted::@l])
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c5_other_arguments(%x: f32, %w: memref<?xi8>) {
    %few = arith.constant true
    // expected-error @below {{'cutl.launch_kernel' op expected operand 0 to be of type 'f64' like the argument of @kernels::@l, got 'f32'}}
    cutl.launch_kernel @kernels::@k(%x) variants(%few : [@kernels::@l]) : (f32)
  }
  gpu.module @kernels {
    gpu.func @k(%x: f32) kernel {
      gpu.return
    }
    gpu.func @l(%x: f64) kernel {
      gpu.return
    }
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c6_not_launched(%w: memref<?xi8>) {
    // expected-error @below {{'cutl.resident_ctas' op expected a kernel that the entry launches, got @kernels::@k}}
    %ctas = cutl.resident_ctas @kernels::@k
  }
}

// -----

cutl.bundle @b {
  cutl.entry @host_c7_gaps(%m: memref<4x8xi8, strided<[16, 1]>>, %w: memref<?xi8>) {
    // expected-error @below {{'cutl.memset' op expected an array in row-major order without gaps, got 'memref<4x8xi8, strided<[16, 1]>>'}}
    cutl.memset %m to 0 : memref<4x8xi8, strided<[16, 1]>>
  }
}

// -----

func.func @launch_kernel_outside() {
  // expected-error @below {{'cutl.launch_kernel' op expects parent op 'cutl.entry'}}
  cutl.launch_kernel @kernels::@k()
  return
}

// -----

func.func @host_c8_undefined(%w: memref<?xi8>, %s: !llvm.ptr) {
  // expected-error @below {{'cutl.launch' op expected the name of an entry, got @b::@e, which is not defined}}
  cutl.launch @b::@e() workspace(%w) stream(%s)
  return
}

// -----

cutl.bundle @b {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
func.func @host_c8_kernel(%w: memref<?xi8>, %s: !llvm.ptr) {
  // expected-error @below {{'cutl.launch' op expected the name of an entry, got @b::@kernels::@k, a 'gpu.func'}}
  cutl.launch @b::@kernels::@k() workspace(%w) stream(%s)
  return
}

// -----

cutl.bundle @b {
  cutl.entry @e(%x: f32, %w: memref<?xi8>) {
  }
}
func.func @host_c9_count(%w: memref<?xi8>, %s: !llvm.ptr) {
  // expected-error @below {{'cutl.launch' op expected 1 operands like the arguments of @b::@e, got 0}}
  cutl.launch @b::@e() workspace(%w) stream(%s)
  return
}

// -----

cutl.bundle @b {
  cutl.entry @e(%x: f32, %w: memref<?xi8>) {
  }
}
func.func @host_c9_type(%x: f64, %w: memref<?xi8>, %s: !llvm.ptr) {
  // expected-error @below {{'cutl.launch' op expected operand 0 to be of type 'f32' like the argument of @b::@e, got 'f64'}}
  cutl.launch @b::@e(%x) workspace(%w) stream(%s) : (f64)
  return
}

// -----

// expected-error @below {{unknown argument attribute 'cutl.label' of the cutl dialect, expected 'cutl.name'}}
func.func private @argument_attribute(%x: f32 {cutl.label = "x"})

// -----

// expected-error @below {{expected 'cutl.name' to be a text, got ""}}
func.func private @empty_name(%x: f32 {cutl.name = ""})
