//===- CutlTileToSCF.cpp - Kernels on the host, CTA by CTA ---------------===//

#include "HostOps.h"
#include "TileOps.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTCUTLTILETOSCF
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

/// More CTAs than any chip runs at once.
static constexpr int64_t kMaxGrid = 1 << 16;

static constexpr StringRef kPassName = "convert-cutl-tile-to-scf";

/// Elements must become accumulators without rounding.
static LogicalResult checkElements(tile::MainloopOp op) {
  Type accumulator = op.getAccType(0).getElementType();
  for (Value operand : {Value(op.getA()), op.getBs().front()}) {
    Type element = getElementTypeOrSelf(operand);
    bool fits =
        isa<FloatType>(element) == isa<FloatType>(accumulator) &&
        (element == accumulator ||
         element.getIntOrFloatBitWidth() < accumulator.getIntOrFloatBitWidth());
    if (!fits)
      return op.emitOpError("expected accumulators that hold elements "
                            "exactly in ")
             << kPassName << ", got " << element << " and " << accumulator;
  }
  return success();
}

/// Tiles do not wait for each other.
static LogicalResult checkReductions(tile::EpilogueOp op) {
  for (unsigned i = 0; i < op.getOuts().size(); ++i)
    if (op.crossesTiles(i))
      return op.emitOpError("expected each element of outs[")
             << i << "] to come from one tile in " << kPassName
             << "; run cutl-tile-split-reductions first";
  return success();
}

/// Whether the host can run what an op of a kernel says.
static LogicalResult checkOp(Operation *op) {
  if (auto loop = dyn_cast<tile::WorkLoopOp>(op)) {
    if (!isa<tile::ScheduleEmissionInterface>(loop.getSchedule()))
      return op->emitOpError("expected the emission of ")
             << loop.getSchedule() << " to be registered in " << kPassName;
    if (loop.splitsK() && loop.getOps<tile::FixupOp>().empty())
      return op->emitOpError("expected a fixup with schedule ")
             << loop.getSchedule() << " in " << kPassName
             << "; run cutl-apply-schedule first";
    if (!loop.isScheduleApplied())
      return op->emitOpError("expected the form of ")
             << loop.getSchedule() << " in " << kPassName
             << "; run cutl-apply-schedule first";
    return success();
  }
  if (auto mainloop = dyn_cast<tile::MainloopOp>(op))
    return checkElements(mainloop);
  if (auto epilogue = dyn_cast<tile::EpilogueOp>(op))
    return checkReductions(epilogue);
  if (isa<tile::ClusterSumOp, tile::CombineOp, tile::FixupOp, tile::RepackOp,
          tile::YieldOp, gpu::ReturnOp>(op))
    return success();
  if (isa<gpu::GPUDialect, tile::CutlTileDialect>(op->getDialect()))
    return op->emitOpError("does not occur in phase 'tiled', which ")
           << kPassName << " expects";
  return success();
}

static LogicalResult checkKernel(gpu::GPUFuncOp kernel) {
  if (failed(requireTiled(kernel, kPassName)))
    return failure();
  bool ok = true;
  kernel.getBody().walk([&](Operation *op) { ok &= succeeded(checkOp(op)); });
  return success(ok);
}

namespace {

struct ConvertCutlTileToSCFPass final
    : mlir::cutl::impl::ConvertCutlTileToSCFBase<ConvertCutlTileToSCFPass> {
  using ConvertCutlTileToSCFBase::ConvertCutlTileToSCFBase;

  void runOnOperation() override;

private:
  LogicalResult readOptions();
  func::FuncOp convertKernel(gpu::GPUFuncOp kernel);
  func::FuncOp convertEntry(EntryOp entry);

  CtaOptions ctas;
  /// Of the kernel that each `cutl.resident_ctas` names.
  llvm::SmallDenseMap<Operation *, int64_t> clusterSizes;
};

} // namespace

LogicalResult ConvertCutlTileToSCFPass::readOptions() {
  if (grid < 1 || grid > kMaxGrid)
    return emitError(getOperation().getLoc())
           << "expected grid to be from 1 to " << kMaxGrid << ", got "
           << grid.getValue();
  std::optional<CtaOrder> order = CtaOrder::parse(ctaOrder);
  if (!order)
    return emitError(getOperation().getLoc())
           << "expected cta-order to be forward, reverse or seed:N, got '"
           << ctaOrder << "'";
  ctas = {grid.getValue(), *order};
  return success();
}

/// Moves the body of `callable` into a private function next to its module, or
/// to the bundle that it is part of.
static func::FuncOp moveToFunction(FunctionOpInterface callable) {
  Operation *neighbour = callable;
  while (isa<gpu::GPUModuleOp, BundleOp>(neighbour->getParentOp()))
    neighbour = neighbour->getParentOp();
  Operation *scope =
      SymbolTable::getNearestSymbolTable(neighbour->getParentOp());
  OpBuilder builder(callable.getContext());
  auto function =
      func::FuncOp::create(builder, callable.getLoc(), callable.getName(),
                           cast<FunctionType>(callable.getFunctionType()));
  function.setPrivate();
  SymbolTable(scope).insert(function, Block::iterator(neighbour));
  function.getBody().takeBody(callable.getFunctionBody());
  return function;
}

