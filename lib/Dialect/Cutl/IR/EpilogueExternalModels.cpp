//===- EpilogueExternalModels.cpp - arith and math ops in epilogues ------===//
//
// The table of the arith and math ops that an epilogue region admits, with
// their cost and reference value. Booleans are carried as 0 and 1, wider
// integers as signed numbers.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

namespace {
using Values = ArrayRef<RefValue>;
using Numbers = ArrayRef<double>;
/// An integer operation on the operands' bits, zero-extended; of the result the
/// low bits are taken.
using Bits = ArrayRef<uint64_t>;
using BitFormula = uint64_t (*)(Bits bits, unsigned width);

/// What the table says about one op: its cost and one of the ways to evaluate
/// it.
struct Rule {
  EpilogueCost cost;
  /// Floating-point: a formula monotone or linear in each operand, and its
  /// rounding.
  double (*formula)(Numbers) = nullptr;
  double halfUlps = 0.0;
  /// Integer: a formula on bits. `formula`, if there too, is the same on signed
  /// numbers as long as nothing wraps, and bounds the result of inexact
  /// operands.
  BitFormula bitFormula = nullptr;
  /// Anything else.
  RefValue (*evaluate)(Operation *, Values) = nullptr;
  /// Attaches the interface to the op.
  void (*attach)(MLIRContext &) = nullptr;
};

constexpr EpilogueCost kFree{0.0, 0.0}, kFlop{1.0, 0.0}, kSpecial{0.0, 1.0};
} // namespace

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type type) { return type.getIntOrFloatBitWidth(); }

