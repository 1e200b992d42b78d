//===- LogDouble.cpp - Logarithms in f64 ---------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

namespace {
/// x = m · 2^exponent with m in [2/3, 4/3), and log(m).
struct Split {
  Value logarithm, exponent;
};
} // namespace

/// log(1 + r). With s = r/(2 + r), log(1 + r) is 2·artanh(s) = 2s + s³·p(s²),
/// and 2s is r - s·r, which spares the rounding of s its effect where r is
/// small.
static Value emitLogOfOnePlus(FloatEmit &e, Value r) {
  Value s = e.div(r, e.add(r, 2.0));
  Value square = e.mul(s, s);
  Value sum = e.polynomial(
      square, {0x1.555555555554fp-1, 0x1.999999999c0f7p-2, 0x1.24924921ec0ecp-2,
               0x1.c71c7488d914dp-3, 0x1.745c4c7aa48a3p-3, 0x1.3b358bbd1ed8fp-3,
               0x1.0dcf127b9f1f1p-3, 0x1.1b69f68638bbep-3});
  Value correction = e.mul(s, e.fma(square, sum, e.neg(r)));
  return e.add(r, correction);
}

static Split emitSplit(FloatEmit &e, Value x) {
  Value isSubnormal = e.compare(arith::CmpFPredicate::OLT, x, 0x1p-1022);
  Value normal = e.select(isSubnormal, e.mul(x, 0x1p54), x);
  Value bits = e.toBits(normal);
  // The bits of 2/3.
  Value field = e.andInt(e.addInt(bits, -0x3fe5555555555555),
                         int64_t(0xfff0000000000000));
  Value r = e.sub(e.fromBits(e.subInt(bits, field)), 1.0);
  Value bias = e.select(isSubnormal, -54.0, 0.0);
  Value exponent = e.add(e.toFloat(e.shrSigned(field, 52)), bias);
  return {emitLogOfOnePlus(e, r), exponent};
}

/// exponent·log(2) + logarithm.
static Value emitSumOfSplit(FloatEmit &e, Split split) {
  Value value = e.fma(split.exponent, 0x1.abc9e3b39803fp-56, split.logarithm);
  return e.fma(split.exponent, 0x1.62e42fefa39efp-1, value);
}

Value nvvm::emitLogDouble(FloatEmit &e, Value x) {
  return emitLogOfSpecials(e, x, emitSumOfSplit(e, emitSplit(e, x)));
}

/// As in f32: the fraction of 1 + x comes from x itself.
Value nvvm::emitLog1pDouble(FloatEmit &e, Value x) {
  Value sum = e.add(x, 1.0);
  Value field = e.andInt(e.addInt(e.toBits(sum), -0x3fe5555555555555),
                         int64_t(0xfff0000000000000));
  Value scale = e.mul(
      e.fromBits(e.subInt(e.integer(0x4010000000000000, 64), field)), 0.25);
  Value r = e.fma(x, scale, e.sub(scale, 1.0));
  Value exponent = e.toFloat(e.shrSigned(field, 52));
  Value value = emitSumOfSplit(e, {emitLogOfOnePlus(e, r), exponent});
  return e.copySign(emitLogOfSpecials(e, sum, value), x);
}

Value nvvm::emitLog2Double(FloatEmit &e, Value x) {
  auto [logarithm, exponent] = emitSplit(e, x);
  Value rest = e.mul(logarithm, 0x1.777d0ffda0d24p-56);
  Value value = e.fma(logarithm, 0x1.71547652b82fep+0, rest);
  return emitLogOfSpecials(e, x, e.add(exponent, value));
}
