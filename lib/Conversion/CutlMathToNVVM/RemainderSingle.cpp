//===- RemainderSingle.cpp - The remainder of a division in f32 -----------===//

#include "Expansions.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Long division in f64: each step takes the multiples of |y|·2^shift out of
/// the rest, which is exact, and leaves less than one of them. A quotient of
/// two f32 is below 2^277, so that the first step's is below 2^47 and the
/// others' are below 2^46; a rounded one is off by one at most.
Value nvvm::emitRemSingle(FloatEmit &e, Value x, Value y) {
  using P = arith::CmpFPredicate;
  FloatEmit d = e.inDouble();
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(e.b, e.loc, d.type, value);
  };
  Value dividend = e.abs(x), divisor = e.abs(y);
  Value rest = widen(dividend), unit = widen(divisor);
  Value inverse = d.div(1.0, unit);
  for (int shift = 230; shift >= 0; shift -= 46) {
    Value multiple = d.mul(unit, std::ldexp(1.0, shift));
    Value scaled = d.mul(inverse, std::ldexp(1.0, -shift));
    Value quotient = d.floor(d.mul(rest, scaled));
    rest = d.fma(d.neg(quotient), multiple, rest);
    Value isBelow = d.compare(P::OLT, rest, 0.0);
    rest = d.select(isBelow, d.add(rest, multiple), rest);
    Value isAbove = d.compare(P::OGE, rest, multiple);
    rest = d.select(isAbove, d.sub(rest, multiple), rest);
  }
  Value result = arith::TruncFOp::create(e.b, e.loc, e.type, rest);
  // This decides for an infinite divisor too.
  Value isSmall = e.compare(P::OLT, dividend, divisor);
  return e.select(isSmall, x, e.copySign(result, x));
}
