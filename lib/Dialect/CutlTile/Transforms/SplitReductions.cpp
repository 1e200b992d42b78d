//===- SplitReductions.cpp - cutl-tile-split-reductions -------------------===//

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Dialect/CutlTile/Transforms/OutputStaging.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILESPLITREDUCTIONS
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;
using mlir::cutl::BundleOp;
using mlir::cutl::GemmDomain;
using mlir::cutl::GemmInput;
using mlir::cutl::GemmMapResult;
using mlir::cutl::GemmOutput;
using mlir::cutl::LaunchKernelOp;

namespace {

/// A dimension of the domain as a dimension of an argument of the kernel.
struct ExtentSource {
  unsigned argument, dim;
};

/// Splits the reductions of one kernel.
class KernelSplitter {
public:
  KernelSplitter(gpu::GPUFuncOp kernel, EpilogueOp epilogue)
      : kernel(kernel), epilogue(epilogue),
        loop(cast<WorkLoopOp>(epilogue->getParentOp())) {}

  LogicalResult split(unsigned output, ArrayRef<LaunchKernelOp> launches);

private:
  FailureOr<ExtentSource> findExtent(unsigned dim);
  int64_t getBlock(unsigned dim);
  void addPartial(unsigned output, unsigned argument, AffineMap map,
                  MemRefType type);
  gpu::GPUFuncOp addCombineKernel(unsigned output, unsigned argument);

  gpu::GPUFuncOp kernel;
  EpilogueOp epilogue;
  WorkLoopOp loop;
};

} // namespace

