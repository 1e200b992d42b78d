//===- HostMath.h - Functions of one or two operands on the host *- C++ -*-===//

#ifndef CUTL_TEST_UNIT_MATH_HOSTMATH_H
#define CUTL_TEST_UNIT_MATH_HOSTMATH_H

#include "cutl/Conversion/CutlMathToNVVM.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include <vector>

namespace cutltest {

/// What the approximate instructions are off by: relative errors. Subnormal
/// results are zero.
struct Errors {
  double exp2 = 0.0, reciprocal = 0.0, reciprocalSqrt = 0.0;
};

/// No error, and every combination of the greatest ones that are allowed.
std::vector<Errors> getExtremes();

/// One operation of up to two operands of type `type`, expanded as for NVPTX
/// with approximate instructions that err, and compiled for the host.
class HostFunction {
public:
  /// `operation` computes %r from %x (and %y).
  HostFunction(const std::string &operation, const std::string &type,
               const Errors &errors);

  /// The narrow expansion of an operation that has one.
  HostFunction(const std::string &operation,
               mlir::cutl::NarrowPrecision precision, const Errors &errors);

  /// The operation as the CPU target has it, with functions of the C library.
  HostFunction(const std::string &operation, const std::string &type);

  /// The results for arrays of operands; `y` is empty for one operand.
  std::vector<float> run(std::vector<float> x, std::vector<float> y = {}) const;
  std::vector<double> run(std::vector<double> x,
                          std::vector<double> y = {}) const;

private:
  std::unique_ptr<mlir::cutl::CpuEngine> engine;
};

/// The unit in the last place of f32 or f64 at a magnitude.
double getUlp(double magnitude, bool isDouble);

} // namespace cutltest

#endif // CUTL_TEST_UNIT_MATH_HOSTMATH_H
