//===- EpilogueRewriteTest.cpp - Epilogues before and after rewrites ------===//
//
// Runs random chains of ops as they are written and after fusion. Every bit has
// to be the same, but for sums of floats; and both have to agree with the
// reference, which reads the fused form.
//
//===----------------------------------------------------------------------===//

#include "EpilogueChain.h"
#include "EpilogueRegion.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/EpiloguePatterns.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Reference/GemmReference.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

namespace {

class Rewrites : public testing::Test {
protected:
  Rewrites() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  /// Applies the rewrites to a module, with a gemm for all results.
  void rewrite(ModuleOp module, unsigned numResults) {
    PassManager pm(&context);
    PipelineOptions options;
    options.maxOutputs = numResults;
    buildEpiloguePipeline(pm, options);
    ASSERT_TRUE(succeeded(pm.run(module)));
  }

  /// Lowers a copy of a module as it stands and compiles it.
  std::unique_ptr<CpuEngine> compile(ModuleOp module) {
    OwningOpRef<ModuleOp> lowered = module.clone();
    PassManager pm(&context);
    pm.addPass(createConvertElementwiseToLinalgPass());
    PipelineOptions options;
    options.fuseEpilogue = false;
    options.canonicalizeEpilogue = false;
    options.vectorBits = llvm::cantFail(CpuEngine::getVectorBits("host"));
    // Small tiles, so that small arrays have several.
    options.tileM = 8;
    options.tileN = 8;
    buildToCPUPipeline(pm, options);
    if (failed(pm.run(*lowered))) {
      ADD_FAILURE() << "the pipeline failed";
      return nullptr;
    }
    auto engine = CpuEngine::create(*lowered);
    if (!engine) {
      ADD_FAILURE() << llvm::toString(engine.takeError());
      return nullptr;
    }
    return std::move(*engine);
  }

  MLIRContext context;
};

/// The arguments of one call, the same for each made with the same seed.
class Call {
public:
  Call(const Chain &chain, MLIRContext &context, uint64_t seed) {
    for (auto [i, argument] : llvm::enumerate(chain.arguments)) {
      isTensor.push_back(argument.isTensor);
      Type type = parseType(argument.elementType, &context);
      NumericBuffer &array = arrays.emplace_back(type, argument.sizes);
      array.fillRandom(seed * 64 + i);
      // A and B are ordinary, or hardly anything else would be.
      if (i >= 2 && isa<FloatType>(type))
        addSpecialNumbers(array.get(), seed + i);
    }
    for (const ChainResult &result : chain.results)
      arrays[result.argument].poison();
  }

  std::string run(const CpuEngine &engine) {
    std::vector<HostArgument> arguments;
    for (auto [array, tensor] : llvm::zip_equal(arrays, isTensor)) {
      const NumericArray &a = array.get();
      unsigned bits = a.elementType.getIntOrFloatBitWidth();
      if (tensor) {
        arguments.push_back(HostArray{a.data, bits, int64_t(a.sizes.size()),
                                      a.sizes.data(), a.strides.data()});
        continue;
      }
      HostScalar scalar;
      std::memcpy(&scalar.bits, a.data, bits / 8);
      scalar.width = bits;
      arguments.push_back(scalar);
    }
    return llvm::toString(engine.invoke("f", arguments));
  }

  SmallVector<NumericArray> getArrays() const {
    SmallVector<NumericArray> list;
    for (const NumericBuffer &array : arrays)
      list.push_back(array.get());
    return list;
  }
  const NumericArray &get(const ChainResult &result) const {
    return arrays[result.argument].get();
  }

private:
  static void addSpecialNumbers(const NumericArray &array, uint64_t seed) {
    const double numbers[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1.0, 1e-40};
    int64_t count = array.getNumElements();
    for (int64_t i = seed % 5; i < count; i += 5)
      writeElement(array.elementType, array.data, array.getOffset(i),
                   numbers[(i + seed) % std::size(numbers)]);
  }

  std::vector<NumericBuffer> arrays;
  std::vector<bool> isTensor;
};

/// Elements in which two arrays differ; NaN is NaN, whatever its bits.
unsigned countDifferences(const NumericArray &a, const NumericArray &b,
                          bool zerosAreEqual = false) {
  ElementReader reader = *ElementReader::get(a.elementType);
  unsigned count = 0;
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    double x = reader.read(a.data, a.getOffset(i));
    double y = reader.read(b.data, b.getOffset(i));
    count += !(std::isnan(x) && std::isnan(y)) &&
             (x != y || (std::signbit(x) != std::signbit(y) &&
                         !(zerosAreEqual && x == 0.0)));
  }
  return count;
}

} // namespace

