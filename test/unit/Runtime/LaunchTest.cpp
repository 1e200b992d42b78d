//===- LaunchTest.cpp - tests of what reaches the stream ------------------===//

#include "RuntimeTest.h"

#include <atomic>
#include <thread>

namespace {

class LaunchTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(create(), CUTL_RUNTIME_OK) << error.text;
  }
};

TEST_F(LaunchTest, PacksParameters) {
  unsigned words[8] = {16, 1, 1, 1};
  std::copy(words, words + 8, fake->parameterWords);
  FakeStream stream = {&first};
  ASSERT_EQ(run(0, &stream), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(error.status, CUTL_RUNTIME_OK);
  EXPECT_STREQ(error.text, "");
  EXPECT_EQ(fake->grid[0], 8u);
  EXPECT_EQ(fake->grid[1], 1u);
  EXPECT_EQ(fake->block[0], 384u);
  EXPECT_EQ(fake->cluster[0], 0u) << "no attribute without a cluster";
  EXPECT_EQ(fake->sharedBytes, 200000u);
  EXPECT_EQ(fake->sharedLimit, 200000);
  EXPECT_EQ(fake->stream, &stream);
  EXPECT_EQ(fake->parameters[0][0], FAKE_DEVICE_0);
  EXPECT_EQ(fake->parameters[0][15], ~uint64_t(0));
  EXPECT_EQ(fake->parameters[1][0], FAKE_DEVICE_0 + 4096 + 64);
  EXPECT_EQ(uint32_t(fake->parameters[2][0]), 256u);
  EXPECT_EQ(uint32_t(fake->parameters[3][0]), 0x3f800000u);
  EXPECT_EQ(fake->captureMode, 0) << "given back";
}

TEST_F(LaunchTest, LoadsOnceAndCountsCtasOnce) {
  ASSERT_EQ(cutlRuntimePrepare(runtime, &entry, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(fake->loads, 1);
  EXPECT_EQ(fake->launches, 0);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->loads, 1);
  EXPECT_EQ(fake->functions, 1);
  EXPECT_EQ(fake->attributes, 1);
  EXPECT_EQ(fake->occupancies, 1);
  resize(4096, 4096, 64);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->grid[0], 132u);
}

TEST_F(LaunchTest, RefusesADeviceThatHoldsNoCta) {
  fake->blocksPerSm = 0;
  expectRefusal(CUTL_RUNTIME_DRIVER_ERROR,
                "expected a device that holds a cluster of 1 CTAs of kernel "
                "'gemm_kernel', got one that holds none");
  launch.cluster[0] = make.constant(2);
  fake->clusters = 0;
  expectRefusal(CUTL_RUNTIME_DRIVER_ERROR, "a cluster of 2 CTAs");
  fake->clusters = 66;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
}

TEST_F(LaunchTest, Clusters) {
  launch.cluster[0] = make.constant(2);
  fake->clusters = 30;
  resize(4096, 4096, 64);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->cluster[0], 2u);
  EXPECT_EQ(fake->cluster[2], 1u);
  EXPECT_EQ(fake->grid[0], 60u);
  resize(128, 128, 64);
  fake->order[0] = '\0';
  expectRefusal(CUTL_RUNTIME_ARITHMETIC,
                "expected a multiple of the cluster's 2, got 1");
}

TEST_F(LaunchTest, ProgrammaticLaunches) {
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->programmatic, 0u) << "not where the kernel does not wait";
  launch.programmatic = 1;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->programmatic, 1u);
  EXPECT_EQ(fake->cluster[0], 0u);
  launch.cluster[0] = make.constant(2);
  resize(4096, 4096, 64);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->programmatic, 1u);
  EXPECT_EQ(fake->cluster[0], 2u);
}

