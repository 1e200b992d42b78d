// Two layers are one entry with one workspace: the function allocates nothing, waits for nothing and calls nothing else.
// RUN: cutl-opt %cutl_src/examples/python/digits.mlir --cutl-configure="chip=sm_90a variants=1" --cutl-bufferize --cutl-outline-kernels | FileCheck %s
// The order of the two first does not matter.
// RUN: cutl-opt %cutl_src/examples/python/digits.mlir --cutl-bufferize --cutl-configure="chip=sm_90a variants=1" --cutl-outline-kernels | FileCheck %s

// CHECK-LABEL: func.func @classify(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x64xf16, strided<[?, ?], offset: ?>>, %[[W1:[a-z0-9]+]]: memref<48x64xf16, {{[^)]*}}%[[D:[a-z0-9]+]]: memref<?x10xf32, strided<[?, ?], offset: ?>>, %[[W:[a-z0-9]+]]: memref<?xi8>, %[[STREAM:[a-z0-9]+]]: !llvm.ptr) {
// CHECK-NEXT:    cutl.launch @classify_bundle::@classify(%[[X]], %[[W1]], {{.*}}, %[[D]]) workspace(%[[W]]) stream(%[[STREAM]])
// CHECK-NEXT:    return
// CHECK-NEXT:  }
// CHECK:       cutl.bundle @classify_bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-NEXT:    cutl.entry @classify(%[[X:[a-z0-9]+]]: {{.*}}cutl.host_writes = array<i64: 5>} {
// CHECK-NEXT:      %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:      %[[M:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK-NEXT:      %[[H:.*]] = memref.alloc(%[[M]]) {{.*}}: memref<?x48xf16>
// CHECK-NEXT:      cutl.launch_kernel @kernels::@classify_0(%[[X]], %{{.*}}, %{{.*}}, %[[H]])
// CHECK-NEXT:      cutl.launch_kernel @kernels::@classify_1(%[[H]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:      cutl.end_entry
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.module @kernels {