TEST_F(Rewrites, FuseRandomChains) {
  unsigned sums = 0, severalResults = 0, elements = 0;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Chain chain = ChainWriter(seed).write();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + chain.text);
    auto module = parseSourceString<ModuleOp>(chain.text, &context);
    ASSERT_TRUE(bool(module));
    std::unique_ptr<CpuEngine> before = compile(*module);
    rewrite(*module, chain.results.size());
    std::unique_ptr<CpuEngine> after = compile(*module);
    ASSERT_TRUE(before && after);
    Call unfused(chain, context, seed), fused(chain, context, seed);
    // The reference reads gemms alone: nothing is left beside them.
    auto function = *module->getOps<func::FuncOp>().begin();
    FailureOr<FunctionReference> reference =
        evaluateFunction(function, fused.getArrays());
    ASSERT_TRUE(succeeded(reference));
    ASSERT_EQ(unfused.run(*before), "");
    ASSERT_EQ(fused.run(*after), "");

    severalResults += chain.results.size() > 1;
    for (auto [result, expected] :
         llvm::zip_equal(chain.results, reference->results)) {
      elements += fused.get(result).getNumElements();
      sums += result.isReassociated;
      if (!result.isReassociated)
        EXPECT_EQ(countDifferences(unfused.get(result), fused.get(result),
                                   result.isExtremum),
                  0u);
      for (const Call *call : {&unfused, &fused}) {
        Comparison comparison =
            compareWithReference(expected, call->get(result));
        EXPECT_TRUE(comparison.passed())
            << (call == &fused ? "fused: " : "as written: ")
            << comparison.describeWorst();
      }
    }
  }
  // The generator reaches what it is for.
  EXPECT_GT(sums, 1u);
  EXPECT_GT(severalResults, 2u);
  EXPECT_GT(elements, 1500u);
}

//===----------------------------------------------------------------------===//
// What the generator does not write
//===----------------------------------------------------------------------===//

namespace {

/// A chain of the given ops after a gemm of 4x8 and 6x8, with more arguments.
/// `%g` is its result; `%y` is returned in the last argument.
Chain after(std::vector<ChainArgument> more, const std::string &ops) {
  auto tensor = [](std::string type, std::vector<int64_t> sizes) {
    return ChainArgument{std::move(type), "f32", std::move(sizes), true};
  };
  Chain chain;
  chain.arguments = {tensor("tensor<4x8xf32>", {4, 8}),
                     tensor("tensor<6x8xf32>", {6, 8}),
                     tensor("tensor<4x6xf32>", {4, 6})};
  llvm::append_range(chain.arguments, more);
  chain.results = {{unsigned(chain.arguments.size() - 1)}};
  std::string parameters;
  for (size_t i = 0; i < chain.arguments.size(); ++i)
    parameters += (i ? ", %a" : "%a") + std::to_string(i) + ": " +
                  chain.arguments[i].type;
  std::string type = chain.arguments.back().type;
  chain.text = R"mlir(
#id = affine_map<(i, j) -> (i, j)>
#unit = affine_map<(i, j) -> (0, j)>
#i = affine_map<(i, j) -> (i)>
func.func @f()mlir" +
               parameters + ") -> " + type + R"mlir( {
  %g = cutl.gemm ins(%a0 : (m, k), %a1 : (n, k)) outs(%a2 : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
)mlir" + ops +
               "  return %y : " + type + "\n}\n";
  return chain;
}

const ChainArgument number{"tensor<f32>", "f32", {}, true};
const ChainArgument row{"tensor<1x6xf32>", "f32", {1, 6}, true};
const ChainArgument column{"tensor<4xf32>", "f32", {4}, true};
const ChainArgument matrix{"tensor<4x6xf32>", "f32", {4, 6}, true};

} // namespace

