//===- GemmOperand.h - Operands of a gemm as the reference reads them
//------===//

#ifndef CUTL_LIB_REFERENCE_GEMMOPERAND_H
#define CUTL_LIB_REFERENCE_GEMMOPERAND_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Reference/GemmReference.h"

namespace mlir::cutl {

/// An array addressed by a map over the domain.
class MappedArray {
public:
  /// Fails with an error if the array does not fit the map or has an element
  /// type that cannot be read.
  static FailureOr<MappedArray> get(GemmOp op, unsigned operandIndex,
                                    const ReferenceArray &array,
                                    bool isUnsigned);

  RefValue read(ArrayRef<int64_t> point) const;
  /// The same with one map result, the one for domain dimension `dim`, replaced
  /// by `index`.
  RefValue read(ArrayRef<int64_t> point, unsigned dim, int64_t index) const;

private:
  struct Term {
    GemmMapResult expr;
    int64_t stride;
  };
  RefValue readOffset(int64_t offset) const;

  const void *data = nullptr;
  std::optional<ElementReader> reader;
  std::shared_ptr<const std::vector<RefValue>> values;
  SmallVector<Term, 4> terms;
};

/// One row along k of A' or B', as doubles.
struct OperandRow {
  std::vector<double> values;
  /// Bounds of the terms' sizes before cancellation in the zero point.
  std::vector<double> magnitudes;
  /// Empty if the row is exact.
  std::vector<double> errors;
};

/// A or one B with its scale and zero point.
struct FactorOperand {
  MappedArray array;
  std::optional<MappedArray> scale, zero;
  /// The type that elements are rounded to before use; null if none.
  FloatType roundTo;
  /// Rounding errors of a term before it is multiplied, in units of the
  /// accumulator's roundoff.
  unsigned numRoundings = 0;

  /// Decodes the row at `point`. For a split B, `splitIndex` is the row's
  /// number in place of n.
  void decode(SmallVector<int64_t, 6> point, const GemmDomain &domain,
              int64_t k, std::optional<int64_t> splitIndex,
              OperandRow &row) const;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_REFERENCE_GEMMOPERAND_H
