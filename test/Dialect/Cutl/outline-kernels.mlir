// RUN: cutl-opt %s --cutl-outline-kernels | FileCheck %s

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {

// Two problems, one module; the number goes last; the caller's op stays.
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf16>, %[[B:.*]]: memref<?x?xf16>, %[[S:.*]]: f32, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>)
// CHECK-NEXT:    cutl.launch @two_kernels::@two_0(%[[A]], %[[B]], %[[C]], %[[D]], %[[S]]) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>, memref<?x?xf32>, f32)
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    cutl.launch @two_kernels::@two_1(%[[A]], %[[B]], %[[D]]) :
// CHECK-NEXT:    return
// CHECK:       gpu.module @two_kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-NEXT:    gpu.func @two_0(%[[A:.*]]: memref<?x?xf16>, %[[B:.*]]: memref<?x?xf16>, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>, %[[S:.*]]: f32) kernel {
// CHECK-NEXT:      cutl.gemm ins(%[[A]] : (m, k), %[[B]] : (n, k)) aux(%[[S]] : (), %[[C]] : (m, n)) outs(%[[D]] : (m, n)) promises(k divisible_by 8) config({{.*}}) schedule(#cutl.data_parallel) attributes {note} {
// CHECK:           gpu.return
// CHECK:         gpu.func @two_1(
func.func @two(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %s: f32, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%s : (), %c : (m, n)) outs(%d : (m, n)) promises(k divisible_by 8)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) attributes {note} {
  ^bb0(%acc: f32, %alpha: f32, %x: f32):
    %p = arith.mulf %alpha, %acc : f32
    %o = arith.addf %p, %x : f32
    cutl.yield %o : f32
  } : (memref<?x?xf16>, memref<?x?xf16>, f32, memref<?x?xf32>, memref<?x?xf32>) -> ()
  memref.copy %d, %c : memref<?x?xf32> to memref<?x?xf32>
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>) -> ()
  return
}

// A split B is two memrefs outside; the name of the module gives way.
// CHECK-LABEL: func.func @split(
// CHECK:         %[[LOW:.*]] = memref.subview
// CHECK:         %[[HIGH:.*]] = memref.subview
// CHECK:         cutl.launch @[[MODULE:split_kernels_.*]]::@split_0(%{{.*}}, %[[LOW]], %[[HIGH]], %{{.*}})
// CHECK:       gpu.module @[[MODULE]]
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) promises(a aligned 16, b[0] aligned 16) config
func.func private @split_kernels()
func.func @split(%a: memref<8x16xf16>, %b: memref<12x16xf16>, %d: memref<8x6xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) split(halves) outs(%d : (m, n)) promises(a aligned 16, b aligned 16)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%x: f32, %y: f32):
    %o = arith.mulf %x, %y : f32
    cutl.yield %o : f32
  } : (memref<8x16xf16>, memref<12x16xf16>, memref<8x6xf32>) -> ()
  return
}
}
