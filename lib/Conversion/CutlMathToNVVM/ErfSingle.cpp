//===- ErfSingle.cpp - The error function and gelu in f32 ----------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// 1 - 2^p(|x|) with the sign of x, where p is a fit of log2(erfc), and below 1
/// x + x·p(x²).
Value nvvm::emitErfSingle(FloatEmit &e, Value x) {
  Value a = e.abs(x);
  // 1 - erf(4) is below half an ulp of 1.
  Value exponent = e.polynomial(e.minimum(a, 4.0),
                                {-0x1.9dce46p-11, -0x1.9ff2d6p+0,
                                 -0x1.d8788ap-1, -0x1.2caea6p-3, 0x1.f46fc4p-6,
                                 -0x1.065458p-8, 0x1.fc6776p-13});
  Value large = e.sub(1.0, e.exp2Approx(exponent));
  Value sum =
      e.polynomial(e.mul(x, x), {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4,
                                 -0x1.b7f71ap-6, 0x1.53f224p-8, -0x1.a3515cp-11,
                                 0x1.4771ecp-14});
  Value small = e.fma(sum, a, a);
  Value isSmall = e.compare(arith::CmpFPredicate::OLT, a, 1.0);
  return e.copySign(e.select(isSmall, small, large), x);
}

/// Φ(-a) = 2^p(a) for a in [0, 16], where p is a fit of log2(Φ(-a)) on [0, 6].
/// It goes on falling beyond, until 2^p is zero.
static Value emitNormalTail(FloatEmit &e, Value a) {
  Value exponent = e.polynomial(
      a, {-1.0, -0x1.26aec4p+0, -0x1.d63e6ap-2, -0x1.ad7f06p-5, 0x1.c51e3cp-8,
          0x1.5b81dap-15, -0x1.430b12p-12, 0x1.6f4562p-14, -0x1.c27bap-17,
          0x1.331648p-20, -0x1.6ae226p-25});
  return e.exp2Approx(exponent);
}

/// x·Φ(x) = max(x, 0) - |x|·Φ(-|x|).
Value nvvm::emitGeluErfSingle(FloatEmit &e, Value x) {
  Value a = e.minimum(e.abs(x), 16.0);
  Value tail = emitNormalTail(e, a);
  Value positive = e.maximum(x, -0.0);
  return e.fma(e.neg(a), tail, positive);
}

/// Φ(-a) - a·φ(a) below zero, and what that lacks of 1 above. The factor of the
/// density is in the exponent.
Value nvvm::emitGeluErfGradSingle(FloatEmit &e, Value x) {
  Value a = e.minimum(e.abs(x), 16.0);
  Value tail = emitNormalTail(e, a);
  Value exponent =
      e.fma(e.mul(a, a), -0.72134752044448170368, -1.3257480647361593990);
  Value small = e.fma(e.neg(a), e.exp2Approx(exponent), tail);
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, 0.0);
  return e.select(isNegative, small, e.sub(1.0, small));
}
