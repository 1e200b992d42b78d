//===- RepackOperands.cpp - cutl-tile-repack-operands ---------------------===//

#include "PartialResults.h"

#include "cutl/Dialect/Cutl/Transforms/PaddedMemory.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILEREPACKOPERANDS
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;
namespace h = ::cutl::heuristics;

static constexpr StringRef kPassName = "cutl-tile-repack-operands";

namespace {

/// An operand of a mainloop that is repacked.
struct Repack {
  /// A is 0, B number i is 1 + i.
  unsigned input;
  /// Of the kernel.
  unsigned argument;
  /// Dimensions of the operand in the order of the copy.
  SmallVector<int64_t> permutation;

  bool operator==(const Repack &other) const {
    return input == other.input && argument == other.argument &&
           permutation == other.permutation;
  }
};

} // namespace

/// The work loop whose operands are repacked; null if none are.
static WorkLoopOp findLoop(gpu::GPUFuncOp kernel) {
  for (WorkLoopOp loop : kernel.getOps<WorkLoopOp>())
    if (loop.getConfig().getRepackA() || loop.getConfig().getRepackB())
      return loop;
  return WorkLoopOp();
}

/// Batches first, then rows, then k.
static SmallVector<int64_t> getPermutation(const GemmInput &input) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, input.map.getNumResults()));
  llvm::sort(permutation, [&](int64_t x, int64_t y) {
    return input.map.getDimPosition(x) < input.map.getDimPosition(y);
  });
  return permutation;
}

static GemmInput getInput(MainloopOp op, unsigned input) {
  return input == 0 ? op.getInputA() : op.getInputB(input - 1);
}

/// What a kernel repacks; nothing if its configuration does not ask for it.
static FailureOr<SmallVector<Repack>> findRepacks(gpu::GPUFuncOp kernel) {
  SmallVector<Repack> repacks;
  WorkLoopOp loop = findLoop(kernel);
  if (!loop)
    return repacks;
  auto mainloops = loop.getOps<MainloopOp>();
  if (!llvm::hasSingleElement(mainloops))
    return loop.emitOpError("expected one mainloop in ") << kPassName;
  MainloopOp mainloop = *mainloops.begin();
  for (unsigned i = 0; i < 1 + mainloop.getBs().size(); ++i) {
    if (!(i == 0 ? loop.getConfig().getRepackA()
                 : loop.getConfig().getRepackB()))
      continue;
    GemmInput input = getInput(mainloop, i);
    std::optional<unsigned> argument = findArgument(kernel, input.value);
    if (!argument)
      return mainloop.emitOpError("expected repacked operands to be arguments "
                                  "of the kernel in ")
             << kPassName << ", got what the kernel computes";
    repacks.push_back({i, *argument, getPermutation(input)});
  }
  return repacks;
}

/// "a", "b", or "b1" for the second B.
static std::string getInputName(unsigned input) {
  if (input == 0)
    return "a";
  return input == 1 ? "b" : "b" + std::to_string(input - 1);
}

/// Adds the kernel that repacks an operand of `kernel`, ahead of it.
static gpu::GPUFuncOp addRepackKernel(gpu::GPUFuncOp kernel, Location loc,
                                      const Repack &repack, Type source,
                                      Type target) {
  OpBuilder builder(kernel);
  std::string name =
      (kernel.getName() + "_repack_" + getInputName(repack.input)).str();
  auto added = gpu::GPUFuncOp::create(
      builder, loc, name, builder.getFunctionType({source, target}, {}));
  added->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                 builder.getUnitAttr());
  added->remove();
  SymbolTable(kernel->getParentOp()).insert(added, Block::iterator(kernel));
  builder.setInsertionPointToStart(&added.getBody().front());
  RepackOp::create(builder, loc, added.getArgument(0), repack.permutation,
                   added.getArgument(1));
  gpu::ReturnOp::create(builder, loc);
  return added;
}

/// Lets the kernel read an operand from rows along k.
static LogicalResult readRows(gpu::GPUFuncOp kernel, const Repack &repack,
                              Type type) {
  BlockArgument argument = kernel.getArgument(repack.argument);
  SmallVector<int64_t> positions = invertPermutationVector(repack.permutation);
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    auto dim = dyn_cast<memref::DimOp>(user);
    if (!dim)
      continue;
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return dim.emitOpError("expected a constant dimension in ") << kPassName;
    OpBuilder builder(dim);
    dim.getIndexMutable().assign(arith::ConstantIndexOp::create(
        builder, dim.getLoc(), positions[*index]));
  }
  argument.setType(type);
  SmallVector<Type> types(kernel.getArgumentTypes());
  types[repack.argument] = type;
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));

  MainloopOp mainloop = *findLoop(kernel).getOps<MainloopOp>().begin();
  SmallVector<AffineMap> maps(
      mainloop.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  AffineMap &map = maps[repack.input];
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : repack.permutation)
    exprs.push_back(map.getResult(dim));
  map = AffineMap::get(map.getNumDims(), 0, exprs, kernel.getContext());
  mainloop.setIndexingMapsAttr(
      Builder(kernel.getContext()).getAffineMapArrayAttr(maps));
  return success();
}

