//===- Pipeline.cpp - cutl-tile-pipeline ----------------------------------===//

#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/TargetInfo/MmaAtoms.h"
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

/// The instruction that multiplies the op's types; null, with an error, if
/// there is none.
static const ti::MmaAtom *findAtom(MainloopOp op) {
  ComputeAttr compute = op.getComputeAttr();
  auto math = compute ? compute.getMath() : mlir::cutl::MathMode::Exact;
  auto getType = [&](Value input, mlir::cutl::Signedness sign) {
    return mlir::cutl::getMultipliedType(getElementTypeOrSelf(input.getType()),
                                         sign, math);
  };
  using mlir::cutl::Signedness;
  const ti::DataType *a =
      getType(op.getA(), compute ? compute.getA() : Signedness::Signed);
  const ti::DataType *b = getType(
      op.getBs().front(), compute ? compute.getB() : Signedness::Signed);
  Type accumulator = op.getAccType(0).getElementType();
  const ti::DataType *sum = mlir::cutl::lookupDataType(accumulator);
  // Elements go from memory to the instruction as they are, or as tf32.
  bool converts =
      math != mlir::cutl::MathMode::Exact && math != mlir::cutl::MathMode::TF32;
  const ti::Target &chip = *mlir::cutl::TargetAttr::lookup(op).getRecord();
  if (a && b && sum && !converts)
    for (const ti::MmaAtom *atom : ti::lookupMmaAtoms(*a, *b, *sum, chip))
      if (atom->family == ti::MmaFamily::Wgmma)
        return atom;
  InFlightDiagnostic diagnostic =
      op.emitOpError("has no pipelined mainloop for ");
  if (a && b)
    diagnostic << a->name << " x " << b->name;
  else
    diagnostic << "elements of these types";
  if (sum)
    diagnostic << " into " << sum->name;
  else
    diagnostic << " into " << accumulator;
  if (converts)
    diagnostic << ", to which elements would have to be rounded first";
  return nullptr;
}

/// Sums are promoted after whole instructions that divide a stage, or after
/// whole stages.
static LogicalResult checkPromotion(MainloopOp op, const ti::MmaAtom &atom) {
  ComputeAttr compute = op.getComputeAttr();
  if (!compute || !compute.getPromote())
    return success();
  if (!op.getAccType(0).getElementType().isF32())
    return op.emitOpError("expected accumulators of f32 with promote, got ")
           << op.getAccType(0).getElementType();
  int64_t interval = *compute.getPromote();
  int64_t stage = cast<WorkLoopOp>(op->getParentOp()).getTileK();
  bool dividesStage = interval % atom.k == 0 && stage % interval == 0;
  if (dividesStage || interval % stage == 0)
    return success();
  int64_t nearest = atom.k;
  while (2 * nearest <= std::min(interval, stage) && stage % (2 * nearest) == 0)
    nearest *= 2;
  if (interval > stage)
    nearest = interval / stage * stage;
  return op.emitOpError("expected promote to divide the ")
         << stage << " elements of k in a stage into whole instructions of "
         << atom.k << ", or to be a multiple of " << stage << ", got "
         << interval << "; nearest legal value is " << nearest;
}

/// Types and layouts of A and B are what copies and products take.
static LogicalResult checkInputs(MainloopOp op) {
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  if (loop.getConfig().getRepackA() || loop.getConfig().getRepackB())
    return op.emitOpError("expected repacked operands in cutl-tile-pipeline; "
                          "run cutl-tile-repack-operands first");
  if (loop.getConfig().getSwapOperands() && op.getBs().size() > 1)
    return op.emitOpError("expected one B with swap_operands, got ")
           << op.getBs().size();
  const ti::MmaAtom *atom = findAtom(op);
  if (!atom)
    return failure();
  for (unsigned i = 0; i < 1 + op.getBs().size(); ++i) {
    Value input = i == 0 ? op.getA() : op.getBs()[i - 1];
    std::string name = getInputName(op, i);
    auto type = cast<MemRefType>(input.getType());
    if (auto broken = findBrokenTensorMapRule(type, name))
      return op.emitOpError() << *broken;
    unsigned innermost = op.getMap(i).getDimPosition(getInnermostDim(type));
    mlir::cutl::GemmDomain domain = op.getDomain();
    if (innermost < domain.getNumBatch())
      return op.emitOpError("expected m, n or k to be the contiguous dimension "
                            "of '")
             << name << "', got " << domain.getName(innermost);
    bool wantsK = i == 0 ? atom->aKMajor : atom->bKMajor;
    if (wantsK && innermost != domain.k())
      return op.emitOpError("expected k to be the contiguous dimension of '")
             << name << "', whose elements the instruction takes in no other "
             << "order, got " << domain.getName(innermost);
  }
  return checkPromotion(op, *atom);
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
                 op.getKEnd(), inputs, op.getComputeAttr());
  auto multiply =
      MultiplyOp::create(builder, op.getLoc(), op.getResultTypes(), ring,
                         op.getKBegin(), op.getKEnd(), op.getComputeAttr());
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
