//===- Expansions.h - The functions that are expanded -----------*- C++ -*-===//
//
// One function for each operation and type. None emits a branch, a loop, a call
// or a stack slot.
//
// "ulp" is the unit in the last place of the result. The first bound is with
// the greatest errors that `HardwareMath` allows all at once, the second one,
// in parentheses, with instructions that round correctly. The unit tests hold
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLMATHTONVVM_EXPANSIONS_H
#define CUTL_CONVERSION_CUTLMATHTONVVM_EXPANSIONS_H

#include "FloatEmit.h"

#include "cutl/Dialect/Cutl/IR/NarrowMath.h"

namespace mlir::cutl::nvvm {

// ExpSingle.cpp
/// 3.4 ulp (1.1).
Value emitExpSingle(FloatEmit &e, Value x);
/// 2.9 ulp (0.8).
Value emitExp2Single(FloatEmit &e, Value x);
/// exp(-x) for x >= 0; NaN for NaN. As exp.
Value emitExpOfMinusSingle(FloatEmit &e, Value x);
/// 1.5 ulp.
Value emitExpm1Single(FloatEmit &e, Value x);
/// 6 ulp (2.6).
Value emitSigmoidSingle(FloatEmit &e, Value x);
/// 6.5 ulp (3.3), and 2^-142 where the result is almost subnormal.
Value emitSiluSingle(FloatEmit &e, Value x);
/// 2.9 ulp (1.6).
Value emitTanhSingle(FloatEmit &e, Value x);
/// 4.8 ulp (3.1) for positive operands, 2.7·2^-24·|x| (1.8) for negative ones.
Value emitGeluTanhSingle(FloatEmit &e, Value x);

// ErfSingle.cpp
/// 1.4 ulp (1.1).
Value emitErfSingle(FloatEmit &e, Value x);
/// 3.9 ulp (1.6) for positive operands, 2.2·2^-24·|x| (1.1) for negative ones.
Value emitGeluErfSingle(FloatEmit &e, Value x);

/// 2.6 ulp (1.4) for positive operands, 2.1·2^-24 for negative ones.
Value emitGeluErfGradSingle(FloatEmit &e, Value x);

// Activations.cpp
/// Exact.
Value emitRelu(FloatEmit &e, Value x);
/// 2.5 ulp.
Value emitHardswish(FloatEmit &e, Value x);
/// 3.4 ulp (1.9).
Value emitSoftplusSingle(FloatEmit &e, Value x);
/// 2.4 ulp.
Value emitSoftplusDouble(FloatEmit &e, Value x);
/// 9.6 ulp (4.5); 4.5 ulp in f64.
Value emitSigmoidGrad(FloatEmit &e, Value x);
/// 9.6 ulp (4.5); 4.5 ulp in f64.
Value emitTanhGrad(FloatEmit &e, Value x);
/// 2.8 ulp (1.7) for positive operands, 2.5·2^-24 for negative ones; 1.8 ulp
/// and 3·2^-53 in f64.
Value emitSiluGrad(FloatEmit &e, Value x);
/// As for silu.
Value emitGeluTanhGrad(FloatEmit &e, Value x);

// LogSingle.cpp
/// The logarithm `value` of `x` where x is positive and finite, and what it is
/// elsewhere. Of either type.
Value emitLogOfSpecials(FloatEmit &e, Value x, Value value);
/// 0.95 ulp.
Value emitLogSingle(FloatEmit &e, Value x);
/// 1.5 ulp.
Value emitLog1pSingle(FloatEmit &e, Value x);
/// 1.4 ulp.
Value emitLog2Single(FloatEmit &e, Value x);
/// 3.2 ulp (0.9).
Value emitPowSingle(FloatEmit &e, Value x, Value y);

// RemainderSingle.cpp
/// Exact.
Value emitRemSingle(FloatEmit &e, Value x, Value y);

// TrigSingle.cpp
/// 2.6 ulp, however great the operand.
Value emitSinSingle(FloatEmit &e, Value x);
/// 2.6 ulp, however great the operand.
Value emitCosSingle(FloatEmit &e, Value x);

// NarrowSingle.cpp
/// The narrow expansion of `op` at `x`; null if it has none. Within
/// `getNarrowError`.
Value emitNarrow(FloatEmit &e, Operation *op, Value x,
                 NarrowPrecision precision);

// ExpDouble.cpp
/// exp(x + rest), where `rest` is small and may be absent. 1 ulp.
Value emitExpDouble(FloatEmit &e, Value x, Value rest);
Value emitExpDouble(FloatEmit &e, Value x);
/// 0.9 ulp.
Value emitExp2Double(FloatEmit &e, Value x);
/// 1.8 ulp.
Value emitExpm1Double(FloatEmit &e, Value x);
/// 2.5 ulp.
Value emitSigmoidDouble(FloatEmit &e, Value x);
/// 3.3 ulp, and 2^-1064.
Value emitSiluDouble(FloatEmit &e, Value x);
/// 1.5 ulp.
Value emitTanhDouble(FloatEmit &e, Value x);
/// 3 ulp for positive operands, 2^-53·|x| for negative ones.
Value emitGeluTanhDouble(FloatEmit &e, Value x);

// ErfDouble.cpp
/// 1.5 ulp.
Value emitErfDouble(FloatEmit &e, Value x);
/// 6 ulp, and 2^-1064.
Value emitGeluErfDouble(FloatEmit &e, Value x);

/// 2.3 ulp for positive operands, 3·2^-53 for negative ones.
Value emitGeluErfGradDouble(FloatEmit &e, Value x);

// LogDouble.cpp
/// 1.2 ulp.
Value emitLogDouble(FloatEmit &e, Value x);
/// 1.8 ulp.
Value emitLog1pDouble(FloatEmit &e, Value x);
/// 1.9 ulp.
Value emitLog2Double(FloatEmit &e, Value x);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLMATHTONVVM_EXPANSIONS_H
