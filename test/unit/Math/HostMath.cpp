//===- HostMath.cpp - Functions of one or two operands on the host -------===//

#include "HostMath.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Target/CPU/LowerToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cutltest;
using namespace mlir;

namespace {

/// Instructions that compute in f64 and then err.
class HostHardware final : public mlir::cutl::HardwareMath {
public:
  explicit HostHardware(const Errors &errors) : errors(errors) {}

  Value exp2(OpBuilder &b, Location loc, Value x) const override {
    Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), x);
    return finish(b, loc, LLVM::Exp2Op::create(b, loc, wide), errors.exp2);
  }
  Value reciprocal(OpBuilder &b, Location loc, Value x) const override {
    Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), x);
    return finish(b, loc, invert(b, loc, wide), errors.reciprocal);
  }
  Value reciprocalSqrt(OpBuilder &b, Location loc, Value x) const override {
    Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), x);
    Value root = LLVM::SqrtOp::create(b, loc, wide);
    return finish(b, loc, invert(b, loc, root), errors.reciprocalSqrt);
  }

private:
  static Value constant(OpBuilder &b, Location loc, Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  static Value invert(OpBuilder &b, Location loc, Value x) {
    Value one = constant(b, loc, x.getType(), 1.0);
    return arith::DivFOp::create(b, loc, one, x);
  }
  static Value finish(OpBuilder &b, Location loc, Value exact, double error) {
    Value scale = constant(b, loc, exact.getType(), 1.0 + error);
    Value wide = arith::MulFOp::create(b, loc, exact, scale);
    Type f32 = b.getF32Type();
    // The rounding stays within the error.
    arith::RoundingMode mode = error == 0.0
                                   ? arith::RoundingMode::to_nearest_even
                               : error > 0.0 ? arith::RoundingMode::downward
                                             : arith::RoundingMode::upward;
    Value result = arith::TruncFOp::create(
        b, loc, f32, wide, arith::RoundingModeAttr::get(b.getContext(), mode),
        nullptr);
    // Beyond the range no number is within the error.
    Value isHuge = arith::CmpFOp::create(
        b, loc, arith::CmpFPredicate::OGE, LLVM::FAbsOp::create(b, loc, wide),
        constant(b, loc, wide.getType(), 0x1p128));
    result = arith::SelectOp::create(
        b, loc, isHuge, arith::TruncFOp::create(b, loc, f32, wide), result);
    Value magnitude = LLVM::FAbsOp::create(b, loc, result);
    Value isSubnormal =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                              constant(b, loc, f32, 0x1p-126));
    Value zero = constant(b, loc, f32, 0.0);
    return arith::SelectOp::create(b, loc, isSubnormal, zero, result);
  }

  Errors errors;
};

/// Replaces ops by formulas.
using Expand = llvm::function_ref<void(ModuleOp)>;

std::unique_ptr<mlir::cutl::CpuEngine> compile(const std::string &text,
                                               Expand expand) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, mlir::cutl::CutlDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return nullptr;
  expand(*module);
  module->walk([&](Operation *op) {
    EXPECT_NE(op->getName().getDialectNamespace(), "cutl") << text;
  });
  PassManager manager(&context);
  mlir::cutl::buildLinalgToLLVMPipeline(manager, {});
  EXPECT_TRUE(succeeded(manager.run(*module))) << text;
  auto engine = mlir::cutl::CpuEngine::create(*module);
  EXPECT_TRUE(bool(engine)) << toString(engine.takeError());
  return engine ? std::move(*engine) : nullptr;
}

void expandForNVPTX(ModuleOp module, const mlir::cutl::HardwareMath &hardware) {
  RewritePatternSet patterns(module.getContext());
  mlir::cutl::populateCutlMathToNVVMPatterns(patterns, hardware);
  GreedyRewriteConfig config;
  config.enableFolding(false);
  EXPECT_TRUE(
      succeeded(applyPatternsGreedily(module, std::move(patterns), config)));
  module.walk([&](Operation *op) {
    EXPECT_NE(op->getName().getDialectNamespace(), "math");
  });
}

void expandForCpu(ModuleOp module) {
  module.walk([](mlir::cutl::EpilogueOpInterface op) {
    OpBuilder builder(op);
    if (Value value = op.expandToArith(builder, op->getOperands())) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  });
}

/// A function that applies the operation to arrays.
std::string getFunction(const std::string &operation, const std::string &type) {
  std::string array = "memref<?x" + type + ">";
  return "func.func @f(%xs: " + array + ", %ys: " + array + ", %rs: " + array +
         R"() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %xs, %c0 : )" +
         array + R"(
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %xs[%i] : )" +
         array + R"(
      %y = memref.load %ys[%i] : )" +
         array + "\n" + operation + R"(
      memref.store %r, %rs[%i] : )" +
         array + "\n }\n return\n }";
}

template <typename T>
std::vector<T> runOn(const mlir::cutl::CpuEngine &engine, std::vector<T> x,
                     std::vector<T> y) {
  std::vector<T> result(x.size());
  int64_t size = x.size(), stride = 1;
  y.resize(x.size());
  auto wrap = [&](std::vector<T> &values) -> mlir::cutl::HostArgument {
    return mlir::cutl::HostArray{values.data(), 8 * sizeof(T), 1, &size,
                                 &stride};
  };
  llvm::Error error = engine.invoke("f", {wrap(x), wrap(y), wrap(result)});
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  return result;
}

} // namespace

std::vector<Errors> cutltest::getExtremes() {
  std::vector<Errors> extremes = {{}};
  for (double sign : {-1.0, 1.0})
    for (double other : {-1.0, 1.0})
      extremes.push_back({sign * std::exp2(-22.5), other * std::exp2(-23.0),
                          sign * std::exp2(-22.9)});
  return extremes;
}

HostFunction::HostFunction(const std::string &operation,
                           const std::string &type, const Errors &errors) {
  HostHardware hardware(errors);
  engine = compile(getFunction(operation, type),
                   [&](ModuleOp module) { expandForNVPTX(module, hardware); });
}

HostFunction::HostFunction(const std::string &operation,
                           mlir::cutl::NarrowPrecision precision,
                           const Errors &errors) {
  HostHardware hardware(errors);
  engine = compile(getFunction(operation, "f32"), [&](ModuleOp module) {
    module.walk([&](Operation *op) {
      if (!mlir::cutl::getNarrowError(op, precision))
        return;
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(
          mlir::cutl::expandNarrowMath(builder, op, precision, hardware));
      op->erase();
    });
    expandForNVPTX(module, hardware);
  });
}

HostFunction::HostFunction(const std::string &operation,
                           const std::string &type) {
  engine = compile(getFunction(operation, type), expandForCpu);
}

std::vector<float> HostFunction::run(std::vector<float> x,
                                     std::vector<float> y) const {
  return engine ? runOn(*engine, std::move(x), std::move(y)) : x;
}
std::vector<double> HostFunction::run(std::vector<double> x,
                                      std::vector<double> y) const {
  return engine ? runOn(*engine, std::move(x), std::move(y)) : x;
}

double cutltest::getUlp(double magnitude, bool isDouble) {
  int least = isDouble ? -1022 : -126, digits = isDouble ? 52 : 23;
  int exponent =
      magnitude == 0.0 ? least : std::max(std::ilogb(magnitude), least);
  return std::ldexp(1.0, exponent - digits);
}
