//===- LogSingle.cpp - Logarithms and powers in f32 ----------------------===//

#include "Expansions.h"
#include <limits>

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

namespace {
/// x = (1 + fraction) · 2^exponent with 1 + fraction in [2/3, 4/3), for
/// positive finite x.
struct Split {
  Value fraction, exponent;
};
} // namespace

static Split emitSplit(FloatEmit &e, Value x) {
  Value isSubnormal = e.compare(arith::CmpFPredicate::OLT, x, 0x1p-126);
  Value normal = e.select(isSubnormal, e.mul(x, 0x1p23), x);
  Value bits = e.toBits(normal);
  // The bits of 2/3: subtracting them borrows from the exponent field where the
  // mantissa is below 4/3.
  Value field = e.andInt(e.addInt(bits, -0x3f2aaaab), int64_t(0xff800000));
  Value mantissa = e.fromBits(e.subInt(bits, field));
  Value bias = e.select(isSubnormal, -23.0, 0.0);
  Value exponent = e.fma(e.toFloat(field), 0x1p-23, bias);
  return {e.sub(mantissa, 1.0), exponent};
}

Value nvvm::emitLogOfSpecials(FloatEmit &e, Value x, Value value) {
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  Value special = e.select(isNegative, kNaN, x);
  Value isZero = e.compare(arith::CmpFPredicate::OEQ, x, 0.0);
  special = e.select(isZero, -kInfinity, special);
  // The bits of the positive finite numbers are 1 to those below infinity.
  int64_t greatest = e.type.isF64() ? 0x7fefffffffffffff : 0x7f7fffff;
  Value isOrdinary = e.compareInt(arith::CmpIPredicate::ult,
                                  e.addInt(e.toBits(x), -1), greatest);
  return e.select(isOrdinary, value, special);
}

/// exponent·log(2) + log(1 + r), with log(1 + r) = r + r²·p(r).
static Value emitLogOfSplit(FloatEmit &e, Value r, Value exponent) {
  Value sum = e.polynomial(r, {-0x1.0p-1, 0x1.555506p-2, -0x1.fffefap-3,
                               0x1.99d05cp-3, -0x1.559c2ep-3, 0x1.1ed474p-3,
                               -0x1.f33c6ap-4, 0x1.1e72ap-3, -0x1.07aa56p-3});
  Value fraction = e.fma(e.mul(r, r), sum, r);
  return e.fma(exponent, 0x1.62e43p-1, fraction);
}

Value nvvm::emitLogSingle(FloatEmit &e, Value x) {
  auto [r, exponent] = emitSplit(e, x);
  return emitLogOfSpecials(e, x, emitLogOfSplit(e, r, exponent));
}

/// With 1 + x = m·2^exponent, the fraction m - 1 comes from x itself, since
/// 1 + x has lost some of it.
Value nvvm::emitLog1pSingle(FloatEmit &e, Value x) {
  Value sum = e.add(x, 1.0);
  Value field =
      e.andInt(e.addInt(e.toBits(sum), -0x3f2aaaab), int64_t(0xff800000));
  // 2^(2 - exponent) is normal whatever the exponent.
  Value scale =
      e.mul(e.fromBits(e.subInt(e.integer(0x40800000, 32), field)), 0.25);
  Value r = e.fma(x, scale, e.sub(scale, 1.0));
  Value exponent = e.mul(e.toFloat(field), 0x1p-23);
  Value value = emitLogOfSpecials(e, sum, emitLogOfSplit(e, r, exponent));
  return e.copySign(value, x);
}

/// log2(1 + r) = r·(log2(e) + p(r)), where p(0) is what the nearest f32 to
/// log2(e) lacks.
Value nvvm::emitLog2Single(FloatEmit &e, Value x) {
  auto [r, exponent] = emitSplit(e, x);
  Value sum = e.polynomial(r, {0x1.ac88ap-26, -0x1.715478p-1, 0x1.ec7p-2,
                               -0x1.7152dap-2, 0x1.27a3b4p-2, -0x1.ecfec4p-3,
                               0x1.9d4c3ep-3, -0x1.66a318p-3, 0x1.9f4cbap-3,
                               -0x1.816cd2p-3});
  Value fraction = e.fma(r, 0x1.715476p+0, e.mul(r, sum));
  return emitLogOfSpecials(e, x, e.add(exponent, fraction));
}

