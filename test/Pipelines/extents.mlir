// The least and the greatest extents go through every pass: none of them may
// divide by them, reserve room for them, or slice out of them.
// RUN: split-file %s %t
// RUN: cutl-opt %t/each.mlir --canonicalize --cse --verify-roundtrip -o /dev/null
// RUN: cutl-opt %t/each.mlir --cutl-bufferize | FileCheck %s --check-prefix=BUFFERS
// RUN: cutl-opt %t/each.mlir --cutl-tile-for-cpu='tile-m=3 tile-n=5' -o /dev/null
// RUN: cutl-opt %t/each.mlir --one-shot-bufferize=bufferize-function-boundaries --cutl-tile-for-cpu='tile-m=3 tile-n=5' \
// RUN:   --canonicalize --convert-cutl-to-linalg --canonicalize -o /dev/null
// RUN: cutl-opt %t/each.mlir --convert-cutl-to-linalg --canonicalize | FileCheck %s --check-prefix=LINALG
// RUN: cutl-opt %t/each.mlir --cutl-to-cpu='tile-m=3 tile-n=5' | FileCheck %s --check-prefix=LLVM
// RUN: cutl-opt %t/each.mlir --cutl-configure=chip=sm_90a | FileCheck %s --check-prefix=CONFIG
// RUN: cutl-opt %t/all.mlir --cutl-to-cpu -o /dev/null
// RUN: not cutl-opt %t/all.mlir --cutl-configure=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=SCHEDULE

//--- each.mlir
// K = 0: the epilogue still runs, over an accumulator of zeros.
// BUFFERS-LABEL: func @no_k
// BUFFERS-NOT:     memref.copy
// BUFFERS:         cutl.gemm
// LINALG-LABEL:  func @no_k
// LINALG:          linalg.fill
// LINALG:          arith.addf
// LLVM:          llvm.func @no_k
// CONFIG-LABEL:  func @no_k
// CONFIG:          config(
func.func @no_k(%a: tensor<4x0xf16>, %b: tensor<6x0xf16>, %c: tensor<6xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    cutl.yield %s : f32
  } : (tensor<4x0xf16>, tensor<6x0xf16>, tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Nothing to write, and a reduction over nothing: its identity.
// LLVM:          llvm.func @no_rows
// CONFIG-LABEL:  func @no_rows
// CONFIG:          config(
func.func @no_rows(%a: tensor<0x8xf16>, %b: tensor<6x8xf16>, %d: tensor<0x6xf32>, %s: tensor<6xf32>)
    -> (tensor<0x6xf32>, tensor<6xf32>) {
  %0:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %s : (n) max) {
  ^bb0(%acc: f32):
    cutl.yield %acc, %acc : f32, f32
  } : (tensor<0x8xf16>, tensor<6x8xf16>, tensor<0x6xf32>, tensor<6xf32>) -> (tensor<0x6xf32>, tensor<6xf32>)
  return %0#0, %0#1 : tensor<0x6xf32>, tensor<6xf32>
}

// LLVM:          llvm.func @nothing_at_all
func.func @nothing_at_all(%a: tensor<0x0x0xf16>, %b: tensor<0x0x0xf16>, %d: tensor<0x0x0xf32>) -> tensor<0x0x0xf32> {
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (b, n, k)) split(halves) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<0x0x0xf16>, tensor<0x0x0xf16>, tensor<0x0x0xf32>) -> tensor<0x0x0xf32>
  return %0 : tensor<0x0x0xf32>
}

// LLVM:          llvm.func @no_batch
func.func @no_batch(%a: tensor<0x40x8xf16>, %b: tensor<80x8xf16>, %s: tensor<20xf32>, %d: tensor<0x40x40xf32>)
    -> tensor<0x40x40xf32> {
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) split(interleaved) scales(%s of b : (n floordiv 4)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    cutl.yield %acc : f32
  } : (tensor<0x40x8xf16>, tensor<80x8xf16>, tensor<20xf32>, tensor<0x40x40xf32>) -> tensor<0x40x40xf32>
  return %0 : tensor<0x40x40xf32>
}

// LLVM:          llvm.func @greatest_k
// CONFIG-LABEL:  func @greatest_k
// CONFIG:          config(
func.func @greatest_k(%a: tensor<1x9223372036854775807xf16>, %b: tensor<1x9223372036854775807xf16>, %d: tensor<1x1xf32>)
    -> tensor<1x1xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<1x9223372036854775807xf16>, tensor<1x9223372036854775807xf16>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

//--- all.mlir
// SCHEDULE: has a schedule that cannot run on sm_90a: expected fewer than 2^63 k iterations in all
func.func @greatest(%a: tensor<9223372036854775807x9223372036854775807xf16>,
                    %b: tensor<9223372036854775807x9223372036854775807xf16>,
                    %d: tensor<9223372036854775807x9223372036854775807xf32>)
    -> tensor<9223372036854775807x9223372036854775807xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<9223372036854775807x9223372036854775807xf16>, tensor<9223372036854775807x9223372036854775807xf16>,
       tensor<9223372036854775807x9223372036854775807xf32>) -> tensor<9223372036854775807x9223372036854775807xf32>
  return %0 : tensor<9223372036854775807x9223372036854775807xf32>
}
