//===- IntegerEvaluation.cpp - Reference values of integer ops ------------===//

#include "IntegerEvaluation.h"

#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

using Values = ArrayRef<RefValue>;
using Numbers = ArrayRef<double>;

static unsigned getWidth(Type type) { return type.getIntOrFloatBitWidth(); }

static uint64_t toBits(double value, unsigned width) {
  uint64_t bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

int64_t mlir::cutl::toSigned(uint64_t bits, unsigned width) {
  return width >= 64
             ? static_cast<int64_t>(bits)
             : static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

double mlir::cutl::fromBits(uint64_t bits, unsigned width) {
  return width == 1 ? static_cast<double>(bits & 1)
                    : static_cast<double>(toSigned(bits, width));
}

RefValue mlir::cutl::evaluateBits(Operation *op, Values operands,
                                  BitFormula bitFormula,
                                  double (*formula)(Numbers)) {
  unsigned width = getWidth(op->getOperand(0).getType());
  bool exact = true;
  SmallVector<RefValue, 3> known(operands);
  for (RefValue &operand : known) {
    if (operand.error == kUnbounded || !(std::fabs(operand.value) <= 0x1p53))
      return {0.0, kUnbounded};
    exact &= operand.error == 0.0;
    // The corner on the wrong side of a boolean has the other one's low bit.
    if (width == 1 && operand.error != 0.0)
      operand.error = 1.0;
  }
  auto apply = [&](Numbers numbers) {
    SmallVector<uint64_t, 3> bits;
    for (double number : numbers)
      bits.push_back(toBits(number, width));
    return fromBits(bitFormula(bits, width), width);
  };
  if (exact || width == 1) {
    RefValue result = evaluateAtCorners(apply, known);
    return {result.value,
            std::fabs(result.value) > 0x1p53 ? kUnbounded : result.error};
  }
  if (!formula)
    return {0.0, kUnbounded};
  RefValue result = evaluateAtCorners(formula, known);
  double limit = std::ldexp(1.0, std::min(width, 54u) - 1);
  bool wraps = result.value + result.error >= limit ||
               result.value - result.error < -limit;
  return {result.value, wraps ? kUnbounded : result.error};
}

RefValue mlir::cutl::evaluateIntegerDivision(Operation *op, Values x,
                                             bool isUnsigned) {
  unsigned width = getWidth(op->getResult(0).getType());
  if (x[0].error != 0.0 || x[1].error != 0.0 || x[1].value == 0.0)
    return {0.0, kUnbounded};
  uint64_t a = toBits(x[0].value, width), b = toBits(x[1].value, width);
  if (isUnsigned)
    return {fromBits(a / b, width), 0.0};
  if (toSigned(b, width) == -1)
    return {-x[0].value,
            -x[0].value >= std::ldexp(1.0, width - 1) ? kUnbounded : 0.0};
  return {
      fromBits(static_cast<uint64_t>(toSigned(a, width) / toSigned(b, width)),
               width),
      0.0};
}

RefValue mlir::cutl::evaluateIntegerRemainder(Operation *op, Values x,
                                              bool isUnsigned) {
  unsigned width = getWidth(op->getResult(0).getType());
  if (x[0].error != 0.0 || x[1].error != 0.0 || x[1].value == 0.0)
    return {0.0, kUnbounded};
  uint64_t a = toBits(x[0].value, width), b = toBits(x[1].value, width);
  if (isUnsigned)
    return {fromBits(a % b, width), 0.0};
  int64_t dividend = toSigned(a, width), divisor = toSigned(b, width);
  // The least number by -1 is not defined, as its quotient is not.
  if (divisor == -1)
    return {0.0, dividend == toSigned(uint64_t(1) << (width - 1), width)
                     ? kUnbounded
                     : 0.0};
  return {fromBits(static_cast<uint64_t>(dividend % divisor), width), 0.0};
}

RefValue mlir::cutl::evaluateShift(Operation *op, Values x, Shift kind) {
  unsigned width = getWidth(op->getResult(0).getType());
  uint64_t bits = toBits(x[0].value, width), by = toBits(x[1].value, width);
  if (x[0].error != 0.0 || x[1].error != 0.0 || by >= width ||
      !(std::fabs(x[0].value) <= 0x1p53))
    return {0.0, kUnbounded};
  if (kind == Shift::RightSigned)
    return {static_cast<double>(toSigned(bits, width) >> by), 0.0};
  double result =
      fromBits(kind == Shift::Left ? bits << by : bits >> by, width);
  return {result, std::fabs(result) > 0x1p53 ? kUnbounded : 0.0};
}

RefValue mlir::cutl::evaluateIntegerCast(Operation *op, Values operands,
                                         bool isUnsigned) {
  unsigned width = getWidth(op->getOperand(0).getType());
  auto read = [&](double value) {
    uint64_t bits = toBits(value, width);
    return isUnsigned ? static_cast<double>(bits)
                      : static_cast<double>(toSigned(bits, width));
  };
  unsigned resultWidth = getWidth(op->getResult(0).getType());
  RefValue result = evaluateUnary(
      [&](double value) {
        return fromBits(toBits(read(value), resultWidth), resultWidth);
      },
      operands[0]);
  // Where the operand's range wraps, the ends say nothing about what lies
  // between them.
  if (operands[0].error > 0.0 && width != 1 && result.error > operands[0].error)
    result.error = kUnbounded;
  return result;
}

RefValue mlir::cutl::evaluateIntegerToFloat(Operation *op, Values operands,
                                            bool isUnsigned) {
  unsigned width = getWidth(op->getOperand(0).getType());
  RefValue result = evaluateUnary(
      [&](double value) {
        uint64_t bits = toBits(value, width);
        return isUnsigned ? static_cast<double>(bits)
                          : static_cast<double>(toSigned(bits, width));
      },
      operands[0]);
  return roundToType(op->getResult(0).getType(), result);
}

RefValue mlir::cutl::evaluateFloatToInteger(Operation *op, Values operands,
                                            bool isUnsigned) {
  unsigned width = getWidth(op->getResult(0).getType());
  RefValue result = evaluateUnary(
      [](double value) { return std::trunc(value); }, operands[0]);
  double limit = std::ldexp(1.0, isUnsigned ? width : width - 1);
  bool inRange = result.value + result.error < limit &&
                 result.value - result.error >= (isUnsigned ? 0.0 : -limit);
  if (!inRange || std::isnan(result.value))
    return {0.0, kUnbounded};
  result.value = fromBits(isUnsigned ? static_cast<uint64_t>(result.value)
                                     : toBits(result.value, width),
                          width);
  return result;
}

RefValue mlir::cutl::evaluateIntegerComparison(Operation *op, Values x) {
  using P = arith::CmpIPredicate;
  unsigned width = getWidth(op->getOperand(0).getType());
  uint64_t ua = toBits(x[0].value, width), ub = toBits(x[1].value, width);
  int64_t a = toSigned(ua, width), b = toSigned(ub, width);
  bool holds = false;
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case P::eq:
    holds = ua == ub;
    break;
  case P::ne:
    holds = ua != ub;
    break;
  case P::slt:
    holds = a < b;
    break;
  case P::sle:
    holds = a <= b;
    break;
  case P::sgt:
    holds = a > b;
    break;
  case P::sge:
    holds = a >= b;
    break;
  case P::ult:
    holds = ua < ub;
    break;
  case P::ule:
    holds = ua <= ub;
    break;
  case P::ugt:
    holds = ua > ub;
    break;
  case P::uge:
    holds = ua >= ub;
    break;
  }
  bool exact = x[0].error == 0.0 && x[1].error == 0.0;
  return {holds ? 1.0 : 0.0, exact ? 0.0 : 1.0};
}
