//===- ExpressionCode.h - Expressions under construction --------*- C++ -*-===//
//
// Instructions of the runtime's stack machine, folded where the values are
// known, with what is known of their result.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_TARGET_BUNDLE_EXPRESSIONCODE_H
#define CUTL_LIB_TARGET_BUNDLE_EXPRESSIONCODE_H

#include "cutl/Runtime/Entry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::cutl {

class ExpressionCode {
public:
  /// The number zero.
  ExpressionCode() : ExpressionCode(0) {}
  ExpressionCode(int64_t value);

  /// An instruction that reads something.
  static ExpressionCode leaf(CutlOpcode opcode, int32_t index = 0,
                             int64_t value = 0);
  /// `left` and `right` combined by an opcode of two operands. What would fail
  /// at run time, as a division by zero, is left to it.
  static ExpressionCode combine(CutlOpcode opcode, const ExpressionCode &left,
                                const ExpressionCode &right);

  ArrayRef<CutlInstruction> getCode() const { return code; }
  std::optional<int64_t> getConstant() const;
  /// The single instruction of a leaf with that opcode; null for anything else.
  const CutlInstruction *getLeaf(CutlOpcode opcode) const;
  /// Whether the value is known to be a multiple of `divisor`.
  bool isMultipleOf(int64_t divisor) const;
  /// Values on the stack at once.
  unsigned getDepth() const { return depth; }

  bool operator==(const ExpressionCode &other) const;

private:
  SmallVector<CutlInstruction, 1> code;
  /// What the value is known to be a multiple of; 0 if it is zero.
  uint64_t divisor = 1;
  unsigned depth = 1;
};

inline ExpressionCode operator+(const ExpressionCode &left,
                                const ExpressionCode &right) {
  return ExpressionCode::combine(CUTL_OP_ADD, left, right);
}
inline ExpressionCode operator-(const ExpressionCode &left,
                                const ExpressionCode &right) {
  return ExpressionCode::combine(CUTL_OP_SUB, left, right);
}
inline ExpressionCode operator*(const ExpressionCode &left,
                                const ExpressionCode &right) {
  return ExpressionCode::combine(CUTL_OP_MUL, left, right);
}

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_EXPRESSIONCODE_H
