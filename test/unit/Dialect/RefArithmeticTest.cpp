//===- RefArithmeticTest.cpp - Rounding allowances and error propagation -===//

#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

namespace {

class RefArithmeticTest : public ::testing::Test {
protected:
  MLIRContext context;
  FloatType f16 = Float16Type::get(&context);
  FloatType f32 = Float32Type::get(&context);
  FloatType e4m3 = Float8E4M3FNType::get(&context);
};

TEST_F(RefArithmeticTest, HalfUlp) {
  EXPECT_EQ(getHalfUlp(f32, 1.0), 0x1p-24);
  EXPECT_EQ(getHalfUlp(f32, 1.999), 0x1p-24);
  EXPECT_EQ(getHalfUlp(f32, 2.0), 0x1p-23);
  EXPECT_EQ(getHalfUlp(f16, 0.0), 0x1p-25);
  EXPECT_EQ(getHalfUlp(f16, 0x1p-20), 0x1p-25);
  EXPECT_EQ(getUnitRoundoff(f16), 0x1p-11);
}

TEST_F(RefArithmeticTest, RoundToNearestAgreesWithFloat) {
  for (double x : {0.1, -3.7e5, 1.0 + 0x1p-24, 1.0 + 0x1.8p-23, 1e-41, 3.4e38,
                   1e39, -1e300})
    EXPECT_EQ(roundToNearest(f32, x), static_cast<double>(float(x))) << x;
  EXPECT_EQ(roundToNearest(f16, 65519.0), 65504.0);
  EXPECT_EQ(roundToNearest(f16, 65520.0), kUnbounded);
  EXPECT_EQ(roundToNearest(f16, 0x1p-26), 0.0);
  EXPECT_TRUE(std::isnan(roundToNearest(e4m3, 1000.0)));
  EXPECT_EQ(roundToNearest(e4m3, 448.0), 448.0);
}

TEST_F(RefArithmeticTest, OverflowIsDecidedOrUnbounded) {
  EXPECT_EQ(roundToType(f16, {70000.0, 1.0}).value, kUnbounded);
  EXPECT_EQ(roundToType(f16, {70000.0, 1.0}).error, 0.0);
  EXPECT_EQ(roundToType(f16, {-70000.0, 1.0}).value, -kUnbounded);
  EXPECT_EQ(roundToType(f16, {65519.0, 2.0}).error, kUnbounded);
  EXPECT_EQ(roundToType(f16, {65504.0, 0.0}).value, 65504.0);
  EXPECT_EQ(roundToType(f16, {65504.0, 0.0}).error, 16.0);
}

TEST_F(RefArithmeticTest, DivisionByWhatMayBeZeroIsUnbounded) {
  EXPECT_EQ(refDiv(f32, {1.0, 0.0}, {0.5, 0.5}).error, kUnbounded);
  EXPECT_EQ(refDiv(f32, {1.0, 0.0}, {0.0, 0.0}).value, kUnbounded);
  EXPECT_EQ(refDiv(f32, {1.0, 0.0}, {0.0, 0.0}).error, 0.0);
  EXPECT_LT(refDiv(f32, {1.0, 0.0}, {0.5, 0.1}).error, 0.5 + 1e-6);
  EXPECT_GE(refDiv(f32, {1.0, 0.0}, {0.5, 0.1}).error, 0.5);
}

TEST_F(RefArithmeticTest, UncertainChoiceCoversBothBranches) {
  RefValue certain = refSelect({1.0, 0.0}, {3.0, 0.1}, {7.0, 0.2});
  EXPECT_EQ(certain.value, 3.0);
  EXPECT_EQ(certain.error, 0.1);
  RefValue uncertain = refSelect({0.0, 1.0}, {3.0, 0.1}, {7.0, 0.2});
  EXPECT_EQ(uncertain.value, 7.0);
  EXPECT_DOUBLE_EQ(uncertain.error, 4.1);
}

TEST_F(RefArithmeticTest, TurningPointWidensTheBound) {
  auto square = [](double x) { return (x - 1.0) * (x - 1.0); };
  // Both ends are as high as the middle is low.
  EXPECT_EQ(evaluateUnary(square, {2.0, 2.0}).error, 8.0);
  EXPECT_EQ(evaluateUnary(square, {1.5, 1.0}, {}).error, 2.0);
  EXPECT_EQ(
      evaluateUnary([](double x) { return std::fabs(x); }, {0.5, 1.0}, {0.0})
          .error,
      1.0);
}

} // namespace
