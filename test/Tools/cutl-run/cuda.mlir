// REQUIRES: cutl-run, cutl-compile, fake-cuda

// The driver is one that computes nothing and leaves 0xff in memory: all but
// the kernels themselves is real.

// RUN: cutl-run %s --shape m=33 --cuda-driver=%fake_cuda --time \
// RUN:   | FileCheck %s --check-prefix=AUTO
// RUN: not cutl-run %s --shape m=33 --cuda-driver=%fake_cuda --device=cuda \
// RUN:     --verify 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: cutl-run %s --shape m=33 --cuda-driver=%fake_cuda --device=cpu --verify \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: cutl-run %s --shape m=33 --cuda-driver=/nowhere/libcuda.so.1 --verify \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: env FAKE_CUDA=major=8 cutl-run %s --shape m=33 --verify \
// RUN:     --cuda-driver=%fake_cuda | FileCheck %s --check-prefix=OTHER

// RUN: cutl-compile %s --chip=sm_90a -o %t.cutlb
// RUN: cutl-run %t.cutlb --cuda-driver=%fake_cuda --shape x.0=33 --time \
// RUN:   | FileCheck %s --check-prefix=BUNDLE

// AUTO: function linear(33x64xbf16, 48x64xbf16, 33x48xbf16)
// AUTO-NEXT: compiled for cuda:0 (Fake 0, sm_90a) in {{[0-9]+}} ms
// AUTO-NEXT: time: 1.000 ms (median of 100 runs

// WRONG: error: result 0 is wrong at [0, 0]: expected {{.*}}, got {{-?}}nan

// CPU: compiled for host
// CPU-NEXT: verified result 0: 1584 of 1584 elements

// OTHER: on the CPU since cuda:0 (Fake 0, sm_80) cannot run it: {{.*}}sm_80
// OTHER-NEXT: compiled for host
// OTHER-NEXT: verified result 0: 1584 of 1584 elements

// BUNDLE: entry linear(x: 33x64xbf16, arg1: 48x64xbf16, arg2: 33x48xbf16)
// BUNDLE-NEXT: ran on cuda:0 (Fake 0, sm_90a)
// BUNDLE-NEXT: time: 1.000 ms

func.func @linear(%x: tensor<?x64xbf16> {cutl.name = "x"},
                  %w: tensor<48x64xbf16>, %d: tensor<?x48xbf16>)
    -> tensor<?x48xbf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x64xbf16>, tensor<48x64xbf16>, tensor<?x48xbf16>)
      -> tensor<?x48xbf16>
  return %y : tensor<?x48xbf16>
}
