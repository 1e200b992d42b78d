//===- FloatEmit.cpp - Short forms for scalar float arithmetic -----------===//

#include "FloatEmit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

//===----------------------------------------------------------------------===//
// The instructions of the hardware
//===----------------------------------------------------------------------===//

namespace {
struct NVVMHardwareMath final : HardwareMath {
  Value exp2(OpBuilder &b, Location loc, Value x) const override {
    return LLVM::CallIntrinsicOp::create(
               b, loc, x.getType(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz"),
               x)
        .getResult(0);
  }
  Value reciprocal(OpBuilder &b, Location loc, Value x) const override {
    return NVVM::RcpApproxFtzF32Op::create(b, loc, x.getType(), x);
  }
  Value reciprocalSqrt(OpBuilder &b, Location loc, Value x) const override {
    return LLVM::CallIntrinsicOp::create(
               b, loc, x.getType(), b.getStringAttr("llvm.nvvm.rsqrt.approx.f"),
               x)
        .getResult(0);
  }
};
} // namespace

const HardwareMath &mlir::cutl::getNVVMHardwareMath() {
  static const NVVMHardwareMath hardware;
  return hardware;
}

Value FloatEmit::exp2Approx(Value x) { return hardware.exp2(b, loc, x); }
Value FloatEmit::reciprocalApprox(Value x) {
  return hardware.reciprocal(b, loc, x);
}
Value FloatEmit::reciprocalSqrtApprox(Value x) {
  return hardware.reciprocalSqrt(b, loc, x);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

FloatEmit FloatEmit::inDouble() const {
  return FloatEmit(b, loc, b.getF64Type(), hardware);
}

Value FloatEmit::get(Number number) {
  if (number.value)
    return number.value;
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, number.number));
}

template <typename OpT> Value FloatEmit::emitBinary(Number x, Number y) {
  Value left = get(x), right = get(y);
  return OpT::create(b, loc, left, right);
}

Value FloatEmit::add(Number x, Number y) {
  return emitBinary<arith::AddFOp>(x, y);
}
Value FloatEmit::sub(Number x, Number y) {
  return emitBinary<arith::SubFOp>(x, y);
}
Value FloatEmit::mul(Number x, Number y) {
  return emitBinary<arith::MulFOp>(x, y);
}
Value FloatEmit::div(Number x, Number y) {
  return emitBinary<arith::DivFOp>(x, y);
}
Value FloatEmit::minimum(Number x, Number y) {
  return emitBinary<LLVM::MinimumOp>(x, y);
}
Value FloatEmit::maximum(Number x, Number y) {
  return emitBinary<LLVM::MaximumOp>(x, y);
}
Value FloatEmit::minNumber(Number x, Number y) {
  return emitBinary<LLVM::MinNumOp>(x, y);
}
Value FloatEmit::maxNumber(Number x, Number y) {
  return emitBinary<LLVM::MaxNumOp>(x, y);
}
Value FloatEmit::fma(Number x, Number y, Number z) {
  Value left = get(x), right = get(y), addend = get(z);
  return LLVM::FMAOp::create(b, loc, left, right, addend);
}
Value FloatEmit::neg(Value x) { return arith::NegFOp::create(b, loc, x); }
Value FloatEmit::abs(Value x) { return LLVM::FAbsOp::create(b, loc, x); }
Value FloatEmit::copySign(Value x, Value sign) {
  return LLVM::CopySignOp::create(b, loc, x, sign);
}
Value FloatEmit::floor(Value x) { return LLVM::FFloorOp::create(b, loc, x); }
Value FloatEmit::sqrt(Value x) { return LLVM::SqrtOp::create(b, loc, x); }
Value FloatEmit::compare(arith::CmpFPredicate predicate, Number x, Number y) {
  Value left = get(x), right = get(y);
  return arith::CmpFOp::create(b, loc, predicate, left, right);
}
Value FloatEmit::select(Value condition, Number x, Number y) {
  Value whenTrue = get(x), whenFalse = get(y);
  return arith::SelectOp::create(b, loc, condition, whenTrue, whenFalse);
}

Value FloatEmit::clampBelow(Value x, double bound) {
  return select(compare(arith::CmpFPredicate::OLT, x, bound), bound, x);
}
Value FloatEmit::clampAbove(Value x, double bound) {
  return select(compare(arith::CmpFPredicate::OGT, x, bound), bound, x);
}

Value FloatEmit::polynomial(Value x, ArrayRef<double> coefficients) {
  Number sum = coefficients.back();
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return get(sum);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value FloatEmit::integer(int64_t value, unsigned width) {
  IntegerType integerType = b.getIntegerType(width);
  return arith::ConstantOp::create(
      b, loc,
      IntegerAttr::get(integerType, APInt(width, static_cast<uint64_t>(value),
                                          /*isSigned=*/false,
                                          /*implicitTrunc=*/true)));
}

static unsigned getWidth(Value x) {
  return x.getType().getIntOrFloatBitWidth();
}

Value FloatEmit::addInt(Value x, int64_t y) {
  return arith::AddIOp::create(b, loc, x, integer(y, getWidth(x)));
}
Value FloatEmit::subInt(Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
}
Value FloatEmit::andInt(Value x, int64_t y) {
  return arith::AndIOp::create(b, loc, x, integer(y, getWidth(x)));
}
Value FloatEmit::shl(Value x, int64_t y) {
  return arith::ShLIOp::create(b, loc, x, integer(y, getWidth(x)));
}
Value FloatEmit::shrSigned(Value x, int64_t y) {
  return arith::ShRSIOp::create(b, loc, x, integer(y, getWidth(x)));
}
Value FloatEmit::shrUnsigned(Value x, int64_t y) {
  return arith::ShRUIOp::create(b, loc, x, integer(y, getWidth(x)));
}
Value FloatEmit::compareInt(arith::CmpIPredicate predicate, Value x,
                            int64_t y) {
  return arith::CmpIOp::create(b, loc, predicate, x, integer(y, getWidth(x)));
}

Value FloatEmit::toBits(Value x) {
  return arith::BitcastOp::create(b, loc, b.getIntegerType(getWidth(x)), x);
}
Value FloatEmit::fromBits(Value x) {
  return arith::BitcastOp::create(b, loc, type, x);
}
Value FloatEmit::toFloat(Value integer) {
  return arith::SIToFPOp::create(b, loc, type, integer);
}
