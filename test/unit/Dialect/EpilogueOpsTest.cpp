//===- EpilogueOpsTest.cpp - Epilogue ops against libm -------------------===//
//
// The reference value of every epilogue op is compared with libm, and with its
// expansion evaluated in single precision.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOpFixture.h"

using namespace cutltest;

namespace {

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

TEST_F(EpilogueOpsTest, LeakyRelu) {
  for (double slope : {0.01, 0.0, -0.5, 2.0}) {
    auto op = make<LeakyReluOp>(f32, inputs[0], builder.getF64FloatAttr(slope));
    auto formula = [&](ArrayRef<double> x) {
      return x[0] > 0.0 ? x[0] : slope * x[0];
    };
    for (double x = -20.0; x <= 20.0; x += 0.0625)
      check(op, formula, x);
    for (double x : {0.0, -0.0, 1e-42, -1e-42, 1e30, -1e30, 3.4e38, kNaN})
      check(op, formula, roundToNearest(f32, x));
    checkPropagation(op, 1);
    EXPECT_EQ(interpretExpansion(op, kInf), kInf);
    double atMinusInf = interpretExpansion(op, -kInf);
    EXPECT_EQ(getDistance(atMinusInf, slope * -kInf), 0.0);
    EXPECT_EQ(getDistance(evaluate(op, -kInf).value, slope * -kInf), 0.0);
  }
}

TEST_F(EpilogueOpsTest, Hardswish) {
  auto op = make<HardswishOp>(inputs[0]);
  checkUnary(op, [](double x) {
    return x <= -3.0 ? -0.0 : x >= 3.0 ? x : x * (x + 3.0) / 6.0;
  });
  checkPropagation(op, 1);
  EXPECT_EQ(interpretExpansion(op, kInf), kInf);
  for (double x : {-kInf, -3.0, -1e30})
    for (double value : {evaluate(op, x).value, interpretExpansion(op, x)}) {
      EXPECT_EQ(value, 0.0);
      EXPECT_TRUE(std::signbit(value));
    }
  // From 3 on nothing is lost.
  for (double x : {3.0, 5.7, 3e38})
    EXPECT_EQ(interpretExpansion(op, roundToNearest(f32, x)),
              roundToNearest(f32, x));
}

TEST_F(EpilogueOpsTest, Softplus) {
  auto op = make<SoftplusOp>(inputs[0]);
  checkUnary(op, [](double x) {
    return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  });
  checkPropagation(op, 1);
  EXPECT_EQ(interpretExpansion(op, kInf), kInf);
  EXPECT_EQ(interpretExpansion(op, -kInf), 0.0);
  EXPECT_TRUE(std::isnan(evaluate(op, kNaN).value));
}

TEST_F(EpilogueOpsTest, Clamp) {
  auto makeClamp = [&](Value x, double low, double high) {
    return make<ClampOp>(x.getType(), x, builder.getF64FloatAttr(low),
                         builder.getF64FloatAttr(high));
  };
  auto op = makeClamp(inputs[0], -1.0, 6.0);
  for (double x = -10.0; x <= 10.0; x += 0.125) {
    double want = x < -1.0 ? -1.0 : x > 6.0 ? 6.0 : x;
    EXPECT_EQ(evaluate(op, x).value, want);
    EXPECT_EQ(evaluate(op, x).error, 0.0);
    EXPECT_EQ(interpretExpansion(op, x), want);
  }
  checkPropagation(op, 1);
  EXPECT_EQ(interpretExpansion(op, kInf), 6.0);
  EXPECT_EQ(interpretExpansion(op, -kInf), -1.0);
  EXPECT_TRUE(std::isnan(interpretExpansion(op, kNaN)));
  EXPECT_TRUE(std::isnan(evaluate(op, kNaN).value));
  // As for relu, zero of either sign gives the zero of the bound.
  auto positive = makeClamp(inputs[0], 0.0, kInf);
  EXPECT_FALSE(std::signbit(interpretExpansion(positive, -0.0)));
  EXPECT_EQ(interpretExpansion(positive, kInf), kInf);
  // Bounds have the type's precision, and those beyond its range no effect.
  Value half = number(builder.getF16Type(), 1.0);
  EXPECT_EQ(evaluate(makeClamp(half, 0.1, 1e6), 0.0).value, 0x1.998p-4);
  EXPECT_EQ(evaluate(makeClamp(half, 0.1, 1e6), 65504.0).value, 65504.0);
  Value eighth = number(Float8E4M3FNType::get(&context), 1.0);
  EXPECT_EQ(evaluate(makeClamp(eighth, -1e6, 1e6), 448.0).value, 448.0);
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

} // namespace
