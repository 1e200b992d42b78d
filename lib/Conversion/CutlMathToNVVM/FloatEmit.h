//===- FloatEmit.h - Short forms for scalar float arithmetic ----*- C++ -*-===//

#ifndef CUTL_CONVERSION_CUTLMATHTONVVM_FLOATEMIT_H
#define CUTL_CONVERSION_CUTLMATHTONVVM_FLOATEMIT_H

#include "cutl/Conversion/CutlMathToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::cutl::nvvm {

/// A value, or a number that becomes a constant of the type in use.
struct Number {
  Number(Value value) : value(value) {}
  Number(double number) : number(number) {}
  Value value;
  double number = 0.0;
};

/// Emits arithmetic on scalars of one type, f32 or f64.
class FloatEmit {
public:
  FloatEmit(OpBuilder &builder, Location loc, FloatType type,
            const HardwareMath &hardware)
      : b(builder), loc(loc), type(type), hardware(hardware) {}

  /// The same place, in f64.
  FloatEmit inDouble() const;

  Value add(Number x, Number y);
  Value sub(Number x, Number y);
  Value mul(Number x, Number y);
  Value div(Number x, Number y);
  /// x·y + z, rounded once.
  Value fma(Number x, Number y, Number z);
  Value neg(Value x);
  Value abs(Value x);
  /// The magnitude of `x` with the sign of `sign`.
  Value copySign(Value x, Value sign);
  Value floor(Value x);
  Value sqrt(Value x);
  /// NaN if either is; +0.0 is greater than -0.0.
  Value minimum(Number x, Number y);
  Value maximum(Number x, Number y);
  /// The number if one of the two is NaN.
  Value minNumber(Number x, Number y);
  Value maxNumber(Number x, Number y);
  /// No less or no greater than a bound; NaN for NaN.
  Value clampBelow(Value x, double bound);
  Value clampAbove(Value x, double bound);
  Value compare(arith::CmpFPredicate predicate, Number x, Number y);
  Value select(Value condition, Number x, Number y);
  /// coefficients[0] + x·coefficients[1] + …, by Horner's rule.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  // The approximate instructions, on f32 alone.
  Value exp2Approx(Value x);
  Value reciprocalApprox(Value x);
  Value reciprocalSqrtApprox(Value x);

  // Integers of any one width; numbers become constants of that width.
  Value integer(int64_t value, unsigned width);
  Value addInt(Value x, int64_t y);
  Value subInt(Value x, Value y);
  Value andInt(Value x, int64_t y);
  Value shl(Value x, int64_t y);
  Value shrSigned(Value x, int64_t y);
  Value shrUnsigned(Value x, int64_t y);
  Value compareInt(arith::CmpIPredicate predicate, Value x, int64_t y);
  /// The bits of a float as an integer, and back.
  Value toBits(Value x);
  Value fromBits(Value x);
  Value toFloat(Value integer);

  OpBuilder &b;
  Location loc;
  FloatType type;

private:
  Value get(Number number);
  template <typename OpT> Value emitBinary(Number x, Number y);

  const HardwareMath &hardware;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLMATHTONVVM_FLOATEMIT_H
