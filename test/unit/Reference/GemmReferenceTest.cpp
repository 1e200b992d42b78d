//===- GemmReferenceTest.cpp - The value a gemm should have --------------===//
//
// Small problems with every form of the op, against sums written out here.
//
//===----------------------------------------------------------------------===//

#include "ReferenceFixture.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

class GemmReferenceTest : public ReferenceFixture {
protected:
  /// Checks all elements of an output, and that bounds are neither zero nor
  /// useless.
  static void expectValues(const ReferenceOutput &output,
                           llvm::function_ref<double(int64_t)> expected,
                           double maxError) {
    ASSERT_TRUE(output.isComplete());
    for (size_t i = 0; i < output.values.size(); ++i) {
      double value = expected(i);
      EXPECT_NEAR(output.values[i].value, value, 1e-12 * (1 + std::fabs(value)))
          << "element " << i;
      EXPECT_LE(output.values[i].error, maxError) << "element " << i;
    }
  }
};

constexpr int64_t kM = 3, kN = 4, kK = 5;

TEST_F(GemmReferenceTest, EveryOperandOrder) {
  for (bool aColumn : {false, true})
    for (bool bColumn : {false, true}) {
      std::string text = std::string("func.func @f(%a: tensor<?x?xf16>, ") +
                         "%b: tensor<?x?xf16>, %d: tensor<?x?xf32>) -> "
                         "tensor<?x?xf32> {\n%r = cutl.gemm ins(%a : " +
                         (aColumn ? "(k, m)" : "(m, k)") +
                         ", %b : " + (bColumn ? "(k, n)" : "(n, k)") +
                         ") outs(%d : (m, n)) {\n"
                         "^bb0(%acc: f32):\n cutl.yield %acc : f32\n}"
                         " : (tensor<?x?xf16>, tensor<?x?xf16>, "
                         "tensor<?x?xf32>) -> tensor<?x?xf32>\n"
                         "return %r : tensor<?x?xf32>\n}";
      NumericBuffer a = makeRandom(
          f16, aColumn ? ArrayRef<int64_t>{kK, kM} : ArrayRef<int64_t>{kM, kK},
          1);
      NumericBuffer b = makeRandom(
          f16, bColumn ? ArrayRef<int64_t>{kK, kN} : ArrayRef<int64_t>{kN, kK},
          2);
      NumericBuffer d(f32, {kM, kN});
      ReferenceOutput output = evaluate(text, {a, b, d});
      auto expected = [&](int64_t i) {
        int64_t m = i / kN, n = i % kN;
        double sum = 0.0;
        for (int64_t k = 0; k < kK; ++k)
          sum += at(a, aColumn ? k * kM + m : m * kK + k) *
                 at(b, bColumn ? k * kN + n : n * kK + k);
        return sum;
      };
      expectValues(output, expected, 1e-5);
      for (const RefValue &value : output.values)
        EXPECT_GT(value.error, 0.0);
    }
}

constexpr const char *kGated = R"(
func.func @f(%a: tensor<3x5xf32>, %b: tensor<8x5xf32>, %d: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = cutl.gemm ins(%a : (m, k), %b : (n, k)) split(SPLIT) outs(%d : (m, n)) {
  ^bb0(%g: f32, %u: f32):
    %s = arith.mulf %g, %u : f32
    cutl.yield %s : f32
  } : (tensor<3x5xf32>, tensor<8x5xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
})";

TEST_F(GemmReferenceTest, SplitB) {
  NumericBuffer a = makeRandom(f32, {kM, kK}, 1);
  NumericBuffer b = makeRandom(f32, {2 * kN, kK}, 2);
  NumericBuffer d(f32, {kM, kN});
  for (bool halves : {true, false}) {
    std::string text = kGated;
    text.replace(text.find("SPLIT"), 5, halves ? "halves" : "interleaved");
    ReferenceOutput output = evaluate(text, {a, b, d});
    auto dot = [&](int64_t m, int64_t row) {
      double sum = 0.0;
      for (int64_t k = 0; k < kK; ++k)
        sum += at(a, m * kK + k) * at(b, row * kK + k);
      return sum;
    };
    expectValues(
        output,
        [&](int64_t i) {
          int64_t m = i / kN, n = i % kN;
          return halves ? dot(m, n) * dot(m, kN + n)
                        : dot(m, 2 * n) * dot(m, 2 * n + 1);
        },
        1e-4);
  }
}

