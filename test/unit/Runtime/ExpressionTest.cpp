//===- ExpressionTest.cpp - tests of the expression machine ---------------===//

#include "RuntimeTest.h"

#include <limits>

namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

class ExpressionTest : public RuntimeTest {
protected:
  CutlRuntimeStatus evaluate(std::vector<CutlInstruction> code) {
    CutlExpression expression = make(std::move(code));
    CutlEnvironment environment = {&entry, &arguments, 132, nullptr, nullptr};
    return cutlEvaluate(&environment, &expression, 0, "grid x", "kernel",
                        &value, &error);
  }
  CutlRuntimeStatus evaluate(int32_t opcode, int64_t left, int64_t right) {
    return evaluate({{CUTL_OP_CONSTANT, 0, left},
                     {CUTL_OP_CONSTANT, 0, right},
                     {opcode, 0, 0}});
  }
  int64_t value = 0;
};

TEST_F(ExpressionTest, Operators) {
  struct {
    int32_t opcode;
    int64_t left, right, result;
  } cases[] = {{CUTL_OP_ADD, greatest, least, -1},
               {CUTL_OP_SUB, -1, greatest, least},
               {CUTL_OP_MUL, -3, 7, -21},
               {CUTL_OP_FLOORDIV, -7, 2, -4},
               {CUTL_OP_FLOORDIV, 7, -2, -4},
               {CUTL_OP_FLOORDIV, -8, 2, -4},
               {CUTL_OP_CEILDIV, 7, 2, 4},
               {CUTL_OP_CEILDIV, -7, 2, -3},
               {CUTL_OP_CEILDIV, 8, 2, 4},
               {CUTL_OP_CEILDIV, 0, 5, 0},
               {CUTL_OP_CEILDIV, greatest, 2, greatest / 2 + 1},
               {CUTL_OP_MOD, -7, 4, 1},
               {CUTL_OP_MOD, 7, -4, -1},
               {CUTL_OP_MOD, least, -1, 0},
               {CUTL_OP_MOD, 8, 4, 0},
               {CUTL_OP_MIN, -1, 2, -1},
               {CUTL_OP_MAX, -1, 2, 2},
               {CUTL_OP_EQ, 2, 2, 1},
               {CUTL_OP_NE, 2, 2, 0},
               {CUTL_OP_LT, 1, 2, 1},
               {CUTL_OP_LE, 3, 2, 0},
               {CUTL_OP_GT, 2, 2, 0},
               {CUTL_OP_GE, 2, 2, 1}};
  for (auto &each : cases) {
    ASSERT_EQ(evaluate(each.opcode, each.left, each.right), CUTL_RUNTIME_OK);
    EXPECT_EQ(value, each.result)
        << each.opcode << " of " << each.left << ", " << each.right;
  }
}

TEST_F(ExpressionTest, RefusesWhatDoesNotFit) {
  for (auto [opcode, left, right] :
       {std::tuple(CUTL_OP_ADD, greatest, int64_t(1)),
        std::tuple(CUTL_OP_SUB, least, int64_t(1)),
        std::tuple(CUTL_OP_MUL, greatest, int64_t(2)),
        std::tuple(CUTL_OP_FLOORDIV, least, int64_t(-1)),
        std::tuple(CUTL_OP_CEILDIV, least, int64_t(-1))})
    EXPECT_EQ(evaluate(opcode, left, right), CUTL_RUNTIME_ARITHMETIC);
  EXPECT_EQ(evaluate(CUTL_OP_MUL, greatest, 2), CUTL_RUNTIME_ARITHMETIC);
  EXPECT_STREQ(error.text, "grid x of 'kernel' does not fit 64 bits: "
                           "9223372036854775807 * 2");
  for (int32_t opcode : {CUTL_OP_FLOORDIV, CUTL_OP_CEILDIV, CUTL_OP_MOD})
    EXPECT_EQ(evaluate(opcode, 5, 0), CUTL_RUNTIME_ARITHMETIC);
  EXPECT_STREQ(error.text, "grid x of 'kernel' divides by zero: 5 mod 0");
}

TEST_F(ExpressionTest, ReadsTheCall) {
  ASSERT_EQ(evaluate({{CUTL_OP_SIZE, 1, 1}}), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, 512);
  ASSERT_EQ(evaluate({{CUTL_OP_STRIDE, 0, 0}}), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, 1024);
  ASSERT_EQ(evaluate({{CUTL_OP_SM_COUNT, 0, 0}}), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, 132);
  operands[0].data = (void *)(FAKE_DEVICE_0 + 48);
  ASSERT_EQ(evaluate({{CUTL_OP_ALIGNMENT, 0, 0}}), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, 16);
  operands[0].data = nullptr;
  ASSERT_EQ(evaluate({{CUTL_OP_ALIGNMENT, 0, 0}}), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, int64_t(1) << 62);
  scalarSignature.type = scalar.type = CUTL_ELEMENT_S32;
  scalar.bits = 0xffffffff;
  ASSERT_EQ(evaluate({{CUTL_OP_SCALAR, 0, 0}}), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, -1);
  ASSERT_EQ(evaluate(std::vector<CutlInstruction>()), CUTL_RUNTIME_OK);
  EXPECT_EQ(value, 0);
}

TEST_F(ExpressionTest, TrustsNoInstruction) {
  std::vector<CutlInstruction> deep(CUTL_MAX_EXPRESSION_DEPTH + 1,
                                    {CUTL_OP_CONSTANT, 0, 1});
  for (auto &code : std::vector<std::vector<CutlInstruction>>{
           {{CUTL_OP_ADD, 0, 0}},
           {{CUTL_OP_CONSTANT, 0, 1}, {CUTL_OP_ADD, 0, 0}},
           {{CUTL_OP_CONSTANT, 0, 1}, {CUTL_OP_CONSTANT, 0, 1}},
           {{CUTL_OP_CONSTANT, 0, 1}, {CUTL_OP_CONSTANT, 0, 1}, {99, 0, 0}},
           {{-1, 0, 0}},
           {{CUTL_OP_SIZE, 2, 0}},
           {{CUTL_OP_SIZE, -1, 0}},
           {{CUTL_OP_STRIDE, 0, 2}},
           {{CUTL_OP_SIZE, 0, -1}},
           {{CUTL_OP_SCALAR, 1, 0}},
           {{CUTL_OP_SCALAR, 0, 0}}, // alpha is no integer
           {{CUTL_OP_OCCUPANCY, 0, 0}},
           deep})
    EXPECT_EQ(evaluate(code), CUTL_RUNTIME_INVALID_ENTRY);
}

} // namespace
