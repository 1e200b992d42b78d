//===- ElementwiseOp.h - Functions of elements ------------------*- C++ -*-===//
//
// The one form in which fusion sees linalg ops and elementwise arith and math
// ops on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_DIALECT_CUTL_TRANSFORMS_ELEMENTWISEOP_H
#define CUTL_LIB_DIALECT_CUTL_TRANSFORMS_ELEMENTWISEOP_H

#include "cutl/Dialect/Cutl/IR/Gemm.h"
#include "mlir/IR/Builders.h"

namespace mlir::cutl {

/// A result of an elementwise op: where its elements stand in the op's
/// iteration space.
struct ElementwiseResult {
  AffineMap map;
  /// Null for ops that are not in destination style.
  Value destination;
  /// Of a reduction; its destination holds the value that it starts from.
  Combiner combiner = Combiner::None;
};

/// An op on tensors that computes each element of its results by scalar ops
/// that an epilogue admits, or reduces such elements by a combiner.
class ElementwiseOp {
public:
  /// Nullopt if `op` is none; `reason` then says why, as the end of a sentence
  /// about the op.
  static std::optional<ElementwiseOp> get(Operation *op, std::string &reason);

  Operation *getOperation() const { return op; }
  unsigned getNumDims() const { return numDims; }
  /// The tensors and numbers that elements are computed from, with maps from
  /// the iteration space. Map results are dimensions or the constant 0.
  ArrayRef<GemmInput> getInputs() const { return inputs; }
  ArrayRef<ElementwiseResult> getResults() const { return results; }
  bool isReduction() const { return combinerOp != nullptr; }
  /// The op that combines the elements of a reduction.
  Operation *getCombinerOp() const { return combinerOp; }

  /// Emits the scalar ops on one element of each input. Of a reduction, gives
  /// the element that is to be combined.
  SmallVector<Value> emit(OpBuilder &builder, ValueRange elements) const;

private:
  bool matchLinalg(std::string &reason);
  bool matchMappable(std::string &reason);
  bool matchReduction(std::string &reason);
  bool checkMaps(std::string &reason) const;

  Operation *op = nullptr;
  unsigned numDims = 0;
  SmallVector<GemmInput> inputs;
  /// What stands for an input in the body of a linalg op.
  SmallVector<Value> bodyInputs;
  SmallVector<ElementwiseResult> results;
  Operation *combinerOp = nullptr;
};

/// Why the region of a gemm cannot hold `op`; empty if it can.
std::string whyNotAdmitted(Operation &op);

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_TRANSFORMS_ELEMENTWISEOP_H
