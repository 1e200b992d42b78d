//===- EpilogueGraph.h - An epilogue as a plain graph --------------------===//

#ifndef CUTL_BUILDER_EPILOGUEGRAPH_H
#define CUTL_BUILDER_EPILOGUEGRAPH_H

#include "cutl/TargetInfo/DataTypes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir::cutl {

/// One step of an epilogue. Values are numbered: first the accumulators, then
/// the inputs, then the nodes.
struct EpilogueNode {
  /// A name of the table in EpilogueOps.h, `constant` (the number `numbers[0]`)
  /// or `convert` (the operand as `type`; `numbers` are whether it saturates
  /// and a Rounding).
  std::string op;
  SmallVector<unsigned, 3> operands;
  SmallVector<double, 2> numbers;
  /// Of a conversion only.
  const ::cutl::targetinfo::DataType *type = nullptr;
  /// What errors call the value; may be empty.
  std::string name;
};

/// A number or element that the region receives.
struct EpilogueArgument {
  std::string name;
  const ::cutl::targetinfo::DataType *type;
};

/// A value that the region yields, converted to the type.
struct EpilogueResult {
  std::string name;
  unsigned value;
  const ::cutl::targetinfo::DataType *type;
};

/// Emits the nodes and returns the results' values, or fails with an error at
/// `loc` that starts with `subject` and names the node.
///
/// `arguments` says what the block arguments are, accumulators first. Numbers
/// that meet in an op are converted to `computeType`, a float, unless all are
/// integers, which are converted to i32; a truth value counts as 0 or 1. A
/// result of a floating-point type is rounded to the nearest; one of an integer
/// type too, and moved into the type's range, and NaN gives 0.
FailureOr<SmallVector<Value>>
emitEpilogueGraph(OpBuilder &builder, Location loc, StringRef subject,
                  Type computeType, ArrayRef<EpilogueArgument> arguments,
                  ValueRange blockArguments, ArrayRef<EpilogueNode> nodes,
                  ArrayRef<EpilogueResult> results);

} // namespace mlir::cutl

#endif // CUTL_BUILDER_EPILOGUEGRAPH_H