TEST_F(GemmReferenceTest, SeveralBScalesZerosAndAux) {
  constexpr const char *kText = R"(
func.func @f(%a: tensor<3x5xf16>, %b: tensor<4x5xi8>, %c: tensor<4x5xi8>, %s: tensor<4x3xf32>,
             %z: tensor<4xi8>, %bias: tensor<4xf32>, %alpha: f32, %d: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = cutl.gemm ins(%a : (m, k), %b : (n, k), %c : (n, k)) scales(%s of b[0] : (n, k floordiv 2))
      zeros(%z of b[1] : (n)) aux(%bias : (n), %alpha : ()) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32, %t: f32, %u: f32):
    %0 = arith.subf %x, %y : f32
    %1 = arith.mulf %0, %u : f32
    %2 = arith.addf %1, %t : f32
    cutl.yield %2 : f32
  } : (tensor<3x5xf16>, tensor<4x5xi8>, tensor<4x5xi8>, tensor<4x3xf32>, tensor<4xi8>, tensor<4xf32>, f32,
       tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
})";
  NumericBuffer a = makeRandom(f16, {kM, kK}, 1);
  NumericBuffer b = makeRandom(i8, {kN, kK}, 2),
                c = makeRandom(i8, {kN, kK}, 3);
  NumericBuffer s = makeRandom(f32, {kN, 3}, 4);
  NumericBuffer z = makeRandom(i8, {kN}, 5), bias = makeRandom(f32, {kN}, 6);
  NumericBuffer alpha = make(f32, {}, [](int64_t) { return 0.5; });
  NumericBuffer d(f32, {kM, kN});
  ReferenceOutput output = evaluate(kText, {a, b, c, s, z, bias, alpha, d});
  expectValues(
      output,
      [&](int64_t i) {
        int64_t m = i / kN, n = i % kN;
        double x = 0.0, y = 0.0;
        for (int64_t k = 0; k < kK; ++k) {
          x += at(a, m * kK + k) * at(b, n * kK + k) * at(s, n * 3 + k / 2);
          y += at(a, m * kK + k) * (at(c, n * kK + k) - at(z, n));
        }
        return (x - y) * 0.5 + at(bias, n);
      },
      1e-3);
}

TEST_F(GemmReferenceTest, ReductionsOfEveryCombiner) {
  NumericBuffer a = makeRandom(f32, {kM, kK}, 1),
                b = makeRandom(f32, {kN, kK}, 2);
  NumericBuffer d(f32, {kN});
  auto dot = [&](int64_t m, int64_t n) {
    double sum = 0.0;
    for (int64_t k = 0; k < kK; ++k)
      sum += at(a, m * kK + k) * at(b, n * kK + k);
    return sum;
  };
  for (std::string combiner : {"add", "max", "min", "amax"}) {
    std::string text =
        "func.func @f(%a: tensor<?x5xf32>, %b: tensor<4x5xf32>, %d: "
        "tensor<4xf32>) -> tensor<4xf32> {\n%r = cutl.gemm ins(%a : (m, k), %b "
        ": (n, k)) outs(%d : (n) " +
        combiner +
        ") {\n^bb0(%acc: f32):\n cutl.yield %acc : f32\n} : (tensor<?x5xf32>, "
        "tensor<4x5xf32>, tensor<4xf32>) -> tensor<4xf32>\nreturn %r : "
        "tensor<4xf32>\n}";
    auto reduce = [&](int64_t n) {
      double result = combiner == "max"   ? -kUnbounded
                      : combiner == "min" ? kUnbounded
                                          : 0.0;
      for (int64_t m = 0; m < kM; ++m) {
        double value = dot(m, n);
        if (combiner == "add")
          result += value;
        else if (combiner == "min")
          result = std::min(result, value);
        else
          result =
              std::max(result, combiner == "max" ? value : std::fabs(value));
      }
      return result;
    };
    expectValues(evaluate(text, {a, b, d}), reduce, 1e-4);
    // Over nothing, the combiner's identity.
    NumericBuffer empty(f32, {0, kK});
    ReferenceOutput identity = evaluate(text, {empty, b, d});
    ASSERT_EQ(identity.values.size(), size_t(kN));
    EXPECT_EQ(identity.values[0].value, combiner == "max"   ? -kUnbounded
                                        : combiner == "min" ? kUnbounded
                                                            : 0.0);
    EXPECT_EQ(identity.values[0].error, 0.0);
    // NaN wins over every other value.
    NumericBuffer poisoned = a.clone();
    writeElement(f32, poisoned.get().data, kK, std::nan(""));
    EXPECT_TRUE(std::isnan(evaluate(text, {poisoned, b, d}).values[2].value));
  }
}

