// RUN: cutl-opt %s --cutl-to-cpu | FileCheck %s
// RUN: cutl-opt %s --cutl-to-cpu='vector-bits=512 tile-m=8 tile-n=8' | FileCheck %s --check-prefixes=CHECK,WIDE
// Any phase will do.
// RUN: cutl-opt %s --cutl-attach-target=chip=sm_90a --cutl-to-cpu | FileCheck %s
// RUN: not cutl-opt %s --cutl-to-cpu=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS

// Only the LLVM dialect is left, with the host's signature beside it.
// CHECK-NOT:   {{cutl\.(gemm|yield|gelu)|(linalg|scf|memref|tensor|affine|vector|arith|math|cf|func|bufferization)\.[a-z_]+ }}
// CHECK:       llvm.func @linear
// CHECK-SAME:    cutl.host_signature = [memref<?x8xf16, strided<[?, ?], offset: ?>>, memref<6x8xf16, strided<[?, ?], offset: ?>>, memref<6xf32, strided<[?], offset: ?>>, memref<?x6xf32, strided<[?, ?], offset: ?>>]
// CHECK-SAME:    llvm.emit_c_interface
// WIDE:          vector<16xf32>
// CHECK-NOT:   {{cutl\.(gemm|yield|gelu)|(linalg|scf|memref|tensor|affine|vector|arith|math|cf|func|bufferization)\.[a-z_]+ }}
// BITS: vector-bits
func.func @linear(%a: tensor<?x8xf16>, %b: tensor<6x8xf16>, %c: tensor<6xf32>, %d: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    %g = cutl.gelu tanh %s : f32
    cutl.yield %g : f32
  } : (tensor<?x8xf16>, tensor<6x8xf16>, tensor<6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}
