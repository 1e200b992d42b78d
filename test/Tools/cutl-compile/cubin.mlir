// REQUIRES: cutl-compile

// An assembler of our own, so that none need be there.
// RUN: echo '#!/bin/sh' > %t.ptxas
// RUN: echo 'while [ $# -gt 0 ]; do' >> %t.ptxas
// RUN: echo '  [ "$1" = -o ] && shift && out=$1; shift' >> %t.ptxas
// RUN: echo 'done; printf "\\177ELF assembled %%060d" 0 > "$out"' >> %t.ptxas
// RUN: chmod +x %t.ptxas

// RUN: cutl-compile %s --chip=sm_90a -o %t.cubin \
// RUN:     --pipeline-options=ptxas=%t.ptxas
// RUN: grep -c 'ELF assembled 0' %t.cubin
// RUN: cutl-compile %s --chip=sm_90a --emit=bundle-text \
// RUN:     --pipeline-options="format=cubin ptxas=%t.ptxas" \
// RUN:   | FileCheck %s --check-prefix=BUNDLE

// Nothing is written without one, nor for more than a cubin holds.
// RUN: rm -f %t.cubin
// RUN: not cutl-compile %s --chip=sm_90a -o %t.cubin \
// RUN:     --pipeline-options=ptxas=/nowhere/ptxas 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not ls %t.cubin
// RUN: sed 's/@one/@two/' %s > %t.two.mlir
// RUN: cat %s %t.two.mlir > %t.both.mlir
// RUN: not cutl-compile %t.both.mlir --chip=sm_90a -o %t.cubin \
// RUN:     --pipeline-options=ptxas=%t.ptxas 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: not ls %t.cubin

// BUNDLE: (cubin,
// NONE: error: expected ptxas at '/nowhere/ptxas', as the option ptxas says, got no program there
// TWO: error: expected one function with products, which a cubin holds, got 2

func.func @one(%x: tensor<?x64xf16>, %w: tensor<48x64xf16>,
               %d: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x64xf16>, tensor<48x64xf16>, tensor<?x48xf32>)
      -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