/// A copy of the operand's extents in the entry.
static FailureOr<Value> allocateRows(LaunchKernelOp launch,
                                     const Repack &repack) {
  OpBuilder builder(launch);
  Value source = launch.getArguments()[repack.argument];
  auto type = cast<MemRefType>(source.getType());
  std::optional<int64_t> unit =
      getPaddingUnit(type.getElementType(), h::kRepackedAlignment);
  if (!unit)
    return launch.emitOpError("expected elements that fill 16 bytes evenly in ")
           << kPassName << ", got " << type.getElementType();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : repack.permutation)
    sizes.push_back(
        memref::getMixedSize(builder, launch.getLoc(), source, dim));
  return allocatePadded(builder, launch.getLoc(), type.getElementType(), sizes,
                        *unit);
}

/// The kernels that a launch chooses from.
static SmallVector<gpu::GPUFuncOp> getKernels(LaunchKernelOp launch,
                                              SymbolTableCollection &symbols) {
  SmallVector<SymbolRefAttr> names = {launch.getKernelAttr()};
  llvm::append_range(names, launch.getVariantKernels());
  SmallVector<gpu::GPUFuncOp> kernels;
  for (SymbolRefAttr name : names)
    if (auto kernel =
            symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, name))
      kernels.push_back(kernel);
  return kernels;
}

namespace {

struct RepackOperandsPass final
    : mlir::cutl::tile::impl::CutlTileRepackOperandsBase<RepackOperandsPass> {
  using CutlTileRepackOperandsBase::CutlTileRepackOperandsBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    SmallVector<LaunchKernelOp> launches;
    getOperation().walk([&](LaunchKernelOp op) { launches.push_back(op); });
    for (LaunchKernelOp launch : launches)
      if (failed(repackOperands(launch, getKernels(launch, symbols))))
        return signalPassFailure();
  }

private:
  LogicalResult repackOperands(LaunchKernelOp launch,
                               ArrayRef<gpu::GPUFuncOp> kernels);
};

} // namespace

LogicalResult
RepackOperandsPass::repackOperands(LaunchKernelOp launch,
                                   ArrayRef<gpu::GPUFuncOp> kernels) {
  if (kernels.empty())
    return success();
  gpu::GPUFuncOp first = kernels.front();
  FailureOr<SmallVector<Repack>> repacks = findRepacks(first);
  if (failed(repacks))
    return failure();
  for (gpu::GPUFuncOp kernel : kernels.drop_front()) {
    FailureOr<SmallVector<Repack>> others = findRepacks(kernel);
    if (failed(others))
      return failure();
    if (*others != *repacks)
      return launch.emitOpError("expected kernels that repack the same "
                                "operands in ")
             << kPassName << ", got @" << first.getName() << " and @"
             << kernel.getName();
  }
  for (const Repack &repack : *repacks) {
    FailureOr<Value> rows = allocateRows(launch, repack);
    if (failed(rows))
      return failure();
    Value source = launch.getArguments()[repack.argument];
    gpu::GPUFuncOp copy = addRepackKernel(first, launch.getLoc(), repack,
                                          source.getType(), rows->getType());
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(readRows(kernel, repack, rows->getType())))
        return failure();
    OpBuilder builder(launch);
    auto symbol = SymbolRefAttr::get(
        launch.getKernel().getRootReference(),
        FlatSymbolRefAttr::get(builder.getContext(), copy.getName()));
    LaunchKernelOp::create(builder, launch.getLoc(), symbol,
                           ValueRange{source, *rows}, launch.getSmBudgetAttr());
    launch.getArgumentsMutable()[repack.argument].set(*rows);
    ++numRepacked;
  }
  if (repacks->empty())
    return success();
  for (gpu::GPUFuncOp kernel : kernels) {
    WorkLoopOp loop = findLoop(kernel);
    h::TileConfig config = loop.getConfig().toTileConfig();
    config.repackA = config.repackB = false;
    loop.setConfigAttr(TileConfigAttr::get(&getContext(), config));
  }
  return success();
}
