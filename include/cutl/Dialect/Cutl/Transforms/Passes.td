//===- Passes.td - Passes over the cutl dialect -----------*- tablegen -*-===//
//
// In alphabetical order of their names. Passes that leave the dialect are in
// include/cutl/Conversion/Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_PASSES_TD
#define CUTL_DIALECT_CUTL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CutlAttachTarget : Pass<"cutl-attach-target"> {
  let summary = "Record the chip that code is compiled for";
  let description = [{
    Sets `cutl.target` on the op that the pass runs on, unless it has one. Ops
    below may carry their own, which wins.

    ```mlir
    module { … }
    // after cutl-attach-target{chip=sm_90a}
    module attributes {cutl.target = #cutl.target<chip = "sm_90a">} { … }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "Chip name as in the chip table, for example sm_90a">
  ];
  let dependentDialects = ["::mlir::cutl::CutlDialect"];
}

def CutlCanonicalizeEpilogue : Pass<"cutl-canonicalize-epilogue"> {
  let summary = "Simplify the epilogues of gemms";
  let description = [{
    Makes the region and its operands as small as they can be with the result,
    under the fast-math flags of each op, the same:

    * An auxiliary operand that nothing reads is dropped; two that are the same
      value by the same map become one; one that is the same constant everywhere
      becomes a constant of the region.
    * In tensor form an output whose result has no use is dropped, as long as one
      output remains.
    * `cutl.linear_combination` with a constant beta becomes what it computes.
    * Constant expressions are folded. A multiplication by 1 vanishes, one by 0
      only under `nnan` and `nsz`; two by constants become one only if both
      have `reassoc`, and never where their product is not a normal number.
    * Equal ops are computed once.

    ```mlir
    %one = arith.constant 1.0 : f32
    %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%one : (), %c : (m, n), %c : (m, n), %v : (n)) outs(%d : (m, n)) {
    ^bb0(%acc: f32, %alpha: f32, %c0: f32, %c1: f32, %unused: f32):
      %beta = arith.constant 0.0 : f32
      %s = cutl.linear_combination %alpha, %acc, %beta, %c0 : f32
      %t = arith.addf %s, %c1 : f32
      cutl.yield %t : f32
    } : …
    // after
    %y = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n)) outs(%d : (m, n)) {
    ^bb0(%acc: f32, %c0: f32):
      %t = arith.addf %acc, %c0 : f32
      cutl.yield %t : f32
    } : …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numDropped", "num-dropped", "Number of operands and outputs removed">
  ];
}