func::FuncOp ConvertCutlTileToSCFPass::convertEntry(EntryOp entry) {
  func::FuncOp function = moveToFunction(entry);
  for (auto op :
       llvm::make_early_inc_range(function.getBody().getOps<MemsetOp>()))
    emitMemset(op);
  for (auto op :
       llvm::make_early_inc_range(function.getBody().getOps<ResidentCtasOp>()))
    emitResidentCtas(op, ctas.grid * clusterSizes.lookup(op));
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (auto alloc : function.getBody().getOps<memref::AllocOp>())
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  func::ReturnOp::create(builder, end->getLoc());
  end->erase();
  return function;
}

func::FuncOp ConvertCutlTileToSCFPass::convertKernel(gpu::GPUFuncOp kernel) {
  func::FuncOp function = moveToFunction(kernel);
  OpBuilder builder(function);
  SmallVector<Operation *> replaced;
  function.walk([&](Operation *op) {
    if (isa<gpu::ReturnOp, tile::CombineOp, tile::RepackOp, tile::WorkLoopOp>(
            op))
      replaced.push_back(op);
  });
  for (Operation *op : replaced) {
    builder.setInsertionPoint(op);
    Emit e{builder, op->getLoc()};
    if (auto loop = dyn_cast<tile::WorkLoopOp>(op))
      emitWorkLoop(e, loop, ctas, function);
    else if (auto combine = dyn_cast<tile::CombineOp>(op))
      emitCombine(e, combine);
    else if (auto repack = dyn_cast<tile::RepackOp>(op))
      emitRepack(e, repack);
    else
      func::ReturnOp::create(builder, op->getLoc());
    op->erase();
  }
  return function;
}

/// CTAs of the clusters of `kernel`.
static int64_t getClusterSize(Operation *kernel) {
  int64_t size = 1;
  kernel->walk([&](tile::WorkLoopOp loop) {
    size = loop.getConfig().toTileConfig().clusterSize();
  });
  return size;
}

/// Drops the streams that only launches used, so that what remains is callable
/// with arrays and numbers. A function that is called keeps its arguments.
static void dropStreams(func::FuncOp function, Operation *scope) {
  if (!SymbolTable::symbolKnownUseEmpty(function, scope))
    return;
  Type stream = getStreamType(function.getContext());
  for (unsigned i = function.getNumArguments(); i-- > 0;) {
    BlockArgument argument = function.getArgument(i);
    if (argument.getType() == stream && argument.use_empty())
      (void)function.eraseArgument(i);
  }
}

void ConvertCutlTileToSCFPass::runOnOperation() {
  if (failed(readOptions()))
    return signalPassFailure();
  SmallVector<gpu::GPUFuncOp> kernels;
  SmallVector<EntryOp> entries;
  bool ok = true;
  getOperation().walk([&](Operation *op) {
    if (auto entry = dyn_cast<EntryOp>(op))
      entries.push_back(entry);
    auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
    if (!kernel || !kernel.isKernel())
      return;
    ok &= succeeded(checkKernel(kernel));
    kernels.push_back(kernel);
  });

  // Symbols are resolved before any moves.
  SymbolTableCollection symbols;
  llvm::MapVector<Operation *, Operation *> launches;
  getOperation().walk([&](Operation *op) {
    if (auto launch = dyn_cast<LaunchOp>(op))
      launches[op] = symbols.lookupNearestSymbolFrom(op, launch.getEntryAttr());
    if (auto resident = dyn_cast<ResidentCtasOp>(op)) {
      Operation *kernel =
          symbols.lookupNearestSymbolFrom(op, resident.getKernelAttr());
      clusterSizes[op] = kernel ? getClusterSize(kernel) : 1;
    }
    auto launch = dyn_cast<LaunchKernelOp>(op);
    if (!launch)
      return;
    Operation *kernel =
        symbols.lookupNearestSymbolFrom(op, launch.getKernelAttr());
    if (!isa_and_nonnull<gpu::GPUFuncOp>(kernel)) {
      launch.emitOpError("expected a kernel of phase 'tiled' in ")
          << kPassName << ", got one that was lowered further";
      ok = false;
    }
    launches[op] = kernel;
  });
  if (!ok)
    return signalPassFailure();

  llvm::SmallDenseMap<Operation *, func::FuncOp> functions;
  for (gpu::GPUFuncOp kernel : kernels)
    functions[kernel] = convertKernel(kernel);
  for (EntryOp entry : entries)
    functions[entry] = convertEntry(entry);
  SetVector<func::FuncOp> hosts;
  for (auto [op, callee] : launches) {
    // An entry has its workspace as another argument; a call needs no stream.
    ValueRange arguments = op->getOperands();
    if (auto launch = dyn_cast<LaunchKernelOp>(op))
      arguments = launch.getArguments();
    if (isa<LaunchOp>(op)) {
      arguments = arguments.drop_back();
      if (auto host = op->getParentOfType<func::FuncOp>())
        hosts.insert(host);
    }
    OpBuilder builder(op);
    func::CallOp::create(builder, op->getLoc(), functions.lookup(callee),
                         arguments);
    op->erase();
  }
  for (func::FuncOp host : hosts)
    dropStreams(host, getOperation());
  SetVector<Operation *> modules, bundles;
  for (gpu::GPUFuncOp kernel : kernels) {
    modules.insert(kernel->getParentOp());
    kernel.erase();
  }
  for (EntryOp entry : entries) {
    bundles.insert(entry->getParentOp());
    entry.erase();
  }
  auto eraseEmpty = [](ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (op->getRegion(0).front().empty())
        op->erase();
  };
  eraseEmpty(modules.getArrayRef());
  eraseEmpty(bundles.getArrayRef());
  numConverted += kernels.size();
}
