// RUN: cutl-opt %s --cutl-outline-kernels --split-input-file | FileCheck %s
// Outlining again finds nothing to do.
// RUN: cutl-opt %s --cutl-outline-kernels --cutl-outline-kernels --split-input-file | FileCheck %s

// An op with effects ends a run: two entries of one bundle. Operands are in the order of the function's arguments, the
// kernel's in that of the problem op, with the number last. A launch takes no more SMs than its op.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf16> {cutl.name = "A"}, %[[B:.*]]: memref<?x?xf16>, %[[S:.*]]: f32 {cutl.name = "alpha"}, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?xi8>, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-NEXT:    cutl.launch @two_bundle::@two(%[[A]], %[[B]], %[[S]], %[[C]], %[[D]]) workspace(%[[W]]) stream(%[[STREAM]]) : (memref<?x?xf16>, memref<?x?xf16>, f32, memref<?x?xf32>, memref<?x?xf32>)
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    cutl.launch @two_bundle::@two_1(%[[A]], %[[B]], %[[D]]) workspace(%[[W]]) stream(%[[STREAM]]) :
// CHECK-NEXT:    return
// CHECK:       cutl.bundle @two_bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-NEXT:    cutl.entry @two(%[[A:.*]]: memref<?x?xf16> {cutl.name = "A"}, %[[B:.*]]: memref<?x?xf16>, %[[S:.*]]: f32 {cutl.name = "alpha"}, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>, %{{.*}}: memref<?xi8>)
// CHECK-SAME:        attributes {cutl.host_ties = [{{.*}}], cutl.host_writes = array<i64: 4>} {
// CHECK-NEXT:      cutl.launch_kernel @kernels::@two_0(%[[A]], %[[B]], %[[C]], %[[D]], %[[S]]) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>, memref<?x?xf32>, f32)
// CHECK-NEXT:      cutl.end_entry
// CHECK:         cutl.entry @two_1(%[[A:.*]]: memref<?x?xf16> {cutl.name = "A"}, %[[B:.*]]: memref<?x?xf16>, %[[D:.*]]: memref<?x?xf32>, %{{.*}}: memref<?xi8>)
// CHECK-SAME:        attributes {cutl.host_ties = [array<i64: 0, 0, 1, 1, 2, 0>, array<i64: 1, 0, 1, 1, 2, 1>, array<i64: 0, 1, 1, 1, 1, 1>], cutl.host_writes = array<i64: 2>} {
// CHECK-NEXT:      cutl.launch_kernel @kernels::@two_1(%[[A]], %[[B]], %[[D]]) sm_budget(7) : (
// CHECK:         gpu.module @kernels {
// CHECK-NEXT:      gpu.func @two_0(%[[A:.*]]: memref<?x?xf16>, %[[B:.*]]: memref<?x?xf16>, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>, %[[S:.*]]: f32) kernel {
// CHECK-NEXT:        cutl.gemm ins(%[[A]] : (m, k), %[[B]] : (n, k)) aux(%[[S]] : (), %[[C]] : (m, n)) outs(%[[D]] : (m, n)) promises(k divisible_by 8) config({{.*}}) schedule(#cutl.data_parallel) attributes {note} {
// CHECK:             gpu.return
// CHECK:           gpu.func @two_1(
// CHECK:             execution(deterministic = false, sm_budget = 7) config(
func.func @two(%a: memref<?x?xf16> {cutl.name = "A"}, %b: memref<?x?xf16>, %s: f32 {cutl.name = "alpha"}, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%s : (), %c : (m, n)) outs(%d : (m, n)) promises(k divisible_by 8)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) attributes {note} {
  ^bb0(%acc: f32, %alpha: f32, %x: f32):
    %p = arith.mulf %alpha, %acc : f32
    %o = arith.addf %p, %x : f32
    cutl.yield %o : f32
  } : (memref<?x?xf16>, memref<?x?xf16>, f32, memref<?x?xf32>, memref<?x?xf32>) -> ()
  memref.copy %d, %c : memref<?x?xf32> to memref<?x?xf32>
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = false, sm_budget = 7)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>) -> ()
  return
}
}

