// When an entry has a second variant, and for which chips.
// REQUIRES: cutl-compile
// RUN: cutl-compile %s --emit=bundle-text | FileCheck %s

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @one {

  // The type keeps all rules but that of the address, which the call may break.
  // CHECK-LABEL: entry address
  // CHECK:         variant primary
  // CHECK-NEXT:    guard address(arg0) divisible by 16
  // CHECK-NEXT:    step 0 launch map of
  // CHECK:         variant alternative for sm_90a
  // CHECK-NEXT:    step 0 launch elements of
  cutl.entry @address(%x: memref<8x64xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@map(%x) : (memref<8x64xf16>)
    cutl.end_entry
  }

  // Nothing is asked of the workspace.
  // CHECK-LABEL: entry satisfied
  // CHECK-NEXT:    variant primary
  // CHECK-NEXT:    workspace 1024
  // CHECK-NEXT:    step 0 launch map of
  // CHECK-NOT:     variant
  cutl.entry @satisfied(%workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %x = memref.view %workspace[%c0][] : memref<?xi8> to memref<8x64xf16>
    cutl.launch_kernel @kernels::@map(%x) : (memref<8x64xf16>)
    cutl.end_entry workspace(%c1024)
  }

  // The type breaks a rule.
  // CHECK-LABEL: entry broken
  // CHECK-NOT:     primary
  // CHECK:         variant alternative
  // CHECK-NEXT:    step 0 launch elements of
  cutl.entry @broken(%x: memref<8x63xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@map(%x) : (memref<8x63xf16>)
    cutl.end_entry
  }

  // A budget of SMs bounds the grid in whole clusters, in each variant.
  // CHECK-LABEL: entry budget
  // CHECK:         variant primary
  // CHECK:           grid [min((size(arg0, 0) ceildiv 64) * 4, min(occupancy(0), 8))]
  // CHECK-NEXT:      cluster [4]
  // CHECK:           grid [min(size(arg0, 0) ceildiv 64, min(occupancy(1), 11))]
  // CHECK:         variant alternative
  // CHECK:           grid [min((size(arg0, 0) ceildiv 64) * 4, min(occupancy(0), 8))]
  // CHECK:           step 1 launch elements of
  // CHECK:           grid [min((size(arg0, 0) ceildiv 64) * 4, min(occupancy(1), 8))]
  cutl.entry @budget(%x: memref<?x64xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@elements(%x) sm_budget(11) : (memref<?x64xf16>)
    cutl.launch_kernel @kernels::@map(%x) sm_budget(11) : (memref<?x64xf16>)
    cutl.end_entry
  }

  // Steps without an alternative are the same in both.
  // CHECK-LABEL: entry mixed
  // CHECK:         variant primary
  // CHECK:           step 0 launch elements of
  // CHECK:           grid [min((size(arg0, 0) ceildiv 64) * 4, occupancy(0))]
  // CHECK-NEXT:      cluster [4]
  // CHECK:           step 1 launch map of
  // CHECK:           grid [min(size(arg0, 0) ceildiv 64, occupancy(1))]
  // CHECK-NEXT:      block
  // CHECK:         variant alternative
  // CHECK-NEXT:      step 0 launch elements of
  // CHECK:           step 1 launch elements of
  cutl.entry @mixed(%x: memref<?x64xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@elements(%x) : (memref<?x64xf16>)
    cutl.launch_kernel @kernels::@map(%x) : (memref<?x64xf16>)
    cutl.end_entry
  }

  // What fills an array is a step too, and counts where steps are numbered. The entry's own grid stands.
  // CHECK-LABEL: entry filled
  // CHECK:         variant primary
  // CHECK-NEXT:      guard
  // CHECK-NEXT:      workspace
  // CHECK-NEXT:      step 0 memset
  // CHECK-NEXT:      step 1 launch map of
  // CHECK:           grid [{{.*}}occupancy(1)
  // CHECK:         variant alternative
  // CHECK:           step 0 memset
  // CHECK-NEXT:      step 1 launch elements of
  // CHECK:           grid [{{.*}}occupancy(1)
  cutl.entry @filled(%x: memref<?x64xf16>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %m = memref.dim %x, %c0 : memref<?x64xf16>
    %ctas = cutl.resident_ctas @kernels::@map
    %more = arith.cmpi ult, %m, %ctas : index
    %grid = arith.select %more, %m, %ctas : index
    %bytes = arith.muli %ctas, %c4 : index
    %p = memref.view %workspace[%c256][%ctas] : memref<?xi8> to memref<?xi32>
    %end = arith.addi %bytes, %c256 : index
    cutl.memset %p to 0 : memref<?xi32>
    cutl.launch_kernel @kernels::@map(%x) grid(%grid) : (memref<?x64xf16>)
    cutl.end_entry workspace(%end)
  }

  // A step whose kernel can be refused nothing keeps it in both.
  // CHECK-LABEL: entry kept
  // CHECK:         variant primary
  // CHECK:           step 0 launch map of
  // CHECK:           step 1 launch map of
  // CHECK:         variant alternative
  // CHECK:           step 0 launch map of
  // CHECK:           step 1 launch elements of
  cutl.entry @kept(%x: memref<?x64xf16>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %h = memref.view %workspace[%c0][] : memref<?xi8> to memref<8x64xf16>
    cutl.launch_kernel @kernels::@map(%h) : (memref<8x64xf16>)
    cutl.launch_kernel @kernels::@map(%x) : (memref<?x64xf16>)
    cutl.end_entry workspace(%c1024)
  }

  // Kernels for some sizes: the first whose condition holds, each with its alternative and grid.
  // CHECK-LABEL: entry sizes
  // CHECK:         variant primary
  // CHECK-NEXT:      guard size(arg0, 0) <= 16{{$}}
  // CHECK-NEXT:      guard address(arg0) divisible by 16 "
  // CHECK-NEXT:      step 0 launch map of
  // CHECK-NEXT:        grid [min(size(arg0, 0) ceildiv 64, min(occupancy(0), 8))]
  // CHECK:         variant alternative
  // CHECK-NEXT:      guard size(arg0, 0) <= 16{{$}}
  // CHECK-NEXT:      step 0 launch elements of
  // CHECK:         variant primary
  // CHECK-NEXT:      guard min(size(arg0, 0) <= 64, (size(arg0, 0) * 8) <= 256){{$}}
  // CHECK-NEXT:      step 0 launch elements of
  // CHECK:         variant primary
  // CHECK-NEXT:      step 0 launch other of
  // CHECK-NEXT:        grid [min(size(arg0, 0) ceildiv 128, min(occupancy(0), 8))]
  // CHECK-NOT:     variant
  cutl.entry @sizes(%x: memref<?x64xf16>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %never = arith.constant false
    %m = memref.dim %x, %c0 : memref<?x64xf16>
    %results = arith.muli %m, %c8 : index
    %few = arith.cmpi sle, %m, %c16 : index
    %more = arith.cmpi sle, %m, %c64 : index
    %small = arith.cmpi sle, %results, %c256 : index
    %both = arith.andi %more, %small : i1
    cutl.launch_kernel @kernels::@other(%x)
        variants(%never, %few, %both : [@kernels::@map, @kernels::@map, @kernels::@elements]) sm_budget(8)
        : (memref<?x64xf16>)
    cutl.end_entry
  }

  // Every combination of the variants of two steps, the first step's in their order.
  // CHECK-LABEL: entry pairs
  // CHECK:         variant primary
  // CHECK-NEXT:      guard size(arg0, 0) <= 16
  // CHECK-NEXT:      guard size(arg0, 0) <= 64
  // CHECK-NEXT:      step 0 launch elements of
  // CHECK:           step 1 launch elements of
  // CHECK:         variant primary
  // CHECK-NEXT:      guard size(arg0, 0) <= 16
  // CHECK-NEXT:      step 0 launch elements of
  // CHECK:           step 1 launch other of
  // CHECK:         variant primary
  // CHECK-NEXT:      guard size(arg0, 0) <= 64
  // CHECK-NEXT:      step 0 launch other of
  // CHECK:           step 1 launch elements of
  // CHECK:         variant primary
  // CHECK-NEXT:      step 0 launch other of
  // CHECK:           step 1 launch other of
  cutl.entry @pairs(%x: memref<?x64xf16>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %m = memref.dim %x, %c0 : memref<?x64xf16>
    %few = arith.cmpi sle, %m, %c16 : index
    %more = arith.cmpi sle, %m, %c64 : index
    cutl.launch_kernel @kernels::@other(%x) variants(%few : [@kernels::@elements]) : (memref<?x64xf16>)
    cutl.launch_kernel @kernels::@other(%x) variants(%more : [@kernels::@elements]) : (memref<?x64xf16>)
    cutl.end_entry
  }

  // No stride of one row is used.
  // CHECK-LABEL: entry row
  // CHECK-NEXT:    operand arg0 : 1x63xf16 written
  // CHECK-NEXT:    requires stride(arg0, 1) in 1 to 1
  // CHECK-NEXT:    variant primary
  // CHECK-NEXT:    guard address(arg0) divisible by 16
  // CHECK-NEXT:    step
  cutl.entry @row(%x: memref<1x63xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@map(%x) : (memref<1x63xf16>)
    cutl.end_entry
  }

  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"elements", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 2, 2>, shared_bytes = 0, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "pointer", arg = 0}]}}>,
    #gpu.kernel_metadata<"other", () -> (), metadata = {cutl_tile.launch_info = {
      block = 256, cluster = array<i64: 1, 1>, shared_bytes = 0, grid = [{arg = 0, dim = 0, tile = 128}],
      params = [{kind = "pointer", arg = 0}]}}>,
    #gpu.kernel_metadata<"map", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 0, grid = [{arg = 0, dim = 0, tile = 64}],
      alternative = @elements,
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 32, 64>, swizzle = "none"}]}}>
    ]>, assembly = ".version 8.0">]
}

// Two chips are two variants, each with its code.
// CHECK-LABEL: entry chips
// CHECK:         variant primary for sm_90a
// CHECK:           step 0 launch f of chips.kernels.ptx (ptx, 5 bytes)
// CHECK:         variant primary for sm_100a
// CHECK:           step 0 launch f of chips.kernels.cubin (cubin, 6 bytes)
cutl.bundle @chips {
  cutl.entry @chips(%x: memref<?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f(%x) : (memref<?xf16>)
    cutl.end_entry
  }
  gpu.binary @kernels [
    #gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
      cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>,
      assembly = "text">,
    #gpu.object<#nvvm.target<chip = "sm_100a">, kernels = <[#gpu.kernel_metadata<"f", () -> (), metadata = {
      cutl_tile.launch_info = {block = 128, cluster = array<i64: 1>, shared_bytes = 0, grid = [], params = []}}>]>,
      bin = "binary">]
}
}
