//===- EmitKernelTest.cpp - Hopper kernels down to PTX --------------------===//

#include "KernelFrame.h"
#include "cutl/Target/GPU/Serialize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

namespace {

struct Case {
  const char *name;
  Kernel kernel;
  int64_t m, n, stages, buffers;
  bool aKMajor = true, bKMajor = true;
  bool bias = false;
};

/// The kernel of one bf16 product, with bias and relu if asked for, as PTX.
std::string emitPtx(const Case &test) {
  DialectRegistry registry;
  cutl::registerGpuTranslations(registry);
  MLIRContext context(registry);
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                      scf::SCFDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();

  TileShape tile;
  tile.m = test.m;
  tile.n = test.n;
  tile.k = 64;
  tile.stages = test.stages;
  tile.kernel = test.kernel;
  tile.epilogueBuffers = test.buffers;
  tile.aKMajor = test.aKMajor;
  tile.bKMajor = test.bKMajor;
  tile.store = StoreKind::Tma;
  KernelRequest request;
  request.name = test.name;
  request.elementType = builder.getBF16Type();
  if (auto error = makePlan(tile, request.plan)) {
    ADD_FAILURE() << *error;
    return "";
  }

  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(builder, loc, "kernels");
  Region region;
  Block *epilogue = new Block();
  region.push_back(epilogue);
  Value value = epilogue->addArgument(builder.getF32Type(), loc);
  builder.setInsertionPointToEnd(epilogue);
  if (test.bias) {
    EpilogueOperand bias;
    bias.elementType = builder.getF32Type();
    bias.nDim = 0;
    bias.strides = {1};
    request.aux.push_back(bias);
    request.auxArguments.push_back(3);
    Value element = epilogue->addArgument(builder.getF32Type(), loc);
    value = arith::AddFOp::create(builder, loc, value, element);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
    value = arith::MaximumFOp::create(builder, loc, value, zero);
  }
  value = arith::TruncFOp::create(builder, loc, builder.getBF16Type(), value);
  LLVM::ReturnOp::create(builder, loc, value);
  request.epilogue = epilogue;
  request.output.elementType = builder.getBF16Type();
  request.output.mDim = 0;
  request.output.nDim = 1;
  request.output.strides = {ShapedType::kDynamic, 1};

  builder.setInsertionPointToStart(kernels.getBody());
  emitKernel(builder, loc, request);
  EXPECT_TRUE(succeeded(verify(*module)));
  PassManager manager(&context);
  cutl::buildLowerKernelsToLLVM(manager);
  EXPECT_TRUE(succeeded(manager.run(*module)));
  auto ptx = cutl::translateToPtx(kernels, {});
  EXPECT_TRUE(succeeded(ptx));
  return succeeded(ptx) ? std::string(*ptx) : std::string();
}

class EmitKernel : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(EmitKernel, UsesTheInstructionsOfHopper) {
  std::string ptx = emitPtx(GetParam());
  ASSERT_FALSE(ptx.empty());
  auto has = [&](const std::string &text) {
    return ptx.find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(".target sm_90a"));
  EXPECT_TRUE(has(std::string(".entry ") + GetParam().name));
  EXPECT_TRUE(has("wgmma.mma_async.sync.aligned.m64n" +
                  std::to_string(GetParam().n) + "k16.f32.bf16.bf16"));
  EXPECT_TRUE(has("cp.async.bulk.tensor.2d.shared::cluster.global"));
  EXPECT_TRUE(has("cp.async.bulk.tensor.2d.global.shared::cta"));
  EXPECT_TRUE(has("mbarrier.try_wait.parity"));
  EXPECT_TRUE(has("setmaxnreg.dec"));
  EXPECT_TRUE(has("stmatrix.sync.aligned"));
  // Nothing is left to a library that would have to be linked.
  EXPECT_FALSE(has(".extern .func"));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, EmitKernel,
    testing::Values(Case{"c128x256", Kernel::Cooperative, 128, 256, 4, 2},
                    Case{"c256x128", Kernel::Cooperative, 256, 128, 4, 1},
                    Case{"p128x200", Kernel::Pingpong, 128, 200, 4, 1},
                    Case{"p128x192mn", Kernel::Pingpong, 128, 192, 4, 1, false,
                         false},
                    Case{"s64x128", Kernel::Single, 64, 128, 8, 2},
                    Case{"c128x256bias", Kernel::Cooperative, 128, 256, 4, 2,
                         true, true, true}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(KernelPlan, RefusesMoreSharedMemoryThanTheChipHas) {
  TileShape tile;
  tile.m = 128;
  tile.n = 256;
  tile.k = 64;
  tile.kernel = Kernel::Cooperative;
  tile.epilogueBuffers = 2;
  tile.store = StoreKind::Tma;
  KernelRequest request;
  tile.stages = 4;
  EXPECT_FALSE(makePlan(tile, request.plan));
  tile.stages = 5;
  auto error = makePlan(tile, request.plan);
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("at most 232448 bytes"), std::string::npos) << *error;
}