// -----

// Names give way: of the bundle to a function, of the second entry to another function's, of the kernels to an entry.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: func.func @kernels(
// CHECK:         cutl.launch @[[BUNDLE:kernels_bundle_.*]]::@kernels(
// CHECK:         cutl.launch @[[BUNDLE]]::@kernels_2(
// CHECK:       cutl.bundle @[[BUNDLE]] attributes
// CHECK-NEXT:    cutl.entry @kernels(
// CHECK-NEXT:      cutl.launch_kernel @[[MODULE:kernels_.*]]::@kernels_0(
// CHECK:         cutl.entry @kernels_2(
// CHECK-NEXT:      cutl.launch_kernel @[[MODULE]]::@kernels_1(
// CHECK:         gpu.module @[[MODULE]] {
func.func private @kernels_bundle()
func.func private @kernels_1()
func.func @kernels(%a: memref<8x16xf16>, %b: memref<8x16xf16>, %d: memref<8x8xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%x: f32):
    cutl.yield %x : f32
  } : (memref<8x16xf16>, memref<8x16xf16>, memref<8x8xf32>) -> ()
  call @kernels_1() : () -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%x: f32):
    cutl.yield %x : f32
  } : (memref<8x16xf16>, memref<8x16xf16>, memref<8x8xf32>) -> ()
  return
}
}

// -----

// A split B stays one operand of the entry and is two of the kernel.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: func.func @split(
// CHECK-NEXT:    cutl.launch @split_bundle::@split(%{{.*}}, %{{.*}}, %{{.*}}) workspace
// CHECK:         cutl.entry @split(%[[A:.*]]: memref<8x16xf16>, %[[B:.*]]: memref<12x16xf16>, %[[D:.*]]: memref<8x6xf32>, %{{.*}}: memref<?xi8>)
// CHECK-SAME:        cutl.host_ties = [array<i64: 0, 0, 1, 1, 2, 0>, array<i64: 2, 1, 2, 1, 1, 0>, array<i64: 0, 1, 1, 1, 1, 1>]
// CHECK-NEXT:      %[[LOW:.*]] = memref.subview %[[B]][0, 0] [6, 16]
// CHECK-NEXT:      %[[HIGH:.*]] = memref.subview %[[B]][6, 0] [6, 16]
// CHECK-NEXT:      cutl.launch_kernel @kernels::@split_0(%[[A]], %[[LOW]], %[[HIGH]], %[[D]])
// CHECK:           cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k), %{{.*}} : (n, k)) outs(%{{.*}} : (m, n)) promises(a aligned 16, b[0] aligned 16) config
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

// -----

