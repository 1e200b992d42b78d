//===- ReducedOutput.h - Reductions as outputs of a gemm --------*- C++ -*-===//

#ifndef CUTL_LIB_DIALECT_CUTL_TRANSFORMS_REDUCEDOUTPUT_H
#define CUTL_LIB_DIALECT_CUTL_TRANSFORMS_REDUCEDOUTPUT_H

#include "ElementwiseOp.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::cutl {

/// The output that does what a reduction does.
struct ReducedOutput {
  Combiner combiner = Combiner::None;
  /// What is to be combined with it afterwards; null if the reduction starts
  /// from what the output starts from.
  Value start;
};

ReducedOutput getReducedOutput(const ElementwiseOp &reduction);

/// Why no output does what a reduction does, for the value that it starts from;
/// empty if one does.
std::string whyStartStays(const ElementwiseOp &reduction);

/// The value that a reduction starts from combined with what was reduced from
/// the identity.
Value combineWithStart(RewriterBase &rewriter, const ElementwiseOp &reduction,
                       Value reduced);

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_TRANSFORMS_REDUCEDOUTPUT_H
