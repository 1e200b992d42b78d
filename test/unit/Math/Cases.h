//===- Cases.h - Functions of one operand and their errors ------*- C++ -*-===//

#ifndef CUTL_TEST_UNIT_MATH_CASES_H
#define CUTL_TEST_UNIT_MATH_CASES_H

#include "cutl/Dialect/Cutl/IR/NarrowMath.h"
#include <optional>
#include <string>
#include <vector>

namespace cutltest {

/// How the error of negative operands is bounded: like that of the others, or
/// by a multiple of 2^-24, or of 2^-24·|x|.
enum class Lower { None, Absolute, TimesOperand };

/// A bound in units in the last place, and for negative operands in the units
/// that `Lower` names. `least` is allowed beside it.
struct Bound {
  double ulp = 0.0;
  double lower = 0.0;
  double least = 0.0;
};

/// A function of one f32.
struct Case {
  const char *name;
  /// The op on %x, without result and type.
  const char *operation;
  double (*function)(double);
  /// On the GPU with instructions that round correctly, and with the greatest
  /// errors that they may make; on the CPU.
  Bound exact, gpu, cpu;
  Lower lower = Lower::None;

  /// The op that gives %r.
  std::string getText() const {
    return std::string("%r = ") + operation + " : f32";
  }
};

const std::vector<Case> &getCases();

/// The bound of a narrow expansion of the operation; none if it has none.
std::optional<mlir::cutl::NarrowError>
getNarrowError(const Case &test, mlir::cutl::NarrowPrecision precision);

/// Bit patterns all over f32, and all of the neighbourhoods where the functions
/// turn or the formulas change.
const std::vector<float> &getSingleOperands();

/// Checks results for getSingleOperands(), and prints the greatest errors.
void checkBound(const Case &test, const Bound &bound,
                const std::vector<float> &results, const char *where);

} // namespace cutltest

#endif // CUTL_TEST_UNIT_MATH_CASES_H
