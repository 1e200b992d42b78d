//===- Arguments.h - Seeded arguments of a function ---------------*- C++
//-*-===//

#ifndef CUTL_LIB_TOOLS_CUTLRUN_ARGUMENTS_H
#define CUTL_LIB_TOOLS_CUTLRUN_ARGUMENTS_H

#include "ShapeResolver.h"
#include "cutl/Reference/NumericArray.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include <optional>

namespace mlir::cutl {

/// An array, or the number that one of rank 0 holds, as code takes it.
HostArgument toHostArgument(const NumericArray &array, bool isScalar);

/// The arrays that a function is run on.
class Arguments {
public:
  /// Inputs are random by `seed`; what the function only writes is poisoned.
  static FailureOr<Arguments> create(func::FuncOp function,
                                     const FunctionSizes &sizes, uint64_t seed);

  /// What the reference reads: one array per argument.
  SmallVector<NumericArray> getInputs() const;
  /// What the lowered function, which takes `count` arguments, is called with.
  /// Results that are no destination among the arguments come last.
  FailureOr<std::vector<HostArgument>> getHostArguments(size_t count);
  /// Where the lowered function leaves a result.
  const NumericArray &getResult(unsigned result) const;
  const NumericArray &getArgument(unsigned argument) const {
    return arguments[argument].get();
  }

private:
  func::FuncOp function;
  std::vector<NumericBuffer> arguments;
  /// Arrays for results, and the argument that takes their place, if one does.
  std::vector<NumericBuffer> results;
  std::vector<std::optional<unsigned>> destinations;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_TOOLS_CUTLRUN_ARGUMENTS_H
