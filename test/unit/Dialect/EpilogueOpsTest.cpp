//===- EpilogueOpsTest.cpp - Epilogue ops against libm -------------------===//
//
// The reference value of every epilogue op is compared with libm, and with its
// expansion evaluated in single precision.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::cutl;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A module with one op on constants and what that op expands to.
class EpilogueOpsTest : public ::testing::Test {
protected:
  EpilogueOpsTest() {
    context.loadDialect<CutlDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
    f32 = builder.getF32Type();
    for (int i = 0; i < 4; ++i)
      inputs.push_back(number(f32, 1.0));
  }

  Value number(FloatType type, double value) {
    return arith::ConstantOp::create(builder, loc(),
                                     FloatAttr::get(type, value));
  }
  Location loc() { return UnknownLoc::get(&context); }

  template <typename OpT, typename... Args>
  EpilogueOpInterface make(Args... args) {
    return cast<EpilogueOpInterface>(
        OpT::create(builder, loc(), args...).getOperation());
  }
  EpilogueOpInterface makeGelu(GeluForm form) {
    return make<GeluOp>(f32, inputs[0], GeluFormAttr::get(&context, form));
  }

  static RefValue evaluate(EpilogueOpInterface op, ArrayRef<double> values) {
    SmallVector<RefValue> operands;
    for (double value : values)
      operands.push_back({value, 0.0});
    return op.evaluateReference(operands);
  }

  /// Runs the expansion op by op. After each op the value is rounded to
  /// single precision, as hardware would.
  double interpretExpansion(EpilogueOpInterface op, ArrayRef<double> values) {
    OpBuilder::InsertionGuard guard(builder);
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc());
    builder.setInsertionPointToEnd(scratch->getBody());
    ValueRange arguments = ValueRange(inputs).take_front(values.size());
    Value result = op.expandToArith(builder, arguments);
    llvm::DenseMap<Value, double> known;
    for (auto [argument, value] : llvm::zip_equal(arguments, values))
      known[argument] = value;
    for (Operation &step : *scratch->getBody()) {
      auto epilogueOp = dyn_cast<EpilogueOpInterface>(step);
      EXPECT_TRUE(epilogueOp)
          << "not admitted: " << step.getName().getStringRef().str();
      SmallVector<RefValue> operands;
      for (Value operand : step.getOperands())
        operands.push_back({known.lookup(operand), 0.0});
      double value = epilogueOp.evaluateReference(operands).value;
      Type type = step.getResult(0).getType();
      known[step.getResult(0)] =
          isa<FloatType>(type) ? roundToNearest(cast<FloatType>(type), value)
                               : value;
    }
    return known.lookup(result);
  }

  /// Compares the reference with `libm` and the expansion with the reference.
  void check(EpilogueOpInterface op,
             function_ref<double(ArrayRef<double>)> libm,
             ArrayRef<double> values, double tolerance = 1e-13) {
    RefValue reference = evaluate(op, values);
    double expected = libm(values);
    if (std::isfinite(expected) && std::fabs(expected) < 3e38) {
      EXPECT_NEAR(reference.value, expected,
                  tolerance * std::max(std::fabs(expected), 1e-30))
          << "at " << values[0];
      // The bound says something: it is small beside the largest operand.
      double scale = 1.0;
      for (double value : values)
        scale *= std::max(1.0, std::fabs(value));
      EXPECT_LE(reference.error, 2e-5 * scale) << "at " << values[0];
    } else if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(reference.value)) << "at " << values[0];
    }
    if (reference.error == kUnbounded)
      return;
    double got = interpretExpansion(op, values);
    EXPECT_LE(getDistance(got, reference.value), reference.error)
        << "at " << values[0] << ": expanded " << got << ", reference "
        << reference.value;
  }

  void checkUnary(EpilogueOpInterface op, double (*libm)(double),
                  double tolerance = 1e-13) {
    auto formula = [&](ArrayRef<double> x) { return libm(x[0]); };
    for (double x = -40.0; x <= 40.0; x += 0.0625)
      check(op, formula, x, tolerance);
    for (double x : {0.0,  -0.0,  1e-30, -1e-30, 1e-42,  88.0,    -88.0,
                     89.0, -89.0, 104.0, -104.0, -150.0, 1000.0,  -1000.0,
                     1e10, -1e10, 1e30,  -1e30,  3.4e38, -3.4e38, kNaN})
      check(op, formula, roundToNearest(f32, x), tolerance);
  }

  /// The error bound holds for operands moved within their own error.
  void checkPropagation(EpilogueOpInterface op, unsigned arity) {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal(0.0, 2.0);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < 500; ++i) {
      SmallVector<RefValue> operands;
      SmallVector<double> moved;
      for (unsigned j = 0; j < arity; ++j) {
        operands.push_back({normal(engine), std::fabs(normal(engine)) * 0.3});
        moved.push_back(operands.back().value +
                        uniform(engine) * operands.back().error);
      }
      RefValue reference = op.evaluateReference(operands);
      EXPECT_LE(getDistance(evaluate(op, moved).value, reference.value),
                reference.error);
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder{&context};
  FloatType f32;
  SmallVector<Value> inputs;
};

