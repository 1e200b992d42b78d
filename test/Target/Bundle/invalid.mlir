// What an entry holds that no bundle can, and launch information that does not fit its kernel.
// REQUIRES: cutl-compile
// RUN: split-file %s %t
// RUN: not cutl-compile --chip=sm_90a %t/none.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not cutl-compile --chip=sm_90a %t/op.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not cutl-compile --chip=sm_90a %t/float.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not cutl-compile --chip=sm_90a %t/dim.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not cutl-compile --chip=sm_90a %t/remainder.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=REMAINDER
// RUN: not cutl-compile --chip=sm_90a %t/collapse.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=COLLAPSE
// RUN: not cutl-compile --chip=sm_90a %t/complex.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not cutl-compile --chip=sm_90a %t/block.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not cutl-compile --chip=sm_90a %t/cluster.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not cutl-compile --chip=sm_90a %t/budget.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not cutl-compile --chip=sm_90a %t/cluster-zero.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=CLUSTER-ZERO
// RUN: not cutl-compile --chip=sm_90a %t/params.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=PARAMS
// RUN: not cutl-compile --chip=sm_90a %t/shared.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not cutl-compile --chip=sm_90a %t/alternative.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=ALTERNATIVE
// RUN: not cutl-compile --chip=sm_90a %t/no-alternative.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=NO-ALTERNATIVE
// RUN: not cutl-compile --chip=sm_90a %t/kind.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not cutl-compile --chip=sm_90a %t/arg.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=ARG
// RUN: not cutl-compile --chip=sm_90a %t/scalar.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not cutl-compile --chip=sm_90a %t/size.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not cutl-compile --chip=sm_90a %t/tile.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not cutl-compile --chip=sm_90a %t/rank.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not cutl-compile --chip=sm_90a %t/dims.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not cutl-compile --chip=sm_90a %t/box.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=BOX
// RUN: not cutl-compile --chip=sm_90a %t/swizzle.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// RUN: not cutl-compile --chip=sm_90a %t/map-type.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=MAP-TYPE
// RUN: not cutl-compile --chip=sm_90a %t/pitch.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=PITCH
// RUN: not cutl-compile --chip=sm_90a %t/unit.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not cutl-compile --chip=sm_90a %t/small-size.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=SMALL-SIZE
// RUN: not cutl-compile --chip=sm_90a %t/element.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not cutl-compile --chip=sm_90a %t/dimensions.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=DIMENSIONS
// RUN: not cutl-compile --chip=sm_90a %t/tie.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=TIE
// RUN: not cutl-compile --chip=sm_90a %t/tie-range.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=TIE-RANGE
// RUN: not cutl-compile --chip=sm_90a %t/many.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not cutl-compile --chip=sm_90a %t/combinations.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=COMBINATIONS
// RUN: not cutl-compile --chip=sm_90a %t/name.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not cutl-compile --chip=sm_90a %t/fatbin.mlir --emit=bundle -o %t/x 2>&1 | FileCheck %s --check-prefix=FATBIN
// Nothing is written after an error.
// RUN: not ls %t/x

