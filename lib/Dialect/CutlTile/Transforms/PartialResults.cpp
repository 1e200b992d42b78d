//===- PartialResults.cpp - Outputs that a second kernel combines --------===//

#include "PartialResults.h"

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

BundleKernels::BundleKernels(BundleOp bundle) {
  SymbolTableCollection symbols;
  bundle.walk([&](LaunchKernelOp launch) {
    if (Operation *kernel =
            symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()))
      launches[kernel].push_back(launch);
  });
  bundle.walk([&](gpu::GPUFuncOp kernel) {
    kernel.walk(
        [&](EpilogueOp epilogue) { kernels.push_back({kernel, epilogue}); });
  });
}

std::optional<unsigned> mlir::cutl::tile::findArgument(gpu::GPUFuncOp kernel,
                                                       Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

FailureOr<unsigned>
mlir::cutl::tile::getOutputArgument(gpu::GPUFuncOp kernel, EpilogueOp epilogue,
                                    unsigned output, StringRef passName) {
  if (auto argument = findArgument(kernel, epilogue.getOuts()[output]))
    return *argument;
  return epilogue.emitOpError("expected outs[")
         << output << "] to be an argument of the kernel in " << passName
         << ", got what the kernel computes";
}

/// Lets the epilogue write partial results, an argument behind the output's.
static void addPartialArgument(gpu::GPUFuncOp kernel, EpilogueOp epilogue,
                               unsigned output, unsigned argument,
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
static gpu::GPUFuncOp addCombineKernel(gpu::GPUFuncOp kernel, Location loc,
                                       unsigned output, unsigned argument,
                                       CombinerAttr combiner) {
  OpBuilder builder(kernel);
  Type types[] = {kernel.getArgument(argument + 1).getType(),
                  kernel.getArgument(argument).getType()};
  std::string name = (kernel.getName() + "_combine_" + Twine(output)).str();
  auto combine = gpu::GPUFuncOp::create(builder, loc, name,
                                        builder.getFunctionType(types, {}));
  combine->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                   builder.getUnitAttr());
  combine->remove();
  SymbolTable(kernel->getParentOp())
      .insert(combine, ++Block::iterator(kernel));
  builder.setInsertionPointToStart(&combine.getBody().front());
  CombineOp::create(builder, loc, combiner, combine.getArgument(0),
                    combine.getArgument(1));
  gpu::ReturnOp::create(builder, loc);
  return combine;
}

void mlir::cutl::tile::makePartial(gpu::GPUFuncOp kernel, EpilogueOp epilogue,
                                   unsigned output, unsigned argument,
                                   ArrayRef<PartialDim> leading,
                                   CombinerAttr combiner,
                                   ArrayRef<LaunchKernelOp> launches) {
  GemmOutput out = epilogue.getOutput(output);
  // What is combined comes first, so that what is kept is contiguous.
  SmallVector<PartialDim> dims(leading);
  auto outType = cast<MemRefType>(out.value.getType());
  for (auto [i, expr] : llvm::enumerate(out.map.getResults()))
    dims.push_back({expr, outType.getDimSize(i), {argument, unsigned(i)}});
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  for (const PartialDim &dim : dims) {
    exprs.push_back(dim.expr);
    shape.push_back(dim.size);
  }
  auto type = MemRefType::get(
      shape, getCombinedType(combiner.getValue(), outType.getElementType()));
  addPartialArgument(
      kernel, epilogue, output, argument,
      AffineMap::get(out.map.getNumDims(), 0, exprs, kernel.getContext()),
      type);
  gpu::GPUFuncOp combine = addCombineKernel(kernel, epilogue.getLoc(), output,
                                            argument, combiner);

  for (LaunchKernelOp launch : launches) {
    OpBuilder builder(launch);
    Location loc = launch.getLoc();
    SmallVector<Value> sizes;
    for (const PartialDim &dim : dims) {
      if (!ShapedType::isDynamic(dim.size))
        continue;
      Value size = memref::DimOp::create(
          builder, loc, launch.getArguments()[dim.source.argument],
          dim.source.dim);
      if (dim.block != 1)
        size = arith::CeilDivSIOp::create(
            builder, loc, size,
            arith::ConstantIndexOp::create(builder, loc, dim.block));
      sizes.push_back(size);
    }
    Value partial = memref::AllocOp::create(builder, loc, type, sizes);
    Value result = launch.getArguments()[argument];
    launch.getArgumentsMutable().slice(argument + 1, 0).append(partial);
    builder.setInsertionPointAfter(launch);
    auto symbol = SymbolRefAttr::get(
        launch.getKernel().getRootReference(),
        FlatSymbolRefAttr::get(builder.getContext(), combine.getName()));
    LaunchKernelOp::create(builder, loc, symbol, ValueRange{partial, result},
                           launch.getSmBudgetAttr());
  }
}
