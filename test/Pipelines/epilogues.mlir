// RUN: split-file %s %t
// By default both targets fuse and simplify; each step can be left out.
// RUN: cutl-opt %t/layer.mlir --cutl-configure=chip=sm_90a | FileCheck %s
// RUN: cutl-opt %t/layer.mlir --cutl-configure='chip=sm_90a fuse-epilogue=false' | FileCheck %s --check-prefix=APART
// RUN: cutl-opt %t/layer.mlir --cutl-configure='chip=sm_90a canonicalize-epilogue=false' | FileCheck %s --check-prefix=AS-FUSED
// RUN: cutl-opt %t/layer.mlir --cutl-to-cpu --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: cutl-opt %t/layer.mlir --cutl-to-cpu='fuse-epilogue=false canonicalize-epilogue=false' --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-PASSES
// A layer written as a gemm and linalg ops comes out as one kernel.
// RUN: cutl-opt %t/layer.mlir --cutl-to-ptx=chip=sm_90a | FileCheck %s --check-prefix=PTX

// Several results of one kernel: one entry, one launch, three destinations.
// RUN: cutl-opt %t/results.mlir --cutl-configure='chip=sm_90a max-outputs=3' --cutl-bufferize --cutl-outline-kernels --cutl-plan-workspace \
// RUN:   | FileCheck %s --check-prefix=RESULTS
// RUN: cutl-opt %t/results.mlir --cutl-to-cpu=max-outputs=3 | FileCheck %s --check-prefix=CPU

// An error names the user's gemm, whatever it has taken in.
// RUN: not cutl-opt %t/error.mlir --cutl-to-cpu 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK-LABEL: func.func @layer
// CHECK-NOT:     linalg
// CHECK:         cutl.gemm {{.*}} aux(%{{.*}} : (n)) outs(%{{.*}} : (m, n)) config({{.*}}) schedule({{.*}}) {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[B]] : f32
// CHECK-NEXT:      %[[R:.*]] = math.tanh %[[S]] : f32
// CHECK-NEXT:      %[[O:.*]] = arith.truncf %[[R]] : f32 to f16
// CHECK-NEXT:      cutl.yield %[[O]] : f16

// APART-LABEL: func.func @layer
// APART:         cutl.gemm {{.*}} config
// APART:         linalg.generic

// AS-FUSED-LABEL: func.func @layer
// AS-FUSED:         arith.mulf %{{.*}}, %{{.*}} : f32
// AS-FUSED-NOT:     linalg

// PASSES:      cutl-fuse-epilogue{max-outputs=0}
// PASSES-NEXT: cutl-canonicalize-epilogue
// PASSES-NEXT: cutl-verify-cpu
// NO-PASSES-NOT: epilogue

// PTX-NOT:       linalg
// PTX:           cutl.launch_kernel @kernels::@layer_0(
// PTX-NOT:       cutl.launch_kernel
// PTX:           gpu.binary @kernels

// RESULTS-LABEL: func.func @results
// RESULTS-SAME:    (%[[A:[^:]*]]: memref<?x64xf16, {{[^>]*>>}}, %[[B:[^:]*]]: {{[^>]*>>}}, %[[D:[^:]*]]: {{[^>]*>>}}, %[[E:[^:]*]]: {{[^>]*>>}}, %[[S:[^:]*]]: {{[^>]*>>}}, %{{.*}}: memref<?xi8>,
// RESULTS-NEXT:    cutl.launch @results_bundle::@results(%[[A]], %[[B]], %[[D]], %[[E]], %[[S]])
// RESULTS-NEXT:    return
// RESULTS:       cutl.launch_kernel
// RESULTS:       cutl.end_entry workspace(%c0
// RESULTS:       gpu.func @results_0
// RESULTS:         cutl.gemm {{.*}} outs(%{{.*}} : (m, n), %{{.*}} : (m, n), %{{.*}} : (m) max)

// CPU:     llvm.func @results
// CPU-NOT: cutl.gemm

// ERROR: error.mlir:2:8: error: 'cutl.gemm' op expected outs[0] to have a type of the CPU target {{.*}}, got 'i5'

//--- layer.mlir
#id = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @layer(%x: tensor<128x64xf16>, %w: tensor<256x64xf16>, %b: tensor<256xf32>, %d: tensor<128x256xf16>) -> tensor<128x256xf16> {
  %e = tensor.empty() : tensor<128x256xf32>
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%e : (m, n)) {
  ^bb0(%acc: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.mulf %acc, %one : f32
    cutl.yield %s : f32
  } : (tensor<128x64xf16>, tensor<256x64xf16>, tensor<128x256xf32>) -> tensor<128x256xf32>
  %z = linalg.generic {indexing_maps = [#id, #j, #id], iterator_types = ["parallel", "parallel"]}
    ins(%y, %b : tensor<128x256xf32>, tensor<256xf32>) outs(%d : tensor<128x256xf16>) {
  ^bb0(%s: f32, %t: f32, %out: f16):
    %u = arith.addf %s, %t : f32
    %r = math.tanh %u : f32
    %o = arith.truncf %r : f32 to f16
    linalg.yield %o : f16
  } -> tensor<128x256xf16>
  return %z : tensor<128x256xf16>
}

//--- results.mlir
func.func @results(%a: tensor<?x64xf16>, %b: tensor<96x64xf16>, %d: tensor<?x96xf32>, %e: tensor<?x96xf32>, %s: tensor<?xf32>)
    -> (tensor<?x96xf32>, tensor<?x96xf32>, tensor<?xf32>) {
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x64xf16>, tensor<96x64xf16>, tensor<?x96xf32>) -> tensor<?x96xf32>
  %z = linalg.exp ins(%y : tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %least = arith.constant 0xFF800000 : f32
  %i = linalg.fill ins(%least : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.maximumf } ins(%z : tensor<?x96xf32>) outs(%i : tensor<?xf32>) dimensions = [1]
  return %y, %z, %r : tensor<?x96xf32>, tensor<?x96xf32>, tensor<?xf32>
}

//--- error.mlir
func.func @error(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>, %e: tensor<4x6xi5>) -> tensor<4x6xi5> {
  %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%y : tensor<4x6xf32>) outs(%e : tensor<4x6xi5>) {
  ^bb0(%x: f32, %out: i5):
    %o = arith.fptosi %x : f32 to i5
    linalg.yield %o : i5
  } -> tensor<4x6xi5>
  return %z : tensor<4x6xi5>
}
