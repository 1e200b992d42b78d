// REQUIRES: cutl-compile

// RUN: not cutl-compile %s --emit=ptx --chip=sm_90a 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: not cutl-compile %s --emit=ast --chip=sm_90a 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMIT
// RUN: not cutl-compile %s --chip=sm_91 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not cutl-compile %s 2>&1 | FileCheck %s --check-prefix=NOCHIP
// RUN: not cutl-compile %t.missing 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not cutl-compile %s --emit=llvm --pipeline-options=bogus=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION

// PTX: error: emit=ptx needs the GPU lowering, which this version does not have
// EMIT: error: expected emit to be one of raw, targeted, configured, linalg, llvm, got 'ast'
// CHIP: error: {{.*}}sm_91{{.*}}
// NOCHIP: error: expected a chip, as in --chip=sm_90a, for emit=configured
// FILE: cutl-compile: cannot open input file
// OPTION: no such option bogus

func.func @empty() {
  return
}
