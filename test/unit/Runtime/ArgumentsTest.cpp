//===- ArgumentsTest.cpp - tests of arguments, guards and variants --------===//

#include "RuntimeTest.h"

namespace {

class ArgumentsTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(create(), CUTL_RUNTIME_OK) << error.text;
  }
  void expectBadArgument(const std::string &text) {
    expectRefusal(CUTL_RUNTIME_INVALID_ARGUMENT, text);
  }
};

TEST_F(ArgumentsTest, Counts) {
  arguments.operandCount = 1;
  expectBadArgument("expected 2 operands and 1 scalars, got 1 and 1");
  arguments = {nullptr, 2, &scalar, 1};
  expectBadArgument("got null");
  EXPECT_EQ(cutlRuntimeLaunch(runtime, nullptr, &arguments, nullptr, 0, nullptr,
                              &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
}

TEST_F(ArgumentsTest, RankTypeAndNull) {
  operands[1].rank = 3;
  expectBadArgument("operand 1 ('d'): expected rank 2, got 3");
  operands[1].rank = 2;
  operands[1].type = CUTL_ELEMENT_F16;
  expectBadArgument("expected elements of type bf16, got f16");
  operands[1].type = 12345;
  expectBadArgument("expected elements of type bf16, got no element type");
  operands[1].type = CUTL_ELEMENT_BF16;
  operands[1].data = nullptr;
  expectBadArgument("operand 1 ('d'): expected a device address, got null");
  operands[1].data = (void *)(FAKE_DEVICE_0 + 1);
  expectBadArgument("to be a multiple of 2, got 0x100000000001");
  operands[1].data = (void *)FAKE_DEVICE_0;
  operands[1].strides = nullptr;
  expectBadArgument("expected 2 sizes and strides, got null");
  operands[1].strides = strides[1];
  scalar.type = CUTL_ELEMENT_F64;
  expectBadArgument("scalar 0 ('alpha'): expected type f32, got f64");
}

TEST_F(ArgumentsTest, SizesAndStrides) {
  sizes[0][1] = -1;
  expectBadArgument("the size of dimension 1 to be at least 0, got -1");
  resize(256, 512, 1024);
  int64_t fixed[2] = {CUTL_ANY_SIZE, 500};
  operandSignatures[1].sizes = fixed;
  expectBadArgument("the size of dimension 1 to be 500, got 512");
  operandSignatures[1].sizes = nullptr;
  strides[1][0] = 0;
  expectBadArgument("operand 1 ('d') is written");
  resize(256, 512, 1024);
  strides[0][0] = INT64_MIN;
  expectBadArgument("expected byte offsets of 64 bits");
  strides[0][0] = INT64_MAX / 1000;
  expectBadArgument("expected byte offsets of 64 bits");
  resize(INT64_MAX, 512, 1024);
  expectBadArgument("expected byte offsets of 64 bits");
}

TEST_F(ArgumentsTest, Requirement) {
  sizes[1][0] = 255;
  expectRefusal(CUTL_RUNTIME_GUARD_FAILED,
                "'linear': expected m of 'd' to be that of 'x', got 255 "
                "instead of 256");
}

TEST_F(ArgumentsTest, GuardsSayWhy) {
  strides[0][0] = 1023;
  expectRefusal(CUTL_RUNTIME_GUARD_FAILED,
                "'linear': expected the pitch of 'x' to be a multiple of 16 "
                "bytes, got 2046");
  strides[0][0] = 1024;
  operands[0].data = (void *)(FAKE_DEVICE_0 + 8);
  expectRefusal(CUTL_RUNTIME_GUARD_FAILED,
                "expected the address of 'x' to be a multiple of 16, got "
                "0x100000000008");
  // One row: its pitch does not matter.
  operands[0].data = (void *)FAKE_DEVICE_0;
  resize(1, 512, 1024);
  strides[0][0] = 3;
  EXPECT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
}

TEST_F(ArgumentsTest, EveryKindOfGuard) {
  auto check = [&](CutlGuard guard, const char *text) {
    guards[0] = guard;
    guards[0].text = "no";
    variant.guardCount = 1;
    if (!text) {
      EXPECT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
      return;
    }
    EXPECT_EQ(run(), CUTL_RUNTIME_GUARD_FAILED);
    EXPECT_STREQ(error.text, text);
  };
  check({CUTL_GUARD_SIZE_RANGE, 0, 0, 256, 256, 0, {}, 0}, nullptr);
  check({CUTL_GUARD_SIZE_RANGE, 0, 0, 257, 999, 0, {}, 0},
        "'linear': no, got 256");
  check({CUTL_GUARD_SIZE_RANGE, 0, 0, 0, 255, 0, {}, 0},
        "'linear': no, got 256");
  check({CUTL_GUARD_SIZE_DIVISIBLE, 0, 1, 0, 0, 512, {}, 0}, nullptr);
  check({CUTL_GUARD_SIZE_DIVISIBLE, 0, 1, 0, 0, 3, {}, 0},
        "'linear': no, got 1024");
  check({CUTL_GUARD_STRIDE_RANGE, 0, 1, 1, 1, 0, {}, 0}, nullptr);
  check({CUTL_GUARD_STRIDE_RANGE, 0, 0, 1, 1, 0, {}, 0},
        "'linear': no, got 1024");
  check({CUTL_GUARD_CONDITION, 0, 0, 0, 0, 0, make.constant(1), 0}, nullptr);
  check({CUTL_GUARD_CONDITION, 0, 0, 0, 0, 0, make.constant(0), 0},
        "'linear': no");
  for (CutlGuard bad :
       {CutlGuard{99, 0, 0, 0, 0, 1, {}, 0},
        CutlGuard{CUTL_GUARD_SIZE_RANGE, 2, 0, 0, 0, 1, {}, 0},
        CutlGuard{CUTL_GUARD_SIZE_RANGE, 0, 2, 0, 0, 1, {}, 0},
        CutlGuard{CUTL_GUARD_SIZE_DIVISIBLE, 0, 0, 0, 0, 0, {}, 0}}) {
    guards[0] = bad;
    EXPECT_EQ(run(), CUTL_RUNTIME_INVALID_ENTRY);
  }
}

TEST_F(ArgumentsTest, FirstVariantThatFits) {
  CutlLaunch general = launch;
  general.block[0] = make.constant(96);
  general.tensorMapCount = 0;
  general.parameterCount = 0;
  CutlStep generalStep = {CUTL_STEP_LAUNCH, &general, nullptr, nullptr};
  CutlVariant variants[3] = {variant, variant, variant};
  variants[0].chip = "sm_80a";
  variants[2].steps = &generalStep;
  variants[2].guardCount = 0;
  entry.variants = variants;
  entry.variantCount = 3;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->block[0], 384u);
  strides[0][0] = 1025;
  ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(fake->block[0], 96u);
  // The two that are left fail for one reason, which is said once.
  fake->order[0] = '\0';
  entry.variantCount = 2;
  variants[0].chip = "sm_90";
  EXPECT_EQ(run(), CUTL_RUNTIME_GUARD_FAILED);
  EXPECT_STREQ(error.text, "'linear': expected the pitch of 'x' to be a "
                           "multiple of 16 bytes, got 2050");
}

/// Extents choose among variants, and are no reason to refuse a call.
TEST_F(ArgumentsTest, ConditionsWithoutTextChoose) {
  CutlLaunch small = launch;
  small.block[0] = make.constant(96);
  CutlStep smallStep = {CUTL_STEP_LAUNCH, &small, nullptr, nullptr};
  CutlGuard few[2] = {{CUTL_GUARD_CONDITION, 0, 0, 0, 0, 0,
                       make({{CUTL_OP_SIZE, 0, 0},
                             {CUTL_OP_CONSTANT, 0, 64},
                             {CUTL_OP_LE, 0, 0}}),
                       ""},
                      guards[0]};
  CutlVariant variants[2] = {variant, variant};
  variants[0].guards = few;
  variants[0].steps = &smallStep;
  entry.variants = variants;
  entry.variantCount = 2;
  for (auto [m, block] : {std::pair(1, 96u), std::pair(64, 96u),
                          std::pair(65, 384u), std::pair(256, 384u)}) {
    resize(m, 512, 1024);
    ASSERT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
    EXPECT_EQ(fake->block[0], block) << "for m = " << m;
  }
  strides[0][0] = 1025;
  EXPECT_EQ(run(), CUTL_RUNTIME_GUARD_FAILED);
  EXPECT_STREQ(error.text, "'linear': expected the pitch of 'x' to be a "
                           "multiple of 16 bytes, got 2050");
}

TEST_F(ArgumentsTest, WrongChip) {
  fake->major = 10;
  expectRefusal(CUTL_RUNTIME_WRONG_CHIP,
                "'linear': expected a variant for sm_100a, the chip of device "
                "0, got variants for: sm_90a");
}

TEST_F(ArgumentsTest, CheckedPointers) {
  operands[0].data = (void *)0x7000;
  EXPECT_EQ(run(), CUTL_RUNTIME_OK) << "only on request";
  cutlRuntimeDestroy(runtime);
  runtime = nullptr;
  fake->order[0] = '\0';
  ASSERT_EQ(create(/*checkPointers=*/true), CUTL_RUNTIME_OK);
  expectRefusal(CUTL_RUNTIME_WRONG_MEMORY,
                "'x': expected memory of device 0, got host memory at 0x7000");
  operands[0].data = (void *)FAKE_PINNED;
  expectRefusal(CUTL_RUNTIME_WRONG_MEMORY, "page-locked host memory");
  operands[0].data = (void *)FAKE_DEVICE_1;
  expectRefusal(CUTL_RUNTIME_WRONG_MEMORY,
                "expected memory of device 0, got memory of device 1");
  operands[0].data = (void *)FAKE_MANAGED;
  EXPECT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
}

} // namespace
