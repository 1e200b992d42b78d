//===- FunctionReferenceTest.cpp - The values of a function of gemms -----===//

#include "ReferenceFixture.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

using FunctionReferenceTest = ReferenceFixture;

TEST_F(FunctionReferenceTest, ChainCarriesTheBound) {
  constexpr const char *kText = R"(
func.func @f(%x: tensor<?x5xf16>, %w: tensor<6x5xf16>, %v: tensor<4x6xf16>, %d: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x5xf16>
  %bias = arith.constant dense<[0.5, -0.5, 1.0, 0.0, 2.0, 4.0]> : tensor<6xf32>
  %e = tensor.empty(%m) : tensor<?x6xf16>
  %h = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%bias : (n)) outs(%e : (m, n)) {
  ^bb0(%acc: f32, %t: f32):
    %s = arith.addf %acc, %t : f32
    %r = cutl.relu %s : f32
    %o = arith.truncf %r : f32 to f16
    cutl.yield %o : f16
  } : (tensor<?x5xf16>, tensor<6x5xf16>, tensor<6xf32>, tensor<?x6xf16>) -> tensor<?x6xf16>
  %y = cutl.gemm ins(%h : (m, k), %v : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x6xf16>, tensor<4x6xf16>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
})";
  NumericBuffer x = makeRandom(f16, {3, 5}, 1), w = makeRandom(f16, {6, 5}, 2);
  NumericBuffer v = makeRandom(f16, {4, 6}, 3), d(f32, {3, 4});
  double bias[] = {0.5, -0.5, 1.0, 0.0, 2.0, 4.0};
  auto compute = [&](int64_t i, bool rounded) {
    double result = 0.0;
    for (int64_t j = 0; j < 6; ++j) {
      double h = bias[j];
      for (int64_t k = 0; k < 5; ++k)
        h += at(x, i / 4 * 5 + k) * at(w, j * 5 + k);
      h = std::max(h, 0.0);
      if (rounded)
        h = roundToNearest(cast<FloatType>(f16), h);
      result += h * at(v, i % 4 * 6 + j);
    }
    return result;
  };
  ReferenceOutput output = evaluate(kText, {x, w, v, d});
  ASSERT_EQ(output.values.size(), 12u);
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(output.values[i].value, compute(i, false), 1e-12);
    // The bound covers the rounding of the intermediate, and little more.
    EXPECT_LE(std::fabs(output.values[i].value - compute(i, true)),
              output.values[i].error);
    EXPECT_LE(output.values[i].error, 0.05);
  }
  // Sampling the last gemm changes no value.
  ReferenceOptions options;
  options.fullWork = 0;
  options.samples = 5;
  ReferenceOutput sample = evaluate(kText, {x, w, v, d}, options);
  EXPECT_LE(sample.values.size(), 5u);
  for (auto [index, value] : llvm::zip_equal(sample.indices, sample.values))
    EXPECT_EQ(value.value, output.values[index].value);
}

TEST_F(FunctionReferenceTest, MemrefsAreWrittenInPlace) {
  constexpr const char *kText = R"(
func.func @f(%a: memref<2x3xf32>, %b: memref<2x3xf32>, %c: memref<2x2xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%c : (m, n)) outs(%c : (m, n)) {
  ^bb0(%acc: f32, %old: f32):
    %s = arith.addf %acc, %old : f32
    cutl.yield %s : f32
  } : (memref<2x3xf32>, memref<2x3xf32>, memref<2x2xf32>, memref<2x2xf32>) -> ()
  return
})";
  NumericBuffer a = makeRandom(f32, {2, 3}, 1), b = makeRandom(f32, {2, 3}, 2);
  NumericBuffer c = makeRandom(f32, {2, 2}, 3);
  func::FuncOp function = parse(kText);
  ASSERT_TRUE(function);
  auto reference = evaluateFunction(function, {a, b, c});
  ASSERT_TRUE(succeeded(reference));
  ASSERT_EQ(reference->writtenArguments.size(), 1u);
  EXPECT_EQ(reference->writtenArguments[0].first, 2u);
  for (int64_t i = 0; i < 4; ++i) {
    double sum = at(c, i);
    for (int64_t k = 0; k < 3; ++k)
      sum += at(a, i / 2 * 3 + k) * at(b, i % 2 * 3 + k);
    EXPECT_NEAR(reference->writtenArguments[0].second.values[i].value, sum,
                1e-12);
  }
}

TEST_F(FunctionReferenceTest, OtherOpsAreNamed) {
  func::FuncOp function = parse(R"(
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  ASSERT_TRUE(function);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  NumericBuffer a(f32, {2});
  EXPECT_TRUE(failed(evaluateFunction(function, {a})));
  EXPECT_NE(message.find("got 'arith.addf'"), std::string::npos) << message;
}

} // namespace
