//===- EpilogueOps.h - Operations of described epilogues by name ---------===//

#ifndef CUTL_BUILDER_EPILOGUEOPS_H
#define CUTL_BUILDER_EPILOGUEOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::cutl {

/// What the operands of an op of the table must be, and what it gives.
enum class EpilogueOpKind {
  /// Numbers of the type that the epilogue computes in.
  Float,
  /// Numbers: i32 if all operands are integers, otherwise as Float.
  Number,
  /// As Number, with a truth value as the result.
  Comparison,
  /// Truth values.
  Logic,
  /// A truth value, then two numbers of one kind.
  Select
};

/// An op as a description names it. `numbers` are its constants.
struct EpilogueOpInfo {
  using Emitter = Value (*)(OpBuilder &, Location, ValueRange operands,
                            ArrayRef<double> numbers);

  const char *name;
  EpilogueOpKind kind;
  unsigned numOperands;
  unsigned numNumbers;
  Emitter emit;
};

/// The table, ordered by name.
ArrayRef<EpilogueOpInfo> getEpilogueOps();

/// The op of that name; null if there is none.
const EpilogueOpInfo *lookupEpilogueOp(StringRef name);

} // namespace mlir::cutl

#endif // CUTL_BUILDER_EPILOGUEOPS_H
