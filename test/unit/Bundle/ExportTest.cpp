//===- ExportTest.cpp - from IR to a launch on the fake driver ------------===//
//
// Exports entries, loads the bytes and launches them: what reaches the driver
// is what the IR says.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Runtime/Loader.h"
#include "cutl/Target/Bundle/BundleBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// Two layers, h = x w^T and y = h v^T, of which the second can store y by
/// elements. h lies in the workspace behind 256 bytes.
constexpr const char kLayers[] = R"mlir(
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @bundle {
  cutl.entry @layers(%x: memref<?x64xf16, strided<[?, ?], offset: ?>> {cutl.name = "x"},
                     %w: memref<48x64xf16, strided<[?, ?], offset: ?>> {cutl.name = "w"},
                     %v: memref<?x48xf16, strided<[?, ?], offset: ?>> {cutl.name = "v"},
                     %alpha: f32 {cutl.name = "alpha"},
                     %y: memref<?x?xf16, strided<[?, ?], offset: ?>> {cutl.name = "y"},
                     %workspace: memref<?xi8>)
      attributes {cutl.host_writes = array<i64: 4>,
                  cutl.host_ties = [array<i64: 0, 0, 1, 1, 4, 0>, array<i64: 2, 0, 1, 1, 4, 1>]} {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %c256 = arith.constant 256 : index
    %m = memref.dim %x, %c0 : memref<?x64xf16, strided<[?, ?], offset: ?>>
    %rows = arith.muli %m, %c96 : index
    %total = arith.addi %rows, %c256 : index
    %h = memref.view %workspace[%c256][%m] : memref<?xi8> to memref<?x48xf16>
    cutl.launch_kernel @kernels::@first(%x, %w, %h)
        : (memref<?x64xf16, strided<[?, ?], offset: ?>>, memref<48x64xf16, strided<[?, ?], offset: ?>>, memref<?x48xf16>)
    cutl.launch_kernel @kernels::@second(%h, %v, %y, %alpha)
        : (memref<?x48xf16>, memref<?x48xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, f32)
    cutl.end_entry workspace(%total)
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"elements", () -> (), metadata = {cutl_tile.launch_info = {
      block = 384, cluster = array<i64: 2, 1>, shared_bytes = 1000,
      grid = [{arg = 0, dim = 0, tile = 128}, {arg = 1, dim = 0, tile = 64}],
      params = [{kind = "pointer", arg = 2}, {kind = "stride", arg = 2, dim = 0}, {kind = "stride", arg = 2, dim = 1},
                {kind = "scalar", arg = 3}]}}>,
    #gpu.kernel_metadata<"first", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 64, 64>, swizzle = "128B"},
                {kind = "pointer", arg = 2}]}}>,
    #gpu.kernel_metadata<"second", () -> (), metadata = {cutl_tile.launch_info = {
      block = 384, cluster = array<i64: 2, 1>, shared_bytes = 1000, alternative = @elements,
      grid = [{arg = 0, dim = 0, tile = 128}, {arg = 1, dim = 0, tile = 64}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 48, 128>, swizzle = "none"},
                {kind = "tensor_map", arg = 2, dims = array<i64: 1, 0>, box = array<i64: 32, 64>, swizzle = "64B"},
                {kind = "size", arg = 1, dim = 0}, {kind = "scalar", arg = 3}]}}>
    ]>, assembly = ".version 8.0">]
}
}
)mlir";

class ExportTest : public testing::Test {
protected:
  virtual const char *getModule() const { return kLayers; }
  void SetUp() override {
    fake = openFakeDevice(&current);
    ASSERT_TRUE(fake);
    CutlRuntimeOptions options = {FAKE_CUDA, 1};
    ASSERT_EQ(cutlRuntimeCreate(&options, &runtime, &error), CUTL_RUNTIME_OK)
        << error.text;

    context.loadDialect<cutl::CutlDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, NVVM::NVVMDialect>();
    auto module = parseSourceString<ModuleOp>(getModule(), &context);
    ASSERT_TRUE(module);
    FailureOr<std::string> bytes = cutl::exportBundle(*module);
    ASSERT_TRUE(succeeded(bytes));
    ASSERT_EQ(cutlBundleLoad(bytes->data(), bytes->size(), &bundle, &error),
              CUTL_RUNTIME_OK)
        << error.text;
    ASSERT_EQ(cutlBundleFindEntry(bundle, "layers", &entry, &error),
              CUTL_RUNTIME_OK);
    resize(300, 200);
  }
  void TearDown() override {
    cutlRuntimeReleaseBundle(runtime, bundle);
    EXPECT_EQ(fake->loads, fake->unloads);
    cutlBundleFree(bundle);
    cutlRuntimeDestroy(runtime);
  }