TEST_F(LaunchTest, NoProgrammaticLaunchesForOlderDrivers) {
  cutlRuntimeDestroy(runtime);
  fake->driverVersion = 12020;
  ASSERT_EQ(create(), CUTL_RUNTIME_OK);
  launch.programmatic = 1;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->programmatic, 0u);
}

TEST_F(LaunchTest, SharedLimitOnlyRises) {
  CutlLaunch small = launch;
  small.sharedBytes = make.constant(1000);
  CutlStep steps[2] = {step, {CUTL_STEP_LAUNCH, &small, nullptr, nullptr}};
  variant.steps = steps;
  variant.stepCount = 2;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(fake->order, "LL");
  EXPECT_EQ(fake->sharedLimit, 200000) << "both are one function";
  fake->attributeResult = CU_ERROR_INVALID_VALUE;
  small.sharedBytes = make.constant(300000);
  EXPECT_EQ(run(), CUTL_RUNTIME_DRIVER_ERROR);
  EXPECT_NE(std::string(error.text).find("300000 bytes of dynamic shared"),
            std::string::npos);
}

TEST_F(LaunchTest, TensorMapArguments) {
  strides[0][0] = 2048;
  map.outOfBounds = CUTL_OUT_OF_BOUNDS_NAN;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->mapAddress, FAKE_DEVICE_0);
  EXPECT_EQ(fake->mapRank, 2u);
  EXPECT_EQ(fake->mapType, 9);
  EXPECT_EQ(fake->mapSizes[0], 1024u);
  EXPECT_EQ(fake->mapSizes[1], 256u);
  EXPECT_EQ(fake->mapStrides[0], 4096u);
  EXPECT_EQ(fake->mapBox[0], 64u);
  EXPECT_EQ(fake->mapBox[1], 128u);
  EXPECT_EQ(fake->mapSwizzle, 3);
  EXPECT_EQ(fake->mapPromotion, 2);
  EXPECT_EQ(fake->mapOutOfBounds, 1);
}

TEST_F(LaunchTest, SmallTensorRule) {
  fake->parameterWords[0] = 16;
  auto bit = [&] { return fake->parameters[0][1] >> 21 & 1; };
  resize(64, 512, 1024); // 64 rows of 2048 bytes: exactly the bound
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(bit(), 1u);
  resize(63, 512, 1024);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(bit(), 0u);
  EXPECT_EQ(fake->parameters[0][1], ~(uint64_t(1) << 21));
  strides[0][0] = 1048; // a wider pitch counts
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(bit(), 1u);
  resize(63, 512, 1024);
  cutlRuntimeDestroy(runtime);
  fake->driverVersion = 13020;
  ASSERT_EQ(create(), CUTL_RUNTIME_OK);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(bit(), 1u);
}

TEST_F(LaunchTest, EmptyAndOddTensors) {
  // K = 0: the kernel runs its epilogue; the map is valid and never used.
  resize(256, 512, 0);
  operands[0].data = nullptr;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->mapSizes[0], 1u);
  EXPECT_EQ(fake->mapAddress % 16, 0u);
  EXPECT_EQ(fake->launches, 1);
  // M = 0: nothing to do.
  resize(0, 512, 1024);
  operands[1].data = nullptr;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->launches, 1);
  EXPECT_EQ(fake->encodes, 1);
  // The stride of a single row may be anything.
  operands[0].data = operands[1].data = (void *)FAKE_DEVICE_0;
  resize(1, 512, 1001);
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->mapStrides[0], 2016u);
}

TEST_F(LaunchTest, TensorMapErrors) {
  variant.guardCount = 0;
  strides[0][0] = 1023;
  expectRefusal(CUTL_RUNTIME_ARITHMETIC, "multiple of 16");
  resize(256, 512, 1024);
  operands[0].data = (void *)(FAKE_DEVICE_0 + 2);
  expectRefusal(CUTL_RUNTIME_ARITHMETIC, "got 0x100000000002");
  operands[0].data = (void *)FAKE_DEVICE_0;
  fake->encodeResult = CU_ERROR_INVALID_VALUE;
  expectRefusal(CUTL_RUNTIME_DRIVER_ERROR,
                "sizes 1024 x 256, stride 2048, box 64 x 128, swizzle 3");
  map.type = 77;
  expectRefusal(CUTL_RUNTIME_INVALID_ENTRY, "unknown type 77");
  map.rank = 6;
  expectRefusal(CUTL_RUNTIME_INVALID_ENTRY, "rank 6");
}

