// RUN: cutl-opt %s --convert-cutl-launch-to-llvm | FileCheck %s
// What is left is upstream's, and lowers to LLVM for the host with upstream's passes alone.
// RUN: cutl-opt %s --convert-cutl-launch-to-llvm \
// RUN:   | mlir-opt --convert-scf-to-cf --finalize-memref-to-llvm --convert-arith-to-llvm --convert-cf-to-llvm \
// RUN:       --convert-func-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// The module has the bytes once, a pointer to what is loaded from them, and the names of the entries that are launched.
// CHECK:      llvm.func @cutlStreamLaunch(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32, !llvm.ptr, i64) -> i32
// CHECK-NEXT: llvm.mlir.global internal constant @cutl_bundle("{{.*}}") {addr_space = 0 : i32, alignment = 16 : i64{{.*}}}
// CHECK-NEXT: llvm.mlir.global internal @cutl_bundle_slot() {addr_space = 0 : i32} : !llvm.ptr {
// CHECK-NEXT:   %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:   llvm.return %[[NULL]] : !llvm.ptr
// CHECK-NEXT: }
// CHECK-NEXT: llvm.mlir.global internal constant @cutl_entry_linear("linear\00")
// CHECK-NEXT: llvm.mlir.global internal constant @cutl_entry_other("other\00")

// Operands are described on the stack of the function, not of the loop.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf16, strided<[?, 1], offset: ?>>, %[[S:.*]]: f32, %[[I:.*]]: i64, %[[D:.*]]: memref<8xf32>, %[[W:.*]]: memref<?xi8>, %[[STREAM:.*]]: !llvm.ptr, %{{.*}}: index) {
// CHECK-DAG:     %[[OPERANDS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, ptr, i32, i32)> : (i64) -> !llvm.ptr
// CHECK-DAG:     %[[EXTENTS:.*]] = llvm.alloca %{{.*}} x i64 : (i64) -> !llvm.ptr
// CHECK-DAG:     %[[SCALARS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i32)> : (i64) -> !llvm.ptr
// CHECK:         scf.for
//
// Sizes and strides of the first operand, its address with the offset, rank and type.
// CHECK:           %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:           %[[SIZE0:.*]] = arith.index_cast %[[SIZES]]#0 : index to i64
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[EXTENTS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:           llvm.store %[[SIZE0]], %[[PLACE]] : i64, !llvm.ptr
// CHECK:           %[[STRIDE1:.*]] = arith.index_cast %[[STRIDES]]#1 : index to i64
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[EXTENTS]][3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:           llvm.store %[[STRIDE1]], %[[PLACE]] : i64, !llvm.ptr
// CHECK:           %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:           %[[START64:.*]] = arith.index_cast %[[START]] : index to i64
// CHECK:           %[[OFFSET64:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK:           %[[BITS:.*]] = llvm.mlir.constant(16 : i64) : i64
// CHECK:           %[[OFFSETBITS:.*]] = llvm.mul %[[OFFSET64]], %[[BITS]] : i64
// CHECK:           %[[BYTES:.*]] = llvm.ashr %[[OFFSETBITS]], %{{.*}} : i64
// CHECK:           %[[ADDRESS:.*]] = llvm.add %[[START64]], %[[BYTES]] : i64
// CHECK:           %[[DATA:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[OPERANDS]][0, 0]
// CHECK:           llvm.store %[[DATA]], %[[PLACE]] : !llvm.ptr, !llvm.ptr
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[EXTENTS]][0]
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][0, 1]
// CHECK:           llvm.store %[[PLACE]], %[[FIELD]]
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[EXTENTS]][2]
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][0, 2]
// CHECK:           llvm.store %[[PLACE]], %[[FIELD]]
// CHECK:           %[[RANK:.*]] = llvm.mlir.constant(2 : i32)
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][0, 3]
// CHECK:           llvm.store %[[RANK]], %[[FIELD]]
// CHECK:           %[[F16:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][0, 4]
// CHECK:           llvm.store %[[F16]], %[[FIELD]]
//
// The second has no offset and comes after it.
// CHECK:           memref.extract_strided_metadata %[[D]]
// CHECK:           llvm.getelementptr %[[EXTENTS]][4]
// CHECK:           llvm.getelementptr %[[EXTENTS]][5]
// CHECK:           %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[D]]
// CHECK:           %[[START64:.*]] = arith.index_cast %[[START]] : index to i64
// CHECK-NEXT:      llvm.inttoptr %[[START64]] : i64 to !llvm.ptr
//
// A number's bits are in the low bytes of 64.
// CHECK:           %[[BITS32:.*]] = arith.bitcast %[[S]] : f32 to i32
// CHECK:           %[[BITS64:.*]] = arith.extui %[[BITS32]] : i32 to i64
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[SCALARS]][0, 0]
// CHECK:           llvm.store %[[BITS64]], %[[FIELD]]
// CHECK:           %[[F32:.*]] = llvm.mlir.constant(3 : i32)
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[SCALARS]][0, 1]
// CHECK:           llvm.store %[[F32]], %[[FIELD]]
// CHECK:           %[[FIELD:.*]] = llvm.getelementptr %[[SCALARS]][1, 0]
// CHECK:           llvm.store %[[I]], %[[FIELD]]
// CHECK:           %[[S64:.*]] = llvm.mlir.constant(17 : i32)
//
// CHECK:           %[[WBYTES:.*]] = memref.dim %[[W]]
// CHECK:           %[[WBYTES64:.*]] = arith.index_cast %[[WBYTES]] : index to i64
// CHECK:           %[[SLOT:.*]] = llvm.mlir.addressof @cutl_bundle_slot
// CHECK:           %[[BUNDLE:.*]] = llvm.mlir.addressof @cutl_bundle :
// CHECK:           %[[NAME:.*]] = llvm.mlir.addressof @cutl_entry_linear
// CHECK:           llvm.call @cutlStreamLaunch(%[[STREAM]], %[[SLOT]], %[[BUNDLE]], %{{.*}}, %[[NAME]], %[[OPERANDS]], %{{.*}}, %[[SCALARS]], %{{.*}}, %{{.*}}, %[[WBYTES64]])
func.func @linear(%x: memref<?x64xf16, strided<[?, 1], offset: ?>> {cutl.name = "x"}, %s: f32, %i: i64, %d: memref<8xf32>,
                  %workspace: memref<?xi8>, %stream: !llvm.ptr, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    cutl.launch @bundle::@linear(%x, %s, %i, %d) workspace(%workspace) stream(%stream)
        : (memref<?x64xf16, strided<[?, 1], offset: ?>>, f32, i64, memref<8xf32>)
  }
  return
}

