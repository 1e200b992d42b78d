//===- CutlTileToSCF.cpp - Kernels on the host, CTA by CTA ---------------===//

#include "TileOps.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

/// Elements must become accumulators without rounding, and by `extf`.
static LogicalResult checkElements(tile::MainloopOp op) {
  Type accumulator = op.getAccType(0).getElementType();
  for (Value operand : {Value(op.getA()), op.getBs().front()}) {
    Type element = getElementTypeOrSelf(operand);
    bool fits =
        isa<FloatType>(element) && isa<FloatType>(accumulator) &&
        (element == accumulator ||
         element.getIntOrFloatBitWidth() < accumulator.getIntOrFloatBitWidth());
    if (!fits)
      return op.emitOpError("expected floats, and accumulators that hold them "
                            "exactly, in ")
             << kPassName << ", got " << element << " and " << accumulator;
  }
  return success();
}

/// Whether the host can run what an op of a kernel says.
static LogicalResult checkOp(Operation *op) {
  if (auto loop = dyn_cast<tile::WorkLoopOp>(op)) {
    if (!isa<tile::ScheduleEmissionInterface>(loop.getSchedule()))
      return op->emitOpError("expected the emission of ")
             << loop.getSchedule() << " to be registered in " << kPassName;
    return success();
  }
  if (auto mainloop = dyn_cast<tile::MainloopOp>(op))
    return checkElements(mainloop);
  if (isa<tile::EpilogueOp, tile::YieldOp, gpu::ReturnOp>(op))
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
  /// Moves the body of `kernel` into a function next to its module.
  func::FuncOp convertKernel(gpu::GPUFuncOp kernel);

  CtaOptions ctas;
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

func::FuncOp ConvertCutlTileToSCFPass::convertKernel(gpu::GPUFuncOp kernel) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  Operation *scope = SymbolTable::getNearestSymbolTable(module->getParentOp());
  OpBuilder builder(&getContext());
  auto function = func::FuncOp::create(
      builder, kernel.getLoc(), kernel.getName(), kernel.getFunctionType());
  function.setPrivate();
  SymbolTable(scope).insert(function, Block::iterator(module));
  function.getBody().takeBody(kernel.getBody());

  SmallVector<Operation *> replaced;
  function.walk([&](Operation *op) {
    if (isa<gpu::ReturnOp, tile::WorkLoopOp>(op))
      replaced.push_back(op);
  });
  for (Operation *op : replaced) {
    builder.setInsertionPoint(op);
    Emit e{builder, op->getLoc()};
    if (auto loop = dyn_cast<tile::WorkLoopOp>(op))
      emitWorkLoop(e, loop, ctas, function);
    else
      func::ReturnOp::create(builder, op->getLoc());
    op->erase();
  }
  return function;
}

void ConvertCutlTileToSCFPass::runOnOperation() {
  if (failed(readOptions()))
    return signalPassFailure();
  SmallVector<gpu::GPUFuncOp> kernels;
  bool ok = true;
  getOperation().walk([&](gpu::GPUFuncOp kernel) {
    if (!kernel.isKernel())
      return;
    ok &= succeeded(checkKernel(kernel));
    kernels.push_back(kernel);
  });
  if (!ok)
    return signalPassFailure();

  // Symbols are resolved before any moves.
  SymbolTableCollection symbols;
  llvm::MapVector<LaunchOp, Operation *> launches;
  getOperation().walk([&](LaunchOp launch) {
    launches[launch] =
        symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  });

  llvm::SmallDenseMap<Operation *, func::FuncOp> functions;
  for (gpu::GPUFuncOp kernel : kernels)
    functions[kernel] = convertKernel(kernel);
  for (auto [launch, kernel] : launches) {
    auto function = functions.find(kernel);
    if (function == functions.end())
      continue;
    OpBuilder builder(launch);
    func::CallOp::create(builder, launch.getLoc(), function->second,
                         launch.getArguments());
    launch.erase();
  }
  SetVector<Operation *> modules;
  for (gpu::GPUFuncOp kernel : kernels) {
    modules.insert(kernel->getParentOp());
    kernel.erase();
  }
  for (Operation *module : modules)
    if (module->getRegion(0).front().empty())
      module->erase();
  numConverted += kernels.size();
}