// What lies between two problem ops moves into the entry with its size, and its rows are padded to 16 bytes. A view
// goes along; a number that is no size is computed by the function.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: func.func @layers(
// CHECK-SAME:    %[[X:.*]]: memref<?x16xf16>, %[[WX:.*]]: memref<?x16xf16>, %[[V:.*]]: memref<64x?xf16>, %[[S:.*]]: f32, %[[D:.*]]: memref<?x8xf32>, %[[W:.*]]: memref<?xi8>, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-NEXT:    %[[SQUARE:.*]] = arith.mulf %[[S]], %[[S]]
// CHECK-NEXT:    cutl.launch @layers_bundle::@layers(%[[X]], %[[WX]], %[[V]], %[[D]], %[[SQUARE]]) workspace(%[[W]]) stream(%[[STREAM]])
// CHECK-NEXT:    return
// CHECK:         cutl.entry @layers(%[[X:.*]]: memref<?x16xf16>, %[[WX:.*]]: memref<?x16xf16>, %[[V:.*]]: memref<64x?xf16>, %[[D:.*]]: memref<?x8xf32>, %[[S:.*]]: f32, %{{.*}}: memref<?xi8>)
// CHECK-SAME:        cutl.host_ties = [array<i64: 0, 1, 1, 1, 1, 1>, array<i64: 0, 0, 1, 1, 3, 0>, array<i64: -1, 8, 1, 1, 3, 1>]
// CHECK-SAME:        cutl.host_writes = array<i64: 3>
// CHECK:           %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK:           %[[N:.*]] = memref.dim %[[WX]], %c0
// CHECK:           %[[C8:.*]] = arith.constant 8 : index
// CHECK:           %[[UNITS:.*]] = arith.ceildivsi %[[N]], %[[C8]] : index
// CHECK:           %[[PITCH:.*]] = arith.muli %[[UNITS]], %[[C8]] : index
// CHECK:           %[[ALLOC:.*]] = memref.alloc(%[[M]], %[[PITCH]]) : memref<?x?xf16>
// CHECK:           %[[H:.*]] = memref.subview %[[ALLOC]][0, 0] [%[[M]], %[[N]]] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1]>>
// CHECK:           cutl.launch_kernel @kernels::@layers_0(%[[X]], %[[WX]], %[[H]], %[[S]]) : (memref<?x16xf16>, memref<?x16xf16>, memref<?x?xf16, strided<[?, 1]>>, f32)
// CHECK:           %[[PART:.*]] = memref.subview %[[V]][0, 0] [8, %[[N]]] [1, 1]
// CHECK:           cutl.launch_kernel @kernels::@layers_1(%[[H]], %[[PART]], %[[D]])
// CHECK-NEXT:      cutl.end_entry
// CHECK:           gpu.func @layers_0(%{{.*}}: memref<?x16xf16>, %{{.*}}: memref<?x16xf16>, %{{.*}}: memref<?x?xf16, strided<[?, 1]>>, %{{.*}}: f32) kernel {
func.func @layers(%x: memref<?x16xf16>, %w: memref<?x16xf16>, %v: memref<64x?xf16>, %s: f32, %d: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x16xf16>
  %n = memref.dim %w, %c0 : memref<?x16xf16>
  %square = arith.mulf %s, %s : f32
  %h = memref.alloc(%m, %n) {alignment = 64 : i64} : memref<?x?xf16>
  cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%square : ()) outs(%h : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32, %scale: f32):
    %p = arith.mulf %acc, %scale : f32
    %o = arith.truncf %p : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x16xf16>, memref<?x16xf16>, f32, memref<?x?xf16>) -> ()
  %c1 = arith.constant 1 : index
  %columns = memref.dim %h, %c1 : memref<?x?xf16>
  %part = memref.subview %v[0, 0] [8, %columns] [1, 1] : memref<64x?xf16> to memref<8x?xf16, strided<[?, 1]>>
  cutl.gemm ins(%h : (m, k), %part : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?xf16>, memref<8x?xf16, strided<[?, 1]>>, memref<?x8xf32>) -> ()
  memref.dealloc %h : memref<?x?xf16>
  return
}
}

// -----