def CutlDropReturnedDestinations
    : Pass<"cutl-drop-returned-destinations", "::mlir::ModuleOp"> {
  let summary = "Remove results that are one of the function's own memrefs";
  let description = [{
    After bufferization a function returns the destination that it wrote to.
    Such a result is removed, of public functions too, and callers use the
    operand instead.

    ```mlir
    func.func @f(%d: memref<4xf32>) -> memref<4xf32> { … return %d : memref<4xf32> }
    // after
    func.func @f(%d: memref<4xf32>) { … return }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numDropped", "num-dropped", "Number of results removed">];
}

def CutlFuseEpilogue : Pass<"cutl-fuse-epilogue"> {
  let summary = "Move elementwise ops and reductions beside gemms into their epilogues";
  let description = [{
    Works on gemms in tensor form. Into the region go, until none is left:

    * Readers of a result that compute element by element: `linalg.generic` and
      the named linalg ops whose loops are parallel, and `arith` and `math` ops on
      tensors. Several go together if each of the results between them is used by
      them alone (`x · sigmoid(x)`), so that the gemm gets no more outputs than it
      has; with `max-outputs` it may get more and then keeps a result that others
      use too.
    * A reduction of a result by add, max or min, which becomes a reduced output.
      It has to start from the combiner's identity, or is combined with what it
      starts from by an op after the gemm. A sum of floats needs fast-math
      `reassoc` (of f16 and bf16 `contract` too), a maximum that ignores NaN
      needs `nnan`. A maximum of magnitudes from 0 becomes `amax`.
    * What computes an auxiliary operand element by element, if nothing else uses
      it. Producers of A and B stay.

    A transposition becomes the map of the output or auxiliary operand. Every
    rounding stays: a value that was stored as bf16 is rounded to bf16. New
    destinations get their sizes from the operands of the gemm. An op that stays
    although it looks like one to fuse is named in a remark (`missed`, category
    `cutl-fuse-epilogue`) with the reason.

    ```mlir
    %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : …
    %e = tensor.empty(%rows) : tensor<?x64xbf16>
    %z = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y, %bias : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xbf16>) {
    ^bb0(%s: f32, %t: f32, %out: bf16):
      %sum = arith.addf %s, %t : f32
      %o = arith.truncf %sum : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<?x64xbf16>
    // after
    %m = tensor.dim %x, %c0 : tensor<?x32xbf16>
    %e = tensor.empty(%m) : tensor<?x64xbf16>
    %z = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%bias : (n)) outs(%e : (m, n)) {
    ^bb0(%acc: f32, %t: f32):
      %sum = arith.addf %acc, %t : f32
      %o = arith.truncf %sum : f32 to bf16
      cutl.yield %o : bf16
    } : …
    ```
  }];
  let options = [
    Option<"maxOutputs", "max-outputs", "unsigned", /*default=*/"0",
           "Outputs that a gemm may get to keep results that others use too">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numFused", "num-fused", "Number of ops moved into epilogues">];
}

def CutlOutlineKernels : Pass<"cutl-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move problem ops on memrefs into the entries and kernels of a bundle";
  let description = [{
    Moves the problem ops of each function into a `cutl.bundle` beside it, which
    carries the target. A maximal run of them, with nothing between but
    allocations and ops without effects, becomes one `cutl.entry`, and a
    `cutl.launch` stands in its place; each op becomes a kernel that the entry
    launches. The function gets a workspace and a stream as its last arguments,
    so nothing else in the module may use it.

    * Operands of an entry are what the function passes in: its arguments in
      their order, then other values. `cutl.name` of an argument goes along.
    * Views, sizes and index arithmetic that the run needs are computed in the
      entry; other numbers, and the operands of views that cannot be followed,
      by the function.
    * An allocation that the run alone uses becomes an intermediate of the
      entry. Its rows are padded to multiples of 16 bytes, which TMA needs.
      Other allocations stay what they are, memory of the host, and are passed.
    * Which sizes of an entry's operands must agree, and which are written, is
      recorded as in `cutl-record-host-rules`.
    * Arguments of a kernel are the op's memrefs in its order, then the numbers
      it takes by value. A split B becomes two memrefs.

    Other ops of the function are left alone. They run before the launches
    ahead of them have finished, unless they wait for the stream.

    Needs memrefs and phase `configured`.

    ```mlir
    func.func @f(%x: memref<?x64xf16>, %w: memref<48x64xf16>, %v: memref<10x48xf16>, %d: memref<?x10xf32>) {
      %m = memref.dim %x, %c0 : memref<?x64xf16>
      %h = memref.alloc(%m) : memref<?x48xf16>
      cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%h : (m, n)) … { … } : …
      cutl.gemm ins(%h : (m, k), %v : (n, k)) outs(%d : (m, n)) … { … } : …
      memref.dealloc %h : memref<?x48xf16>
      return
    }
    // after
    func.func @f(%x: memref<?x64xf16>, %w: memref<48x64xf16>, %v: memref<10x48xf16>, %d: memref<?x10xf32>,
                 %workspace: memref<?xi8>, %stream: !llvm.ptr) {
      cutl.launch @f_bundle::@f(%x, %w, %v, %d) workspace(%workspace) stream(%stream) : (…)
      return
    }
    cutl.bundle @f_bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
      cutl.entry @f(%x: …, %w: …, %v: …, %d: …, %workspace: memref<?xi8>) attributes {cutl.host_ties = …, cutl.host_writes = …} {
        %m = memref.dim %x, %c0 : memref<?x64xf16>
        %h = memref.alloc(%m) : memref<?x48xf16>
        cutl.launch_kernel @kernels::@f_0(%x, %w, %h) : (…)
        cutl.launch_kernel @kernels::@f_1(%h, %v, %d) : (…)
        cutl.end_entry
      }
      gpu.module @kernels {
        gpu.func @f_0(%x: …, %w: …, %h: …) kernel {
          cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%h : (m, n)) … { … } : …
          gpu.return
        }
        gpu.func @f_1(…) kernel { … }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::cutl::CutlDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [Statistic<"numOutlined", "num-outlined", "Number of kernels made">];
}

