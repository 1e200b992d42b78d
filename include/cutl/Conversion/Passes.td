//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// The conversions between dialects, in alphabetical order of their names.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_PASSES_TD
#define CUTL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// CutlMathToNVVM
//===----------------------------------------------------------------------===//

def ConvertCutlMathToNVVM : Pass<"convert-cutl-math-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the math of epilogues without a library";
  let description = [{
    Expands the scalar functions that an epilogue admits, those of `math` and the
    epilogue ops of `cutl`, into arithmetic and the approximate instructions of
    the hardware (`ex2.approx`, `rcp.approx`, `rsqrt.approx`), so that no kernel
    needs the CUDA math library. There are no branches, loops, calls or stack
    slots in what is emitted. Ops of f16, bf16 and 8-bit floats are computed in
    f32.

    It also lowers the conversions of `arith` that have no lowering to NVPTX, or a
    wrong one: 8-bit floats (without saturation, as `arith.truncf` has it),
    `truncf` with a rounding mode, and floats to booleans.

    Errors in f32, in units in the last place, over all operands, with the
    greatest errors that the instructions may have and, in parentheses, with
    instructions that round correctly:

    | function | error |
    |---|---|
    | `exp` | 3.4 (1.1) |
    | `exp2` | 2.9 (0.8) |
    | `log`, `log2` | 0.95, 1.3 |
    | `sqrt`, `rsqrt` | 0.5, 2.2 (0.5) |
    | `tanh` | 2.9 (1.6) |
    | `erf` | 1.4 (1.1) |
    | `sin`, `cos` | 2.5 |
    | `powf` | 3.2 (0.9) |
    | `cutl.sigmoid`, `cutl.silu` | 6 (2.6), 6.5 (3.3) |
    | `cutl.gelu` | x > 0: 3.9 (1.6); x < 0: 2.2·2^-24·abs(x) |
    | `cutl.gelu tanh` | x > 0: 4.4 (2.1); x < 0: 2.7·2^-24·abs(x) |

    A function whose f32 result is used by nothing but roundings to at most 16 bits, or by way of operations that keep
    a relative error, is expanded to a shorter formula: `num-narrow` counts them. docs/Epilogues.md says which they are
    and by how much they may be off.

    ```mlir
    %y = cutl.sigmoid %x : f32
    %r = arith.truncf %y : f32 to bf16
    // after: 1/(1 + 2^(-x·log2(e)))
    %a = arith.mulf %x, %minus_log2e : f32
    %b = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%a) : (f32) -> f32
    %c = arith.addf %b, %one : f32
    %y = nvvm.rcp.approx.ftz.f %c : f32
    %r = arith.truncf %y : f32 to bf16
    ```

    In f64, where no approximate instruction is of use, they are between 0.5 and 6.
    What has no expansion is refused by name: `sin`, `cos` and `powf` of f64, and
    floats that the target does not convert.

    ```mlir
    %y = cutl.silu %x : f32
    // after: max(x, 0) - |x|·sigmoid(-|x|)
    %a = llvm.intr.fabs(%x) : (f32) -> f32
    %b = arith.minimumf %a, %c128 : f32
    …
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%f) : (f32) -> f32
    …
    %r = nvvm.rcp.approx.ftz.f %d : f32
    …
    %y = llvm.intr.fma(%minus_b, %s, %p) : (f32, f32, f32) -> f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cutl::CutlDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of functions expanded">,
    Statistic<"numNarrow", "num-narrow",
              "Number of those expanded for a result that is rounded">
  ];
}

//===----------------------------------------------------------------------===//
// CutlLaunchToLLVM
//===----------------------------------------------------------------------===//

def ConvertCutlLaunchToLLVM : Pass<"convert-cutl-launch-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn launches into calls of the runtime and bundles into bytes";
  let description = [{
    The bundles of the module become one constant with the bytes of a bundle
    file, and each `cutl.launch` a call of `cutlStreamLaunch` of the runtime
    (`cutl/Runtime/Stream.h`). Operands are described on the stack. A pointer of
    the module, null at first, keeps what the first call loads from the bytes.

    The rest of the function is left to the upstream conversions: what this pass
    creates is of `arith`, `memref` and `llvm`. The target of the module and the
    names of arguments, which only the dialect reads, are dropped.

    Needs serialised kernels and planned workspaces, as `cutl-serialize-kernels`
    and `cutl-plan-workspace` leave them.

    ```mlir
    func.func @f(%x: memref<?x64xf16>, …, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
      cutl.launch @f_bundle::@f(%x, …) workspace(%workspace) stream(%stream) : (…)
      return
    }
    cutl.bundle @f_bundle { … }
    // after, shortened
    llvm.func @cutlStreamLaunch(…) -> i32
    llvm.mlir.global internal constant @cutl_bundle("…")
    llvm.mlir.global internal @cutl_bundle_slot() : !llvm.ptr { null }
    llvm.mlir.global internal constant @cutl_entry_f("f\00")
    func.func @f(%x: memref<?x64xf16>, …, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
      %operands = llvm.alloca …
      // address, sizes, strides, rank and type of %x, …
      llvm.call @cutlStreamLaunch(%stream, %slot, %bundle, %size, %name, %operands, %c4, …)
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of launches lowered">];
}

//===----------------------------------------------------------------------===//
// CutlTileToSCF
//===----------------------------------------------------------------------===//

def ConvertCutlTileToSCF : Pass<"convert-cutl-tile-to-scf", "::mlir::ModuleOp"> {
  let summary = "Run kernels of phase `tiled` on the host, CTA by CTA";
  let description = [{
    Turns each kernel and each `cutl.entry` into a private `func.func`, and each
    launch into a call, without the stream, which is then no argument of the
    function around it either. CTAs run one after the other, in the order asked
    for, each over the units that the schedule gives to it. It reads the IR that
    the GPU lowering reads, so that what a schedule, its tails and its epilogue
    compute is checked where there is no GPU.

    A mainloop copies the tiles of A and B of each k step into buffers of the
    static tile size, with zeros beyond the extents, and adds their product to
    the accumulators. An epilogue visits the elements within the extents. With
    clusters, a worker is a cluster, whose CTAs run one after the other too.

    The functions that result are lowered to the host like any others.

    ```mlir
    cutl_tile.work_loop extents(%m, %n, %k) config(…) schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop …
      cutl_tile.epilogue …
    }
    // after, shortened
    scf.for %cta = %c0 to %c4 step %c1 {
      scf.for %unit = %cta to %units step %c4 {
        // %m0, %n0, %k0 and %k1 of the unit
        // zero the accumulators
        scf.for %kt = %k0 to %k1 step %c64 {
          // fill the tiles of A and B, multiply them
        }
        // for each element of the tile: if within the extents, the epilogue
    ```
  }];
  let options = [
    Option<"grid", "grid", "int64_t", /*default=*/"4",
           "CTAs, or clusters, that share the units of work">,
    Option<"ctaOrder", "cta-order", "std::string", /*default=*/"\"forward\"",
           "In what order they run: forward, reverse, or seed:N for a "
           "permutation that N decides">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of kernels converted">
  ];
}

//===----------------------------------------------------------------------===//
// CutlToCutlTile
//===----------------------------------------------------------------------===//

def ConvertCutlToCutlTile : Pass<"convert-cutl-to-cutl-tile"> {
  let summary = "State what each CTA of a kernel does";
  let description = [{
    Replaces the problem op of a kernel by the work loop of its schedule, with
    the product of one CTA tile and its epilogue inside. After it the kernel is
    in phase `tiled`.

    Needs phase `configured` and an op inside a kernel, as
    `cutl-outline-kernels` leaves it. Refuses, by name, what has no tile form
    yet: scales and zeros, reduced outputs, `compute` and operands that are not
    floats of 16, 32 or 64 bits.

    ```mlir
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>)
        schedule(#cutl.data_parallel) { … } : …
    // after
    cutl_tile.work_loop extents(%m, %n, %k)
        config(#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : … -> !cutl_tile.acc<128x200xf32>
      cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<128x200xf32>)
          outs(%d : (m, n)) { … } : …
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cutl::tile::CutlTileDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of problem ops converted">
  ];
}

//===----------------------------------------------------------------------===//
// CutlTileToNVVM
//===----------------------------------------------------------------------===//

def ConvertCutlTileToNVVM : Pass<"convert-cutl-tile-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower staged kernels to NVVM operations";
  let description = [{
    Replaces each staged kernel by a function of LLVM and NVVM operations, with
    `scf` and `arith` between them. Its parameters are tensor maps, extents and
    the pointers and strides of what the threads themselves address; the
    attribute `cutl_tile.launch_info` says where the host finds them:

    * `block`, `cluster`, `shared_bytes`: threads of a CTA, CTAs of a cluster
      along rows and columns of the tile, bytes of dynamic shared memory;
    * `grid`: sizes, each `{arg, dim, tile}`, whose quotients by `tile`, rounded
      up, multiply to the number of units of work. As many clusters are launched
      as there are units, or as run at once if that is less;
    * `params`: for each parameter its `kind`: `tensor_map` (`arg`, `dims` and
      `box` innermost first, `swizzle`, `stored` if it is written), `size` (`arg`, `dim`), `pointer`
      (`arg`, of the element with all indices zero), `stride` (`arg`, `dim`, in
      elements), `scalar` (`arg`);
    * `alternative`: a kernel of the same arguments that asks less of them;
    * `programmatic`: the kernel may start before those ahead of it in the stream
      have ended, since it waits for them itself (`griddepcontrol.wait`) before
      it touches their memory.

    Needs phase `staged` with shared memory laid out. Indices are 32 bits wide
    in what results.

    ```mlir
    gpu.func @k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) kernel { … cutl_tile.warpgroups … }
    // after
    llvm.func @k(%0: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, …, %3: i32, …)
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, cutl_tile.launch_info = {…}} { … nvvm.wgmma.mma_async … }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
  let options = [
    Option<"programmaticLaunch", "programmatic-launch", "bool", "true",
           "Let kernels start up before those ahead have ended">
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of kernels converted">
  ];
}

//===----------------------------------------------------------------------===//
// CutlToLinalg
//===----------------------------------------------------------------------===//

def ConvertCutlToLinalg : Pass<"convert-cutl-to-linalg"> {
  let summary = "Define problem ops by linalg operations";
  let description = [{
    Rewrites each `cutl.gemm`, on tensors or memrefs, into the `linalg` ops that
    define its meaning: per accumulator a `linalg.fill` with zero and a
    contraction `linalg.generic` in the accumulator's type, then one element-wise
    `linalg.generic` that holds the epilogue and writes all whole outputs. A
    reduced output is filled with its combiner's identity and gets a
    `linalg.generic` of its own, placed before the whole outputs are written.
    Epilogue ops of the dialect become `arith` and `math` ops. Every form of the
    op is covered; no target or configuration is needed.

    Accumulators are in k-increasing order where the loops run in order;
    `saturate` sums in 64 bits and clamps once; math modes round the operands
    (`tf32x3` multiplies in f32).

    ```mlir
    %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%d : (m, n)) {
    ^bb0(%acc: f32):
      %r = cutl.relu %acc : f32
      cutl.yield %r : f32
    } : (tensor<4x8xf16>, tensor<6x8xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
    // after
    %e = tensor.empty() : tensor<4x6xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
    %p = linalg.generic {…["parallel", "parallel", "reduction"]}
           ins(%x, %w : …) outs(%f : …) { extf, extf, mulf, addf }
    %y = linalg.generic {…["parallel", "parallel"]}
           ins(%p : …) outs(%d : …) { maximum with 0 }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numRewritten", "num-rewritten", "Number of gemms rewritten">
  ];
}

//===----------------------------------------------------------------------===//
// LinalgContractionToVector
//===----------------------------------------------------------------------===//

def ConvertLinalgContractionToVector
    : Pass<"convert-linalg-contraction-to-vector"> {
  let summary = "Lower contractions on memrefs to packed, register-blocked loops";
  let description = [{
    Rewrites each `linalg.generic` on memrefs that is a contraction into loops
    over packed panels with an innermost kernel on vectors. Only `scf`,
    `memref`, `vector` and `arith` operations are created.

    A contraction has any number of parallel dimensions and exactly one
    reduction dimension k. Its output is indexed by every parallel dimension
    once, and its body yields `acc + l * r` (`arith.addf`/`arith.mulf` on f32 or
    f64, `arith.addi`/`arith.muli` on i32 or i64), where `l` and `r` are pure
    functions of the inputs. A parallel dimension that only the inputs of `l`
    use is a row or column dimension, likewise for `r`; one used by both or by
    neither is a batch dimension. Any number of inputs may feed either factor
    (an operand with its scales and zero points), read through any map that the
    operation allows, so that dequantisation happens while packing.

    For each batch index, n-block and k-block one side is packed into a panel
    `[n / NR][KB][NR]`, and for each m-block the other into `[m / MR][KB][MR]`,
    in the type of the accumulator and padded with zeros. A kernel then keeps
    MR x NR accumulators in registers while it runs over the block of k. Panels
    have a constant size and are allocated once, before the outermost loop that
    encloses the operation (inside the innermost parallel one). NR follows the
    contiguous dimension of the output.

    Every element is accumulated in order of increasing k, starting from what
    the output holds, in the type of the output; a target with fused
    multiply-add rounds each step once. Nothing is assumed about strides and
    sizes: 0 and 1 are sizes like any other.

    Operations that are not contractions are left alone and reported as missed
    remarks.

    Before:

    ```mlir
    linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<?x?xf16>, memref<?x?xf32>)
        outs(%acc : memref<?x?xf32>) {
    ^bb0(%x: f16, %y: f32, %c: f32):
      %w = arith.extf %x : f16 to f32
      %p = arith.mulf %w, %y : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
    ```

    After, shortened:

    ```mlir
    %left  = memref.alloc() {alignment = 64 : i64} : memref<22x256x6xf32>
    %right = memref.alloc() {alignment = 64 : i64} : memref<16x256x16xf32>
    scf.for %n0 = %c0 to %n step %c256 {
      scf.for %k0 = %c0 to %k step %c256 {
        // pack b into %right
        scf.for %m0 = %c0 to %m step %c132 {
          // pack a into %left, extending it to f32
          scf.for %j = ... { scf.for %i = ... {
            %r:12 = scf.for %p = %c0 to %kc step %c1 iter_args(...) {
              %row = vector.load %right[%j, %p, %c0] : ..., vector<8xf32>
              %x = memref.load %left[%i, %p, %c0] : ...
              %b = vector.broadcast %x : f32 to vector<8xf32>
              %f = vector.fma %b, %row, %acc0 : vector<8xf32>
              ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "Width of a vector register in bits: 128, 256 or 512">,
    Option<"blockM", "block-m", "int64_t", /*default=*/"132",
           "Rows packed at a time, rounded up to whole register tiles">,
    Option<"blockN", "block-n", "int64_t", /*default=*/"256",
           "Columns packed at a time, rounded up to whole register tiles">,
    Option<"blockK", "block-k", "int64_t", /*default=*/"256",
           "Extent of k packed at a time, for 32-bit accumulators; half of it "
           "for 64-bit ones">
  ];
  let statistics = [
    Statistic<"numRewritten", "num-rewritten",
              "Number of contractions rewritten">,
    Statistic<"numMissed", "num-missed",
              "Number of linalg.generic operations left alone">
  ];
}

#endif // CUTL_CONVERSION_PASSES_TD