// Static rows are padded too; where they need not be, the type stays. Memory that another op uses is passed, and freed
// after the launch.
#config = #cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %[[A:.*]]: memref<4x16xf16>, %[[D:.*]]: memref<4x4xf32>, %{{.*}}: memref<?xi8>, %{{.*}}: !llvm.ptr)
// CHECK-NEXT:    %[[KEPT:.*]] = memref.alloc() : memref<4x16xf16>
// CHECK-NEXT:    call @other(%[[KEPT]])
// CHECK-NEXT:    cutl.launch @kept_bundle::@kept(%[[A]], %[[D]], %[[KEPT]]) workspace
// CHECK-NEXT:    memref.dealloc %[[KEPT]]
// CHECK-NEXT:    return
// CHECK:         cutl.entry @kept(%[[A:.*]]: memref<4x16xf16>, %[[D:.*]]: memref<4x4xf32>, %[[KEPT:.*]]: memref<4x16xf16>, %{{.*}}: memref<?xi8>)
// CHECK-NEXT:      %[[ALLOC:.*]] = memref.alloc() : memref<4x8xf16>
// CHECK-NEXT:      %[[ODD:.*]] = memref.subview %[[ALLOC]][0, 0] [4, 4] [1, 1] : memref<4x8xf16> to memref<4x4xf16, strided<[8, 1]>>
// CHECK-NEXT:      cutl.launch_kernel @kernels::@kept_0(%[[KEPT]], %[[A]], %[[ODD]]) : (memref<4x16xf16>, memref<4x16xf16>, memref<4x4xf16, strided<[8, 1]>>)
// CHECK-NEXT:      %[[WIDE:.*]] = memref.alloc() : memref<4x16xf16>
// CHECK-NEXT:      cutl.launch_kernel @kernels::@kept_1(%[[ODD]], %[[A]], %[[WIDE]])
// CHECK-NEXT:      cutl.launch_kernel @kernels::@kept_2(%[[WIDE]], %[[A]], %[[D]])
// CHECK-NEXT:      cutl.end_entry
func.func private @other(memref<4x16xf16>)
func.func @kept(%a: memref<4x16xf16>, %d: memref<4x4xf32>) {
  %kept = memref.alloc() : memref<4x16xf16>
  call @other(%kept) : (memref<4x16xf16>) -> ()
  %odd = memref.alloc() : memref<4x4xf16>
  cutl.gemm ins(%kept : (m, k), %a : (n, k)) outs(%odd : (m, n)) config(#config) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<4x16xf16>, memref<4x16xf16>, memref<4x4xf16>) -> ()
  memref.dealloc %kept : memref<4x16xf16>
  %wide = memref.alloc() : memref<4x16xf16>
  cutl.gemm ins(%odd : (m, k), %a : (k, n)) outs(%wide : (m, n)) config(#config) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<4x4xf16>, memref<4x16xf16>, memref<4x16xf16>) -> ()
  memref.dealloc %odd : memref<4x4xf16>
  cutl.gemm ins(%wide : (m, k), %a : (n, k)) outs(%d : (m, n)) config(#config) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<4x16xf16>, memref<4x16xf16>, memref<4x4xf32>) -> ()
  memref.dealloc %wide : memref<4x16xf16>
  return
}
}

// -----

// In a loop: the launch stays there, the views go into the entry and take the loop's counter.
#config = #cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[A:.*]]: memref<?x8x16xf16>, %[[D:.*]]: memref<8x8xf32>, %{{.*}}: index, %[[W:.*]]: memref<?xi8>, %[[STREAM:.*]]: !llvm.ptr)
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      cutl.launch @loop_bundle::@loop(%[[A]], %[[D]], %[[I]]) workspace(%[[W]]) stream(%[[STREAM]]) : (memref<?x8x16xf16>, memref<8x8xf32>, index)
// CHECK-NEXT:    }
// CHECK:         cutl.entry @loop(%[[A:.*]]: memref<?x8x16xf16>, %[[D:.*]]: memref<8x8xf32>, %[[I:.*]]: index, %{{.*}}: memref<?xi8>)
// CHECK-NEXT:      %[[PART:.*]] = memref.subview %[[A]][%[[I]], 0, 0] [1, 8, 16] [1, 1, 1]
// CHECK-NEXT:      cutl.launch_kernel @kernels::@loop_0(%[[PART]], %[[PART]], %[[D]])
func.func @loop(%a: memref<?x8x16xf16>, %d: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %part = memref.subview %a[%i, 0, 0] [1, 8, 16] [1, 1, 1]
        : memref<?x8x16xf16> to memref<8x16xf16, strided<[16, 1], offset: ?>>
    cutl.gemm ins(%part : (m, k), %part : (n, k)) outs(%d : (m, n)) config(#config) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<8x16xf16, strided<[16, 1], offset: ?>>, memref<8x16xf16, strided<[16, 1], offset: ?>>, memref<8x8xf32>) -> ()
  }
  return
}
}

// -----

// A configuration is one kernel, whichever variants have it. The last serves the calls that no variant does.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-LABEL: cutl.bundle @variants_bundle
// CHECK-NEXT:    cutl.entry @variants(%[[A:.*]]: memref<?x?x8xf16>, %[[B:.*]]: memref<?x8xf16>, %[[D:.*]]: memref<?x?x?xf32>, %{{.*}}: memref<?xi8>)
// CHECK:           %[[M:.*]] = memref.dim %[[A]], %{{c1.*}} :
// CHECK:           %[[C16:.*]] = arith.constant 16 : index
// CHECK-NEXT:      %[[FEW:.*]] = arith.cmpi sle, %[[M]], %[[C16]] : index
// CHECK:           %[[N:.*]] = memref.dim %[[B]], %{{c0.*}} :
// CHECK:           %[[C512:.*]] = arith.constant 512 : index
// CHECK-NEXT:      %[[NARROW:.*]] = arith.cmpi sle, %[[N]], %[[C512]] : index
// CHECK-DAG:       %[[BATCH:.*]] = memref.dim %[[A]], %{{c0.*}} :
// CHECK-DAG:       %[[ROWS:.*]] = arith.muli %[[BATCH]], %{{.*}} : index
// CHECK:           %[[RESULTS:.*]] = arith.muli %[[ROWS]], %{{.*}} : index
// CHECK:           %[[SMALL:.*]] = arith.cmpi sle, %[[RESULTS]], %{{.*}} : index
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[NARROW]], %[[SMALL]] : i1
// CHECK:           %[[MORE:.*]] = arith.cmpi sle, %[[M]], %{{.*}} : index
// CHECK:           %[[SINGLE:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : index
// CHECK-NEXT:      cutl.launch_kernel @kernels::@variants_0(%[[A]], %[[B]], %[[D]])
// CHECK-SAME:        variants(%[[FEW]], %[[BOTH]], %[[MORE]], %[[SINGLE]] : [@kernels::@variants_0_variant_0, @kernels::@variants_0_variant_1, @kernels::@variants_0_variant_0, @kernels::@variants_0]) : (
// CHECK-NEXT:      cutl.end_entry
// CHECK:         gpu.module @kernels {
// CHECK-NEXT:      gpu.func @variants_0(
// CHECK-NEXT:        cutl.gemm {{.*}} config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(
// CHECK:           gpu.func @variants_0_variant_0(
// CHECK-NEXT:        cutl.gemm {{.*}} config(#cutl.tile_config<cta = [64, 16, 64], stages = 4, kernel = single>) schedule(
// CHECK:           gpu.func @variants_0_variant_1(
// CHECK-NEXT:        cutl.gemm {{.*}} config(#cutl.tile_config<cta = [64, 64, 64], stages = 4, kernel = single>) schedule(
// CHECK-NOT:       gpu.func
func.func @variants(%a: memref<?x?x8xf16>, %b: memref<?x8xf16>, %d: memref<?x?x?xf32>) {
  cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (b, m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>)
      variants(#cutl.variant<m at_most 16, config = <cta = [64, 16, 64], stages = 4, kernel = single>>,
               #cutl.variant<n at_most 512, results at_most 8192, config = <cta = [64, 64, 64], stages = 4, kernel = single>>,
               #cutl.variant<m at_most 32, config = <cta = [64, 16, 64], stages = 4, kernel = single>>,
               #cutl.variant<batch at_most 1, config = <cta = [128, 128, 64], stages = 4, kernel = pingpong>>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<?x?x8xf16>, memref<?x8xf16>, memref<?x?x?xf32>) -> ()
  return
}
}
