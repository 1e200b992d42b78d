//===- EntryValues.h - What the values of an entry are ----------*- C++ -*-===//
//
// Interprets the host part of an entry symbolically: each number becomes an
// expression of the runtime, each memref a place in an operand or the
// workspace.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_TARGET_BUNDLE_ENTRYVALUES_H
#define CUTL_LIB_TARGET_BUNDLE_ENTRYVALUES_H

#include "ExpressionCode.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::cutl {

/// A strided array in device memory.
struct ArrayValue {
  /// The operand's number, or -1 for the workspace.
  int32_t operand = -1;
  /// Where its buffer starts, in bytes from the operand's first element or the
  /// start of the workspace; and in elements from there, its own first element.
  ExpressionCode base, offset;
  SmallVector<ExpressionCode> sizes, strides;
  Type elementType;

  bool isInWorkspace() const { return operand < 0; }
  unsigned getRank() const { return sizes.size(); }
  /// Bytes that `elements` of it take.
  ExpressionCode toBytes(const ExpressionCode &elements) const;
  /// From the operand's first element or the start of the workspace, in bytes.
  ExpressionCode getByteOffset() const { return base + toBytes(offset); }
};

class EntryValues {
public:
  explicit EntryValues(EntryOp entry) : entry(entry) {}

  /// Interprets the arguments, then each op but steps and the terminator. Fails
  /// after an error at an op that only the device could run.
  LogicalResult run();

  const ArrayValue &getArray(Value value) const {
    return arrays.find(value)->second;
  }
  /// The expression of an integer or index; null for another number.
  const ExpressionCode *findNumber(Value value) const;
  /// The number of the entry's scalar that `value` is; nothing if it is none.
  std::optional<int32_t> getScalar(Value value) const;

  /// The entry's arguments that are arrays and those that are numbers.
  ArrayRef<BlockArgument> getOperands() const { return operands; }
  ArrayRef<BlockArgument> getScalars() const { return scalars; }

private:
  LogicalResult addArgument(BlockArgument argument);
  int32_t findStep(SymbolRefAttr kernel) const;
  LogicalResult interpret(Operation &op);
  LogicalResult interpretNumber(Operation &op);
  LogicalResult checkComplexity(Operation &op) const;
  LogicalResult interpretView(Operation &op);

  ExpressionCode getNumber(Value value) const;
  ExpressionCode getNumber(OpFoldResult value) const;
  SmallVector<ExpressionCode> getNumbers(ArrayRef<OpFoldResult> values) const;
  ExpressionCode evaluate(AffineExpr expr, unsigned numDims,
                          ValueRange operands) const;
  LogicalResult setRemainder(Operation &op);

  mutable EntryOp entry;
  DenseMap<Value, ArrayValue> arrays;
  DenseMap<Value, ExpressionCode> numbers;
  SmallVector<BlockArgument> operands, scalars;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_ENTRYVALUES_H
