//===- ConvertOpTest.cpp - Reference values of conversions ----------------===//
//
// What the compiled code gives for every code is held in the CPU target's
// tests; here are the values and bounds that it is compared with elsewhere.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOpFixture.h"

using namespace cutltest;

namespace {

class ConvertOpTest : public EpilogueOpsTest {
protected:
  Value get(Type type) {
    TypedAttr one = isa<FloatType>(type)
                        ? TypedAttr(builder.getFloatAttr(type, 1.0))
                        : builder.getIntegerAttr(type, 1);
    return arith::ConstantOp::create(builder, loc(), one);
  }
  EpilogueOpInterface convert(Type from, Type to, bool saturate,
                              Rounding rounding = Rounding::ToNearestEven,
                              bool isUnsigned = false) {
    return make<ConvertOp>(to, get(from), rounding, saturate, isUnsigned);
  }

  Type i8 = builder.getI8Type(), i16 = builder.getI16Type(),
       i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Type e4m3 = Float8E4M3FNType::get(&context),
       e5m2 = Float8E5M2Type::get(&context);
  Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type(),
       f64 = builder.getF64Type();
};

TEST_F(ConvertOpTest, ToIntegers) {
  struct Case {
    Rounding rounding;
    double x, want;
  };
  for (Case test : {Case{Rounding::ToNearestEven, 2.5, 2.0},
                    {Rounding::ToNearestEven, 3.5, 4.0},
                    {Rounding::ToNearestEven, -0.5, 0.0},
                    {Rounding::TowardZero, -2.9, -2.0},
                    {Rounding::Downward, -2.1, -3.0},
                    {Rounding::Upward, 2.1, 3.0},
                    {Rounding::ToNearestEven, 127.49, 127.0},
                    {Rounding::ToNearestEven, 1e9, 127.0},
                    {Rounding::Downward, -1e9, -128.0},
                    {Rounding::Upward, kInf, 127.0},
                    {Rounding::TowardZero, -kInf, -128.0},
                    {Rounding::TowardZero, kNaN, 0.0}}) {
    auto op = convert(f32, i8, true, test.rounding);
    RefValue value = evaluate(op, test.x);
    EXPECT_EQ(value.value, test.want) << test.x;
    EXPECT_EQ(value.error, 0.0) << test.x;
    EXPECT_EQ(interpretExpansion(op, roundToNearest(f32, test.x)), test.want)
        << test.x;
  }
}

TEST_F(ConvertOpTest, UnsignedIntegersAreCarriedAsSignedOnes) {
  auto op = convert(f32, i8, true, Rounding::ToNearestEven, true);
  EXPECT_EQ(evaluate(op, 100.0).value, 100.0);
  EXPECT_EQ(evaluate(op, 200.0).value, -56.0);
  EXPECT_EQ(evaluate(op, 1e9).value, -1.0);
  EXPECT_EQ(evaluate(op, -5.0).value, 0.0);
  // Between 127 and 128 the signed number jumps.
  EXPECT_EQ(op.evaluateReference({{127.0, 2.0}}).error, kUnbounded);
  EXPECT_EQ(op.evaluateReference({{140.0, 2.0}}).error, 2.0);
  auto back = convert(i8, f32, false, Rounding::ToNearestEven, true);
  EXPECT_EQ(evaluate(back, -56.0).value, 200.0);
  EXPECT_EQ(back.evaluateReference({{0.0, 1.0}}).error, kUnbounded);
}

TEST_F(ConvertOpTest, ErrorsPropagate) {
  auto op = convert(f32, i8, true);
  // A step apart, and none where both ends saturate.
  EXPECT_EQ(op.evaluateReference({{2.5, 0.1}}).error, 1.0);
  EXPECT_EQ(op.evaluateReference({{2.0, 0.1}}).error, 0.0);
  EXPECT_EQ(op.evaluateReference({{1000.0, 500.0}}).error, 0.0);
  EXPECT_EQ(op.evaluateReference({{2.0, kUnbounded}}).error, kUnbounded);
  // What a double does not hold is not claimed.
  EXPECT_EQ(evaluate(convert(f64, i64, true), 1e30).error, kUnbounded);
  EXPECT_EQ(evaluate(convert(f32, i32, true), 1e30).value, 0x1p31 - 1.0);
}

TEST_F(ConvertOpTest, ToFloats) {
  auto saturating = convert(f32, e4m3, true);
  for (auto [x, want] : {std::pair(1e9, 448.0),
                         {-1e9, -448.0},
                         {kInf, 448.0},
                         {-kInf, -448.0}}) {
    RefValue value = evaluate(saturating, x);
    EXPECT_EQ(value.value, want);
    EXPECT_LE(value.error, 16.0);
  }
  EXPECT_TRUE(std::isnan(evaluate(saturating, kNaN).value));
  auto plain = convert(f32, e4m3, false);
  EXPECT_TRUE(std::isnan(evaluate(plain, 1e9).value));
  EXPECT_TRUE(std::isnan(evaluate(plain, kInf).value));
  auto wide = convert(f32, e5m2, false);
  EXPECT_EQ(evaluate(wide, 1e9).value, kInf);
  EXPECT_EQ(evaluate(wide, -kInf).value, -kInf);
  // Half an ulp.
  EXPECT_EQ(evaluate(plain, 1.1).error, 0x1p-4);
  EXPECT_EQ(saturating.evaluateReference({{1.1, 0.25}}).error, 0.25 + 0x1p-4);
  EXPECT_EQ(evaluate(convert(f32, bf16, false), 1.1).error, 0x1p-8);
  EXPECT_EQ(evaluate(convert(f32, f16, true), 1e9).value, 65504.0);
  EXPECT_EQ(evaluate(convert(i32, f16, true), 1e6).value, 65504.0);
  EXPECT_EQ(evaluate(convert(i32, f16, false), 1e6).value, kInf);
  // A NaN operand keeps its claim: the result is NaN.
  EXPECT_EQ(evaluate(saturating, kNaN).error, 0.0);
}

TEST_F(ConvertOpTest, ExpansionsHaveTheResultsType) {
  Type types[] = {e4m3, e5m2, f16, bf16, f32, f64, i8, i16, i32, i64};
  unsigned numForms = 0;
  for (Type from : types)
    for (Type to : types)
      for (unsigned options = 0; options < 4; ++options) {
        auto op = convert(from, to, options & 1, Rounding::ToNearestEven,
                          options & 2);
        ScopedDiagnosticHandler silence(&context,
                                        [](Diagnostic &) { return success(); });
        if (failed(verify(op)))
          continue;
        ++numForms;
        Value result = op.expandToArith(builder, op->getOperands());
        ASSERT_TRUE(result);
        EXPECT_EQ(result.getType(), to);
      }
  // Every float to every integer, signed and unsigned, at the least.
  EXPECT_GE(numForms, 48u);
}

} // namespace
