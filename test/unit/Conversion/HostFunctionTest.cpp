//===- HostFunctionTest.cpp - host functions on the fake driver -----------===//
//
// Lowers functions of two layers to LLVM with upstream's passes, compiles them,
// and calls them: what reaches the driver's stream is what they were given.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Runtime/Stream.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// h = x w^T, d = alpha h v^T, with h in the workspace.
constexpr const char kLayers[] = R"mlir(
func.func @layers(%x: memref<?x64xf16, strided<[?, ?], offset: ?>>, %w: memref<48x64xf16>, %v: memref<10x48xf16>,
                  %d: memref<?x10xf32>, %alpha: f32, %workspace: memref<?xi8>, %stream: !llvm.ptr) {
  cutl.launch @bundle::@layers(%x, %w, %v, %d, %alpha) workspace(%workspace) stream(%stream)
      : (memref<?x64xf16, strided<[?, ?], offset: ?>>, memref<48x64xf16>, memref<10x48xf16>, memref<?x10xf32>, f32)
  return
}
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @layers(%x: memref<?x64xf16, strided<[?, ?], offset: ?>> {cutl.name = "x"}, %w: memref<48x64xf16>,
                     %v: memref<10x48xf16>, %d: memref<?x10xf32> {cutl.name = "d"}, %alpha: f32,
                     %workspace: memref<?xi8>)
      attributes {cutl.host_writes = array<i64: 3>, cutl.host_ties = [array<i64: 0, 0, 1, 1, 3, 0>]} {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %m = memref.dim %x, %c0 : memref<?x64xf16, strided<[?, ?], offset: ?>>
    %bytes = arith.muli %m, %c96 : index
    %h = memref.view %workspace[%c0][%m] : memref<?xi8> to memref<?x48xf16>
    cutl.launch_kernel @kernels::@first(%x, %w, %h)
        : (memref<?x64xf16, strided<[?, ?], offset: ?>>, memref<48x64xf16>, memref<?x48xf16>)
    cutl.launch_kernel @kernels::@second(%h, %v, %d, %alpha)
        : (memref<?x48xf16>, memref<10x48xf16>, memref<?x10xf32>, f32)
    cutl.end_entry workspace(%bytes)
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"first", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 64, 64>, swizzle = "128B"},
                {kind = "pointer", arg = 1}, {kind = "pointer", arg = 2}]}}>,
    #gpu.kernel_metadata<"second", () -> (), metadata = {cutl_tile.launch_info = {
      block = 384, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 128}],
      params = [{kind = "pointer", arg = 0}, {kind = "pointer", arg = 1}, {kind = "pointer", arg = 2},
                {kind = "stride", arg = 2, dim = 0}, {kind = "size", arg = 2, dim = 0}, {kind = "scalar", arg = 3}]}}>
    ]>, assembly = ".version 8.0">]
}
)mlir";

/// A memref as the C interface takes it.
template <int rank> struct Descriptor {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes[rank], strides[rank];
};

Descriptor<2> makeMatrix(uint64_t address, int64_t m, int64_t n) {
  return {(void *)address, (void *)address, 0, {m, n}, {n, 1}};
}

Descriptor<1> makeVector(uint64_t address, int64_t n) {
  return {(void *)address, (void *)address, 0, {n}, {1}};
}

using Layers = void (*)(Descriptor<2> *x, Descriptor<2> *w, Descriptor<2> *v,
                        Descriptor<2> *d, float alpha, Descriptor<1> *workspace,
                        CutlStream *stream);

class HostFunctionTest : public testing::Test {
protected:
  void SetUp() override {
    fake = openFakeDevice(&current);
    ASSERT_TRUE(fake);
    CutlRuntimeOptions options = {FAKE_CUDA, 1};
    CutlRuntimeError error;
    ASSERT_EQ(cutlRuntimeCreate(&options, &stream.runtime, &error),
              CUTL_RUNTIME_OK)
        << error.text;
    stream.stream = &handle;
  }
  void TearDown() override {
    cutlRuntimeDestroy(stream.runtime);
    EXPECT_EQ(fake->loads, fake->unloads);
  }