static std::optional<unsigned> findArgument(gpu::GPUFuncOp kernel,
                                            Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

FailureOr<ExtentSource> KernelSplitter::findExtent(unsigned dim) {
  SmallVector<GemmInput> inputs;
  loop.walk([&](MainloopOp op) {
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
         << epilogue.getDomain().getName(dim)
         << " in cutl-tile-split-reductions";
}

/// How much of a dropped dimension a kernel combines: what a warp has of the
/// rows, a tile of the columns, and nothing of batches.
int64_t KernelSplitter::getBlock(unsigned dim) {
  if (dim == getRowDim(loop))
    return kWarpRows;
  if (dim == getColumnDim(loop))
    return loop.getConfig().getCta()[1];
  return 1;
}

/// Lets the epilogue write partial results, an argument behind the output's.
void KernelSplitter::addPartial(unsigned output, unsigned argument,
                                AffineMap map, MemRefType type) {
  (void)kernel.insertArgument(argument + 1, type, DictionaryAttr(),
                              epilogue.getLoc());
  epilogue.getOutsMutable()[output].set(kernel.getArgument(argument + 1));
  SmallVector<AffineMap> maps(
      epilogue.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  maps[epilogue.getAux().size() + output] = map;
  OpBuilder builder(epilogue);
  epilogue.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  Operation *yield = epilogue.getBody().front().getTerminator();
  Value value = yield->getOperand(output);
  if (value.getType() == type.getElementType())
    return;
  builder.setInsertionPoint(yield);
  yield->setOperand(output,
                    arith::ExtFOp::create(builder, yield->getLoc(),
                                          type.getElementType(), value));
}

/// Adds the kernel that combines partial results of `output`.
gpu::GPUFuncOp KernelSplitter::addCombineKernel(unsigned output,
                                                unsigned argument) {
  OpBuilder builder(kernel);
  Location loc = epilogue.getLoc();
  Type types[] = {kernel.getArgument(argument + 1).getType(),
                  kernel.getArgument(argument).getType()};
  std::string name =
      (kernel.getName() + "_combine_" + Twine(output)).str();
  auto combine = gpu::GPUFuncOp::create(builder, loc, name,
                                        builder.getFunctionType(types, {}));
  combine->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                   builder.getUnitAttr());
  combine->remove();
  SymbolTable(kernel->getParentOp())
      .insert(combine, ++Block::iterator(kernel));
  builder.setInsertionPointToStart(&combine.getBody().front());
  CombineOp::create(builder, loc, epilogue.getCombiner(output),
                    combine.getArgument(0), combine.getArgument(1));
  gpu::ReturnOp::create(builder, loc);
  return combine;
}

LogicalResult KernelSplitter::split(unsigned output,
                                    ArrayRef<LaunchKernelOp> launches) {
  GemmOutput out = epilogue.getOutput(output);
  std::optional<unsigned> argument = findArgument(kernel, out.value);
  if (!argument)
    return epilogue.emitOpError("expected outs[")
           << output << "] to be an argument of the kernel in "
           << "cutl-tile-split-reductions, got what the kernel computes";
  // Dropped dimensions come first, so that what is kept is contiguous.
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  SmallVector<std::pair<ExtentSource, int64_t>> dynamicSizes;
  auto addDim = [&](AffineExpr expr, const ExtentSource &source,
                    int64_t block) {
    auto type =
        cast<MemRefType>(kernel.getArgument(source.argument).getType());
    int64_t extent = type.getDimSize(source.dim);
    exprs.push_back(block == 1 ? expr : expr.floorDiv(block));
    if (ShapedType::isDynamic(extent)) {
      shape.push_back(extent);
      dynamicSizes.push_back({source, block});
    } else {
      shape.push_back(llvm::divideCeil(extent, block));
    }
  };
  for (unsigned dim = 0; dim < epilogue.getDomain().k(); ++dim) {
    if (out.map.isFunctionOfDim(dim))
      continue;
    FailureOr<ExtentSource> source = findExtent(dim);
    if (failed(source))
      return failure();
    addDim(getAffineDimExpr(dim, context), *source, getBlock(dim));
  }
  for (auto [i, expr] : llvm::enumerate(out.map.getResults()))
    addDim(expr, {*argument, unsigned(i)}, 1);
  auto type = MemRefType::get(
      shape, mlir::cutl::getCombinedType(
                 out.combiner,
                 cast<MemRefType>(out.value.getType()).getElementType()));
  addPartial(output, *argument,
             AffineMap::get(out.map.getNumDims(), 0, exprs, context), type);
  gpu::GPUFuncOp combine = addCombineKernel(output, *argument);

  for (LaunchKernelOp launch : launches) {
    OpBuilder builder(launch);
    Location loc = launch.getLoc();
    SmallVector<Value> sizes;
    for (auto [source, block] : dynamicSizes) {
      Value size = memref::DimOp::create(
          builder, loc, launch.getArguments()[source.argument], source.dim);
      if (block != 1)
        size = arith::CeilDivSIOp::create(
            builder, loc, size,
            arith::ConstantIndexOp::create(builder, loc, block));
      sizes.push_back(size);
    }
    Value partial = memref::AllocOp::create(builder, loc, type, sizes);
    Value result = launch.getArguments()[*argument];
    launch.getArgumentsMutable()
        .slice(*argument + 1, 0)
        .append(partial);
    builder.setInsertionPointAfter(launch);
    auto symbol = SymbolRefAttr::get(
        launch.getKernel().getRootReference(),
        FlatSymbolRefAttr::get(context, combine.getName()));
    LaunchKernelOp::create(builder, loc, symbol, ValueRange{partial, result},
                           launch.getSmBudgetAttr());
  }
  return success();
}

namespace {

struct SplitReductionsPass final
    : mlir::cutl::tile::impl::CutlTileSplitReductionsBase<SplitReductionsPass> {
  using CutlTileSplitReductionsBase::CutlTileSplitReductionsBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::MapVector<Operation *, SmallVector<LaunchKernelOp>> launches;
    getOperation().walk([&](LaunchKernelOp launch) {
      if (Operation *kernel =
              symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()))
        launches[kernel].push_back(launch);
    });
    SmallVector<std::pair<gpu::GPUFuncOp, EpilogueOp>> kernels;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      kernel.walk(
          [&](EpilogueOp epilogue) { kernels.push_back({kernel, epilogue}); });
    });
    for (auto [kernel, epilogue] : kernels) {
      KernelSplitter splitter(kernel, epilogue);
      // What is launched last comes first.
      for (unsigned i = epilogue.getOuts().size(); i-- > 0;) {
        if (!epilogue.crossesTiles(i))
          continue;
        if (failed(splitter.split(i, launches.lookup(kernel))))
          return signalPassFailure();
        ++numSplit;
      }
    }
  }
};

} // namespace