TEST_F(Rewrites, FuseOtherForms) {
  const Chain chains[] = {
      // A row of a matrix of one row, and a number in memory.
      after({number, row, matrix}, R"mlir(
  %s = tensor.extract %a3[] : tensor<f32>
  %y = linalg.generic {indexing_maps = [#id, #unit, #id], iterator_types = ["parallel", "parallel"]}
    ins(%g, %a4 : tensor<4x6xf32>, tensor<1x6xf32>) outs(%a5 : tensor<4x6xf32>) {
  ^bb0(%x: f32, %r: f32, %o: f32):
    %0 = arith.addf %x, %r : f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
)mlir"),
      // A maximum from something else than the identity.
      after({column}, R"mlir(
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%a3 : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.reduce { arith.maximumf } ins(%g : tensor<4x6xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
)mlir"),
      // The largest magnitude, after another op.
      after({matrix, column}, R"mlir(
  %z = arith.constant 0.0 : f32
  %p = arith.addf %g, %a3 : tensor<4x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%a4 : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #i], iterator_types = ["parallel", "reduction"]}
    ins(%p : tensor<4x6xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = math.absf %x : f32
    %1 = arith.maximumf %o, %m : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
)mlir"),
      // Two results of one op, of which the first is used for the second's end.
      after({matrix, matrix}, R"mlir(
  %t:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%g, %a3 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%a2, %a4 : tensor<4x6xf32>, tensor<4x6xf32>) {
  ^bb0(%x: f32, %r: f32, %o: f32, %p: f32):
    %0 = arith.subf %x, %r : f32
    %1 = math.exp %x : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<4x6xf32>, tensor<4x6xf32>)
  %y = linalg.div ins(%t#0, %t#1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%a4 : tensor<4x6xf32>) -> tensor<4x6xf32>
)mlir"),
      // A producer of a producer.
      after({column, matrix}, R"mlir(
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.exp ins(%a3 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x6xf32>
  %b = linalg.broadcast ins(%v : tensor<4xf32>) outs(%f : tensor<4x6xf32>) dimensions = [1]
  %y = linalg.mul ins(%b, %g : tensor<4x6xf32>, tensor<4x6xf32>) outs(%a4 : tensor<4x6xf32>) -> tensor<4x6xf32>
)mlir")};
  for (const Chain &chain : chains) {
    SCOPED_TRACE(chain.text);
    auto module = parseSourceString<ModuleOp>(chain.text, &context);
    ASSERT_TRUE(bool(module));
    std::unique_ptr<CpuEngine> before = compile(*module);
    rewrite(*module, /*numResults=*/1);
    unsigned left = 0;
    module->walk([&](linalg::LinalgOp op) {
      left += op.getNumReductionLoops() != 0 || op.getNumLoops() == 2;
    });
    EXPECT_EQ(left, 0u);
    std::unique_ptr<CpuEngine> after = compile(*module);
    ASSERT_TRUE(before && after);
    Call unfused(chain, context, 1), fused(chain, context, 1);
    ASSERT_EQ(unfused.run(*before), "");
    ASSERT_EQ(fused.run(*after), "");
    EXPECT_EQ(countDifferences(unfused.get(chain.results[0]),
                               fused.get(chain.results[0]),
                               /*zerosAreEqual=*/true),
              0u);
  }
}

TEST_F(Rewrites, SimplifyRandomRegions) {
  unsigned opsBefore = 0, opsAfter = 0;
  auto countOps = [](ModuleOp module) {
    unsigned count = 0;
    module.walk([&](Operation *) { ++count; });
    return count;
  };
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Chain chain = writeRegion(seed, /*reassociate=*/seed % 3 == 0);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + chain.text);
    auto module = parseSourceString<ModuleOp>(chain.text, &context);
    ASSERT_TRUE(bool(module));
    Call asWritten(chain, context, seed), simplified(chain, context, seed);
    FailureOr<FunctionReference> reference = evaluateFunction(
        *module->getOps<func::FuncOp>().begin(), simplified.getArrays());
    ASSERT_TRUE(succeeded(reference));
    opsBefore += countOps(*module);
    std::unique_ptr<CpuEngine> before = compile(*module);
    rewrite(*module, /*numResults=*/1);
    opsAfter += countOps(*module);
    std::unique_ptr<CpuEngine> after = compile(*module);
    ASSERT_TRUE(before && after);
    ASSERT_EQ(asWritten.run(*before), "");
    ASSERT_EQ(simplified.run(*after), "");
    ChainResult result = chain.results.front();
    if (!result.isReassociated)
      EXPECT_EQ(countDifferences(asWritten.get(result), simplified.get(result)),
                0u);
    Comparison comparison = compareWithReference(reference->results.front(),
                                                 simplified.get(result));
    // The bound is that of the order as written; products of constants round
    // elsewhere.
    EXPECT_LE(comparison.worstShare, result.isReassociated ? 4.0 : 1.0)
        << comparison.describeWorst();
  }
  EXPECT_LT(opsAfter, opsBefore - opsBefore / 4);
}

/// The patterns serve in any driver, with folding and over everything.
TEST_F(Rewrites, ArePatternsForOthers) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Chain chain = ChainWriter(seed).write();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + chain.text);
    auto module = parseSourceString<ModuleOp>(chain.text, &context);
    ASSERT_TRUE(bool(module));
    RewritePatternSet patterns(&context);
    populateFuseEpiloguePatterns(patterns, chain.results.size());
    populateCanonicalizeEpiloguePatterns(patterns);
    ASSERT_TRUE(succeeded(applyPatternsGreedily(*module, std::move(patterns))));
    ASSERT_TRUE(succeeded(verify(*module)));
    module->walk([](linalg::LinalgOp left) {
      ADD_FAILURE() << "left beside the gemm: "
                    << left->getName().getStringRef().str();
    });
  }
}