  void resize(int64_t m, int64_t n) {
    int64_t shapes[4][2] = {{m, 64}, {48, 64}, {n, 48}, {m, n}};
    for (int i = 0; i < 4; ++i) {
      std::copy(shapes[i], shapes[i] + 2, sizes[i]);
      strides[i][0] = shapes[i][1];
      strides[i][1] = 1;
    }
  }
  CutlRuntimeStatus run() {
    fake->encodes = 0;
    std::fill(fake->order, fake->order + sizeof(fake->order), '\0');
    CutlArguments arguments = {operands, 4, &alpha, 1};
    uint64_t bytes = 0;
    if (auto status = cutlRuntimeWorkspaceBytes(runtime, entry, &arguments,
                                                &bytes, &error))
      return status;
    workspaceBytes = bytes;
    return cutlRuntimeLaunch(runtime, entry, &arguments, workspace, bytes,
                             nullptr, &error);
  }
  void expectRefusal(const std::string &text) {
    EXPECT_EQ(run(), CUTL_RUNTIME_GUARD_FAILED);
    EXPECT_STREQ(error.text, ("'layers': " + text).c_str());
    EXPECT_STREQ(fake->order, "");
  }

  MLIRContext context;
  FakeCuda *fake = nullptr;
  FakeContext current = {7, 0};
  CutlRuntime *runtime = nullptr;
  const CutlBundle *bundle = nullptr;
  const CutlEntry *entry = nullptr;
  CutlRuntimeError error = {};
  int64_t sizes[4][2], strides[4][2];
  CutlOperand operands[4] = {
      {(void *)FAKE_DEVICE_0, sizes[0], strides[0], 2, CUTL_ELEMENT_F16},
      {(void *)(FAKE_DEVICE_0 + (1 << 20)), sizes[1], strides[1], 2,
       CUTL_ELEMENT_F16},
      {(void *)(FAKE_DEVICE_0 + (2 << 20)), sizes[2], strides[2], 2,
       CUTL_ELEMENT_F16},
      {(void *)(FAKE_DEVICE_0 + (3 << 20)), sizes[3], strides[3], 2,
       CUTL_ELEMENT_F16}};
  CutlScalar alpha = {0x3f800000, CUTL_ELEMENT_F32};
  void *workspace = (void *)(FAKE_DEVICE_0 + (4 << 20));
  uint64_t workspaceBytes = 0;
};

TEST_F(ExportTest, LaunchesBothLayers) {
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(fake->order, "LL");
  EXPECT_EQ(workspaceBytes, 256u + 300 * 96);
  EXPECT_EQ(fake->encodes, 3);
  // The last map and launch: y by a tensor map, 3 x 4 clusters of two.
  EXPECT_EQ(fake->mapAddress, FAKE_DEVICE_0 + (3 << 20));
  EXPECT_EQ(fake->mapSizes[0], 200u);
  EXPECT_EQ(fake->mapSizes[1], 300u);
  EXPECT_EQ(fake->mapStrides[0], 400u);
  EXPECT_EQ(fake->mapBox[0], 32u);
  EXPECT_EQ(fake->mapSwizzle, CUTL_SWIZZLE_64B);
  EXPECT_EQ(fake->mapType, CUTL_TENSOR_MAP_FLOAT16);
  EXPECT_EQ(fake->grid[0], 24u);
  EXPECT_EQ(fake->cluster[0], 2u);
  EXPECT_EQ(fake->block[0], 384u);
  EXPECT_EQ(fake->sharedBytes, 1000u);
}

TEST_F(ExportTest, GridIsWhatFits) {
  resize(4096, 4096);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->grid[0], 132u);
}

TEST_F(ExportTest, FallsBackToTheAlternative) {
  strides[3][0] = 201;
  fake->parameterWords[0] = 1;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->encodes, 1) << "y has no tensor map, h needs none";
  EXPECT_EQ(fake->parameters[0][0], FAKE_DEVICE_0 + (3 << 20));
  EXPECT_EQ(fake->grid[0], 24u);
  resize(300, 200);
  operands[3].data = (char *)operands[3].data + 2;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->encodes, 1);
  operands[3].data = (char *)operands[3].data - 2;
  strides[3][0] = -208;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->encodes, 1);
}

TEST_F(ExportTest, RefusesWhatNoVariantTakes) {
  strides[0][0] = 68;
  expectRefusal("expected the stride of dimension 0 of 'x' to be a multiple of "
                "16 bytes, got 136");
  strides[0][0] = 64;
  strides[0][1] = 2;
  expectRefusal("expected dimension 1 of 'x' to have stride 1, got 2");
  strides[0][1] = 1;
  operands[0].data = (char *)operands[0].data + 2;
  expectRefusal("expected the address of 'x' to be a multiple of 16 bytes, got "
                "0x100000000002");
}

TEST_F(ExportTest, RefusesSizesThatDisagree) {
  sizes[3][1] = 199;
  expectRefusal("expected dimension 0 of 'v' and dimension 1 of 'y' to be "
                "equal, got 199 instead of 200");
}

TEST_F(ExportTest, EmptyResultsLaunchNothing) {
  resize(300, 0);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(fake->order, "L");
  resize(0, 200);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(fake->order, "");
}