static uint64_t toBits(double value, unsigned width) {
  uint64_t bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

static int64_t toSigned(uint64_t bits, unsigned width) {
  return width >= 64
             ? static_cast<int64_t>(bits)
             : static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

static double fromBits(uint64_t bits, unsigned width) {
  return width == 1 ? static_cast<double>(bits & 1)
                    : static_cast<double>(toSigned(bits, width));
}

/// Applies a formula to bits. Inexact booleans are tried both ways, inexact
/// integers at their corners if none wraps; otherwise, and for numbers that a
/// double does not hold, nothing is claimed.
static RefValue evaluateBits(Operation *op, Values operands, const Rule &rule) {
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
    return fromBits(rule.bitFormula(bits, width), width);
  };
  if (exact || width == 1) {
    RefValue result = evaluateAtCorners(apply, known);
    return {result.value,
            std::fabs(result.value) > 0x1p53 ? kUnbounded : result.error};
  }
  if (!rule.formula)
    return {0.0, kUnbounded};
  RefValue result = evaluateAtCorners(rule.formula, known);
  double limit = std::ldexp(1.0, std::min(width, 54u) - 1);
  bool wraps = result.value + result.error >= limit ||
               result.value - result.error < -limit;
  return {result.value, wraps ? kUnbounded : result.error};
}

/// Division truncates; by zero, or of the least number by -1, it is not
/// defined.
static RefValue evaluateIntegerDivision(Operation *op, Values x,
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

/// The remainder has the sign of the dividend, as division truncates.
static RefValue evaluateIntegerRemainder(Operation *op, Values x,
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

enum class Shift { Left, RightSigned, RightUnsigned };

/// A shift by the width or more is not defined.
template <Shift Kind> static RefValue evaluateShift(Operation *op, Values x) {
  unsigned width = getWidth(op->getResult(0).getType());
  uint64_t bits = toBits(x[0].value, width), by = toBits(x[1].value, width);
  if (x[0].error != 0.0 || x[1].error != 0.0 || by >= width ||
      !(std::fabs(x[0].value) <= 0x1p53))
    return {0.0, kUnbounded};
  if (Kind == Shift::RightSigned)
    return {static_cast<double>(toSigned(bits, width) >> by), 0.0};
  double result =
      fromBits(Kind == Shift::Left ? bits << by : bits >> by, width);
  return {result, std::fabs(result) > 0x1p53 ? kUnbounded : 0.0};
}

static RefValue evaluateIntegerCast(Operation *op, Values operands,
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

static RefValue evaluateIntegerToFloat(Operation *op, Values operands,
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

/// Conversion to an integer truncates; beyond the integer's range the result is
/// not defined.
static RefValue evaluateFloatToInteger(Operation *op, Values operands,
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

//===----------------------------------------------------------------------===//
// Comparisons, constants and conversions
//===----------------------------------------------------------------------===//

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return a < b || a > b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("unknown predicate");
}

/// A comparison is uncertain when the operands' errors reach each other.
static bool isTie(RefValue a, RefValue b) {
  double error = a.error + b.error;
  return error > 0.0 && !(getDistance(a.value, b.value) > error);
}

static RefValue evaluateCmpF(Operation *op, Values x) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  bool tie =
      isTie(x[0], x[1]) || x[0].error == kUnbounded || x[1].error == kUnbounded;
  return {compareFloats(predicate, x[0].value, x[1].value) ? 1.0 : 0.0,
          tie ? 1.0 : 0.0};
}

static RefValue evaluateCmpI(Operation *op, Values x) {
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

static RefValue evaluateConstant(Operation *op, Values) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    return {number.getValueAsDouble(), 0.0};
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    unsigned width = number.getValue().getBitWidth();
    if (width <= 64)
      return {fromBits(number.getValue().getZExtValue(), width), 0.0};
  }
  return {0.0, kUnbounded};
}

static RefValue evaluateTruncF(Operation *op, Values x) {
  std::optional<arith::RoundingMode> mode =
      cast<arith::TruncFOp>(op).getRoundingmode();
  bool nearest = !mode || *mode == arith::RoundingMode::to_nearest_even ||
                 *mode == arith::RoundingMode::to_nearest_away;
  return roundToType(op->getResult(0).getType(), x[0],
                     nearest ? kCorrectlyRounded : 2.0 * kCorrectlyRounded);
}

static RefValue evaluateDivF(Operation *op, Values x) {
  return refDiv(op->getResult(0).getType(), x[0], x[1]);
}

/// Exact, and linear as long as the quotient does not step to another integer.
static RefValue evaluateRemF(Operation *op, Values x) {
  RefValue result =
      evaluateAtCorners([](Numbers v) { return std::fmod(v[0], v[1]); }, x);
  bool isExact = x[0].error == 0.0 && x[1].error == 0.0;
  if (isExact || result.error == kUnbounded)
    return result;
  RefValue quotient =
      evaluateAtCorners([](Numbers v) { return std::trunc(v[0] / v[1]); }, x);
  bool steps = quotient.error != 0.0 || std::fabs(x[1].value) <= x[1].error;
  return {result.value, steps ? kUnbounded : result.error};
}

/// sin and cos turn everywhere but change no faster than their operand.
template <double (*Function)(double)>
static RefValue evaluateWave(Operation *op, Values x) {
  double error =
      x[0].error == kUnbounded ? kUnbounded : std::min(x[0].error, 2.0);
  return roundToType(op->getResult(0).getType(), {Function(x[0].value), error},
                     kTranscendental);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
template <typename OpT> struct Model;

class Table {
public:
  Table();

  auto begin() const { return rules.begin(); }
  auto end() const { return rules.end(); }
  template <typename OpT> const Rule &get() const {
    return rules.find(TypeID::get<OpT>())->second;
  }

private:
  template <typename OpT> Rule &add(EpilogueCost cost) {
    Rule &rule = rules[TypeID::get<OpT>()];
    rule.cost = cost;
    rule.attach = [](MLIRContext &context) {
      OpT::template attachInterface<Model<OpT>>(context);
    };
    return rule;
  }
  template <typename OpT>
  void real(EpilogueCost cost, double halfUlps, double (*formula)(Numbers)) {
    Rule &rule = add<OpT>(cost);
    rule.formula = formula;
    rule.halfUlps = halfUlps;
  }
  template <typename OpT>
  void bits(BitFormula bitFormula, double (*formula)(Numbers) = nullptr) {
    Rule &rule = add<OpT>(kFlop);
    rule.bitFormula = bitFormula;
    rule.formula = formula;
  }
  template <typename OpT>
  void other(EpilogueCost cost, RefValue (*evaluate)(Operation *, Values)) {
    add<OpT>(cost).evaluate = evaluate;
  }

  llvm::MapVector<TypeID, Rule> rules;
};

const Table &getTable() {
  static const Table table;
  return table;
}

template <typename OpT>
struct Model : public EpilogueOpInterface::ExternalModel<Model<OpT>, OpT> {
  static const Rule &getRule() {
    static const Rule &rule = getTable().get<OpT>();
    return rule;
  }

  EpilogueCost getEpilogueCost(Operation *) const { return getRule().cost; }

  RefValue evaluateReference(Operation *op, Values operands) const {
    const Rule &rule = getRule();
    if (rule.bitFormula)
      return evaluateBits(op, operands, rule);
    if (rule.formula)
      return roundToType(op->getResult(0).getType(),
                         evaluateAtCorners(rule.formula, operands),
                         rule.halfUlps);
    return rule.evaluate(op, operands);
  }
};
} // namespace

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

Table::Table() {
  using namespace arith;
  constexpr double kExact = 0.0;

  other<ConstantOp>(kFree, evaluateConstant);

  real<AddFOp>(kFlop, kCorrectlyRounded, [](Numbers x) { return x[0] + x[1]; });
  real<SubFOp>(kFlop, kCorrectlyRounded, [](Numbers x) { return x[0] - x[1]; });
  real<MulFOp>(kFlop, kCorrectlyRounded, [](Numbers x) { return x[0] * x[1]; });
  other<DivFOp>({4.0, 1.0}, evaluateDivF);
  other<RemFOp>({40.0, 0.0}, evaluateRemF);
  real<NegFOp>(kFlop, kExact, [](Numbers x) { return -x[0]; });
  real<MaximumFOp>(kFlop, kExact,
                   [](Numbers x) { return maximum(x[0], x[1]); });
  real<MinimumFOp>(kFlop, kExact,
                   [](Numbers x) { return -maximum(-x[0], -x[1]); });
  real<MaxNumFOp>(kFlop, kExact,
                  [](Numbers x) { return std::fmax(x[0], x[1]); });
  real<MinNumFOp>(kFlop, kExact,
                  [](Numbers x) { return std::fmin(x[0], x[1]); });
  real<ExtFOp>(kFlop, kExact, [](Numbers x) { return x[0]; });
  other<TruncFOp>(kFlop, evaluateTruncF);

  bits<AddIOp>([](Bits x, unsigned) { return x[0] + x[1]; },
               [](Numbers x) { return x[0] + x[1]; });
  bits<SubIOp>([](Bits x, unsigned) { return x[0] - x[1]; },
               [](Numbers x) { return x[0] - x[1]; });
  bits<MulIOp>([](Bits x, unsigned) { return x[0] * x[1]; },
               [](Numbers x) { return x[0] * x[1]; });
  bits<AndIOp>([](Bits x, unsigned) { return x[0] & x[1]; });
  bits<OrIOp>([](Bits x, unsigned) { return x[0] | x[1]; });
  bits<XOrIOp>([](Bits x, unsigned) { return x[0] ^ x[1]; });
  bits<MaxUIOp>([](Bits x, unsigned) { return std::max(x[0], x[1]); });
  bits<MinUIOp>([](Bits x, unsigned) { return std::min(x[0], x[1]); });
  bits<MaxSIOp>(
      [](Bits x, unsigned width) {
        return toSigned(x[0], width) > toSigned(x[1], width) ? x[0] : x[1];
      },
      [](Numbers x) { return std::max(x[0], x[1]); });
  bits<MinSIOp>(
      [](Bits x, unsigned width) {
        return toSigned(x[0], width) < toSigned(x[1], width) ? x[0] : x[1];
      },
      [](Numbers x) { return std::min(x[0], x[1]); });
  other<DivSIOp>({8.0, 0.0}, [](Operation *op, Values x) {
    return evaluateIntegerDivision(op, x, /*isUnsigned=*/false);
  });
  other<DivUIOp>({8.0, 0.0}, [](Operation *op, Values x) {
    return evaluateIntegerDivision(op, x, /*isUnsigned=*/true);
  });
  other<RemSIOp>({8.0, 0.0}, [](Operation *op, Values x) {
    return evaluateIntegerRemainder(op, x, /*isUnsigned=*/false);
  });
  other<RemUIOp>({8.0, 0.0}, [](Operation *op, Values x) {
    return evaluateIntegerRemainder(op, x, /*isUnsigned=*/true);
  });
  other<ShLIOp>(kFlop, evaluateShift<Shift::Left>);
  other<ShRSIOp>(kFlop, evaluateShift<Shift::RightSigned>);
  other<ShRUIOp>(kFlop, evaluateShift<Shift::RightUnsigned>);
  bits<math::AbsIOp>([](Bits x, unsigned width) {
    return toSigned(x[0], width) < 0 ? uint64_t(0) - x[0] : x[0];
  });

  other<CmpFOp>(kFlop, evaluateCmpF);
  other<CmpIOp>(kFlop, evaluateCmpI);
  other<SelectOp>(
      kFlop, [](Operation *, Values x) { return refSelect(x[0], x[1], x[2]); });

  other<ExtSIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateIntegerCast(op, x, /*isUnsigned=*/false);
  });
  other<ExtUIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateIntegerCast(op, x, /*isUnsigned=*/true);
  });
  other<TruncIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateIntegerCast(op, x, /*isUnsigned=*/false);
  });
  other<SIToFPOp>(kFlop, [](Operation *op, Values x) {
    return evaluateIntegerToFloat(op, x, /*isUnsigned=*/false);
  });
  other<UIToFPOp>(kFlop, [](Operation *op, Values x) {
    return evaluateIntegerToFloat(op, x, /*isUnsigned=*/true);
  });
  other<FPToSIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateFloatToInteger(op, x, /*isUnsigned=*/false);
  });
  other<FPToUIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateFloatToInteger(op, x, /*isUnsigned=*/true);
  });

  real<math::AbsFOp>(kFlop, kExact, [](Numbers x) { return std::fabs(x[0]); });
  real<math::CopySignOp>(kFlop, kExact,
                         [](Numbers x) { return std::copysign(x[0], x[1]); });
  real<math::FloorOp>(kFlop, kExact,
                      [](Numbers x) { return std::floor(x[0]); });
  real<math::CeilOp>(kFlop, kExact, [](Numbers x) { return std::ceil(x[0]); });
  real<math::RoundOp>(kFlop, kExact,
                      [](Numbers x) { return std::round(x[0]); });
  real<math::RoundEvenOp>(kFlop, kExact,
                          [](Numbers x) { return std::nearbyint(x[0]); });
  real<math::TruncOp>(kFlop, kExact,
                      [](Numbers x) { return std::trunc(x[0]); });
  real<math::FmaOp>(kFlop, kCorrectlyRounded,
                    [](Numbers x) { return std::fma(x[0], x[1], x[2]); });
  real<math::SqrtOp>(kSpecial, kCorrectlyRounded,
                     [](Numbers x) { return std::sqrt(x[0]); });
  real<math::RsqrtOp>(kSpecial, kTranscendental,
                      [](Numbers x) { return 1.0 / std::sqrt(x[0]); });
  real<math::ExpOp>({1.0, 1.0}, kTranscendental,
                    [](Numbers x) { return std::exp(x[0]); });
  real<math::Exp2Op>(kSpecial, kTranscendental,
                     [](Numbers x) { return std::exp2(x[0]); });
  real<math::ExpM1Op>({12.0, 0.0}, kTranscendental,
                      [](Numbers x) { return std::expm1(x[0]); });
  real<math::LogOp>({1.0, 1.0}, kTranscendental,
                    [](Numbers x) { return std::log(x[0]); });
  real<math::Log1pOp>({16.0, 0.0}, kTranscendental,
                      [](Numbers x) { return std::log1p(x[0]); });
  real<math::Log2Op>(kSpecial, kTranscendental,
                     [](Numbers x) { return std::log2(x[0]); });
  real<math::ErfOp>({16.0, 1.0}, kTranscendental,
                    [](Numbers x) { return std::erf(x[0]); });
  real<math::TanhOp>(kSpecial, kTranscendental,
                     [](Numbers x) { return std::tanh(x[0]); });
  real<math::PowFOp>({4.0, 2.0}, 4.0 * kTranscendental,
                     [](Numbers x) { return std::pow(x[0], x[1]); });
  other<math::SinOp>(kSpecial, evaluateWave<std::sin>);
  other<math::CosOp>(kSpecial, evaluateWave<std::cos>);
}

void CutlDialect::attachEpilogueModels() {
  for (const auto &[id, rule] : getTable())
    rule.attach(*getContext());
}
