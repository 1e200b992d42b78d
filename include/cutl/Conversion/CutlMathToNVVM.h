//===- CutlMathToNVVM.h - Math of epilogues without a library ---*- C++ -*-===//
//
// Expands the scalar math that epilogues admit into arithmetic and a few
// instructions of the hardware.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLMATHTONVVM_H
#define CUTL_CONVERSION_CUTLMATHTONVVM_H

#include "cutl/Dialect/Cutl/IR/NarrowMath.h"
#include "mlir/IR/Value.h"

namespace mlir {
class Location;
class OpBuilder;
class RewritePatternSet;
namespace cutl {

/// The approximate instructions that the expansions are made of, all on f32.
/// What an expansion promises holds for any implementation that keeps the
/// bounds stated here.
class HardwareMath {
public:
  virtual ~HardwareMath() = default;
  /// 2^x within a relative error of 2^-22.5; exact for integers. Subnormal
  /// results may be zero.
  virtual Value exp2(OpBuilder &builder, Location loc, Value x) const = 0;
  /// 1/x within a relative error of 2^-23. Subnormal results may be zero.
  virtual Value reciprocal(OpBuilder &builder, Location loc, Value x) const = 0;
  /// 1/sqrt(x) within a relative error of 2^-22.9, subnormal operands included.
  virtual Value reciprocalSqrt(OpBuilder &builder, Location loc,
                               Value x) const = 0;
};

/// The instructions of NVPTX: `ex2.approx`, `rcp.approx` and `rsqrt.approx`.
const HardwareMath &getNVVMHardwareMath();

/// Patterns that expand the scalar ops of `math`, the epilogue ops of `cutl`
/// and the conversions of `arith` that have no lowering to NVPTX, or a wrong
/// one. `hardware` lives as long as the patterns do.
void populateCutlMathToNVVMPatterns(
    RewritePatternSet &patterns,
    const HardwareMath &hardware = getNVVMHardwareMath());

/// The narrow expansion of `op`, which has one (`getNarrowError`), in the op's
/// type.
Value expandNarrowMath(OpBuilder &builder, Operation *op,
                       NarrowPrecision precision,
                       const HardwareMath &hardware = getNVVMHardwareMath());

/// Replaces the ops under `root` that `getNarrowUse` allows by their narrow
/// expansions; returns how many. It has to run before the patterns, which
/// rewrite the roundings as well.
unsigned expandNarrowMath(Operation *root,
                          const HardwareMath &hardware = getNVVMHardwareMath());

} // namespace cutl
} // namespace mlir

#endif // CUTL_CONVERSION_CUTLMATHTONVVM_H