TEST_F(LaunchTest, WorkspaceMemsetAndCopy) {
  launch.grid[0] = make.constant(8);
  variant.workspaceBytes = make.constant(1024);
  CutlMemset memset = {
      {CUTL_ADDRESS_WORKSPACE, 0, make.constant(24)}, make.constant(250), 4, 5};
  CutlCopy copy = {{CUTL_ADDRESS_OPERAND, 1, {}},
                   {CUTL_ADDRESS_WORKSPACE, 0, {}},
                   make.constant(64)};
  CutlStep steps[3] = {{CUTL_STEP_MEMSET, nullptr, &memset, nullptr},
                       step,
                       {CUTL_STEP_COPY, nullptr, nullptr, &copy}};
  variant.steps = steps;
  variant.stepCount = 3;
  uint64_t bytes = 0;
  ASSERT_EQ(
      cutlRuntimeWorkspaceBytes(runtime, &entry, &arguments, &bytes, &error),
      CUTL_RUNTIME_OK);
  EXPECT_EQ(bytes, 1024u);
  EXPECT_EQ(run(1023), CUTL_RUNTIME_WORKSPACE_TOO_SMALL);
  EXPECT_STREQ(error.text, "'linear': expected a workspace of at least 1024 "
                           "bytes, got 1023");
  EXPECT_STREQ(fake->order, "");
  EXPECT_EQ(cutlRuntimeLaunch(runtime, &entry, &arguments, (void *)128, 1024,
                              nullptr, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  ASSERT_EQ(run(1024), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(fake->order, "MLC");
  EXPECT_EQ(fake->memory[0], FAKE_DEVICE_0 + 4096);
  EXPECT_EQ(fake->memory[1], FAKE_DEVICE_0 + 65536);
  EXPECT_EQ(fake->memory[2], 64u);
  // One element further would leave the workspace.
  memset.count = make.constant(251);
  EXPECT_EQ(run(1024), CUTL_RUNTIME_INVALID_ENTRY);
  memset.count = make.constant(0);
  ASSERT_EQ(run(1024), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(fake->order, "MLCLC");
}

TEST_F(LaunchTest, ErrorsLeaveTheStreamAlone) {
  launch.grid[0] = make.constant(8);
  CutlMemset memset = {{CUTL_ADDRESS_OPERAND, 1, {}}, make.constant(1), 1, 0};
  CutlStep steps[2] = {{CUTL_STEP_MEMSET, nullptr, &memset, nullptr}, step};
  variant.steps = steps;
  variant.stepCount = 2;
  parameters[2].expression = make.constant(int64_t(1) << 32);
  expectRefusal(CUTL_RUNTIME_ARITHMETIC,
                "expected -2147483648 to 4294967295, got 4294967296");
  parameters[2].bytes = 3;
  expectRefusal(CUTL_RUNTIME_INVALID_ENTRY, "3 bytes");
  parameters[2].bytes = 8;
  launch.block[0] = make.constant(1025);
  expectRefusal(CUTL_RUNTIME_ARITHMETIC, "block x of 'gemm_kernel'");
  launch.block[0] = make({{CUTL_OP_OCCUPANCY, 0, 0}});
  expectRefusal(CUTL_RUNTIME_INVALID_ENTRY, "may not use an occupancy");
  launch.block[0] = {};
  launch.grid[1] = make.constant(65536);
  expectRefusal(CUTL_RUNTIME_ARITHMETIC, "grid y of 'gemm_kernel'");
  launch.parameterCount = CUTL_MAX_PARAMETERS + 1;
  launch.grid[1] = {};
  expectRefusal(CUTL_RUNTIME_INVALID_ENTRY, "513 parameters");
  steps[1].launch = nullptr;
  expectRefusal(CUTL_RUNTIME_INVALID_ENTRY, "step 1 of variant 'tma'");
}

TEST_F(LaunchTest, DriverErrors) {
  fake->loadResult = CU_ERROR_OUT_OF_MEMORY;
  expectRefusal(CUTL_RUNTIME_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
  fake->loadResult = CU_ERROR_INVALID_PTX;
  fake->jitLog = "line 3: no such instruction";
  expectRefusal(CUTL_RUNTIME_BAD_IMAGE, "'linear.ptx': line 3: no such");
  fake->loadResult = CU_ERROR_UNSUPPORTED_PTX_VERSION;
  expectRefusal(CUTL_RUNTIME_DRIVER_TOO_OLD, "got one for CUDA 13.0");
  fake->loadResult = 0;
  fake->functionResult = CU_ERROR_NOT_FOUND;
  expectRefusal(CUTL_RUNTIME_BAD_IMAGE,
                "cannot find kernel 'gemm_kernel' in image 'linear.ptx'");
  fake->functionResult = 0;
  fake->launchResult = CU_ERROR_OUT_OF_MEMORY;
  expectRefusal(CUTL_RUNTIME_OUT_OF_MEMORY,
                "cannot put step 0 (gemm_kernel) of 'linear' on the stream");
}

TEST_F(LaunchTest, BadImages) {
  image.size = 12;
  expectRefusal(CUTL_RUNTIME_BAD_IMAGE, "PTX that ends with a null");
  image.kind = CUTL_IMAGE_CUBIN;
  expectRefusal(CUTL_RUNTIME_BAD_IMAGE, "expected an ELF file");
  EXPECT_EQ(fake->loads, 0);
}

TEST_F(LaunchTest, Contexts) {
  setCurrent(nullptr);
  expectRefusal(CUTL_RUNTIME_NO_CONTEXT, "got none");
  setCurrent(&first);
  FakeStream stream = {&second};
  EXPECT_EQ(run(0, &stream), CUTL_RUNTIME_WRONG_CONTEXT);
  EXPECT_STREQ(fake->order, "");
  ASSERT_EQ(run(), CUTL_RUNTIME_OK);
  setCurrent(&second);
  ASSERT_EQ(run(0, &stream), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->loads, 2) << "one per context";
  ASSERT_EQ(cutlRuntimeReleaseContext(runtime, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(fake->unloads, 1);
  // A new context at the same address is another context.
  second.id = 9;
  ASSERT_EQ(run(0, &stream), CUTL_RUNTIME_OK);
  EXPECT_EQ(fake->loads, 3);
  cutlRuntimeReleaseImage(runtime, &image);
  EXPECT_EQ(fake->unloads, 3);
  ASSERT_EQ(run(0, &stream), CUTL_RUNTIME_OK);
  EXPECT_EQ(fake->loads, 4);
}

TEST_F(LaunchTest, ManyThreads) {
  constexpr int threadCount = 8, each = 200;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < threadCount; ++i)
    threads.emplace_back([&, i] {
      setCurrent(i % 2 ? &first : &second);
      CutlRuntimeError mine;
      for (int j = 0; j < each; ++j)
        failures += cutlRuntimeLaunch(runtime, &entry, &arguments, nullptr, 0,
                                      nullptr, &mine) != CUTL_RUNTIME_OK;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(fake->launches, threadCount * each);
  EXPECT_EQ(fake->loads, 2);
  EXPECT_EQ(fake->functions, 2);
  EXPECT_EQ(fake->attributes, 2);
}

} // namespace