  /// Lowers and compiles a module. `lower` brings it to serialised kernels.
  void compile(llvm::StringRef text,
               llvm::function_ref<void(OpPassManager &)> lower) {
    DialectRegistry registry;
    cutl::registerAllDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    for (auto function : module->getOps<func::FuncOp>())
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(&context));
    PassManager pm(&context);
    lower(pm);
    pm.addPass(cutl::createConvertCutlLaunchToLLVM());
    pm.addPass(createFinalizeMemRefToLLVMConversionPass());
    pm.addPass(createArithToLLVMConversionPass());
    pm.addPass(createConvertFuncToLLVMPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
    ASSERT_TRUE(succeeded(pm.run(*module)));

    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    auto code = translateModuleToLLVMIR(*module, *llvmContext);
    ASSERT_TRUE(code);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // The module may refer to one function outside it.
    jit = llvm::cantFail(llvm::orc::LLJITBuilder()
                             .setLinkProcessSymbolsByDefault(false)
                             .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                             .create());
    llvm::cantFail(jit->getMainJITDylib().define(llvm::orc::absoluteSymbols({{
        jit->mangleAndIntern("cutlStreamLaunch"),
        {llvm::orc::ExecutorAddr::fromPtr(&cutlStreamLaunch),
         llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable},
    }})));
    llvm::cantFail(jit->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(code), std::move(llvmContext))));
  }
  template <typename Function> Function lookup(const char *name) {
    return llvm::cantFail(jit->lookup(name)).toPtr<Function>();
  }

  FakeCuda *fake = nullptr;
  FakeContext current = {7, 0};
  FakeStream handle = {&current};
  std::unique_ptr<llvm::orc::LLJIT> jit;
  CutlStream stream = {};
};

class LayersTest : public HostFunctionTest {
protected:
  void SetUp() override {
    HostFunctionTest::SetUp();
    compile(kLayers, [](OpPassManager &) {});
    layers = lookup<Layers>("_mlir_ciface_layers");
  }
  void run() { layers(&x, &w, &v, &d, 0.5f, &workspace, &stream); }

  Layers layers = nullptr;
  // x begins 8 elements into its memory and has a pitch of 72.
  Descriptor<2> x = {
      (void *)FAKE_DEVICE_0, (void *)FAKE_DEVICE_0, 8, {300, 64}, {72, 1}};
  Descriptor<2> w = makeMatrix(FAKE_DEVICE_0 + (1 << 20), 48, 64);
  Descriptor<2> v = makeMatrix(FAKE_DEVICE_0 + (2 << 20), 10, 48);
  Descriptor<2> d = makeMatrix(FAKE_DEVICE_0 + (3 << 20), 300, 10);
  Descriptor<1> workspace = makeVector(FAKE_DEVICE_0 + (4 << 20), 300 * 96);
};

TEST_F(LayersTest, LaunchesBothLayersWithoutWaiting) {
  unsigned words[8] = {1, 1, 1, 1, 1, 1};
  std::copy(words, words + 8, fake->parameterWords);
  run();
  ASSERT_EQ(stream.error.status, CUTL_RUNTIME_OK) << stream.error.text;
  EXPECT_STREQ(fake->order, "LL");
  EXPECT_EQ(fake->stream, &handle);
  EXPECT_EQ(fake->synchronisations, 0);
  EXPECT_EQ(fake->allocations, 0);
  EXPECT_EQ(fake->copiesIn + fake->copiesOut, 0);
  // The map of the first launch: x from its first element.
  EXPECT_EQ(fake->encodes, 1);
  EXPECT_EQ(fake->mapAddress, FAKE_DEVICE_0 + 16);
  EXPECT_EQ(fake->mapSizes[0], 64u);
  EXPECT_EQ(fake->mapSizes[1], 300u);
  EXPECT_EQ(fake->mapStrides[0], 144u);
  // The second launch.
  EXPECT_EQ(fake->grid[0], 3u);
  EXPECT_EQ(fake->block[0], 384u);
  EXPECT_EQ(fake->parameters[0][0], FAKE_DEVICE_0 + (4 << 20));
  EXPECT_EQ(fake->parameters[1][0], FAKE_DEVICE_0 + (2 << 20));
  EXPECT_EQ(fake->parameters[2][0], FAKE_DEVICE_0 + (3 << 20));
  EXPECT_EQ(fake->parameters[3][0], 10u);
  EXPECT_EQ(uint32_t(fake->parameters[4][0]), 300u);
  EXPECT_EQ(uint32_t(fake->parameters[5][0]), 0x3f000000u);
  run();
  EXPECT_STREQ(fake->order, "LLLL");
  EXPECT_EQ(fake->loads, 1) << "the bundle is loaded once";
}

