//===- RuntimeTest.h - a fixture with a fake driver -------------*- C++ -*-===//
//
// A runtime on the fake driver, and a GEMM-like entry to launch with it.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_RUNTIME_RUNTIMETEST_H
#define CUTL_TEST_UNIT_RUNTIME_RUNTIMETEST_H

#include "FakeDevice.h"
#include "RuntimeImpl.h"

#include "gtest/gtest.h"

#include <deque>
#include <string>
#include <vector>

/// Builds expressions that live as long as it does.
class Expressions {
public:
  CutlExpression operator()(std::vector<CutlInstruction> code) {
    storage.push_back(std::move(code));
    return {storage.back().data(), uint32_t(storage.back().size())};
  }
  CutlExpression constant(int64_t value) {
    return (*this)({{CUTL_OP_CONSTANT, 0, value}});
  }
  CutlExpression size(int32_t operand, int64_t dimension) {
    return (*this)({{CUTL_OP_SIZE, operand, dimension}});
  }

private:
  std::deque<std::vector<CutlInstruction>> storage;
};

/// x : (m, k) bf16 and d : (m, n) bf16 with a scalar alpha; the kernel has a
/// tensor map of x, d's address, m, and alpha. Tiles are 128 x 128.
class RuntimeTest : public testing::Test {
protected:
  void SetUp() override {
    fake = openFakeDevice(&first);
    ASSERT_TRUE(fake);
    fake->deviceCount = 2;
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    setCurrent = FakeSetCurrentFunction(dlsym(library, "fakeSetCurrent"));
    get = FakeGetFunction(dlsym(library, "fakeGet"));
    buildEntry();
  }
  void TearDown() override {
    cutlRuntimeDestroy(runtime);
    EXPECT_EQ(fake->loads, fake->unloads);
    EXPECT_EQ(fake->pushes, fake->pops);
  }

  void buildEntry() {
    map.address = {CUTL_ADDRESS_OPERAND, 0, {}};
    map.type = CUTL_TENSOR_MAP_BFLOAT16;
    map.rank = 2;
    map.sizes = mapSizes;
    map.strides = &mapStride;
    map.box = box;
    map.swizzle = CUTL_SWIZZLE_128B;
    map.l2Promotion = CUTL_L2_PROMOTION_128B;
    launch.image = &image;
    launch.kernel = "gemm_kernel";
    launch.grid[0] = make({{CUTL_OP_SIZE, 1, 0},
                           {CUTL_OP_CONSTANT, 0, 128},
                           {CUTL_OP_CEILDIV, 0, 0},
                           {CUTL_OP_SIZE, 1, 1},
                           {CUTL_OP_CONSTANT, 0, 128},
                           {CUTL_OP_CEILDIV, 0, 0},
                           {CUTL_OP_MUL, 0, 0},
                           {CUTL_OP_OCCUPANCY, 0, 0},
                           {CUTL_OP_MIN, 0, 0}});
    launch.block[0] = make.constant(384);
    launch.sharedBytes = make.constant(200000);
    launch.tensorMaps = &map;
    launch.tensorMapCount = 1;
    launch.parameters = parameters;
    launch.parameterCount = 4;
    parameters[0].kind = CUTL_PARAMETER_TENSOR_MAP;
    parameters[1].kind = CUTL_PARAMETER_ADDRESS;
    parameters[1].address = {CUTL_ADDRESS_OPERAND, 1, make.constant(64)};
    parameters[2].kind = CUTL_PARAMETER_EXPRESSION;
    parameters[2].bytes = 4;
    parameters[2].expression = make.size(1, 0);
    parameters[3].kind = CUTL_PARAMETER_SCALAR;
    step.launch = &launch;
    guards[0] = {CUTL_GUARD_STRIDE_ALIGNMENT,
                 0,
                 0,
                 0,
                 0,
                 16,
                 {},
                 "expected the pitch of 'x' to be a multiple of 16 bytes"};
    guards[1] = {CUTL_GUARD_POINTER_ALIGNMENT,
                 0,
                 0,
                 0,
                 0,
                 16,
                 {},
                 "expected the address of 'x' to be a multiple of 16"};
    variant.name = "tma";
    variant.chip = "sm_90a";
    variant.guards = guards;
    variant.guardCount = 2;
    variant.steps = &step;
    variant.stepCount = 1;
    requirement = {CUTL_GUARD_SIZE_EQUALS,
                   1,
                   0,
                   0,
                   0,
                   0,
                   make.size(0, 0),
                   "expected m of 'd' to be that of 'x'"};
    entry = {"linear", operandSignatures, 2, &scalarSignature, 1, &requirement,
             1,        &variant,          1};
    resize(256, 512, 1024);
  }