/// log2 of a non-negative f32 in f64, within a relative error of 2^-32; -inf
/// for zero, inf for infinity and NaN for NaN. As above, with the coefficients
/// of the lowest powers in f64; for the others f32 is enough.
static Value emitLog2InDouble(FloatEmit &e, FloatEmit &d, Value x) {
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(e.b, e.loc, d.type, value);
  };
  auto [r, exponent] = emitSplit(e, x);
  Value wide = widen(r);
  Value sum =
      widen(e.polynomial(r, {0x1.2776e2p-2, -0x1.ec687cp-3, 0x1.a60b2ap-3,
                             -0x1.724a74p-3, 0x1.498152p-3, -0x1.19852cp-3,
                             0x1.fa1d4ap-4, -0x1.542f1ap-3, 0x1.42a4e8p-3}));
  for (double coefficient : {-0x1.715484fae6672p-2, 0x1.ec709d9015dadp-2,
                             -0x1.7154764b3368cp-1, 0x1.71547652bbe38p+0})
    sum = d.fma(sum, wide, coefficient);
  Value value = d.fma(sum, wide, widen(exponent));
  Value isZero = e.compare(arith::CmpFPredicate::OEQ, x, 0.0);
  Value isFinite = e.compare(arith::CmpFPredicate::OLT, x, kInfinity);
  value = d.select(isFinite, value, widen(x));
  return d.select(isZero, -kInfinity, value);
}

/// 2^(y·log2|x|), the exponent in f64, and the sign and the special values as
/// IEEE 754 has them for pow.
Value nvvm::emitPowSingle(FloatEmit &e, Value x, Value y) {
  using P = arith::CmpFPredicate;
  FloatEmit d = e.inDouble();
  Value a = e.abs(x);
  Value logarithm = emitLog2InDouble(e, d, a);
  Value power =
      d.mul(Value(arith::ExtFOp::create(e.b, e.loc, d.type, y)), logarithm);
  // As for exp: the part of the exponent that a normal scale cannot take stays
  // in the fraction.
  constexpr double kRound = 0x1.8p52;
  Value bounded = d.maxNumber(d.minNumber(power, 127.0), -126.0);
  Value rounded = d.add(bounded, kRound);
  Value fraction = d.sub(power, d.sub(rounded, kRound));
  Value exponent =
      arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), d.toBits(rounded));
  Value scale = e.fromBits(e.shl(e.addInt(exponent, 127), 23));
  Value value =
      e.mul(e.exp2Approx(arith::TruncFOp::create(e.b, e.loc, e.type, fraction)),
            scale);
  // 1 to any power and anything to the power 0, NaN included.
  value = e.select(e.compare(P::OEQ, a, 1.0), 1.0, value);
  value = e.select(e.compare(P::OEQ, y, 0.0), 1.0, value);

  Value isInteger = e.compare(P::OEQ, e.floor(y), y);
  Value half = e.mul(y, 0.5);
  Value isEven = e.compare(P::OEQ, e.floor(half), half);
  // Of a negative number only integer powers are real; the powers of -inf and
  // -0.0 have their limits.
  Value isNegative = e.compare(P::OLT, x, 0.0);
  Value isFinite = e.compare(P::OLT, a, kInfinity);
  Value isFiniteNegative =
      arith::AndIOp::create(e.b, e.loc, isNegative, isFinite);
  Value isReal = e.select(isFiniteNegative, isInteger, e.integer(1, 1));
  value = e.select(isReal, value, kNaN);
  // Odd powers keep the sign of x.
  Value keepsSign = arith::AndIOp::create(
      e.b, e.loc, isInteger,
      arith::XOrIOp::create(e.b, e.loc, isEven, e.integer(1, 1)));
  return e.select(keepsSign, e.copySign(value, x), value);
}
