//===- CutlMathToNVVM.cpp - Math of epilogues without a library ----------===//
//
// The pass: expands what the patterns cover and refuses the rest by name.
//
//===----------------------------------------------------------------------===//

#include "cutl/Conversion/CutlMathToNVVM.h"

#include "Patterns.h"

#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTCUTLMATHTONVVM
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

void mlir::cutl::populateCutlMathToNVVMPatterns(RewritePatternSet &patterns,
                                                const HardwareMath &hardware) {
  nvvm::populateFunctionPatterns(patterns, hardware);
  nvvm::populateConvertPatterns(patterns);
  nvvm::populateConversionPatterns(patterns);
}

/// Whether the pass answers for the op. The arithmetic of addresses and of
/// control is none of its business.
static bool isMath(Operation *op) {
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return true;
  if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<FloatType>) ||
           llvm::any_of(op->getResultTypes(), llvm::IsaPred<FloatType>);
  return isa<EpilogueOpInterface>(op);
}

static bool isNative(Type type) {
  return !isa<FloatType>(type) || type.isF16() || type.isBF16() ||
         type.isF32() || type.isF64();
}

/// Refuses an op that no pattern has changed and that has no lowering.
static LogicalResult checkLowered(Operation *op) {
  if (!isa<EpilogueOpInterface>(op) && isa<math::MathDialect>(op->getDialect()))
    return op->emitOpError("expected a function that epilogues admit");
  if (!isa<arith::ArithDialect>(op->getDialect()) || isa<arith::RemFOp>(op))
    return op->emitOpError("expected f16, bf16 or f32, for which there is an "
                           "expansion, got ")
           << op->getResult(0).getType();
  // These move bits, whatever they mean.
  if (isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp>(op))
    return success();
  if (auto truncate = dyn_cast<arith::TruncFOp>(op);
      truncate && truncate.getRoundingmode() &&
      isa<Float8E4M3FNType, Float8E5M2Type>(truncate.getType()))
    return op->emitOpError("expected to_nearest_even, the rounding of the "
                           "conversion to ")
           << truncate.getType() << ", got "
           << arith::stringifyRoundingMode(*truncate.getRoundingmode());
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!isNative(type))
        return op->emitOpError("expected f16, bf16, f32, f64, f8E4M3FN or "
                               "f8E5M2, which the target converts, got ")
               << type;
  return success();
}

namespace {

struct ConvertCutlMathToNVVMPass final
    : mlir::cutl::impl::ConvertCutlMathToNVVMBase<ConvertCutlMathToNVVMPass> {
  using ConvertCutlMathToNVVMBase::ConvertCutlMathToNVVMBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateCutlMathToNVVMPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    unsigned narrow = expandNarrowMath(getOperation());
    numNarrow += narrow;
    numExpanded += narrow;
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isMath(op))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .enableFolding(false)
        .enableConstantCSE(false);
    numExpanded += llvm::count_if(ops, [](Operation *op) {
      return !isa<arith::ArithDialect>(op->getDialect());
    });
    if (failed(applyOpPatternsGreedily(ops, patterns, config)))
      return signalPassFailure();
    bool isLowered = true;
    getOperation()->walk([&](Operation *op) {
      if (isMath(op) && failed(checkLowered(op)))
        isLowered = false;
    });
    if (!isLowered)
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