double relu(double x) { return x > 0.0 ? x : (std::isnan(x) ? x : 0.0); }
double geluErf(double x) {
  return x < -50.0 ? -0.0 : 0.5 * x * std::erfc(-x * std::sqrt(0.5));
}
double geluTanh(double x) {
  if (x < -50.0)
    return -0.0;
  double t = std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  // The upper half as stated; the lower without its cancellation.
  return x > -1.0 ? 0.5 * x * (1.0 + std::tanh(t))
                  : x * std::exp(2.0 * t) / (1.0 + std::exp(2.0 * t));
}
double silu(double x) { return x < -700.0 ? -0.0 : x / (1.0 + std::exp(-x)); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

TEST_F(EpilogueOpsTest, Relu) {
  auto op = make<ReluOp>(inputs[0]);
  checkUnary(op, relu);
  checkPropagation(op, 1);
  EXPECT_FALSE(std::signbit(evaluate(op, -0.0).value));
  EXPECT_FALSE(std::signbit(interpretExpansion(op, -0.0)));
  EXPECT_TRUE(std::isnan(interpretExpansion(op, kNaN)));
  EXPECT_EQ(interpretExpansion(op, kInf), kInf);
  EXPECT_EQ(interpretExpansion(op, -kInf), 0.0);
}

TEST_F(EpilogueOpsTest, Gelu) {
  for (GeluForm form : {GeluForm::Erf, GeluForm::Tanh}) {
    auto op = makeGelu(form);
    // The tanh form's tails magnify the rounding of the exponent.
    checkUnary(op, form == GeluForm::Erf ? geluErf : geluTanh, 1e-11);
    checkPropagation(op, 1);
    EXPECT_EQ(evaluate(op, kInf).value, kInf);
    EXPECT_EQ(interpretExpansion(op, kInf), kInf);
    for (double value :
         {evaluate(op, -kInf).value, interpretExpansion(op, -kInf)}) {
      EXPECT_EQ(value, 0.0);
      EXPECT_TRUE(std::signbit(value));
    }
  }
}

TEST_F(EpilogueOpsTest, GeluFormsAreTold) {
  double erf = evaluate(makeGelu(GeluForm::Erf), 1.5).value;
  RefValue tanh = evaluate(makeGelu(GeluForm::Tanh), 1.5);
  EXPECT_GT(std::fabs(erf - tanh.value), 10.0 * tanh.error);
}

TEST_F(EpilogueOpsTest, Silu) {
  auto op = make<SiluOp>(inputs[0]);
  checkUnary(op, silu);
  checkPropagation(op, 1);
  EXPECT_EQ(interpretExpansion(op, kInf), kInf);
  for (double value :
       {evaluate(op, -kInf).value, interpretExpansion(op, -kInf)}) {
    EXPECT_EQ(value, 0.0);
    EXPECT_TRUE(std::signbit(value));
  }
}

TEST_F(EpilogueOpsTest, Sigmoid) {
  auto op = make<SigmoidOp>(inputs[0]);
  checkUnary(op, sigmoid);
  checkPropagation(op, 1);
  EXPECT_EQ(interpretExpansion(op, kInf), 1.0);
  EXPECT_EQ(interpretExpansion(op, -kInf), 0.0);
}

TEST_F(EpilogueOpsTest, Tanh) {
  auto op = make<TanhOp>(inputs[0]);
  checkUnary(op, static_cast<double (*)(double)>(std::tanh));
  checkPropagation(op, 1);
  EXPECT_EQ(interpretExpansion(op, kInf), 1.0);
  EXPECT_EQ(interpretExpansion(op, -kInf), -1.0);
}

TEST_F(EpilogueOpsTest, LinearCombination) {
  auto op =
      make<LinearCombinationOp>(inputs[0], inputs[1], inputs[2], inputs[3]);
  auto libm = [](ArrayRef<double> x) {
    return x[2] == 0.0 ? x[0] * x[1] : x[0] * x[1] + x[2] * x[3];
  };
  std::mt19937 engine(2);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 1000; ++i)
    check(op, libm,
          {normal(engine), normal(engine), i % 3 ? normal(engine) : 0.0f,
           normal(engine)});
  checkPropagation(op, 4);
  // beta = 0, of either sign, ignores c; alpha = 0 ignores nothing.
  for (double beta : {0.0, -0.0})
    for (double c : {kNaN, kInf, -kInf}) {
      EXPECT_EQ(evaluate(op, {2.0, 3.0, beta, c}).value, 6.0);
      EXPECT_EQ(interpretExpansion(op, {2.0, 3.0, beta, c}), 6.0);
    }
  EXPECT_TRUE(std::isnan(evaluate(op, {0.0, kNaN, 0.0, 1.0}).value));
  EXPECT_TRUE(std::isnan(interpretExpansion(op, {0.0, kNaN, 0.0, 1.0})));
}