TEST_F(GemmReferenceTest, IntegersWrapOrSaturate) {
  for (bool saturate : {false, true}) {
    std::string text =
        "func.func @f(%a: tensor<1x140000xi8>, %b: tensor<1x140000xi8>, %d: "
        "tensor<1x1xi32>) -> tensor<1x1xi32> {\n%r = cutl.gemm ins(%a : (m, "
        "k), %b : (n, k)) outs(%d : (m, n)) " +
        std::string(saturate ? "compute(saturate) " : "") +
        "{\n^bb0(%acc: i32):\n cutl.yield %acc : i32\n} : "
        "(tensor<1x140000xi8>, tensor<1x140000xi8>, tensor<1x1xi32>) -> "
        "tensor<1x1xi32>\nreturn %r : tensor<1x1xi32>\n}";
    NumericBuffer a = make(i8, {1, 140000}, [](int64_t) { return -128.0; });
    NumericBuffer d(i32, {1, 1});
    ReferenceOutput output = evaluate(text, {a, a, d});
    // 140000 · 2^14 is past 2^31.
    EXPECT_EQ(output.values[0].value,
              saturate ? 2147483647.0 : 140000.0 * 16384.0 - 4294967296.0);
    EXPECT_EQ(output.values[0].error, 0.0);
  }
}

std::string getTruncating(const std::string &compute) {
  return "func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %d: "
         "tensor<?x?xf16>) -> tensor<?x?xf16> {\n%r = cutl.gemm ins(%a : (m, "
         "k), %b : (n, k)) outs(%d : (m, n)) " +
         compute +
         "{\n^bb0(%acc: f32):\n %o = arith.truncf %acc : f32 to f16\n "
         "cutl.yield %o : f16\n} : (tensor<?x?xf32>, tensor<?x?xf32>, "
         "tensor<?x?xf16>) -> tensor<?x?xf16>\nreturn %r : tensor<?x?xf16>\n}";
}

TEST_F(GemmReferenceTest, MathModeRoundsOperands) {
  NumericBuffer one = make(f32, {1, 1}, [](int64_t) { return 1.0; });
  NumericBuffer x = make(f32, {1, 1}, [](int64_t) { return 1.0 + 0x1p-9; });
  NumericBuffer d(f16, {1, 1});
  EXPECT_EQ(evaluate(getTruncating(""), {x, one, d}).values[0].value,
            1.0 + 0x1p-9);
  EXPECT_EQ(evaluate(getTruncating("compute(math = tf32) "), {x, one, d})
                .values[0]
                .value,
            1.0 + 0x1p-9);
  EXPECT_EQ(evaluate(getTruncating("compute(math = bf16) "), {x, one, d})
                .values[0]
                .value,
            1.0);
}

TEST_F(GemmReferenceTest, EmptyDimensions) {
  NumericBuffer a(f32, {2, 0}), b(f32, {3, 0}), d(f16, {2, 3});
  ReferenceOutput output = evaluate(getTruncating(""), {a, b, d});
  expectValues(
      output, [](int64_t) { return 0.0; }, 1e-7);
  EXPECT_EQ(output.values.size(), 6u);
  NumericBuffer noRows(f32, {0, 5}), five(f32, {3, 5}), none(f16, {0, 3});
  EXPECT_TRUE(evaluate(getTruncating(""), {noRows, five, none}).isComplete());
}

TEST_F(GemmReferenceTest, BoundIsMetByPlainSumsAndSharp) {
  constexpr int64_t kSize = 64, kDepth = 2048;
  NumericBuffer a = makeRandom(f32, {kSize, kDepth}, 1);
  NumericBuffer b = makeRandom(f32, {kSize, kDepth}, 2);
  NumericBuffer d(f16, {kSize, kSize});
  std::string text = getTruncating("");
  ReferenceOutput output = evaluate(text, {a, b, d});
  for (int64_t i = 0; i < kSize * kSize; ++i) {
    float sum = 0.0f;
    for (int64_t k = 0; k < kDepth; ++k)
      sum += static_cast<float>(at(a, i / kSize * kDepth + k)) *
             static_cast<float>(at(b, i % kSize * kDepth + k));
    writeElement(f16, d.get().data, i, sum);
  }
  Comparison good = compareWithReference(output, d);
  EXPECT_TRUE(good.passed()) << good.describeWorst();
  EXPECT_GT(good.worstShare, 0.05);
  EXPECT_EQ(good.checked, kSize * kSize);
  EXPECT_EQ(good.unbounded, 0);

  // One product left out of one sum shows.
  int64_t element = 5 * kSize + 9;
  double product = at(a, 5 * kDepth + 7) * at(b, 9 * kDepth + 7);
  ASSERT_GT(std::fabs(product), 0.2);
  writeElement(f16, d.get().data, element, at(d, element) - product);
  Comparison bad = compareWithReference(output, d);
  EXPECT_FALSE(bad.passed());
  EXPECT_EQ(bad.worstIndex, (SmallVector<int64_t, 4>{5, 9}));

  // So does an element that was never written.
  writeElement(f16, d.get().data, 3, std::nan(""));
  Comparison poisoned = compareWithReference(output, d);
  EXPECT_EQ(poisoned.worstShare, kUnbounded);
  EXPECT_EQ(poisoned.worstIndex, (SmallVector<int64_t, 4>{0, 3}));
}

