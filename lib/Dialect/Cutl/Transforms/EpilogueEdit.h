//===- EpilogueEdit.h - A gemm with another epilogue ------------*- C++ -*-===//
//
// Rewrites of epilogues collect here what they change about the auxiliary
// operands and outputs of a gemm, and then make the new op.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_DIALECT_CUTL_TRANSFORMS_EPILOGUEEDIT_H
#define CUTL_LIB_DIALECT_CUTL_TRANSFORMS_EPILOGUEEDIT_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include <variant>

namespace mlir::cutl {

/// Where the region takes a value from: the auxiliary operand of that number,
/// or a constant.
using EpilogueSource = std::variant<unsigned, TypedAttr>;

/// The constant that all elements of a value are, if it is one: of a number, or
/// of a tensor that is a splat or filled by a constant.
std::optional<TypedAttr> getUniformConstant(Value value);

class EpilogueEdit {
public:
  /// Starts with the batch, A, B, scales and zeros of `op`, without auxiliary
  /// operands and outputs.
  explicit EpilogueEdit(GemmOp op);

  /// Makes the elements of `value` available, as a constant, or as an auxiliary
  /// operand that an equal one may share. `alignment` is what is promised of
  /// its address, or 0.
  EpilogueSource addAux(const GemmInput &input, int64_t alignment = 0);
  /// Keeps the auxiliary operand `i` of the op.
  EpilogueSource keepAux(unsigned i);
  /// Adds an output; what is promised of an output of the op in the same tensor
  /// holds for it too.
  void addOut(const GemmOutput &out);
  /// Keeps the output `i` of the op.
  void keepOut(unsigned i);

  ArrayRef<GemmInput> getAux() const { return operands.aux; }
  ArrayRef<GemmOutput> getOuts() const { return operands.outs; }
  /// Whether every batch dimension of the domain still has an operand that
  /// gives it its extent.
  bool keepsDomain() const;
  /// Whether an output would be written into a tensor that is read other than
  /// just before the same element is written, so that bufferization would have
  /// to copy it. An output may lack its destination yet.
  bool overwritesInputs() const;

  /// Makes the new op where `rewriter` stands. `body` emits the region from its
  /// accumulators and gives what it yields; it gets sources by `emit`.
  GemmOp create(RewriterBase &rewriter,
                function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body);
  /// The value of a source within `body`.
  Value emit(OpBuilder &builder, const EpilogueSource &source) const;
  /// Within `body`: a copy of the op's region on these values for its
  /// arguments; gives what the copy would yield.
  SmallVector<Value> cloneRegion(OpBuilder &builder,
                                 ValueRange arguments) const;

private:
  int64_t getAlignment(unsigned operandIndex) const;

  GemmOp op;
  GemmOperands operands;
  SmallVector<int64_t> auxAlignments, outAlignments;
  /// Arguments of the new region for the auxiliary operands.
  ValueRange auxArguments;
};

/// Ops without a purpose of their own (destinations, fills, constants, sizes)
/// that may lose their last use.
class UnusedDefs {
public:
  /// Remembers what defines these values.
  void add(ValueRange values);
  /// Erases those that have no use.
  void erase(PatternRewriter &rewriter);

private:
  llvm::SetVector<Operation *> defs;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_TRANSFORMS_EPILOGUEEDIT_H
