//===- Pipeline.cpp - cutl-tile-pipeline ----------------------------------===//

#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/TargetInfo/Targets.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILEPIPELINE
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;
namespace ti = ::cutl::targetinfo;

/// A or B number `input - 1`.
static std::string getInputName(MainloopOp op, unsigned input) {
  if (input == 0)
    return "a";
  return op.getBs().size() == 1 ? "b" : "b[" + std::to_string(input - 1) + "]";
}

static bool canPipeline(const ti::Target &chip) {
  return chip.hasTma && chip.hasFamily(ti::MmaFamily::Wgmma);
}

/// The chip multiplies by warpgroups and has the tensor copy engine.
static LogicalResult checkTarget(MainloopOp op) {
  auto target = mlir::cutl::TargetAttr::lookup(op);
  if (!target)
    return op.emitOpError("expected a target in cutl-tile-pipeline, got none; "
                          "run cutl-attach-target first");
  if (canPipeline(*target.getRecord()))
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError("expected a chip with warpgroup multiplies and the tensor "
                     "copy engine, got ")
      << target.getChip() << "; those that have them are ";
  llvm::interleaveComma(
      llvm::make_filter_range(
          ti::allChips(),
          [](const ti::Target *chip) { return canPipeline(*chip); }),
      diagnostic, [&](const ti::Target *chip) { diagnostic << chip->name; });
  return diagnostic;
}

/// Types and layouts of A and B are what copies and products take.
static LogicalResult checkInputs(MainloopOp op) {
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  if (loop.getConfig().getSwapOperands() && op.getBs().size() > 1)
    return op.emitOpError("expected one B with swap_operands, got ")
           << op.getBs().size();
  Type element = getElementTypeOrSelf(op.getA().getType());
  if (!isa<Float16Type, BFloat16Type>(element))
    return op.emitOpError("a with elements of type ")
           << element
           << " has no pipelined mainloop yet; f16 and bf16 have one";
  if (!op.getAccType(0).getElementType().isF32())
    return op.emitOpError("accumulators of type ")
           << op.getAccType(0).getElementType()
           << " have no pipelined mainloop yet; f32 ones have one";
  for (unsigned i = 0; i < 1 + op.getBs().size(); ++i) {
    Value input = i == 0 ? op.getA() : op.getBs()[i - 1];
    std::string name = getInputName(op, i);
    Type other = getElementTypeOrSelf(input.getType());
    if (other != element)
      return op.emitOpError("expected b to have elements of type ")
             << element << " like a, got " << other;
    auto type = cast<MemRefType>(input.getType());
    if (auto broken = findBrokenTensorMapRule(type, name))
      return op.emitOpError() << *broken;
    unsigned innermost = op.getMap(i).getDimPosition(getInnermostDim(type));
    mlir::cutl::GemmDomain domain = op.getDomain();
    if (innermost < domain.getNumBatch())
      return op.emitOpError("expected m, n or k to be the contiguous dimension "
                            "of '")
             << name << "', got " << domain.getName(innermost);
  }
  return success();
}

/// How an operand with `rows` rows per tile lies in a stage.
static StageType getStage(MainloopOp op, const mlir::cutl::GemmInput &input,
                          int64_t rows, int64_t k) {
  auto type = cast<MemRefType>(input.value.getType());
  unsigned innermost = input.map.getDimPosition(getInnermostDim(type));
  return StageType::getChecked([&] { return op.emitOpError(); },
                               op.getContext(), rows, k, type.getElementType(),
                               innermost == op.getDomain().k());
}

static LogicalResult pipeline(MainloopOp op) {
  if (failed(checkTarget(op)) || failed(checkInputs(op)))
    return failure();
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  SmallVector<mlir::cutl::GemmInput> inputs = {op.getInputA()};
  for (unsigned i = 0; i < op.getBs().size(); ++i)
    inputs.push_back(op.getInputB(i));
  SmallVector<StageType> stages;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    stages.push_back(getStage(op, input,
                              i == 0 ? loop.getTileM() : loop.getTileN(),
                              loop.getTileK()));
    if (!stages.back())
      return failure();
  }
  auto type = RingType::getChecked(
      [&] { return op.emitOpError(); }, op.getContext(),
      loop.getConfig().getStages(), ArrayRef<StageType>(stages));
  if (!type)
    return failure();

  OpBuilder builder(loop);
  Value ring = RingOp::create(builder, op.getLoc(), type);
  builder.setInsertionPoint(op);
  LoadOp::create(builder, op.getLoc(), ring, op.getOffsets(), op.getKBegin(),
                 op.getKEnd(), inputs);
  auto multiply = MultiplyOp::create(builder, op.getLoc(), op.getResultTypes(),
                                     ring, op.getKBegin(), op.getKEnd());
  op.replaceAllUsesWith(multiply);
  op.erase();
  return success();
}

namespace {

struct PipelinePass final
    : mlir::cutl::tile::impl::CutlTilePipelineBase<PipelinePass> {
  using CutlTilePipelineBase::CutlTilePipelineBase;

  void runOnOperation() override {
    SmallVector<MainloopOp> mainloops;
    bool ok = succeeded(
        mlir::cutl::requireTiled(getOperation(), "cutl-tile-pipeline"));
    getOperation().walk([&](MainloopOp op) { mainloops.push_back(op); });
    for (MainloopOp op : mainloops)
      ok = ok && succeeded(pipeline(op));
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
