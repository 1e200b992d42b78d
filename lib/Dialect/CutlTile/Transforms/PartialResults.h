//===- PartialResults.h - Outputs that a second kernel combines ----------===//

#ifndef CUTL_DIALECT_CUTLTILE_TRANSFORMS_PARTIALRESULTS_H
#define CUTL_DIALECT_CUTLTILE_TRANSFORMS_PARTIALRESULTS_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::cutl::tile {

/// A dimension of the domain as a dimension of an argument of the kernel.
struct ExtentSource {
  unsigned argument, dim;
};

/// A dimension of partial results that the output lacks.
struct PartialDim {
  AffineExpr expr;
  int64_t size;
  /// What a dynamic size is counted from, in blocks.
  ExtentSource source = {};
  int64_t block = 1;
};

/// The kernels of a bundle with their epilogues, and who launches them.
struct BundleKernels {
  explicit BundleKernels(BundleOp bundle);

  SmallVector<std::pair<gpu::GPUFuncOp, EpilogueOp>> kernels;
  llvm::MapVector<Operation *, SmallVector<LaunchKernelOp>> launches;
};

/// The number of the kernel's argument that `value` is; none if it is none.
std::optional<unsigned> findArgument(gpu::GPUFuncOp kernel, Value value);

/// The number of the kernel's argument that the output is, or an error that
/// names the pass.
FailureOr<unsigned> getOutputArgument(gpu::GPUFuncOp kernel,
                                      EpilogueOp epilogue, unsigned output,
                                      StringRef passName);

/// Makes an output, argument number `argument`, one of partial results: an
/// intermediate of the entry with `leading` dimensions in front of the output's
/// own, of the type in which `combiner` combines. A kernel behind this one
/// combines them. The combiner of the epilogue's own output is left as it is.
void makePartial(gpu::GPUFuncOp kernel, EpilogueOp epilogue, unsigned output,
                 unsigned argument, ArrayRef<PartialDim> leading,
                 CombinerAttr combiner, ArrayRef<LaunchKernelOp> launches);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_TRANSFORMS_PARTIALRESULTS_H
