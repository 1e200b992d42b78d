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
