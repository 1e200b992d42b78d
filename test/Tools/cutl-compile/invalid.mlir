// REQUIRES: cutl-compile

// RUN: not cutl-compile %s --emit=ast --chip=sm_90a 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMIT
// RUN: not cutl-compile %s --emit=linalg --device=cuda 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DEVICE
// RUN: not cutl-compile %s --emit=raw --device=tpu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TPU
// RUN: not cutl-compile %s --chip=sm_91 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not cutl-compile %s 2>&1 | FileCheck %s --check-prefix=NOCHIP
// RUN: not cutl-compile %t.missing 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not cutl-compile %s --emit=linalg --pipeline-options=bogus=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// RUN: not cutl-compile %s --emit=ptx --chip=sm_90a 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// RUN: not cutl-compile %s --emit=bundle --chip=sm_90a \
// RUN:     --pipeline-options=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// What was there before stays.
// RUN: echo before > %t.mlir
// RUN: not cutl-compile %s -o %t.mlir
// RUN: grep before %t.mlir

// EMIT: error: expected the stage to be one of raw, targeted, configured, {{.*}}, got 'ast'
// DEVICE: error: expected the stage to be one of raw, {{.*}} for device cuda, got 'linalg'
// TPU: error: expected device to be cpu or cuda, got 'tpu'
// CHIP: error: {{.*}}sm_91{{.*}}
// NOCHIP: error: expected a chip, as in chip=sm_90a, for stage configured
// FILE: cutl-compile: cannot open input file
// NOTHING: error: expected a module with products to compile for a GPU, got none
// FORMAT: error: expected format to be ptx or cubin, got 'elf'
// OPTION: cutl-compile: {{.*}}no such option bogus

func.func @empty() {
  return
}
