//===- Serialize.h - PTX of a lowered kernel module -------------*- C++ -*-===//
//
// From a `gpu.module` of LLVM and NVVM operations to PTX text, in process and
// with no CUDA toolkit, and from there to a cubin by ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_GPU_SERIALIZE_H
#define CUTL_TARGET_GPU_SERIALIZE_H

#include "cutl/TargetInfo/Targets.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mlir::cutl {

struct PtxOptions {
  /// For a chip, and the lowest version of PTX that knows it and what code of
  /// version `minPtx` has, so that old drivers take the code.
  explicit PtxOptions(const ::cutl::targetinfo::Target &target,
                      unsigned minPtx = 0)
      : chip(target.name),
        features("+ptx" +
                 std::to_string(std::max<unsigned>(target.minPtx, minPtx))) {}

  /// The processor and its features, as LLVM names them.
  std::string chip, features;
  /// Level of LLVM's code generation, 0 to 3. Its other passes are not run: the
  /// kernels are canonical straight-line code and ptxas optimises them anew, to
  /// the same or larger code after LLVM's pipelines.
  unsigned optLevel = 3;
};

/// Registers the translations to LLVM IR that serialisation needs.
void registerGpuTranslations(DialectRegistry &registry);

/// Appends the passes that take kernels of `scf`, `arith` and NVVM operations
/// to LLVM and NVVM operations alone. They run on `gpu.module` operations.
void buildLowerKernelsToLLVM(OpPassManager &manager);

/// The module as LLVM IR before optimisation, as text.
FailureOr<std::string> translateToLLVMIRText(gpu::GPUModuleOp module);

/// The module as PTX. A module that PTX cannot hold on its own (one that calls
/// functions it does not define) is refused with an error at `module`.
FailureOr<std::string> translateToPtx(gpu::GPUModuleOp module,
                                      const PtxOptions &options);

/// What kernels are compiled to.
enum class CodeFormat { Ptx, Cubin };

/// The cubin that ptxas makes of `ptx`. `ptxas` is its path; if empty it is
/// looked for in the environment variable CUTL_PTXAS and then on PATH. Whatever
/// it prints is an error at `module`.
FailureOr<std::string> assembleCubin(gpu::GPUModuleOp module, StringRef ptx,
                                     StringRef chip, StringRef ptxas);

} // namespace mlir::cutl

#endif // CUTL_TARGET_GPU_SERIALIZE_H
