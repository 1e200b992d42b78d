//===- EpilogueExternalModels.cpp - arith and math ops in epilogues ------===//
//
// The table of the arith and math ops that an epilogue region admits, with
// their cost and reference value.
//
//===----------------------------------------------------------------------===//

#include "IntegerEvaluation.h"

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
// Floats and constants
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
      return evaluateBits(op, operands, rule.bitFormula, rule.formula);
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
  other<ShLIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateShift(op, x, Shift::Left);
  });
  other<ShRSIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateShift(op, x, Shift::RightSigned);
  });
  other<ShRUIOp>(kFlop, [](Operation *op, Values x) {
    return evaluateShift(op, x, Shift::RightUnsigned);
  });
  bits<math::AbsIOp>([](Bits x, unsigned width) {
    return toSigned(x[0], width) < 0 ? uint64_t(0) - x[0] : x[0];
  });

  other<CmpFOp>(kFlop, evaluateCmpF);
  other<CmpIOp>(kFlop, evaluateIntegerComparison);
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
