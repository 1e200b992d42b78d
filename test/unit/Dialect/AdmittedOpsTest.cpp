//===- AdmittedOpsTest.cpp - arith and math ops in epilogues --------------===//

#include "EpilogueOpFixture.h"

using namespace cutltest;

namespace {

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
      {make<math::ExpM1Op>(x), std::expm1, -20, 20},
      {make<math::Log1pOp>(x), std::log1p, -0.9, 100},
      {make<math::TruncOp>(x), std::trunc, -9, 9},
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

/// NaN is contagious to maximumf and minimumf; maxnumf and minnumf ignore it.
TEST_F(EpilogueOpsTest, MinAndMaxOfNaNZeroAndInfinity) {
  Value a = inputs[0], b = inputs[1];
  auto maximum = make<arith::MaximumFOp>(a, b);
  auto minimum = make<arith::MinimumFOp>(a, b);
  auto maxNumber = make<arith::MaxNumFOp>(a, b);
  auto minNumber = make<arith::MinNumFOp>(a, b);
  for (double x : {0.0, -0.0, 1.0, -1.0, kInf, -kInf}) {
    for (auto op : {maximum, minimum}) {
      EXPECT_TRUE(std::isnan(evaluate(op, {kNaN, x}).value));
      EXPECT_TRUE(std::isnan(evaluate(op, {x, kNaN}).value));
    }
    for (auto op : {maxNumber, minNumber})
      for (double value :
           {evaluate(op, {kNaN, x}).value, evaluate(op, {x, kNaN}).value}) {
        EXPECT_EQ(value, x);
        EXPECT_EQ(std::signbit(value), std::signbit(x));
      }
    for (auto op : {maximum, maxNumber}) {
      EXPECT_EQ(evaluate(op, {x, kInf}).value, kInf);
      EXPECT_EQ(evaluate(op, {-kInf, x}).value, x);
    }
    for (auto op : {minimum, minNumber}) {
      EXPECT_EQ(evaluate(op, {x, kInf}).value, x);
      EXPECT_EQ(evaluate(op, {-kInf, x}).value, -kInf);
    }
  }
  for (auto op : {maximum, minimum, maxNumber, minNumber})
    EXPECT_TRUE(std::isnan(evaluate(op, {kNaN, kNaN}).value));
  // -0.0 is less than 0.0 for the former two, and either may come of the
  // latter.
  for (auto [x, y] : {std::pair(0.0, -0.0), {-0.0, 0.0}}) {
    EXPECT_FALSE(std::signbit(evaluate(maximum, {x, y}).value));
    EXPECT_TRUE(std::signbit(evaluate(minimum, {x, y}).value));
    EXPECT_EQ(evaluate(maxNumber, {x, y}).value, 0.0);
    EXPECT_EQ(evaluate(minNumber, {x, y}).value, 0.0);
  }
}

/// What each predicate says of a number and NaN, of zeros, and of infinities.
TEST_F(EpilogueOpsTest, ComparisonsOfNaNZeroAndInfinity) {
  using P = arith::CmpFPredicate;
  auto compare = [&](P predicate, double x, double y) {
    auto op = make<arith::CmpFOp>(predicate, inputs[0], inputs[1]);
    return evaluate(op, {x, y}).value == 1.0;
  };
  for (P predicate : {P::OEQ, P::OGT, P::OGE, P::OLT, P::OLE, P::ONE, P::ORD,
                      P::AlwaysFalse}) {
    EXPECT_FALSE(compare(predicate, kNaN, 1.0));
    EXPECT_FALSE(compare(predicate, 1.0, kNaN));
  }
  for (P predicate : {P::UEQ, P::UGT, P::UGE, P::ULT, P::ULE, P::UNE, P::UNO,
                      P::AlwaysTrue}) {
    EXPECT_TRUE(compare(predicate, kNaN, 1.0));
    EXPECT_TRUE(compare(predicate, 1.0, kNaN));
  }
  for (P predicate : {P::OEQ, P::OGE, P::OLE, P::UEQ, P::UGE, P::ULE, P::ORD})
    EXPECT_TRUE(compare(predicate, 0.0, -0.0));
  for (P predicate : {P::OGT, P::OLT, P::ONE, P::UGT, P::ULT, P::UNE, P::UNO})
    EXPECT_FALSE(compare(predicate, 0.0, -0.0));
  EXPECT_TRUE(compare(P::OGT, kInf, 3e38));
  EXPECT_TRUE(compare(P::OLT, -kInf, -3e38));
  EXPECT_TRUE(compare(P::OEQ, kInf, kInf));
}

TEST_F(EpilogueOpsTest, SelectTakesEitherWholly) {
  Value condition =
      arith::ConstantOp::create(builder, loc(), builder.getBoolAttr(true));
  auto op = make<arith::SelectOp>(condition, inputs[0], inputs[1]);
  // What is not taken has no influence, NaN and infinity included.
  for (double other : {kNaN, kInf}) {
    EXPECT_EQ(evaluate(op, {1.0, 2.0, other}).value, 2.0);
    EXPECT_EQ(evaluate(op, {0.0, other, 2.0}).value, 2.0);
  }
  // An uncertain condition may take either.
  RefValue value = op.evaluateReference({{1.0, 1.0}, {2.0, 0.0}, {5.0, 0.5}});
  EXPECT_EQ(value.value, 2.0);
  EXPECT_EQ(value.error, 3.5);
}

TEST_F(EpilogueOpsTest, BitsShiftAndCombine) {
  auto constant = [&](unsigned width) -> Value {
    return arith::ConstantOp::create(
        builder, loc(),
        builder.getIntegerAttr(builder.getIntegerType(width), 1));
  };
  Value i8 = constant(8), i32 = constant(32);
  auto shl = make<arith::ShLIOp>(i8, i8);
  EXPECT_EQ(evaluate(shl, {3, 2}).value, 12.0);
  EXPECT_EQ(evaluate(shl, {-1, 7}).value, -128.0);
  EXPECT_EQ(evaluate(make<arith::ShLIOp>(i32, i32), {1, 31}).value, -0x1p31);
  EXPECT_EQ(evaluate(make<arith::ShRSIOp>(i8, i8), {-128, 3}).value, -16.0);
  EXPECT_EQ(evaluate(make<arith::ShRUIOp>(i8, i8), {-128, 3}).value, 16.0);
  // A shift by the width, or of what is not known exactly, claims nothing.
  EXPECT_EQ(evaluate(shl, {1, 8}).error, kUnbounded);
  EXPECT_EQ(evaluate(shl, {1, -1}).error, kUnbounded);
  EXPECT_EQ(shl.evaluateReference({{1, 1}, {1, 0}}).error, kUnbounded);
  EXPECT_EQ(evaluate(make<arith::AndIOp>(i8, i8), {-2, 15}).value, 14.0);
  EXPECT_EQ(evaluate(make<arith::OrIOp>(i8, i8), {-128, 1}).value, -127.0);
  EXPECT_EQ(evaluate(make<arith::XOrIOp>(i8, i8), {-1, 1}).value, -2.0);
}

TEST_F(EpilogueOpsTest, Remainders) {
  Value i8 =
      arith::ConstantOp::create(builder, loc(), builder.getI8IntegerAttr(1));
  auto remsi = make<arith::RemSIOp>(i8, i8),
       remui = make<arith::RemUIOp>(i8, i8);
  EXPECT_EQ(evaluate(remsi, {-7, 3}).value, -1.0);
  EXPECT_EQ(evaluate(remsi, {7, -3}).value, 1.0);
  EXPECT_EQ(evaluate(remui, {-7, 3}).value, 0.0);
  EXPECT_EQ(evaluate(remsi, {7, -1}).value, 0.0);
  EXPECT_EQ(evaluate(remsi, {-128, -1}).error, kUnbounded);
  EXPECT_EQ(evaluate(remsi, {1, 0}).error, kUnbounded);
  EXPECT_EQ(evaluate(remui, {1, 0}).error, kUnbounded);

  auto remf = make<arith::RemFOp>(inputs[0], inputs[1]);
  EXPECT_EQ(evaluate(remf, {-7.5, 2.0}).value, -1.5);
  EXPECT_EQ(evaluate(remf, {7.5, kInf}).value, 7.5);
  EXPECT_TRUE(std::isnan(evaluate(remf, {kInf, 2.0}).value));
  EXPECT_TRUE(std::isnan(evaluate(remf, {1.0, 0.0}).value));
  EXPECT_TRUE(std::isnan(evaluate(remf, {kNaN, 1.0}).value));
  EXPECT_TRUE(std::signbit(evaluate(remf, {-6.0, 3.0}).value));
  // Linear inside a step, and anything at its end.
  EXPECT_EQ(remf.evaluateReference({{7.5, 0.25}, {2.0, 0.0}}).error, 0.25);
  EXPECT_EQ(remf.evaluateReference({{8.0, 0.25}, {2.0, 0.0}}).error,
            kUnbounded);
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
