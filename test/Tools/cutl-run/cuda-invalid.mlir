// REQUIRES: cutl-run, cutl-compile, fake-cuda

// DEFINE: %{run} = cutl-run %s --device=cuda --cuda-driver=%fake_cuda
// RUN: not cutl-run %s --function plain --device=cuda \
// RUN:     --cuda-driver=/nowhere/libcuda.so.1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NODRIVER
// RUN: not env FAKE_CUDA=driverVersion=11080 %{run} --function plain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OLD
// RUN: not env FAKE_CUDA=deviceCount=0 %{run} --function plain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NODEVICE
// RUN: not env FAKE_CUDA=memoryBytes=1000 %{run} --function plain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MEMORY
// RUN: not env FAKE_CUDA=loadResult=218 %{run} --function plain 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOAD
// RUN: not %{run} --function host 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not cutl-run %s --function plain --device=tpu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DEVICE

// RUN: cutl-compile %s --chip=sm_90a -o %t.cutlb
// RUN: not cutl-run %t.cutlb --cuda-driver=%fake_cuda 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENTRY
// RUN: not cutl-run %t.cutlb --cuda-driver=%fake_cuda --function other 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: not cutl-run %t.cutlb --cuda-driver=%fake_cuda --function open 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPEN
// RUN: not cutl-run %t.cutlb --cuda-driver=%fake_cuda --function open \
// RUN:     --shape x.0=4,q.0=4 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: not cutl-run %t.cutlb --cuda-driver=%fake_cuda --function open \
// RUN:     --shape x.0=-4 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not cutl-run %t.cutlb --cuda-driver=%fake_cuda --verify 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VERIFY
// RUN: not cutl-run %t.cutlb --device=cpu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUNDLECPU
// RUN: head -c 300 %t.cutlb > %t.short.cutlb
// RUN: not cutl-run %t.short.cutlb --cuda-driver=%fake_cuda 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHORT

// NODRIVER: error: cannot open the CUDA driver; install NVIDIA's driver, or run on the CPU: /nowhere/libcuda.so.1
// OLD: error: expected a driver for CUDA 12.0 or later, got one for 11.8
// NODEVICE: error: the CUDA driver shows no device; see nvidia-smi and CUDA_VISIBLE_DEVICES
// MEMORY: error: out of memory on device 0: expected {{[0-9]+}} free bytes, got {{[0-9]+}} of 1000
// LOAD: error: cannot load image {{.*}} (218)
// HOST: error: expected function 'host' to do nothing on a GPU but the products of one launch, got 'memref.copy'
// DEVICE: error: expected device to be auto, cpu or cuda, got 'tpu'
// ENTRY: error: expected a bundle of one entry, or --function with the name of one; there are plain, host, open
// NAME: error: expected the name of an entry, got 'other'; there are plain, host, open
// OPEN: error: expected a size, as in --shape x.0=512, for x.0, arg2.0
// OPERAND: error: expected the dimension of an operand before '=', got 'q.0=4'; open dimensions are arg2.0
// NUMBER: error: expected name.dimension=size with a size of at least 0, got 'x.0=-4'
// VERIFY: error: expected a module to verify, got a bundle, which does not say what it computes
// BUNDLECPU: error: expected device auto or cuda for a bundle, got 'cpu'
// SHORT: error: expected a bundle of {{[0-9]+}} bytes, as its start says, got 300; it was cut short

func.func @plain(%x: memref<64x64xf16>, %w: memref<64x64xf16>,
                 %d: memref<64x64xf16>) {
  cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>) -> ()
  return
}

func.func @host(%x: memref<64x64xf16>, %w: memref<64x64xf16>,
                %d: memref<64x64xf16>) {
  cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>) -> ()
  memref.copy %d, %x : memref<64x64xf16> to memref<64x64xf16>
  return
}

func.func @open(%x: memref<?x64xf16> {cutl.name = "x"}, %w: memref<64x64xf16>,
                %d: memref<?x64xf16>) {
  cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x64xf16>, memref<64x64xf16>, memref<?x64xf16>) -> ()
  return
}
