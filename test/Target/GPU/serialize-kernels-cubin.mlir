// A stand-in for ptxas shows what it is called with and what comes of its output.
// RUN: split-file %s %t
// RUN: chmod +x %t/good %t/bad %t/talks
// RUN: cutl-opt %t/in.mlir --cutl-serialize-kernels='format=cubin ptxas=%t/good' | FileCheck %s
// RUN: env CUTL_PTXAS=%t/good cutl-opt %t/in.mlir --cutl-serialize-kernels=format=cubin | FileCheck %s
// RUN: env CUTL_PTXAS=%t/bad cutl-opt %t/in.mlir --cutl-serialize-kernels='format=cubin ptxas=%t/good' | FileCheck %s

// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">, kernels = <{{.*}}>,
// CHECK-SAME: bin = "-arch=sm_90a -O3 .entry f_0

// RUN: not cutl-opt %t/in.mlir --cutl-serialize-kernels='format=cubin ptxas=%t/bad' 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: ptxas failed with status 3: line 7: no such instruction

// RUN: not cutl-opt %t/in.mlir --cutl-serialize-kernels='format=cubin ptxas=%t/talks' 2>&1 | FileCheck %s --check-prefix=TALKS
// TALKS: error: ptxas reports: info: wgmma was serialised

// RUN: not cutl-opt %t/in.mlir --cutl-serialize-kernels='format=cubin ptxas=%t/none' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: expected ptxas at '{{.*}}/none', as the option ptxas says, got no program there
// RUN: env CUTL_PTXAS=%t not cutl-opt %t/in.mlir --cutl-serialize-kernels=format=cubin 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: error: expected ptxas at '{{.*}}', as CUTL_PTXAS says, got no program there
// RUN: env CUTL_PTXAS= PATH=%t not cutl-opt %t/in.mlir --cutl-serialize-kernels=format=cubin 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: error: expected ptxas for format=cubin, got none: looked at the option ptxas, the environment variable CUTL_PTXAS and PATH

//--- good
#!/bin/sh
{ printf '%s %s ' "$1" "$2"; grep -o '.entry f_0' "$3"; } >"$5"
//--- bad
#!/bin/sh
echo 'line 7: no such instruction' >&2
exit 3
//--- talks
#!/bin/sh
echo 'info: wgmma was serialised'
//--- in.mlir
gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  llvm.func @f_0() attributes {nvvm.kernel, cutl_tile.launch_info = {}} {
    llvm.return
  }
}