/// What the pipelines would have seen to.
TEST(ExportErrors, NameThePassToRun) {
  const std::pair<const char *, const char *> cases[] = {
      {R"mlir(
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @f(%x: memref<?xf16>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f_0(%x) : (memref<?xf16>)
    cutl.end_entry
  }
  gpu.module @kernels {
    gpu.func @f_0(%x: memref<?xf16>) kernel {
      gpu.return
    }
  }
}
)mlir",
       "'cutl.launch_kernel' op expected kernel @kernels::@f_0 in a gpu.binary "
       "of the bundle, got gpu.module; run cutl-serialize-kernels first"},
      {R"mlir(
cutl.bundle @bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  cutl.entry @f(%workspace: memref<?xi8>) {
    %h = memref.alloc() : memref<4xf16>
    cutl.end_entry
  }
}
)mlir",
       "'memref.alloc' op expected memory of the workspace in an entry, got an "
       "allocation; run cutl-plan-workspace first"},
      {R"mlir(
cutl.bundle @bundle {
  cutl.entry @f(%workspace: memref<?xi8>) {
    cutl.end_entry
  }
}
)mlir",
       "'cutl.entry' op expected a target at or above it; run "
       "cutl-attach-target first"}};
  for (auto [text, message] : cases) {
    MLIRContext context;
    context.loadDialect<cutl::CutlDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect>();
    std::string got;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      got += diagnostic.str();
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << got;
    EXPECT_TRUE(failed(cutl::exportBundle(*module)));
    EXPECT_EQ(got, message);
  }
}

/// One layer with a kernel of its own for few rows, which reads x by a tensor
/// map, one for few results, and one for the rest.
constexpr const char kVariants[] = R"mlir(
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
cutl.bundle @bundle {
  cutl.entry @layers(%x: memref<?x64xf16, strided<[?, ?], offset: ?>> {cutl.name = "x"},
                     %w: memref<48x64xf16, strided<[?, ?], offset: ?>> {cutl.name = "w"},
                     %v: memref<?x48xf16, strided<[?, ?], offset: ?>> {cutl.name = "v"},
                     %alpha: f32 {cutl.name = "alpha"},
                     %y: memref<?x?xf16, strided<[?, ?], offset: ?>> {cutl.name = "y"},
                     %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c6400 = arith.constant 6400 : index
    %m = memref.dim %y, %c0 : memref<?x?xf16, strided<[?, ?], offset: ?>>
    %n = memref.dim %y, %c1 : memref<?x?xf16, strided<[?, ?], offset: ?>>
    %few = arith.cmpi sle, %m, %c16 : index
    %short = arith.cmpi sle, %m, %c64 : index
    %results = arith.muli %m, %n : index
    %small = arith.cmpi sle, %results, %c6400 : index
    %both = arith.andi %short, %small : i1
    cutl.launch_kernel @kernels::@rest(%x, %y) variants(%few, %both : [@kernels::@few, @kernels::@small])
        : (memref<?x64xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>)
    cutl.end_entry
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, kernels = <[
    #gpu.kernel_metadata<"few", () -> (), metadata = {cutl_tile.launch_info = {
      block = 128, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 8}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 64, 64>, swizzle = "128B"}]}}>,
    #gpu.kernel_metadata<"small", () -> (), metadata = {cutl_tile.launch_info = {
      block = 256, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 16}],
      params = [{kind = "pointer", arg = 1}]}}>,
    #gpu.kernel_metadata<"rest", () -> (), metadata = {cutl_tile.launch_info = {
      block = 384, cluster = array<i64: 1, 1>, shared_bytes = 1000, grid = [{arg = 0, dim = 0, tile = 64}],
      params = [{kind = "tensor_map", arg = 0, dims = array<i64: 1, 0>, box = array<i64: 64, 64>, swizzle = "128B"}]}}>
    ]>, assembly = ".version 8.0">]
}
}
)mlir";

class VariantsExportTest : public ExportTest {
protected:
  const char *getModule() const override { return kVariants; }
  /// Launches for that many rows and columns, and expects the kernel that has
  /// such blocks and such a grid then.
  void expectKernel(int64_t m, int64_t n, unsigned block, unsigned grid) {
    resize(m, n);
    ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
    EXPECT_STREQ(fake->order, "L");
    EXPECT_EQ(fake->block[0], block) << m << "x" << n;
    EXPECT_EQ(fake->grid[0], grid) << m << "x" << n;
  }
};

TEST_F(VariantsExportTest, ExtentsChooseTheKernel) {
  expectKernel(1, 1000, 128, 1);
  expectKernel(16, 1000, 128, 2);
  expectKernel(17, 200, 256, 2);
  expectKernel(64, 100, 256, 4);
  // Few rows, but many results; and few results, but many rows.
  expectKernel(64, 101, 384, 1);
  expectKernel(65, 1, 384, 2);
  expectKernel(4096, 200, 384, 64);
}

TEST_F(VariantsExportTest, OnesThatCannotRunAreSkipped) {
  // Rows at a pitch that tensor maps do not take.
  resize(16, 200);
  strides[0][0] = 68;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->block[0], 256u);
  // Nobody is told that fewer rows would do.
  resize(100, 200);
  strides[0][0] = 68;
  expectRefusal("expected the stride of dimension 0 of 'x' to be a multiple of "
                "16 bytes, got 136");
}

} // namespace
