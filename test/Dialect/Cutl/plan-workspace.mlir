// RUN: cutl-opt %s --cutl-plan-workspace --split-input-file | FileCheck %s
// What was planned stays as it is.
// RUN: cutl-opt %s --cutl-plan-workspace --cutl-plan-workspace --split-input-file | FileCheck %s

// No intermediates, no bytes.
// CHECK-LABEL: cutl.entry @none(
// CHECK-NEXT:    cutl.launch_kernel
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    cutl.end_entry workspace(%[[C0]])
cutl.bundle @none {
  cutl.entry @none(%a: memref<4x8xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@k(%a, %a) : (memref<4x8xf16>, memref<4x8xf16>)
  }
  gpu.module @kernels {
    gpu.func @k(%a: memref<4x8xf16>, %d: memref<4x8xf16>) kernel { gpu.return }
  }
}

// -----

// Static sizes: the third takes the place of the first, which the second must not, and grows it from 64 to 1200 bytes;
// places begin at multiples of 256 bytes.
// CHECK-LABEL: cutl.entry @static(
// CHECK-SAME:    %[[A:.*]]: memref<4x8xf16>, %[[W:.*]]: memref<?xi8>)
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[H0:.*]] = memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<4x8xf16>
// CHECK:         cutl.launch_kernel @kernels::@small(%[[A]], %[[H0]])
// CHECK:         %[[C1280:.*]] = arith.constant 1280 : index
// CHECK:         %[[H1:.*]] = memref.view %[[W]][%[[C1280]]][] : memref<?xi8> to memref<4x8xf16>
// CHECK:         cutl.launch_kernel @kernels::@small(%[[H0]], %[[H1]])
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[H2:.*]] = memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<300xf32>
// CHECK:         cutl.launch_kernel @kernels::@large(%[[H1]], %[[H2]])
// CHECK:         cutl.launch_kernel @kernels::@large(%[[A]], %[[H2]])
// CHECK:         %[[BYTES:.*]] = arith.constant 1536 : index
// CHECK-NEXT:    cutl.end_entry workspace(%[[BYTES]])
cutl.bundle @static {
  cutl.entry @static(%a: memref<4x8xf16>, %workspace: memref<?xi8>) {
    %h0 = memref.alloc() {alignment = 64 : i64} : memref<4x8xf16>
    cutl.launch_kernel @kernels::@small(%a, %h0) : (memref<4x8xf16>, memref<4x8xf16>)
    %h1 = memref.alloc() : memref<4x8xf16>
    cutl.launch_kernel @kernels::@small(%h0, %h1) : (memref<4x8xf16>, memref<4x8xf16>)
    %h2 = memref.alloc() : memref<300xf32>
    cutl.launch_kernel @kernels::@large(%h1, %h2) : (memref<4x8xf16>, memref<300xf32>)
    cutl.launch_kernel @kernels::@large(%a, %h2) : (memref<4x8xf16>, memref<300xf32>)
  }
  gpu.module @kernels {
    gpu.func @small(%a: memref<4x8xf16>, %d: memref<4x8xf16>) kernel { gpu.return }
    gpu.func @large(%a: memref<4x8xf16>, %d: memref<300xf32>) kernel { gpu.return }
  }
}

// -----

