// RUN: cutl-opt %s | FileCheck %s
// RUN: cutl-opt %s --mlir-print-op-generic | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --emit-bytecode | cutl-opt | FileCheck %s
// Nothing of it is dead: what a launch does shows on the stream only.
// RUN: cutl-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf16>, %[[D:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[S:.*]]: f32, %[[I:.*]]: index, %[[W:.*]]: memref<?xi8>, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-NEXT:    cutl.launch @bundle::@entry(%[[A]], %[[D]], %[[S]], %[[I]]) workspace(%[[W]]) stream(%[[STREAM]])
// CHECK-SAME:      : (memref<?x8xf16>, memref<?x?xf32, strided<[?, ?], offset: ?>>, f32, index)
// CHECK-NEXT:    cutl.launch @bundle::@nothing() workspace(%[[W]]) stream(%[[STREAM]]) {note}
func.func @caller(%a: memref<?x8xf16>, %d: memref<?x?xf32, strided<[?, ?], offset: ?>>, %s: f32, %i: index,
                  %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  cutl.launch @bundle::@entry(%a, %d, %s, %i) workspace(%workspace) stream(%stream)
      : (memref<?x8xf16>, memref<?x?xf32, strided<[?, ?], offset: ?>>, f32, index)
  cutl.launch @bundle::@nothing() workspace(%workspace) stream(%stream) {note}
  return
}

// CHECK:       cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // CHECK-NEXT:  cutl.entry @entry(%[[A:.*]]: memref<?x8xf16> {cutl.name = "A"}, %[[D:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[S:.*]]: f32, %[[I:.*]]: index, %{{.*}}: memref<?xi8>) attributes {cutl.host_writes = array<i64: 1>} {
  // CHECK-NEXT:    %[[BYTES:.*]] = arith.constant 512 : index
  // CHECK-NEXT:    %[[FEW:.*]] = arith.cmpi sle, %[[I]], %[[BYTES]] : index
  // CHECK-NEXT:    cutl.launch_kernel @kernels::@kernel(%[[A]], %[[D]], %[[S]]) : (memref<?x8xf16>, memref<?x?xf32, strided<[?, ?], offset: ?>>, f32)
  // CHECK-NEXT:    cutl.launch_kernel @kernels::@lowered(%[[S]]) sm_budget(64) : (f32)
  // CHECK-NEXT:    cutl.launch_kernel @binary::@listed(%[[S]]) : (f32)
  // CHECK-NEXT:    cutl.launch_kernel @unlisted::@any() sm_budget(1) {note}
  // CHECK-NEXT:    cutl.launch_kernel @kernels::@lowered(%[[S]]) variants(%[[FEW]], %[[FEW]] : [@binary::@listed, @unlisted::@any]) sm_budget(64) : (f32)
  // CHECK-NEXT:    cutl.end_entry workspace(%[[BYTES]])
  cutl.entry @entry(%a: memref<?x8xf16> {cutl.name = "A"}, %d: memref<?x?xf32, strided<[?, ?], offset: ?>>, %s: f32,
                    %i: index, %workspace: memref<?xi8>) attributes {cutl.host_writes = array<i64: 1>} {
    %bytes = arith.constant 512 : index
    %few = arith.cmpi sle, %i, %bytes : index
    cutl.launch_kernel @kernels::@kernel(%a, %d, %s) : (memref<?x8xf16>, memref<?x?xf32, strided<[?, ?], offset: ?>>, f32)
    cutl.launch_kernel @kernels::@lowered(%s) sm_budget(64) : (f32)
    cutl.launch_kernel @binary::@listed(%s) : (f32)
    cutl.launch_kernel @unlisted::@any() sm_budget(1) {note}
    cutl.launch_kernel @kernels::@lowered(%s) variants(%few, %few : [@binary::@listed, @unlisted::@any]) sm_budget(64)
        : (f32)
    cutl.end_entry workspace(%bytes)
  }
  // CHECK:       cutl.entry @grid(%[[I:.*]]: memref<?xi32>, %[[F:.*]]: memref<4xf32>, %{{.*}}: memref<?xi8>) {
  // CHECK-NEXT:    %[[CTAS:.*]] = cutl.resident_ctas @unlisted::@any
  // CHECK-NEXT:    cutl.memset %[[I]] to 7 : memref<?xi32>
  // CHECK-NEXT:    cutl.memset %[[F]] to 0 : memref<4xf32>
  // CHECK-NEXT:    cutl.launch_kernel @unlisted::@any(%[[I]]) grid(%[[CTAS]]) : (memref<?xi32>)
  // CHECK-NEXT:    cutl.launch_kernel @unlisted::@any() grid(%[[CTAS]])
  cutl.entry @grid(%i: memref<?xi32>, %f: memref<4xf32>, %workspace: memref<?xi8>) {
    %ctas = cutl.resident_ctas @unlisted::@any
    cutl.memset %i to 7 : memref<?xi32>
    cutl.memset %f to 0 : memref<4xf32>
    cutl.launch_kernel @unlisted::@any(%i) grid(%ctas) : (memref<?xi32>)
    cutl.launch_kernel @unlisted::@any() grid(%ctas)
    cutl.end_entry
  }
  // CHECK:       cutl.entry @nothing(%{{.*}}: memref<?xi8>) {
  // CHECK-NEXT:    cutl.end_entry
  // CHECK-NEXT:  }
  cutl.entry @nothing(%workspace: memref<?xi8>) {
  }
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<?x8xf16>, %d: memref<?x?xf32, strided<[?, ?], offset: ?>>, %s: f32) kernel {
      gpu.return
    }
    llvm.func @lowered(%a: !llvm.ptr, %m: i32, %s: f32) {
      llvm.return
    }
  }
  gpu.binary @binary [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"listed", (f32) -> ()>]>, assembly = "…">]
  gpu.binary @unlisted [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "…">]
}

// CHECK: cutl.bundle @empty attributes {sym_visibility = "private"} {
// CHECK: }
cutl.bundle @empty attributes {sym_visibility = "private"} {
}