TEST_F(EpilogueOpsTest, LinearCombinationOfUncertainBeta) {
  auto op =
      make<LinearCombinationOp>(inputs[0], inputs[1], inputs[2], inputs[3]);
  // beta may be zero, and then c = 1000 has no influence.
  RefValue value =
      op.evaluateReference({{1.0, 0.0}, {1.0, 0.0}, {0.5, 0.5}, {1000.0, 0.0}});
  EXPECT_EQ(value.value, 501.0);
  EXPECT_GE(value.error, 500.0);
}

TEST_F(EpilogueOpsTest, NarrowTypesComputeInSinglePrecision) {
  FloatType bf16 = builder.getBF16Type();
  auto op = make<SiluOp>(number(bf16, 1.0));
  RefValue value = evaluate(op, 1.5);
  EXPECT_NEAR(value.value, silu(1.5), 1e-13);
  EXPECT_GE(value.error, 0x1p-8);
  EXPECT_LE(value.error, 0x1.1p-8);
  Value expanded = op.expandToArith(builder, op->getOperands());
  EXPECT_EQ(expanded.getType(), bf16);
  auto truncation = expanded.getDefiningOp<arith::TruncFOp>();
  ASSERT_TRUE(truncation);
  EXPECT_EQ(truncation.getIn().getType(), f32);
}

TEST_F(EpilogueOpsTest, Folds) {
  auto fold = [](Operation *op, ArrayRef<Attribute> constants) {
    SmallVector<OpFoldResult> results;
    EXPECT_TRUE(succeeded(op->fold(constants, results)) || results.empty());
    return results.empty() ? Value() : dyn_cast<Value>(results[0]);
  };
  auto inner = ReluOp::create(builder, loc(), inputs[0]);
  auto outer = ReluOp::create(builder, loc(), inner.getResult());
  EXPECT_EQ(fold(outer, {Attribute()}), inner.getResult());
  EXPECT_FALSE(fold(inner, {Attribute()}));

  auto combination = LinearCombinationOp::create(
      builder, loc(), inputs[0], inputs[1], inputs[2], inputs[3]);
  Attribute one = FloatAttr::get(f32, 1.0), zero = FloatAttr::get(f32, 0.0);
  EXPECT_EQ(fold(combination, {one, {}, zero, {}}), inputs[1]);
  EXPECT_FALSE(fold(combination, {zero, {}, zero, {}}));
  EXPECT_FALSE(fold(combination, {one, {}, one, {}}));
  EXPECT_FALSE(fold(combination, {{}, {}, zero, {}}));
}

