//===- Passes.td - Passes of the GPU target ----------------*- tablegen -*-===//
//
// From kernels of LLVM and NVVM operations to what a driver loads.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_GPU_PASSES_TD
#define CUTL_TARGET_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CutlSerializeKernels : Pass<"cutl-serialize-kernels", "ModuleOp"> {
  let summary = "Compile kernel modules to PTX or cubins";
  let description = [{
    Replaces each `gpu.module` that is in a bundle, or that has a kernel with
    `cutl_tile.launch_info`, by a `gpu.binary` of the same name. It holds the
    code for the chip of the nearest `cutl.target` and, kernel by kernel, the
    launch information. PTX is of the oldest version that knows the chip, so
    that old drivers take it, and no CUDA toolkit is needed for it.

    `format=cubin` also runs `ptxas`: the one that the option names, or else the
    environment variable `CUTL_PTXAS`, or else the first on `PATH`.

    A diagnostic of the code generator or of `ptxas` is an error.

    ```mlir
    gpu.module @kernels {
      llvm.func @f_0(...) attributes {cutl_tile.launch_info = {...}, nvvm.kernel} { ... }
    }
    // becomes
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a", features = "+ptx80">,
        kernels = <[#gpu.kernel_metadata<"f_0", ..., metadata = {cutl_tile.launch_info = {...}}>]>,
        assembly = "...">]
    ```
  }];
  let options = [
    Option<"format", "format", "::mlir::cutl::CodeFormat",
      "::mlir::cutl::CodeFormat::Ptx", "What to compile to: ptx or cubin",
      [{::llvm::cl::values(
        clEnumValN(::mlir::cutl::CodeFormat::Ptx, "ptx", "text that the driver compiles"),
        clEnumValN(::mlir::cutl::CodeFormat::Cubin, "cubin", "code for one chip, by ptxas"))}]>,
    Option<"ptxas", "ptxas", "std::string", "\"\"",
      "Path of ptxas; by default CUTL_PTXAS or the one on PATH">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels compiled">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // CUTL_TARGET_GPU_PASSES_TD
