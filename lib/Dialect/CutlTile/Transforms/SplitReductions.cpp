//===- SplitReductions.cpp - cutl-tile-split-reductions -------------------===//

#include "PartialResults.h"
#include "cutl/Dialect/CutlTile/Transforms/OutputStaging.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILESPLITREDUCTIONS
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;
using mlir::cutl::GemmInput;
using mlir::cutl::GemmMapResult;
using mlir::cutl::GemmOutput;
using mlir::cutl::LaunchKernelOp;

static constexpr StringRef kPassName = "cutl-tile-split-reductions";

/// Which argument of the kernel has dimension `dim` of the domain.
static FailureOr<ExtentSource> findExtent(gpu::GPUFuncOp kernel,
                                          EpilogueOp epilogue, unsigned dim) {
  SmallVector<GemmInput> inputs;
  epilogue->getParentOp()->walk([&](MainloopOp op) {
    inputs.push_back(op.getInputA());
    for (unsigned i = 0; i < op.getBs().size(); ++i)
      inputs.push_back(op.getInputB(i));
  });
  for (unsigned i = 0; i < epilogue.getAux().size(); ++i)
    inputs.push_back(epilogue.getAuxInput(i));
  for (unsigned i = 0; i < epilogue.getOuts().size(); ++i)
    inputs.push_back(epilogue.getOutput(i));
  for (const GemmInput &input : inputs) {
    std::optional<unsigned> argument = findArgument(kernel, input.value);
    for (auto [i, expr] : llvm::enumerate(input.map.getResults())) {
      std::optional<GemmMapResult> result =
          mlir::cutl::decomposeMapResult(expr);
      if (argument && result && result->dim == dim && result->divisor == 1)
        return ExtentSource{*argument, unsigned(i)};
    }
  }
  return epilogue.emitOpError("expected an argument of the kernel with "
                              "dimension ")
         << epilogue.getDomain().getName(dim) << " in " << kPassName;
}

/// How much of a dropped dimension a kernel combines: what a warp has of the
/// rows, a CTA of the columns, and nothing of batches.
static int64_t getBlock(WorkLoopOp loop, unsigned dim) {
  if (dim == getRowDim(loop))
    return kWarpRows;
  if (dim == getColumnDim(loop))
    return loop.getConfig().toTileConfig().shareN();
  return 1;
}

static LogicalResult split(gpu::GPUFuncOp kernel, EpilogueOp epilogue,
                           unsigned output, ArrayRef<LaunchKernelOp> launches) {
  GemmOutput out = epilogue.getOutput(output);
  FailureOr<unsigned> argument =
      getOutputArgument(kernel, epilogue, output, kPassName);
  if (failed(argument))
    return failure();
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  SmallVector<PartialDim> dropped;
  for (unsigned dim = 0; dim < epilogue.getDomain().k(); ++dim) {
    if (out.map.isFunctionOfDim(dim))
      continue;
    FailureOr<ExtentSource> source = findExtent(kernel, epilogue, dim);
    if (failed(source))
      return failure();
    int64_t block = getBlock(loop, dim);
    AffineExpr expr = getAffineDimExpr(dim, kernel.getContext());
    int64_t extent =
        cast<MemRefType>(kernel.getArgument(source->argument).getType())
            .getDimSize(source->dim);
    int64_t size = ShapedType::isDynamic(extent)
                       ? extent
                       : llvm::divideCeil(extent, block);
    dropped.push_back(
        {block == 1 ? expr : expr.floorDiv(block), size, *source, block});
  }
  auto combiner = cast<mlir::cutl::CombinerAttr>(epilogue.getCombiners()[output]);
  makePartial(kernel, epilogue, output, *argument, dropped, combiner, launches);
  return success();
}

namespace {

struct SplitReductionsPass final
    : mlir::cutl::tile::impl::CutlTileSplitReductionsBase<SplitReductionsPass> {
  using CutlTileSplitReductionsBase::CutlTileSplitReductionsBase;

  void runOnOperation() override {
    BundleKernels bundle(getOperation());
    for (auto [kernel, epilogue] : bundle.kernels) {
      // What is launched last comes first.
      for (unsigned i = epilogue.getOuts().size(); i-- > 0;) {
        if (!epilogue.crossesTiles(i))
          continue;
        if (failed(split(kernel, epilogue, i, bundle.launches.lookup(kernel))))
          return signalPassFailure();
        ++numSplit;
      }
    }
  }
};

} // namespace
