//===- EpilogueRewriteTest.cpp - Epilogues before and after rewrites ------===//
//
// Runs random chains of ops as they are written and after fusion. Every bit has
// to be the same, but for sums of floats; and both have to agree with the
// reference, which reads the fused form.
//
//===----------------------------------------------------------------------===//

#include "EpilogueChain.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Reference/GemmReference.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
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

  /// Applies the rewrites to a module.
  void rewrite(ModuleOp module) {
    PassManager pm(&context);
    PipelineOptions options;
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
  Call(const Chain &chain, MLIRContext &context, uint64_t seed)
      : result(chain.result) {
    for (auto [i, argument] : llvm::enumerate(chain.arguments)) {
      isTensor.push_back(argument.isTensor);
      Type type = parseType(argument.elementType, &context);
      arrays.emplace_back(type, argument.sizes);
      arrays.back().fillRandom(seed * 64 + i);
    }
    arrays[result].poison();
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
  const NumericArray &getResult() const { return arrays[result].get(); }

private:
  std::vector<NumericBuffer> arrays;
  std::vector<bool> isTensor;
  unsigned result;
};

/// Elements in which two arrays differ; NaN is NaN, whatever its bits.
unsigned countDifferences(const NumericArray &a, const NumericArray &b) {
  ElementReader reader = *ElementReader::get(a.elementType);
  unsigned count = 0;
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    double x = reader.read(a.data, a.getOffset(i));
    double y = reader.read(b.data, b.getOffset(i));
    count += !(std::isnan(x) && std::isnan(y)) &&
             (x != y || std::signbit(x) != std::signbit(y));
  }
  return count;
}

} // namespace

TEST_F(Rewrites, KeepEveryBitOfRandomChains) {
  unsigned sums = 0, elements = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Chain chain = ChainWriter(seed).write();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + chain.text);
    auto module = parseSourceString<ModuleOp>(chain.text, &context);
    ASSERT_TRUE(bool(module));
    std::unique_ptr<CpuEngine> before = compile(*module);
    rewrite(*module);
    std::unique_ptr<CpuEngine> after = compile(*module);
    ASSERT_TRUE(before && after);
    // Nothing is left beside the gemm, so that the reference can read it.
    auto function = *module->getOps<func::FuncOp>().begin();
    ASSERT_EQ(std::distance(function.getOps<GemmOp>().begin(),
                            function.getOps<GemmOp>().end()),
              1);
    Call unfused(chain, context, seed), fused(chain, context, seed);
    FailureOr<FunctionReference> reference =
        evaluateFunction(function, fused.getArrays());
    ASSERT_TRUE(succeeded(reference));
    ASSERT_EQ(unfused.run(*before), "");
    ASSERT_EQ(fused.run(*after), "");

    elements += fused.getResult().getNumElements();
    if (chain.hasFloatSum)
      ++sums;
    else
      EXPECT_EQ(countDifferences(unfused.getResult(), fused.getResult()), 0u);
    for (const Call *call : {&unfused, &fused}) {
      Comparison comparison =
          compareWithReference(reference->results.front(), call->getResult());
      EXPECT_TRUE(comparison.passed())
          << (call == &fused ? "fused: " : "as written: ")
          << comparison.describeWorst();
    }
  }
  // The generator reaches what it is for.
  EXPECT_GT(sums, 3u);
  EXPECT_GT(elements, 3000u);
}