TEST_F(LayersTest, ErrorsStayInTheStream) {
  workspace.sizes[0] = 300 * 96 - 1;
  run();
  EXPECT_EQ(stream.error.status, CUTL_RUNTIME_WORKSPACE_TOO_SMALL);
  EXPECT_STREQ(fake->order, "");
  workspace.sizes[0] = 300 * 96;
  run();
  EXPECT_STREQ(fake->order, "") << "until the caller clears it";
  stream.error = {};
  d.sizes[0] = 299;
  run();
  EXPECT_EQ(stream.error.status, CUTL_RUNTIME_GUARD_FAILED);
  EXPECT_STREQ(stream.error.text,
               "'layers': expected dimension 0 of 'x' and dimension 0 of 'd' "
               "to be equal, got 299 instead of 300");
  stream.error = {};
  d.sizes[0] = 300;
  run();
  EXPECT_EQ(stream.error.status, CUTL_RUNTIME_OK) << stream.error.text;
  EXPECT_STREQ(fake->order, "LL");
}

using Classify = void (*)(Descriptor<2> *images, Descriptor<2> *w1,
                          Descriptor<1> *b1, Descriptor<2> *w2,
                          Descriptor<1> *b2, Descriptor<2> *scores,
                          Descriptor<1> *workspace, CutlStream *stream);

TEST_F(HostFunctionTest, RunsTheDigitsExampleFromTensorsToTheStream) {
  auto file = llvm::MemoryBuffer::getFile(DIGITS);
  ASSERT_TRUE(bool(file));
  cutl::PipelineOptions options;
  options.chip = "sm_90a";
  compile((*file)->getBuffer(),
          [&](OpPassManager &pm) { cutl::buildToPTXPipeline(pm, options); });
  auto classify = lookup<Classify>("_mlir_ciface_classify");
  Descriptor<2> images = makeMatrix(FAKE_DEVICE_0, 100, 64);
  Descriptor<2> w1 = makeMatrix(FAKE_DEVICE_0 + (1 << 20), 48, 64);
  Descriptor<1> b1 = makeVector(FAKE_DEVICE_0 + (2 << 20), 48);
  Descriptor<2> w2 = makeMatrix(FAKE_DEVICE_0 + (3 << 20), 10, 48);
  Descriptor<1> b2 = makeVector(FAKE_DEVICE_0 + (4 << 20), 10);
  Descriptor<2> scores = makeMatrix(FAKE_DEVICE_0 + (5 << 20), 100, 10);
  // The hidden layer, 100 x 48 of f16, up to the next 256 bytes.
  Descriptor<1> workspace = makeVector(FAKE_DEVICE_0 + (6 << 20), 9728);
  auto run = [&] {
    classify(&images, &w1, &b1, &w2, &b2, &scores, &workspace, &stream);
  };
  run();
  ASSERT_EQ(stream.error.status, CUTL_RUNTIME_OK) << stream.error.text;
  EXPECT_STREQ(fake->order, "LL");
  EXPECT_EQ(fake->stream, &handle);
  EXPECT_EQ(fake->loads, 1) << "both kernels are in one image";
  EXPECT_EQ(fake->synchronisations + fake->allocations, 0);
  EXPECT_EQ(fake->memsets + fake->copies, 0);
  --workspace.sizes[0];
  run();
  EXPECT_EQ(stream.error.status, CUTL_RUNTIME_WORKSPACE_TOO_SMALL);
}

} // namespace