//===----------------------------------------------------------------------===//
// arith and math ops
//===----------------------------------------------------------------------===//

TEST_F(EpilogueOpsTest, MathAgreesWithLibm) {
  struct Case {
    EpilogueOpInterface op;
    double (*libm)(double);
    double low, high;
  };
  Value x = inputs[0];
  Case cases[] = {
      {make<math::ExpOp>(x), std::exp, -20, 20},
      {make<math::Exp2Op>(x), std::exp2, -20, 20},
      {make<math::LogOp>(x), std::log, 0.01, 100},
      {make<math::Log2Op>(x), std::log2, 0.01, 100},
      {make<math::SqrtOp>(x), std::sqrt, 0, 100},
      {make<math::RsqrtOp>(x), [](double v) { return 1.0 / std::sqrt(v); },
       0.01, 100},
      {make<math::AbsFOp>(x), std::fabs, -9, 9},
      {make<math::ErfOp>(x), std::erf, -4, 4},
      {make<math::TanhOp>(x), std::tanh, -9, 9},
      {make<math::FloorOp>(x), std::floor, -9, 9},
      {make<math::CeilOp>(x), std::ceil, -9, 9},
      {make<math::RoundOp>(x), std::round, -9, 9},
      {make<math::RoundEvenOp>(x), std::nearbyint, -9, 9},
      {make<math::SinOp>(x), std::sin, -9, 9},
      {make<math::CosOp>(x), std::cos, -9, 9},
      {make<arith::NegFOp>(x), [](double v) { return -v; }, -9, 9},
  };
  for (const Case &test : cases) {
    EpilogueOpInterface op = test.op;
    for (int i = 0; i <= 256; ++i) {
      double at = test.low + (test.high - test.low) * i / 256.0;
      RefValue value = evaluate(op, at);
      EXPECT_EQ(value.value, test.libm(at));
      EXPECT_LE(value.error, 8.0 * getHalfUlp(f32, std::fabs(value.value)));
      // An operand's error is carried on.
      RefValue wide = op.evaluateReference({{at, 0.01}});
      for (double side : {-0.01, 0.004, 0.01})
        EXPECT_LE(getDistance(test.libm(at + side), wide.value), wide.error);
    }
    EXPECT_TRUE(std::isnan(evaluate(op, kNaN).value));
  }
}

TEST_F(EpilogueOpsTest, MinAndMaxOfNaN) {
  Value x = inputs[0], y = inputs[1];
  EXPECT_TRUE(
      std::isnan(evaluate(make<arith::MaximumFOp>(x, y), {kNaN, 1.0}).value));
  EXPECT_TRUE(
      std::isnan(evaluate(make<arith::MinimumFOp>(x, y), {1.0, kNaN}).value));
  EXPECT_EQ(evaluate(make<arith::MaxNumFOp>(x, y), {kNaN, 1.0}).value, 1.0);
  EXPECT_EQ(evaluate(make<arith::MinNumFOp>(x, y), {1.0, kNaN}).value, 1.0);
  EXPECT_FALSE(
      std::signbit(evaluate(make<arith::MaximumFOp>(x, y), {-0.0, 0.0}).value));
  EXPECT_TRUE(
      std::signbit(evaluate(make<arith::MinimumFOp>(x, y), {0.0, -0.0}).value));
}

TEST_F(EpilogueOpsTest, ComparisonNearATieIsUncertain) {
  auto op =
      make<arith::CmpFOp>(arith::CmpFPredicate::OGT, inputs[0], inputs[1]);
  RefValue clear = op.evaluateReference({{1.0, 0.1}, {0.5, 0.1}});
  EXPECT_EQ(clear.value, 1.0);
  EXPECT_EQ(clear.error, 0.0);
  EXPECT_EQ(op.evaluateReference({{1.0, 0.3}, {0.5, 0.3}}).error, 1.0);
  EXPECT_EQ(op.evaluateReference({{1.0, 0.0}, {1.0, 0.0}}).error, 0.0);
  EXPECT_EQ(op.evaluateReference({{kNaN, 0.0}, {1.0, 0.1}}).value, 0.0);
}

