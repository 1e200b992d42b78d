//===- ContractionAnalysis.h - Recognising contractions ---------*- C++ -*-===//
//
// Splits a linalg.generic on memrefs into the two factors of a contraction.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_CONVERSION_LINALGCONTRACTIONTOVECTOR_CONTRACTIONANALYSIS_H
#define CUTL_LIB_CONVERSION_LINALGCONTRACTIONTOVECTOR_CONTRACTIONANALYSIS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace mlir::cutl {

/// One of the two values that the body multiplies.
struct Factor {
  /// The factor as a value of the body or one from outside it.
  Value value;
  /// The operations of the body that compute it, in order.
  SmallVector<Operation *> slice;
  /// Positions of the inputs that it reads.
  SmallVector<unsigned> inputs;
  /// The row or column dimension that only this factor uses and that register
  /// tiles run along; a side without one has a single lane.
  std::optional<unsigned> laneDim;
};

/// A contraction: `out[batch, row, column] += sum over k of rows * columns`.
struct Contraction {
  linalg::GenericOp op;
  /// Type of the accumulator: f32, f64, i32 or i64.
  Type type;
  /// Every parallel dimension that is not a lane dimension, in loop order.
  SmallVector<unsigned> batchDims;
  unsigned reductionDim = 0;
  /// The factor along the output's last dimension is `columns`.
  Factor rows, columns;
};

/// Recognises a contraction. On failure `reason` says which rule is not met.
FailureOr<Contraction> analyzeContraction(linalg::GenericOp op,
                                          std::string &reason);

/// The operand position and the memref dimension whose size is the extent of
/// loop dimension `dim`, preferring the output; none if no map has it plain.
std::optional<std::pair<unsigned, unsigned>> findExtent(linalg::GenericOp op,
                                                        unsigned dim);

} // namespace mlir::cutl

#endif // CUTL_LIB_CONVERSION_LINALGCONTRACTIONTOVECTOR_CONTRACTIONANALYSIS_H
