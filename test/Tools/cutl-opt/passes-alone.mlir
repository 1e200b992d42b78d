// Each pass by itself, on operations it knows nothing of and with no dialect
// loaded but those of the input.
// RUN: split-file %s %t
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-cutl-launch-to-llvm | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-cutl-math-to-nvvm | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-cutl-tile-to-nvvm | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-cutl-tile-to-scf | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-cutl-to-cutl-tile | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-cutl-to-linalg | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --convert-linalg-contraction-to-vector | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-apply-schedule | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-attach-target=chip=sm_90a | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-canonicalize-epilogue | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-cpu-allow-negative-strides | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-cpu-convert-math | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-cpu-expand-float8 | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-cpu-mark-entry-points | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-drop-returned-destinations | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-fuse-epilogue | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-outline-kernels | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-plan-workspace | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-print-schedule=svg | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-record-host-rules | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-select-config | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-serialize-kernels | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-allocate-smem | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-for-cpu | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-pipeline | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-repack-operands | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-select-transfers | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-specialize-warps | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-tile-split-reductions | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-verify-config | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-verify-cpu | FileCheck %s
// RUN: cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-configure=chip=sm_90a | FileCheck %s

// An empty module is nothing to do for any of them.
// RUN: cutl-opt %t/empty.mlir --convert-cutl-launch-to-llvm --convert-cutl-math-to-nvvm --convert-cutl-tile-to-nvvm \
// RUN:   --convert-cutl-tile-to-scf --convert-cutl-to-cutl-tile --convert-cutl-to-linalg --convert-linalg-contraction-to-vector \
// RUN:   --cutl-apply-schedule --cutl-attach-target=chip=sm_90a --cutl-canonicalize-epilogue --cutl-fuse-epilogue --cutl-cpu-allow-negative-strides --cutl-cpu-convert-math --cutl-cpu-expand-float8 --cutl-cpu-mark-entry-points \
// RUN:   --cutl-drop-returned-destinations --cutl-outline-kernels --cutl-plan-workspace --cutl-print-schedule --cutl-record-host-rules \
// RUN:   --cutl-select-config --cutl-serialize-kernels --cutl-tile-allocate-smem --cutl-tile-for-cpu --cutl-tile-pipeline \
// RUN:   --cutl-tile-repack-operands --cutl-tile-select-transfers --cutl-tile-specialize-warps --cutl-tile-split-reductions --cutl-verify-config \
// RUN:   --cutl-verify-cpu -o /dev/null
// RUN: cutl-opt %t/empty.mlir --cutl-configure=chip=sm_90a --cutl-bufferize --cutl-to-cpu -o /dev/null
// RUN: cutl-opt %t/empty.mlir --cutl-to-tiled=chip=sm_90a --cutl-lower-to-nvvm --cutl-to-ptx -o /dev/null

// What the pipelines cannot lower they name.
// RUN: not cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-to-cpu 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not cutl-opt %t/unrelated.mlir --allow-unregistered-dialect --cutl-bufferize 2>&1 | FileCheck %s --check-prefix=EFFECTS
// RUN: not cutl-opt %t/tensors.mlir --allow-unregistered-dialect --cutl-bufferize 2>&1 | FileCheck %s --check-prefix=BUFFERIZE

// Passes that create operations of dialects that the input does not load.
// RUN: cutl-opt %t/gemm.mlir --cutl-tile-for-cpu='tile-m=2 tile-n=2' | FileCheck %s --check-prefix=TILE
// RUN: cutl-opt %t/gemm.mlir --convert-cutl-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: cutl-opt %t/elementwise.mlir --cutl-fuse-epilogue --cutl-canonicalize-epilogue | FileCheck %s --check-prefix=FUSE

// CHECK-LABEL: func @unrelated
// CHECK:         "other.op"
// CHECK:         func{{(.func)?}} private @declaration
// CHECK:         gpu.func @in_a_kernel_module
// CHECK-NEXT:      "other.op"
// CPU: error: ops with unknown memory side effects are not supported
// EFFECTS: ops with unknown memory side effects are not supported
// BUFFERIZE: op was not bufferized
// TILE: scf.for
// LINALG: linalg.generic
// FUSE: tensor.empty
// FUSE: arith.constant

//--- empty.mlir
module {}

//--- unrelated.mlir
func.func @unrelated(%x: index, %m: memref<0x?xf32>) -> index {
  %0 = "other.op"(%x, %m) ({ "other.yield"() : () -> () }) {value = 1 : i64} : (index, memref<0x?xf32>) -> index
  return %0 : index
}
func.func private @declaration(%x: memref<?xf32>) -> f32
gpu.module @kernels {
  gpu.func @in_a_kernel_module(%x: index) {
    "other.op"(%x) : (index) -> ()
    gpu.return
  }
}

//--- tensors.mlir
func.func @unrelated(%t: tensor<?x4xf32>) -> tensor<0xf32> {
  %0 = "other.op"(%t) : (tensor<?x4xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

//--- gemm.mlir
func.func @gemm(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %d: memref<4x6xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x8xf32>, memref<6x8xf32>, memref<4x6xf32>) -> ()
  return
}

//--- elementwise.mlir
func.func @f(%a: tensor<?x8xf32>, %b: tensor<6x8xf32>, %d: tensor<?x6xf32>) -> tensor<?x6xf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %two = arith.constant 2.0 : f32
    %four = arith.mulf %two, %two : f32
    %r = arith.mulf %acc, %four : f32
    cutl.yield %r : f32
  } : (tensor<?x8xf32>, tensor<6x8xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %1 = arith.truncf %0 : tensor<?x6xf32> to tensor<?x6xf16>
  return %1 : tensor<?x6xf16>
}