  void resize(int64_t m, int64_t n, int64_t k) {
    sizes[0][0] = sizes[1][0] = m;
    sizes[0][1] = strides[0][0] = k;
    sizes[1][1] = strides[1][0] = n;
    strides[0][1] = strides[1][1] = 1;
  }

  CutlRuntimeStatus create(bool checkPointers = false) {
    CutlRuntimeOptions options = {FAKE_CUDA, checkPointers};
    return cutlRuntimeCreate(&options, &runtime, &error);
  }
  CutlRuntimeStatus run(uint64_t workspaceBytes = 0,
                        CuStream stream = nullptr) {
    return cutlRuntimeLaunch(runtime, &entry, &arguments,
                             (void *)(FAKE_DEVICE_0 + 65536), workspaceBytes,
                             stream, &error);
  }
  /// Expects the call to fail with that status and text.
  void expectRefusal(CutlRuntimeStatus status, const std::string &text) {
    EXPECT_EQ(run(), status);
    EXPECT_EQ(error.status, status);
    EXPECT_NE(std::string(error.text).find(text), std::string::npos)
        << error.text;
    EXPECT_STREQ(fake->order, "");
  }

  FakeCuda *fake = nullptr;
  FakeSetCurrentFunction setCurrent = nullptr;
  FakeGetFunction get = nullptr;
  FakeContext first = {7, 0}, second = {8, 1};
  Expressions make;
  CutlRuntime *runtime = nullptr;
  CutlRuntimeError error = {};

  CutlImage image = {"linear.ptx", CUTL_IMAGE_PTX, ".version 8.0", 13};
  CutlExpression mapSizes[2] = {make.size(0, 1), make.size(0, 0)};
  CutlExpression mapStride = make(
      {{CUTL_OP_STRIDE, 0, 0}, {CUTL_OP_CONSTANT, 0, 2}, {CUTL_OP_MUL, 0, 0}});
  uint32_t box[2] = {64, 128};
  CutlTensorMap map = {};
  CutlParameter parameters[4] = {};
  CutlLaunch launch = {};
  CutlStep step = {};
  CutlGuard guards[2], requirement;
  CutlVariant variant = {};
  CutlOperandSignature operandSignatures[2] = {
      {"x", CUTL_ELEMENT_BF16, CUTL_ACCESS_READ, 2, nullptr},
      {"d", CUTL_ELEMENT_BF16, CUTL_ACCESS_WRITE, 2, nullptr}};
  CutlScalarSignature scalarSignature = {"alpha", CUTL_ELEMENT_F32};
  CutlEntry entry = {};
  int64_t sizes[2][2], strides[2][2];
  CutlOperand operands[2] = {
      {(void *)FAKE_DEVICE_0, sizes[0], strides[0], 2, CUTL_ELEMENT_BF16},
      {(void *)(FAKE_DEVICE_0 + 4096), sizes[1], strides[1], 2,
       CUTL_ELEMENT_BF16}};
  CutlScalar scalar = {0x3f800000, CUTL_ELEMENT_F32};
  CutlArguments arguments = {operands, 2, &scalar, 1};
};

#endif // CUTL_TEST_UNIT_RUNTIME_RUNTIMETEST_H
