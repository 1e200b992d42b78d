// Two layers from tensors to LLVM for the host: one call of the runtime, nothing allocated, nothing waited for.
// RUN: cutl-opt %cutl_src/examples/python/digits.mlir --cutl-to-ptx=chip=sm_90a --convert-cutl-launch-to-llvm \
// RUN:   | mlir-opt --finalize-memref-to-llvm --convert-arith-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK:       @cutl_entry_classify = internal constant [9 x i8] c"classify\00"
// CHECK-LABEL: define void @classify(
// CHECK:         alloca { ptr, ptr, ptr, i32, i32 }, i64 6
// CHECK-NOT:     call
// CHECK:         call i32 @cutlStreamLaunch(ptr %{{.*}}, ptr @cutl_bundle_slot, ptr @cutl_bundle, i64 {{[0-9]+}}, ptr @cutl_entry_classify, ptr %{{.*}}, i32 6, ptr null, i32 0, ptr %{{.*}}, i64 %{{.*}})
// CHECK-NEXT:    ret void
