//===- TrigSingle.cpp - sin and cos in f32 -------------------------------===//

#include "Expansions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

namespace {
/// |x| = quadrant·π/2 + angle with the angle in [-π/4, π/4]; the quadrant (i64)
/// counts modulo 4. The angle is NaN for infinite x and NaN.
struct Reduced {
  Value angle, quadrant;
};
} // namespace

/// 2/π in units of 2^-32, after one word of zeros for small numbers.
static constexpr uint32_t kTwoOverPi[] = {0x00000000, 0xa2f9836e, 0x4e441529,
                                          0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                          0x3c439041, 0xfe5163ab};

/// The reduction of Payne and Hanek ("Radian reduction for trigonometric
/// functions", SIGNUM Newsletter 18(1), 1983): of the product with 2/π only the
/// bits that are no multiple of 4 are formed, in integers, so that every f32 is
/// reduced alike.
static Reduced emitReduction(FloatEmit &e, Value x) {
  using P = arith::CmpIPredicate;
  OpBuilder &b = e.b;
  Location loc = e.loc;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value bits = e.andInt(e.toBits(x), 0x7fffffff);
  // |x| = mantissa·2^(field - 150). The window of 96 bits begins at the bit of
  // 2/π that has the weight 2^(151 - field), behind `skipped` others.
  Value field = e.shrUnsigned(bits, 23);
  Value skipped =
      arith::MaxSIOp::create(b, loc, e.addInt(field, -120), e.integer(0, 32));
  Value word = e.shrUnsigned(skipped, 5);
  Value shift = e.andInt(skipped, 31);
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < 4; ++i) {
    Value value = e.integer(kTwoOverPi[i], 32);
    for (unsigned first = 1; first + 3 < std::size(kTwoOverPi); ++first)
      value =
          arith::SelectOp::create(b, loc, e.compareInt(P::uge, word, first),
                                  e.integer(kTwoOverPi[first + i], 32), value);
    chosen.push_back(value);
  }
  auto widen = [&](Value value) -> Value {
    return arith::ExtUIOp::create(b, loc, i64, value);
  };
  Value mantissa = widen(e.addInt(e.andInt(bits, 0x7fffff), 0x800000));
  // window·mantissa modulo 2^96, of which the upper 64 bits are kept.
  Value carry;
  Value words[3];
  for (int i : {2, 1, 0}) {
    Value window =
        LLVM::FshlOp::create(b, loc, i32, chosen[i], chosen[i + 1], shift);
    Value product = arith::MulIOp::create(b, loc, widen(window), mantissa);
    if (carry)
      product = arith::AddIOp::create(b, loc, product, carry);
    words[i] = product;
    carry = e.shrUnsigned(product, 32);
  }
  // The bits of weight 2 and 1 are the quadrant, rounded to nearest.
  Value low = widen(arith::TruncIOp::create(b, loc, i32, words[1]));
  Value turns = arith::OrIOp::create(b, loc, e.shl(words[0], 32), low);
  Value quadrant = e.shrUnsigned(e.addInt(turns, int64_t(1) << 61), 62);
  Value rest = e.subInt(turns, e.shl(quadrant, 62));
  Value angle = e.mul(e.toFloat(rest), 0x1.921fb6p-62);
  Value isSmall = e.compareInt(P::ult, bits, 0x3f490fdb);
  angle = e.select(isSmall, e.abs(x), angle);
  quadrant = e.select(isSmall, e.integer(0, 64), quadrant);
  // 0·inf and 0·NaN are NaN; 0 otherwise.
  return {e.fma(x, 0.0, angle), quadrant};
}

/// The sine of quadrant·π/2 + angle.
static Value emitSinOfReduced(FloatEmit &e, Value angle, Value quadrant) {
  using P = arith::CmpIPredicate;
  Value square = e.mul(angle, angle);
  Value sum =
      e.polynomial(square, {-0x1.555546p-3, 0x1.11077ep-7, -0x1.9956b2p-13});
  Value sine = e.fma(e.mul(sum, square), angle, angle);
  Value cosine = e.polynomial(
      square, {1.0, -0.5, 0x1.55554ap-5, -0x1.6c0c1ap-10, 0x1.99e0fp-16});
  Value isOdd = e.compareInt(P::ne, e.andInt(quadrant, 1), 0);
  Value value = e.select(isOdd, cosine, sine);
  Value isLower = e.compareInt(P::ne, e.andInt(quadrant, 2), 0);
  return e.select(isLower, e.neg(value), value);
}

Value nvvm::emitSinSingle(FloatEmit &e, Value x) {
  Reduced reduced = emitReduction(e, x);
  Value value = emitSinOfReduced(e, reduced.angle, reduced.quadrant);
  // -0.0 is not less than zero, and sin(-0.0) is -0.0.
  Value isNegative = e.compareInt(arith::CmpIPredicate::slt, e.toBits(x), 0);
  return e.select(isNegative, e.neg(value), value);
}

Value nvvm::emitCosSingle(FloatEmit &e, Value x) {
  Reduced reduced = emitReduction(e, x);
  return emitSinOfReduced(e, reduced.angle, e.addInt(reduced.quadrant, 1));
}
