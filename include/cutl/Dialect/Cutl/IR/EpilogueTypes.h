//===- EpilogueTypes.h - Values that the epilogue interface speaks in ----===//

#ifndef CUTL_DIALECT_CUTL_IR_EPILOGUETYPES_H
#define CUTL_DIALECT_CUTL_IR_EPILOGUETYPES_H

namespace mlir::cutl {

/// A number in double precision with a bound on the error that the computation under test may have made in it.
/// Integers up to 2^53 and booleans are carried exactly.
struct RefValue {
  double value = 0.0;
  double error = 0.0;
};

/// What one epilogue op costs per element.
struct EpilogueCost {
  /// Floating-point or integer operations issued to the ordinary arithmetic units.
  double flops = 0.0;
  /// Operations issued to the special-function unit (exp, tanh, rsqrt, …).
  double transcendentals = 0.0;
};

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_EPILOGUETYPES_H