// Dynamic sizes: the first and the third share a place as large as the larger, whose size is computed ahead of both.
// The user of a padded intermediate is the kernel that takes a view of it; a size of an intermediate is known without it.
// CHECK-LABEL: cutl.entry @dynamic(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf16>, %[[W:.*]]: memref<?xi8>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[A]], %[[C0]]
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[A]], %[[C1]]
// CHECK:         %[[DOUBLE:.*]] = arith.addi %[[M]], %[[M]]
// CHECK:         %[[C2:.*]] = arith.constant 2 : index
// CHECK:         %[[T:.*]] = arith.muli %[[C2]], %[[M]]
// CHECK:         %[[B0:.*]] = arith.muli %[[T]], %[[N]]
// CHECK:         %[[C32:.*]] = arith.constant 32 : index
// CHECK:         %[[B1:.*]] = arith.muli %[[C32]], %[[M]]
// CHECK:         %[[C64:.*]] = arith.constant 64 : index
// CHECK:         %[[B2:.*]] = arith.muli %[[C64]], %[[DOUBLE]]
// CHECK:         %[[MAX:.*]] = arith.maxsi %[[B0]], %[[B2]]
// CHECK:         %[[C256:.*]] = arith.constant 256 : index
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[MAX]], %[[C256]]
// CHECK:         %[[C256:.*]] = arith.constant 256 : index
// CHECK:         %[[SECOND:.*]] = arith.muli %[[BLOCKS]], %[[C256]]
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[B1]], %{{.*}}
// CHECK:         %[[S1:.*]] = arith.muli %[[BLOCKS]], %{{.*}}
// CHECK:         %[[BYTES:.*]] = arith.addi %[[SECOND]], %[[S1]]
// CHECK:         %[[H0:.*]] = memref.view %[[W]][%{{.*}}][%[[M]], %[[N]]] : memref<?xi8> to memref<?x?xf16>
// CHECK:         cutl.launch_kernel @kernels::@k(%[[A]], %[[H0]])
// CHECK:         %[[H1:.*]] = memref.view %[[W]][%[[SECOND]]][%[[M]]] : memref<?xi8> to memref<?x16xf16>
// CHECK:         %[[V1:.*]] = memref.subview %[[H1]][0, 0] [%[[M]], 10] [1, 1]
// CHECK:         cutl.launch_kernel @kernels::@narrow(%[[H0]], %[[V1]])
// CHECK:         %[[H2:.*]] = memref.view %[[W]][%{{.*}}][%[[DOUBLE]]] : memref<?xi8> to memref<?x16xf32>
// CHECK:         cutl.launch_kernel @kernels::@wide(%[[V1]], %[[H2]])
// CHECK-NEXT:    cutl.end_entry workspace(%[[BYTES]])
cutl.bundle @dynamic {
  cutl.entry @dynamic(%a: memref<?x?xf16>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xf16>
    %n = memref.dim %a, %c1 : memref<?x?xf16>
    %h0 = memref.alloc(%m, %n) : memref<?x?xf16>
    cutl.launch_kernel @kernels::@k(%a, %h0) : (memref<?x?xf16>, memref<?x?xf16>)
    %h1 = memref.alloc(%m) : memref<?x16xf16>
    %v1 = memref.subview %h1[0, 0] [%m, 10] [1, 1] : memref<?x16xf16> to memref<?x10xf16, strided<[16, 1]>>
    cutl.launch_kernel @kernels::@narrow(%h0, %v1) : (memref<?x?xf16>, memref<?x10xf16, strided<[16, 1]>>)
    %m1 = memref.dim %h1, %c0 : memref<?x16xf16>
    %double = arith.addi %m1, %m1 : index
    %h2 = memref.alloc(%double) : memref<?x16xf32>
    cutl.launch_kernel @kernels::@wide(%v1, %h2) : (memref<?x10xf16, strided<[16, 1]>>, memref<?x16xf32>)
  }
  gpu.module @kernels {
    gpu.func @k(%a: memref<?x?xf16>, %d: memref<?x?xf16>) kernel { gpu.return }
    gpu.func @narrow(%a: memref<?x?xf16>, %d: memref<?x10xf16, strided<[16, 1]>>) kernel { gpu.return }
    gpu.func @wide(%a: memref<?x10xf16, strided<[16, 1]>>, %d: memref<?x16xf32>) kernel { gpu.return }
  }
}

// -----

// Of two free places the one of the same size is taken; elements narrower than a byte are counted in bits.
// CHECK-LABEL: cutl.entry @same_size(
// CHECK-DAG:     memref.view %{{.*}}[%c0{{.*}}][] : memref<?xi8> to memref<64xf32>
// CHECK-DAG:     memref.view %{{.*}}[%c256{{.*}}][] : memref<?xi8> to memref<1001xi4>
// CHECK:         cutl.launch_kernel @kernels::@k
// CHECK:         memref.view %{{.*}}[%c256{{.*}}][] : memref<?xi8> to memref<501xi8>
// CHECK:         cutl.end_entry workspace(%c768
cutl.bundle @same_size {
  cutl.entry @same_size(%workspace: memref<?xi8>) {
    %h0 = memref.alloc() : memref<64xf32>
    %h1 = memref.alloc() : memref<1001xi4>
    cutl.launch_kernel @kernels::@k(%h0, %h1) : (memref<64xf32>, memref<1001xi4>)
    %h2 = memref.alloc() : memref<501xi8>
    cutl.launch_kernel @kernels::@l(%h2) : (memref<501xi8>)
  }
  gpu.module @kernels {
    gpu.func @k(%a: memref<64xf32>, %d: memref<1001xi4>) kernel { gpu.return }
    gpu.func @l(%a: memref<501xi8>) kernel { gpu.return }
  }
}