TEST_F(EpilogueOpsTest, IntegersWrapAndConvert) {
  auto constant = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc(),
        builder.getIntegerAttr(builder.getIntegerType(width), value));
  };
  Value i8 = constant(8, 1), i32 = constant(32, 1), i1 = constant(1, 1);
  EXPECT_EQ(evaluate(make<arith::AddIOp>(i8, i8), {127, 1}).value, -128.0);
  EXPECT_EQ(evaluate(make<arith::MulIOp>(i32, i32), {65536, 65537}).value,
            65536.0);
  EXPECT_EQ(evaluate(make<arith::MaxUIOp>(i8, i8), {-1, 1}).value, -1.0);
  EXPECT_EQ(evaluate(make<arith::MaxSIOp>(i8, i8), {-1, 1}).value, 1.0);
  EXPECT_EQ(evaluate(make<arith::DivSIOp>(i8, i8), {-7, 2}).value, -3.0);
  EXPECT_EQ(evaluate(make<arith::DivSIOp>(i8, i8), {1, 0}).error, kUnbounded);
  EXPECT_EQ(evaluate(make<math::AbsIOp>(i8), -5).value, 5.0);
  Type i32Type = i32.getType(), i8Type = i8.getType();
  EXPECT_EQ(evaluate(make<arith::ExtSIOp>(i32Type, i8), -1).value, -1.0);
  EXPECT_EQ(evaluate(make<arith::ExtUIOp>(i32Type, i8), -1).value, 255.0);
  EXPECT_EQ(evaluate(make<arith::ExtSIOp>(i32Type, i1), 1).value, -1.0);
  EXPECT_EQ(evaluate(make<arith::ExtUIOp>(i32Type, i1), 1).value, 1.0);
  EXPECT_EQ(evaluate(make<arith::TruncIOp>(i8Type, i32), 200).value, -56.0);
  EXPECT_EQ(evaluate(make<arith::UIToFPOp>(f32, i8), -1).value, 255.0);
  EXPECT_EQ(evaluate(make<arith::SIToFPOp>(f32, i8), -1).value, -1.0);
  EXPECT_EQ(evaluate(make<arith::FPToSIOp>(i8Type, inputs[0]), -3.7).value,
            -3.0);
  EXPECT_EQ(evaluate(make<arith::FPToUIOp>(i8Type, inputs[0]), 200.5).value,
            -56.0);
  EXPECT_EQ(evaluate(make<arith::FPToSIOp>(i8Type, inputs[0]), 128.0).error,
            kUnbounded);
  // Quantisation: an inexact integer stays bounded through a clamp.
  RefValue clamped = make<arith::MinSIOp>(i32, i32).evaluateReference(
      {{126.0, 3.0}, {127.0, 0.0}});
  EXPECT_EQ(clamped.value, 126.0);
  EXPECT_EQ(clamped.error, 3.0);
  // and(true?, false) is false whatever the first is.
  EXPECT_EQ(
      make<arith::AndIOp>(i1, i1).evaluateReference({{1, 1}, {0, 0}}).error, 0);
  EXPECT_EQ(
      make<arith::AndIOp>(i1, i1).evaluateReference({{1, 1}, {1, 0}}).error, 1);
}

TEST_F(EpilogueOpsTest, TruncationAddsHalfAnUlp) {
  auto op = make<arith::TruncFOp>(builder.getF16Type(), inputs[0]);
  RefValue value = op.evaluateReference({{1.0, 0x1p-20}});
  EXPECT_EQ(value.error, 0x1p-20 + 0x1p-11);
  EXPECT_EQ(evaluate(op, 1e6).value, kInf);
  EXPECT_EQ(evaluate(op, 65519.9).value, 65519.9);
}

TEST_F(EpilogueOpsTest, OtherOpsAreNotAdmitted) {
  auto op = math::CbrtOp::create(builder, loc(), inputs[0]);
  EXPECT_FALSE(isa<EpilogueOpInterface>(op.getOperation()));
}

} // namespace
