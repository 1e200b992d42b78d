//===- ReducedOutput.h - The value of a reduction -----------------*- C++
//-*-===//

#ifndef CUTL_LIB_REFERENCE_REDUCEDOUTPUT_H
#define CUTL_LIB_REFERENCE_REDUCEDOUTPUT_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/Dialect/Cutl/IR/EpilogueTypes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::cutl {

/// Combines the values that one element of a reduced output receives.
class Reduction {
public:
  Reduction(Combiner combiner, Type type);

  void add(RefValue value);
  RefValue finish() const;

private:
  RefValue finishSum() const;

  Combiner combiner;
  Type type;
  int64_t count = 0;
  /// The sum or the extreme value so far; for the latter also that of the
  /// values less and plus their errors.
  double value, low, high;
  double error = 0.0;
  double magnitude = 0.0;
  bool isNaN = false;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_REFERENCE_REDUCEDOUTPUT_H