def CutlPlanWorkspace : Pass<"cutl-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Give the intermediates of entries places in the workspace";
  let description = [{
    Replaces each `memref.alloc` of a `cutl.entry` by a view of the workspace at
    a multiple of 256 bytes, and states how many bytes the entry needs. Two
    intermediates share a place if the last op that uses the one comes before
    the first that uses the other; the place is as large as the larger. Sizes
    may be dynamic. An entry without intermediates needs 0 bytes.

    ```mlir
    cutl.entry @f(%x: memref<?x64xf16>, …, %workspace: memref<?xi8>) {
      %m = memref.dim %x, %c0 : memref<?x64xf16>
      %h = memref.alloc(%m) : memref<?x48xf16>
      cutl.launch_kernel @kernels::@f_0(%x, %w, %h) : (…)
      cutl.launch_kernel @kernels::@f_1(%h, %v, %d) : (…)
      cutl.end_entry
    }
    // after, shortened
    cutl.entry @f(%x: memref<?x64xf16>, …, %workspace: memref<?xi8>) {
      %m = memref.dim %x, %c0 : memref<?x64xf16>
      %size = arith.muli %c96, %m : index
      %blocks = arith.ceildivsi %size, %c256 : index
      %bytes = arith.muli %blocks, %c256 : index
      %h = memref.view %workspace[%c0][%m] : memref<?xi8> to memref<?x48xf16>
      cutl.launch_kernel @kernels::@f_0(%x, %w, %h) : (…)
      cutl.launch_kernel @kernels::@f_1(%h, %v, %d) : (…)
      cutl.end_entry workspace(%bytes)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numIntermediates", "num-intermediates", "Number of intermediates placed">,
    Statistic<"numSlots", "num-slots", "Number of places that they share">
  ];
}

def CutlPrintSchedule : Pass<"cutl-print-schedule"> {
  let summary = "Print which CTA does which tile, and when";
  let description = [{
    Writes to standard output, for every problem op in turn, the units of work of
    each worker over time: the tile, the k iterations, and whether a partial
    result is left and who adds up. All k iterations are taken to be equally
    long. With `svg` it is one drawing of all of them. Changes nothing.

    Needs phase `configured` and static extents.

    ```sh
    cutl-opt gemm.mlir --cutl-configure=chip=sm_90a --cutl-print-schedule=svg -o /dev/null > schedule.svg
    ```
  }];
  let options = [Option<"svg", "svg", "bool", /*default=*/"false", "Draw it as SVG">];
}

def CutlRecordHostRules : Pass<"cutl-record-host-rules", "::mlir::ModuleOp"> {
  let summary = "Record which sizes must agree and which arguments are written";
  let description = [{
    Gives each public function, after bufferization, what a caller has to keep
    and the engine of the CPU target checks at every call:

    * `cutl.host_ties`: sizes of arguments that its gemms tie together, each as
      `[argument, dimension, factor, divisor, argument', dimension']`: the second
      size is the first times the factor over the divisor, rounded up. With
      argument -1 the dimension is the size itself. Intermediate allocations are
      followed to the arguments that size them.
    * `cutl.host_writes`: the arguments that may be written.

    ```mlir
    func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) { cutl.gemm … }
    // becomes
    func.func @f(…) attributes {cutl.host_ties = [array<i64: 0, 0, 1, 1, 2, 0>, …],
                                cutl.host_writes = array<i64: 2>} { … }
    ```
  }];
}

def CutlSelectConfig : Pass<"cutl-select-config"> {
  let summary = "Choose the tile configuration and schedule of problem ops";
  let description = [{
    Writes `config` and `schedule` where an op has none, from the ranking of the
    heuristics library; what the user wrote stays. Each choice is explained in a
    remark (`passed`, category `cutl-select-config`) with the predicted time,
    waves and shared memory of the choice and of the runner-up, and with what limits
    each and the time that this alone would take: `launch`, `tiles` (too few to
    fill the chip), `tensor` (the rate of the tensor cores), `loads` (of rows into
    shared memory), `cache` (bytes from L2), `memory` (bytes of DRAM) or
    `epilogue`. Of a configuration that was kept the remark says the same, and
    what the choice would have been.

    Where extents are known only at run time, up to `variants` configurations
    are chosen, of which each serves some of the extents (`variants(…)` of the
    op). There is one where the schedule is given or where results are reduced:
    what the host then does besides follows from the tile.

    Needs phase `targeted`. Fails, naming the reason, where the chip has no
    configuration for the op's types.

    ```mlir
    %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) { … } : …
    // after
    %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n))
           config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>)
           schedule(#cutl.data_parallel) { … } : …
    ```
  }];
  let options = [
    Option<"variants", "variants", "int64_t", /*default=*/"4",
           "How many configurations a problem may have whose extents are known only at run time">
  ];
  let dependentDialects = ["::mlir::cutl::CutlDialect"];
  let statistics = [
    Statistic<"numConfigured", "num-configured", "Number of ops given a configuration">,
    Statistic<"numKept", "num-kept", "Number of ops whose configuration was kept">
  ];
}

def CutlTileForCPU : Pass<"cutl-tile-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Cut gemms on memrefs into loops over blocks of rows and columns";
  let description = [{
    Tiles every `cutl.gemm` in memref form over its batch dimensions (by one), m
    and n, so that the temporary accumulators of `convert-cutl-to-linalg` stay
    small. Dimensions that an output reduces over are left whole. Sizes are
    rounded up to the blocks of scales and zeros.

    ```mlir
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) { … } : (memref<?x?xf32>, …) -> ()
    // after
    scf.for %i = %c0 to %m step %c528 {
      scf.for %j = %c0 to %n step %c1024 {
        %a_tile = memref.subview %a[%i, 0] …
        cutl.gemm ins(%a_tile : (m, k), %b_tile : (n, k)) outs(%d_tile : (m, n)) { … }
    ```
  }];
  let options = [
    Option<"tileM", "tile-m", "int64_t", /*default=*/"528", "Rows per tile">,
    Option<"tileN", "tile-n", "int64_t", /*default=*/"1024", "Columns per tile">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
  let statistics = [Statistic<"numTiled", "num-tiled", "Number of gemms tiled">];
}

def CutlVerifyConfig : Pass<"cutl-verify-config"> {
  let summary = "Reject configurations and schedules that cannot run";
  let description = [{
    Checks every problem op's `config` and `schedule` against the problem and
    the target. An error names the rule, the value required and the value found,
    and the nearest configuration that can run. Changes nothing.

    Needs phase `configured`.
  }];
}

def CutlVerifyCPU : Pass<"cutl-verify-cpu"> {
  let summary = "Reject gemms that the CPU target cannot run";
  let description = [{
    Reports element types that the host has no arithmetic for (8-bit floats and
    narrower, integers of other widths than 8, 16, 32 and 64), and outputs of the
    memref form that visibly share memory with an operand that is read. Changes
    nothing.
  }];
}

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_PASSES_TD