//--- none.mlir
// NONE: error: {{.*}}expected a cutl.bundle in the module, got none; run cutl-outline-kernels first
func.func private @f()
//--- op.mlir
// OP: error: {{.*}}expected an op on sizes, strides or offsets, a view or cutl.launch_kernel in an entry
cutl.bundle @b {
  cutl.entry @e(%x: memref<4xf16>, %y: memref<4xf16>, %workspace: memref<?xi8>) {
    memref.copy %x, %y : memref<4xf16> to memref<4xf16>
    cutl.end_entry
  }
}
//--- float.mlir
// FLOAT: error: {{.*}}expected an op on sizes, strides or offsets
cutl.bundle @b {
  cutl.entry @e(%a: f32, %workspace: memref<?xi8>) {
    %b = arith.addf %a, %a : f32
    cutl.launch_kernel @kernels::@f(%b) : (f32)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- dim.mlir
// DIM: error: {{.*}}expected a constant dimension in an entry
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %i: index, %workspace: memref<?xi8>) {
    %d = memref.dim %x, %i : memref<4x?xf16>
    cutl.launch_kernel @kernels::@f(%d) : (index)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- remainder.mlir
// REMAINDER: error: {{.*}}expected a positive constant as the divisor of a remainder in an entry
cutl.bundle @b {
  cutl.entry @e(%i: index, %j: index, %workspace: memref<?xi8>) {
    %r = arith.remsi %i, %j : index
    cutl.launch_kernel @kernels::@f(%r) : (index)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- collapse.mlir
// COLLAPSE: error: {{.*}}expected sizes that are known in the dimensions that an entry collapses, all but the first
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    %c = memref.collapse_shape %x [[0, 1]] : memref<4x?xf16> into memref<?xf16>
    cutl.launch_kernel @kernels::@f(%c) : (memref<?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- complex.mlir
// COMPLEX: error: {{.*}}expected a value that the runtime computes in 1024 instructions over 32 values, got more
cutl.bundle @b {
  cutl.entry @e(%i0: index, %j: index, %workspace: memref<?xi8>) {
    %i1 = arith.addi %i0, %i0 : index
    %i2 = arith.muli %i1, %i1 : index
    %i3 = arith.addi %i2, %i2 : index
    %i4 = arith.muli %i3, %i3 : index
    %i5 = arith.addi %i4, %i4 : index
    %i6 = arith.muli %i5, %i5 : index
    %i7 = arith.addi %i6, %i6 : index
    %i8 = arith.muli %i7, %i7 : index
    %i9 = arith.addi %i8, %i8 : index
    %i10 = arith.muli %i9, %i9 : index
    %i11 = arith.addi %i10, %i10 : index
    %i12 = arith.muli %i11, %i11 : index
    cutl.launch_kernel @kernels::@f(%i12) : (index)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- block.mlir
// BLOCK: error: {{.*}}in the launch information of kernel 'f': expected 'block' to be an i64 of 1 to 1024, got 2048 : i64
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 2048, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- cluster.mlir
// CLUSTER: error: {{.*}}in the launch information of kernel 'f': expected 'cluster' to be an array<i64> of extents whose product is 1 to 16, got array<i64: 4, 8>
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 1, cluster = array<i64: 4, 8>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- budget.mlir
// BUDGET: error: {{.*}}expected sm_budget to be at least 4, the ctas of a cluster of @f, got 3; nearest legal value is 4
cutl.bundle @b {
  cutl.entry @e(%x: memref<4xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) sm_budget(3) : (memref<4xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 4>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- cluster-zero.mlir
// CLUSTER-ZERO: error: {{.*}}in the launch information of kernel 'f': expected 'cluster' to be
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 1, cluster = array<i64: 0, 8>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- params.mlir
// PARAMS: error: {{.*}}in the launch information of kernel 'f': expected 'params' to be an array of dictionaries, got [1]
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 1, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [1]}}>]>, assembly = "text">]
}
//--- shared.mlir
// SHARED: error: {{.*}}in the launch information of kernel 'f': expected 'shared_bytes' to be an i64 of 0 to 2147483647, got <<NULL ATTRIBUTE>>
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 1, cluster = array<i64: 1>, grid = [], params = []}}>]>, assembly = "text">]
}
//--- alternative.mlir
// ALTERNATIVE: error: {{.*}}in the launch information of kernel 'f': expected 'alternative' to be the name of a kernel, got "g"
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [], alternative = "g"}}>]>, assembly = "text">]
}
//--- no-alternative.mlir
// NO-ALTERNATIVE: error: {{.*}}expected kernel 'g' with 'cutl_tile.launch_info' in @kernels
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [], alternative = @g}}>]>, assembly = "text">]
}
//--- kind.mlir
// KIND: error: {{.*}}in the launch information of kernel 'f': expected 'kind' to be tensor_map, size, pointer, stride or scalar, got "extent"
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "extent", arg = 0}]}}>]>, assembly = "text">]
}
//--- arg.mlir
// ARG: error: {{.*}}in the launch information of kernel 'f': expected 'arg' to be an i64 of 0 to 0, got 1 : i64
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "pointer", arg = 1}]}}>]>, assembly = "text">]
}
//--- scalar.mlir
// SCALAR: error: {{.*}}in the launch information of kernel 'f': expected argument 0 to be a number, got 'memref<4x?xf16>'
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "scalar", arg = 0}]}}>]>, assembly = "text">]
}
//--- size.mlir
// SIZE: error: {{.*}}in the launch information of kernel 'f': expected 'dim' to be an i64 of 0 to 1, got 2 : i64
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "size", arg = 0, dim = 2}]}}>]>, assembly = "text">]
}
//--- tile.mlir
// TILE: error: {{.*}}in the launch information of kernel 'f': expected 'tile' to be an i64 of 1 to 2147483647, got 0 : i64
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [{arg = 0, dim = 0, tile = 0}], params = []}}>]>, assembly = "text">]
}
//--- rank.mlir
// RANK: error: {{.*}}in the launch information of kernel 'f': expected a tensor map with 'dims' and as many of 'box', 1 to 5, got
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32>, swizzle = "none"}]}}>]>, assembly = "text">]
}
//--- dims.mlir
// DIMS: error: {{.*}}in the launch information of kernel 'f': expected 'dims' to be distinct dimensions of 'memref<4x?xf16>', got array<i64: 1, 1>
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 1>, box = array<i64: 32, 8>, swizzle = "none"}]}}>]>, assembly = "text">]
}
//--- box.mlir
// BOX: error: {{.*}}in the launch information of kernel 'f': expected 'box' to have extents of 1 to 256, got array<i64: 32, 257>
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32, 257>, swizzle = "none"}]}}>]>, assembly = "text">]
}
//--- swizzle.mlir
// SWIZZLE: error: {{.*}}in the launch information of kernel 'f': expected 'swizzle' to be none, 32B, 64B or 128B, got "256B"
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32, 8>, swizzle = "256B"}]}}>]>, assembly = "text">]
}
//--- map-type.mlir
// MAP-TYPE: error: {{.*}}expected a type that tensor maps have for argument 0, got 'i64'
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x64xi64>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x64xi64>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32, 8>, swizzle = "none"}]}}>]>, assembly = "text">]
}
//--- pitch.mlir
// PITCH: error: {{.*}}expected the stride of dimension 0 of 'arg0' to be a multiple of 16 bytes, got 120
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x60xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x60xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32, 8>, swizzle = "none"}]}}>]>, assembly = "text">]
}
//--- unit.mlir
// UNIT: error: {{.*}}expected dimension 0 of 'arg0' to have stride 1, got 64
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x64xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x64xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "tensor_map", arg = 0, dims = array<i64: 0, 1>, box = array<i64: 4, 8>, swizzle = "none"}]}}>]>, assembly = "text">]
}
//--- small-size.mlir
// SMALL-SIZE: error: {{.*}}expected the size of dimension 0 of 'arg0' to be at most 2147483647, got 3000000000
cutl.bundle @b {
  cutl.entry @e(%x: memref<3000000000xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<3000000000xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = [{kind = "size", arg = 0, dim = 0}]}}>]>, assembly = "text">]
}
//--- element.mlir
// ELEMENT: error: {{.*}}expected 'arg0' to be of a type that the runtime has, got 'i16'
cutl.bundle @b {
  cutl.entry @e(%x: memref<4xi16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4xi16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- dimensions.mlir
// DIMENSIONS: error: {{.*}}expected 'arg0' to have at most 8 dimensions, got 9
cutl.bundle @b {
  cutl.entry @e(%x: memref<1x1x1x1x1x1x1x1x1xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<1x1x1x1x1x1x1x1x1xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- tie.mlir
// TIE: error: {{.*}}expected dimension 0 of 'arg0' and dimension 0 of 'arg1' to be equal, got 5 instead of 4
cutl.bundle @b {
  cutl.entry @e(%a: memref<4xf16>, %b: memref<5xf16>, %workspace: memref<?xi8>) attributes {cutl.host_ties = [array<i64: 0, 0, 1, 1, 1, 0>]} {
    cutl.end_entry
  }
}
//--- tie-range.mlir
// TIE-RANGE: error: {{.*}}expected 'cutl.host_ties' to name dimensions of the entry's arguments, got 0, 0, 1, 1, 1, 0
cutl.bundle @b {
  cutl.entry @e(%a: memref<4xf16>, %workspace: memref<?xi8>) attributes {cutl.host_ties = [array<i64: 0, 0, 1, 1, 1, 0>]} {
    cutl.end_entry
  }
}
//--- many.mlir
// MANY: error: {{.*}}expected at most 16 kernels and memsets in an entry, got 17
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- combinations.mlir
// COMBINATIONS: error: 'cutl.launch_kernel' op expected at most 64 combinations of variants in an entry, got 81 with this kernel
cutl.bundle @b {
  cutl.entry @e(%x: memref<?xf16>, %w: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %m = memref.dim %x, %c0 : memref<?xf16>
    %few = arith.cmpi sle, %m, %c0 : index
    cutl.launch_kernel @kernels::@k(%x) variants(%few, %few, %few, %few, %few, %few, %few, %few : [@kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k])
        : (memref<?xf16>)
    cutl.launch_kernel @kernels::@k(%x) variants(%few, %few, %few, %few, %few, %few, %few, %few : [@kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k, @kernels::@k])
        : (memref<?xf16>)
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"k", () -> (),
    metadata = {cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, assembly = "text">]
}
//--- name.mlir
// NAME: error: {{.*}}expected a name that no other entry of the file has
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @b {
  cutl.entry @e(%workspace: memref<?xi8>) {
    cutl.end_entry
  }
}
cutl.bundle @c {
  cutl.entry @e(%workspace: memref<?xi8>) {
    cutl.end_entry
  }
}
}
//--- fatbin.mlir
// FATBIN: error: {{.*}}expected objects of PTX (assembly) or cubins (bin), got fatbin
cutl.bundle @b {
  cutl.entry @e(%x: memref<4x?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<4x?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
    cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>, "text">]
}
