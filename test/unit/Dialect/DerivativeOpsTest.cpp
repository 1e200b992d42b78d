//===- DerivativeOpsTest.cpp - Derivatives of activations -----------------===//
//
// The reference values of the derivatives against differences of the functions,
// and against their expansions evaluated in single precision.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOpFixture.h"

using namespace cutltest;

namespace {

class DerivativeOpsTest : public EpilogueOpsTest {
protected:
  FloatAttr real(double value) { return builder.getF64FloatAttr(value); }

  /// The value is the slope of the function, wherever it has one.
  void checkSlope(EpilogueOpInterface derivative, EpilogueOpInterface function,
                  ArrayRef<double> corners = {}) {
    constexpr double step = 1e-5;
    for (double x = -12.03; x <= 12.0; x += 0.07) {
      if (llvm::any_of(corners, [&](double corner) {
            return std::fabs(x - corner) < 2.0 * step;
          }))
        continue;
      double slope = (evaluate(function, x + step).value -
                      evaluate(function, x - step).value) /
                     (2.0 * step);
      EXPECT_NEAR(evaluate(derivative, x).value, slope, 1e-9) << "at " << x;
    }
  }

  /// The expansion keeps the bound, everywhere, and the bound says something.
  void checkExpansion(EpilogueOpInterface op) {
    auto checkAt = [&](double x) {
      x = roundToNearest(f32, x);
      RefValue reference = evaluate(op, x);
      EXPECT_LE(reference.error, 4e-6) << "at " << x;
      EXPECT_LE(getDistance(interpretExpansion(op, x), reference.value),
                reference.error)
          << "at " << x << ": expanded " << interpretExpansion(op, x)
          << ", reference " << reference.value;
    };
    for (double x = -40.0; x <= 40.0; x += 0.03125)
      checkAt(x);
    for (double x :
         {0.0, 1e-42, 1e-30, 88.0, 104.0, 150.0, 1000.0, 1e10, 3.4e38, kInf})
      checkAt(x), checkAt(-x);
  }

  /// NaN and the ends.
  void checkLimits(EpilogueOpInterface op, double atMinusInf, double atInf) {
    EXPECT_TRUE(std::isnan(evaluate(op, kNaN).value));
    EXPECT_TRUE(std::isnan(interpretExpansion(op, kNaN)));
    for (auto [x, want] : {std::pair(-kInf, atMinusInf), {kInf, atInf}})
      for (double value : {evaluate(op, x).value, interpretExpansion(op, x)}) {
        EXPECT_EQ(value, want);
        EXPECT_FALSE(std::signbit(value) && want == 0.0);
      }
  }
};

TEST_F(DerivativeOpsTest, Relu) {
  auto op = make<ReluGradOp>(inputs[0]);
  checkSlope(op, make<ReluOp>(inputs[0]), 0.0);
  checkExpansion(op);
  checkPropagation(op, 1);
  checkLimits(op, 0.0, 1.0);
  for (double zero : {0.0, -0.0}) {
    EXPECT_EQ(evaluate(op, zero).value, 0.0);
    EXPECT_EQ(interpretExpansion(op, zero), 0.0);
  }
}

TEST_F(DerivativeOpsTest, LeakyRelu) {
  for (double slope : {0.01, -0.5}) {
    auto op = make<LeakyReluGradOp>(f32, inputs[0], real(slope));
    checkSlope(op, make<LeakyReluOp>(f32, inputs[0], real(slope)), 0.0);
    checkExpansion(op);
    checkPropagation(op, 1);
    EXPECT_EQ(evaluate(op, 0.0).value, slope);
    EXPECT_TRUE(std::isnan(interpretExpansion(op, kNaN)));
    EXPECT_EQ(interpretExpansion(op, -kInf), roundToNearest(f32, slope));
    EXPECT_EQ(interpretExpansion(op, kInf), 1.0);
  }
}

TEST_F(DerivativeOpsTest, Gelu) {
  for (GeluForm form : {GeluForm::Erf, GeluForm::Tanh}) {
    auto op =
        make<GeluGradOp>(f32, inputs[0], GeluFormAttr::get(&context, form));
    checkSlope(op, makeGelu(form));
    checkExpansion(op);
    checkPropagation(op, 1);
    checkLimits(op, 0.0, 1.0);
  }
}

TEST_F(DerivativeOpsTest, Silu) {
  auto op = make<SiluGradOp>(inputs[0]);
  checkSlope(op, make<SiluOp>(inputs[0]));
  checkExpansion(op);
  checkPropagation(op, 1);
  checkLimits(op, 0.0, 1.0);
}

TEST_F(DerivativeOpsTest, Sigmoid) {
  auto op = make<SigmoidGradOp>(inputs[0]);
  checkSlope(op, make<SigmoidOp>(inputs[0]));
  checkExpansion(op);
  checkPropagation(op, 1);
  checkLimits(op, 0.0, 0.0);
  EXPECT_EQ(interpretExpansion(op, 0.0), 0.25);
}

TEST_F(DerivativeOpsTest, Tanh) {
  auto op = make<TanhGradOp>(inputs[0]);
  checkSlope(op, make<TanhOp>(inputs[0]));
  checkExpansion(op);
  checkPropagation(op, 1);
  checkLimits(op, 0.0, 0.0);
  EXPECT_EQ(interpretExpansion(op, 0.0), 1.0);
}

TEST_F(DerivativeOpsTest, Softplus) {
  auto op = make<SoftplusGradOp>(inputs[0]);
  checkSlope(op, make<SoftplusOp>(inputs[0]));
  checkExpansion(op);
  checkPropagation(op, 1);
  checkLimits(op, 0.0, 1.0);
}

TEST_F(DerivativeOpsTest, Hardswish) {
  auto op = make<HardswishGradOp>(inputs[0]);
  checkSlope(op, make<HardswishOp>(inputs[0]), {-3.0, 3.0});
  checkExpansion(op);
  checkPropagation(op, 1);
  checkLimits(op, 0.0, 1.0);
  // The corners belong to the outside.
  EXPECT_EQ(interpretExpansion(op, -3.0), 0.0);
  EXPECT_EQ(interpretExpansion(op, 3.0), 1.0);
  EXPECT_EQ(evaluate(op, -1.5).value, 0.0);
  // Near a corner the value may be that beyond it.
  RefValue value = op.evaluateReference({{-3.0, 0.001}});
  EXPECT_GE(value.error, 0.5);
}

} // namespace
