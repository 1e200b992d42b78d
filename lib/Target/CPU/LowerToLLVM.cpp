//===- LowerToLLVM.cpp - From linalg on memrefs to LLVM -------------------===//
//
// The lower half of the CPU pipeline and the passes that only it needs.
//
//===----------------------------------------------------------------------===//

#include "cutl/Target/CPU/LowerToLLVM.h"

#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Target/CPU/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLCPUALLOWNEGATIVESTRIDES
#define GEN_PASS_DEF_CUTLCPUCONVERTMATH
#define GEN_PASS_DEF_CUTLCPUMARKENTRYPOINTS
#include "cutl/Target/CPU/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// The upstream expansion of clampf takes the minimum with the lower bound.
struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value raised = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                             op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax());
    return success();
  }
};

/// Makes a division of numbers that has no value have one: the processor would
/// stop the program. Extents, which are of type index, divide by what is not 0.
void guardDivision(Operation *op) {
  Type type = op->getResult(0).getType();
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  APInt known;
  Value number = op->getOperand(0), divisor = op->getOperand(1);
  if (!element || (matchPattern(divisor, m_ConstantInt(&known)) &&
                   !known.isZero() && !known.isAllOnes()))
    return;
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  unsigned width = element.getWidth();
  auto constant = [&](const APInt &value) -> Value {
    TypedAttr attr = builder.getIntegerAttr(element, value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(builder, attr);
  };
  auto equals = [&](Value value, const APInt &other) -> Value {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, value,
                                 constant(other));
  };
  Value isBad = equals(divisor, APInt::getZero(width));
  if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    // The quotient of the least integer and -1 is out of range.
    Value overflows = arith::AndIOp::create(
        builder, equals(divisor, APInt::getAllOnes(width)),
        equals(number, APInt::getSignedMinValue(width)));
    isBad = arith::OrIOp::create(builder, isBad, overflows);
  }
  op->setOperand(1, arith::SelectOp::create(
                        builder, isBad, constant(APInt(width, 1)), divisor));
}

struct ConvertMathPass : cutl::impl::CutlCpuConvertMathBase<ConvertMathPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              op))
        guardDivision(op);
    });
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    patterns.add<ExpandClamp>(&getContext());
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, func::FuncDialect,
                           math::MathDialect, vector::VectorDialect>();
    target.addIllegalOp<
        math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp,
        math::Atan2Op, math::AtanhOp, math::CbrtOp, math::ClampFOp, math::CosOp,
        math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op,
        math::ExpM1Op, math::LogOp, math::Log10Op, math::Log1pOp, math::Log2Op,
        math::PowFOp, math::SinOp, math::SinhOp, math::TanOp, math::TanhOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

struct AllowNegativeStridesPass
    : cutl::impl::CutlCpuAllowNegativeStridesBase<AllowNegativeStridesPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto gep = dyn_cast<LLVM::GEPOp>(op))
        gep.getProperties().setNoWrapFlags(gep.getNoWrapFlags() & ~LLVM::GEPNoWrapFlags::nuw);
      else if (isa<LLVM::AddOp, LLVM::MulOp>(op)) {
        auto arithmetic = cast<LLVM::IntegerOverflowFlagsInterface>(op);
        arithmetic.setOverflowFlags(arithmetic.getOverflowFlags() &
                                    ~LLVM::IntegerOverflowFlags::nuw);
      }
    });
  }
};

struct MarkEntryPointsPass
    : cutl::impl::CutlCpuMarkEntryPointsBase<MarkEntryPointsPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func.isPublic() || func.isExternal() || func.getNumResults() != 0 ||
          !llvm::all_of(func.getArgumentTypes(), isHostArgument))
        continue;
      func->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(&getContext()));
      SmallVector<Attribute> types;
      for (Type type : func.getArgumentTypes())
        types.push_back(TypeAttr::get(type));
      func->setAttr(CutlDialect::kHostSignatureAttrName, ArrayAttr::get(&getContext(), types));
    }
  }

  static bool isHostArgument(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return type.isIntOrIndexOrFloat();
    SmallVector<int64_t> strides;
    int64_t offset;
    return memref.getElementType().isIntOrFloat() &&
           succeeded(memref.getStridesAndOffset(strides, offset));
  }
};

} // namespace

void cutl::buildLinalgToLLVMPipeline(OpPassManager &pm,
                                     const LinalgToLLVMOptions &options) {
  pm.addPass(createCutlCpuMarkEntryPoints());
  ConvertLinalgContractionToVectorOptions contraction;
  contraction.vectorBits = options.vectorBits;
  contraction.blockM = options.blockM;
  contraction.blockN = options.blockN;
  contraction.blockK = options.blockK;
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createConvertLinalgContractionToVector(contraction));
  func.addPass(createConvertLinalgToLoopsPass());
  func.addPass(memref::createExpandStridedMetadataPass());
  func.addPass(createLowerAffinePass());
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  func.addPass(createSCFToControlFlowPass());
  pm.addPass(createCutlCpuExpandFloat8());
  pm.addPass(createCutlCpuConvertMath());
  // Not every processor can convert to bf16; the expansion, unlike a library
  // call, also vectorises.
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  OpPassManager &expanded = pm.nest<func::FuncOp>();
  expanded.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCutlCpuAllowNegativeStrides());
}
