// REQUIRES: cutl-compile

// RUN: cutl-compile %s --emit=raw | FileCheck %s --check-prefix=RAW
// RUN: cutl-compile %s --emit=targeted --chip=sm_90a \
// RUN:   | FileCheck %s --check-prefix=TARGETED
// RUN: cutl-compile %s --chip=sm_90a -o %t.mlir
// RUN: FileCheck %s --check-prefix=CONFIGURED --input-file=%t.mlir
// RUN: cutl-compile %t.mlir | FileCheck %s --check-prefix=CONFIGURED
// RUN: cutl-compile %s --emit=linalg | FileCheck %s --check-prefix=LINALG
// RUN: cutl-compile %s --emit=llvm --device=cpu \
// RUN:   | FileCheck %s --check-prefix=LLVM
// RUN: cutl-compile %s --emit=llvm --chip=sm_90a \
// RUN:   | FileCheck %s --check-prefix=KERNELS
// RUN: cutl-compile %s --emit=staged --chip=sm_90a \
// RUN:   | FileCheck %s --check-prefix=STAGED
// RUN: cutl-compile %s --emit=ptx --chip=sm_90a \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: cutl-compile %s --chip=sm_90a -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: cutl-compile %s --chip=sm_90a -o %t.cutlb
// RUN: cutl-compile %s --chip=sm_90a --emit=bundle -o %t.other
// RUN: cmp %t.cutlb %t.other
// RUN: cutl-compile %s --chip=sm_90a --emit=bundle-text \
// RUN:   | FileCheck %s --check-prefix=BUNDLE
// RUN: cutl-compile %S/../../../docs/images/stream-k.mlir --chip=sm_90a -o %t.svg
// RUN: cmp %t.svg %S/../../../docs/images/stream-k.svg
// RUN: not cutl-compile %s --chip=sm_90a --emit=schedule 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: cutl-compile --help | FileCheck %s --check-prefix=HELP
// RUN: cutl-compile %s --chip=sm_90a --explain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXPLAIN

// RAW: module {
// RAW: cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n))
// RAW-NOT: config

// TARGETED: module attributes {cutl.target = #cutl.target<chip = "sm_90a">}
// TARGETED-NOT: config

// CONFIGURED: module attributes {cutl.target = #cutl.target<chip = "sm_90a">}
// CONFIGURED: config(#cutl.tile_config<cta = [
// CONFIGURED-SAME: schedule(#cutl.data_parallel)

// LINALG-NOT: cutl.gemm
// LINALG: linalg.

// LLVM-NOT: linalg.
// LLVM: llvm.func @linear

// STAGED: gpu.func @linear_0
// STAGED-NOT: cutl.gemm

// KERNELS: define ptx_kernel void @linear_0

// PTX: .target sm_90a
// PTX: .visible .entry linear_0(
// PTX: wgmma.mma_async.sync.aligned

// BUNDLE: entry linear
// BUNDLE: variant {{.*}} for sm_90a

// HELP: Stages, in order:
// HELP-NEXT: raw both as it is
// HELP: schedule cuda a drawing, as SVG: which CTA does what, when
// HELP: llvm cpu in the LLVM dialect

// DYNAMIC: error: 'cutl.gemm' op expected static extents in stage schedule, got a dynamic m

// EXPLAIN: remark: {{.*}}chose

func.func @linear(%x: tensor<?x4096xbf16>, %w: tensor<14336x4096xbf16>,
                  %d: tensor<?x14336xbf16>) -> tensor<?x14336xbf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x4096xbf16>, tensor<14336x4096xbf16>, tensor<?x14336xbf16>)
      -> tensor<?x14336xbf16>
  return %y : tensor<?x14336xbf16>
}