// No numbers: no array of them. The same names and the other bundle serve again.
// CHECK-LABEL: func.func @twice(
// CHECK-NOT:     llvm.struct<(i64, i32)>
// CHECK:         llvm.mlir.zero : !llvm.ptr
// CHECK:         llvm.mlir.addressof @cutl_bundle_slot
// CHECK:         llvm.mlir.addressof @cutl_entry_other
// CHECK:         llvm.call @cutlStreamLaunch(
// CHECK:         llvm.mlir.addressof @cutl_bundle_slot
// CHECK:         llvm.mlir.addressof @cutl_entry_other
// CHECK:         llvm.call @cutlStreamLaunch(
func.func @twice(%d: memref<8xf32>, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  cutl.launch @second::@other(%d) workspace(%workspace) stream(%stream) : (memref<8xf32>)
  cutl.launch @second::@other(%d) workspace(%workspace) stream(%stream) : (memref<8xf32>)
  return
}

// CHECK-NOT: cutl.bundle
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @linear(%x: memref<?x64xf16, strided<[?, 1], offset: ?>>, %s: f32, %i: i64, %d: memref<8xf32>,
                     %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@k(%x, %d, %s) : (memref<?x64xf16, strided<[?, 1], offset: ?>>, memref<8xf32>, f32)
    %c0 = arith.constant 0 : index
    cutl.end_entry workspace(%c0)
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"k", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "pointer", arg = 0}, {kind = "pointer", arg = 1}, {kind = "scalar", arg = 2}]}}>
    ]>, assembly = ".version 8.0">]
}
cutl.bundle @second attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @other(%d: memref<8xf32>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@k(%d) : (memref<8xf32>)
    %c0 = arith.constant 0 : index
    cutl.end_entry workspace(%c0)
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"k", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "pointer", arg = 0}]}}>
    ]>, assembly = ".version 8.0">]
}

// LLVM:       @cutl_bundle = internal constant [{{[0-9]+}} x i8] c"{{.*}}", align 16
// LLVM-NEXT:  @cutl_bundle_slot = internal global ptr null
// LLVM-NEXT:  @cutl_entry_linear = internal constant [7 x i8] c"linear\00"
// LLVM:       declare i32 @cutlStreamLaunch(ptr, ptr, ptr, i64, ptr, ptr, i32, ptr, i32, ptr, i64)
// LLVM-LABEL: define void @linear(
// LLVM:         call i32 @cutlStreamLaunch(ptr %{{.*}}, ptr @cutl_bundle_slot, ptr @cutl_bundle, i64 {{[0-9]+}}, ptr @cutl_entry_linear, ptr %{{.*}}, i32 2, ptr %{{.*}}, i32 2, ptr %{{.*}}, i64 %{{.*}})
