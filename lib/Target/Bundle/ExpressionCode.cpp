//===- ExpressionCode.cpp - Expressions under construction ----------------===//

#include "ExpressionCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::cutl;

ExpressionCode::ExpressionCode(int64_t value)
    : code({CutlInstruction{CUTL_OP_CONSTANT, 0, value}}),
      divisor(value < 0 ? -uint64_t(value) : uint64_t(value)) {}

ExpressionCode ExpressionCode::leaf(CutlOpcode opcode, int32_t index,
                                    int64_t value) {
  ExpressionCode result;
  result.code.front() = {opcode, index, value};
  result.divisor = 1;
  return result;
}

std::optional<int64_t> ExpressionCode::getConstant() const {
  if (const CutlInstruction *leaf = getLeaf(CUTL_OP_CONSTANT))
    return leaf->value;
  return std::nullopt;
}

const CutlInstruction *ExpressionCode::getLeaf(CutlOpcode opcode) const {
  return code.size() == 1 && code.front().opcode == opcode ? &code.front()
                                                           : nullptr;
}

bool ExpressionCode::isMultipleOf(int64_t other) const {
  return other > 0 && divisor % uint64_t(other) == 0;
}

bool ExpressionCode::operator==(const ExpressionCode &other) const {
  return llvm::equal(
      code, other.code, [](const CutlInstruction &a, const CutlInstruction &b) {
        return a.opcode == b.opcode && a.index == b.index && a.value == b.value;
      });
}

/// The value of two constants; nothing where the runtime reports an error.
static std::optional<int64_t> fold(CutlOpcode opcode, int64_t a, int64_t b) {
  bool divides = opcode == CUTL_OP_FLOORDIV || opcode == CUTL_OP_CEILDIV ||
                 opcode == CUTL_OP_MOD;
  if (divides && (b == 0 || b == -1))
    return std::nullopt;
  int64_t result;
  switch (opcode) {
  case CUTL_OP_ADD:
    return llvm::AddOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case CUTL_OP_SUB:
    return llvm::SubOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case CUTL_OP_MUL:
    return llvm::MulOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case CUTL_OP_FLOORDIV:
    return llvm::divideFloorSigned(a, b);
  case CUTL_OP_CEILDIV:
    return llvm::divideCeilSigned(a, b);
  case CUTL_OP_MOD:
    return a - llvm::divideFloorSigned(a, b) * b;
  case CUTL_OP_MIN:
    return std::min(a, b);
  case CUTL_OP_MAX:
    return std::max(a, b);
  case CUTL_OP_EQ:
    return a == b;
  case CUTL_OP_NE:
    return a != b;
  case CUTL_OP_LT:
    return a < b;
  case CUTL_OP_LE:
    return a <= b;
  case CUTL_OP_GT:
    return a > b;
  case CUTL_OP_GE:
    return a >= b;
  default:
    return std::nullopt;
  }
}

/// The value where one side is a number that decides it.
static std::optional<ExpressionCode> simplify(CutlOpcode opcode,
                                              const ExpressionCode &left,
                                              const ExpressionCode &right) {
  std::optional<int64_t> a = left.getConstant(), b = right.getConstant();
  switch (opcode) {
  case CUTL_OP_ADD:
    if (a == 0)
      return right;
    [[fallthrough]];
  case CUTL_OP_SUB:
    if (b == 0)
      return left;
    break;
  case CUTL_OP_MUL:
    if (a == 0 || b == 0)
      return ExpressionCode(0);
    if (a == 1)
      return right;
    [[fallthrough]];
  case CUTL_OP_FLOORDIV:
  case CUTL_OP_CEILDIV:
    if (b == 1)
      return left;
    break;
  case CUTL_OP_MOD:
    if (b && left.isMultipleOf(*b))
      return ExpressionCode(0);
    break;
  default:
    break;
  }
  return std::nullopt;
}

static uint64_t combineDivisors(CutlOpcode opcode, uint64_t a, uint64_t b,
                                std::optional<int64_t> right) {
  switch (opcode) {
  case CUTL_OP_ADD:
  case CUTL_OP_SUB:
  case CUTL_OP_MIN:
  case CUTL_OP_MAX:
  case CUTL_OP_MOD:
    return std::gcd(a, b);
  case CUTL_OP_MUL: {
    bool overflows = false;
    uint64_t product = llvm::SaturatingMultiply(a, b, &overflows);
    return overflows ? std::max(a, b) : product;
  }
  case CUTL_OP_FLOORDIV:
  case CUTL_OP_CEILDIV:
    return right && *right > 0 && a % uint64_t(*right) == 0
               ? a / uint64_t(*right)
               : 1;
  default:
    return 1;
  }
}

ExpressionCode ExpressionCode::combine(CutlOpcode opcode,
                                       const ExpressionCode &left,
                                       const ExpressionCode &right) {
  std::optional<int64_t> a = left.getConstant(), b = right.getConstant();
  if (a && b)
    if (std::optional<int64_t> value = fold(opcode, *a, *b))
      return ExpressionCode(*value);
  if (std::optional<ExpressionCode> simple = simplify(opcode, left, right))
    return *simple;
  ExpressionCode result = left;
  llvm::append_range(result.code, right.code);
  result.code.push_back({opcode, 0, 0});
  result.depth = std::max(left.depth, right.depth + 1);
  result.divisor = combineDivisors(opcode, left.divisor, right.divisor, b);
  return result;
}