TEST_F(GemmReferenceTest, SampleAgreesWithTheWhole) {
  NumericBuffer a = makeRandom(f32, {40, 30}, 1),
                b = makeRandom(f32, {50, 30}, 2);
  NumericBuffer d(f16, {40, 50});
  ReferenceOutput whole = evaluate(getTruncating(""), {a, b, d});
  ReferenceOptions options;
  options.fullWork = 0;
  options.samples = 100;
  ReferenceOutput sample = evaluate(getTruncating(""), {a, b, d}, options);
  ASSERT_EQ(sample.indices.size(), sample.values.size());
  EXPECT_GT(sample.values.size(), 80u);
  EXPECT_LE(sample.values.size(), 100u);
  EXPECT_FALSE(sample.isComplete());
  for (auto [index, value] : llvm::zip_equal(sample.indices, sample.values)) {
    EXPECT_EQ(value.value, whole.values[index].value);
    EXPECT_EQ(value.error, whole.values[index].error);
  }
}

TEST_F(GemmReferenceTest, SampleOfAReductionHasItsWholeSlice) {
  std::string text =
      "func.func @f(%a: tensor<40x30xf32>, %b: tensor<50x30xf32>, %d: "
      "tensor<40xf32>) -> tensor<40xf32> {\n%r = cutl.gemm ins(%a : (m, k), %b "
      ": (n, k)) outs(%d : (m) add) {\n^bb0(%acc: f32):\n cutl.yield %acc : "
      "f32\n} : (tensor<40x30xf32>, tensor<50x30xf32>, tensor<40xf32>) -> "
      "tensor<40xf32>\nreturn %r : tensor<40xf32>\n}";
  NumericBuffer a = makeRandom(f32, {40, 30}, 1),
                b = makeRandom(f32, {50, 30}, 2);
  NumericBuffer d(f32, {40});
  ReferenceOutput whole = evaluate(text, {a, b, d});
  ReferenceOptions options;
  options.fullWork = 0;
  options.samples = 200;
  ReferenceOutput sample = evaluate(text, {a, b, d}, options);
  EXPECT_GE(sample.values.size(), 2u);
  EXPECT_LE(sample.values.size(), 4u);
  for (auto [index, value] : llvm::zip_equal(sample.indices, sample.values))
    EXPECT_NEAR(value.value, whole.values[index].value, 1e-12);
}

TEST_F(GemmReferenceTest, BatchesBroadcast) {
  constexpr const char *kText = R"(
func.func @f(%a: tensor<2x3x5xf32>, %b: tensor<4x5xf32>, %d: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = cutl.gemm ins(%a : (b, m, k), %b : (n, k)) outs(%d : (b, m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<2x3x5xf32>, tensor<4x5xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
})";
  NumericBuffer a = makeRandom(f32, {2, kM, kK}, 1),
                b = makeRandom(f32, {kN, kK}, 2);
  NumericBuffer d(f32, {2, kM, kN});
  expectValues(
      evaluate(kText, {a, b, d}),
      [&](int64_t i) {
        double sum = 0.0;
        for (int64_t k = 0; k < kK; ++k)
          sum += at(a, i / kN * kK + k) * at(b, i % kN * kK + k);
        return sum;
      },
      1e-5);
}

TEST_F(GemmReferenceTest, ArraysThatDoNotFitAreNamed) {
  func::FuncOp function = parse(getTruncating(""));
  NumericBuffer a(f32, {2, 3}), b(f32, {4, 5}), d(f16, {2, 4});
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(evaluateFunction(function, {a, b, d})));
  EXPECT_NE(message.find("expected 'b' to have 3 elements along dimension 'k'"),
            std::string::npos)
      << message;
}

} // namespace
