//===- ConvertTest.cpp - Conversions of the CPU target --------------------===//
//
// cutl.convert and the conversions of 8-bit floats, compiled for the host,
// against arbitrary-precision arithmetic: every code of the narrow types, and
// of the wide ones the neighbourhoods of ties and bounds.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "gtest/gtest.h"
#include <random>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace {

/// A scalar type: a float, or an integer if it has no semantics.
struct Scalar {
  const char *name;
  unsigned width;
  const llvm::fltSemantics *semantics;
};

const Scalar e4m3{"f8E4M3FN", 8, &APFloat::Float8E4M3FN()};
const Scalar e5m2{"f8E5M2", 8, &APFloat::Float8E5M2()};
const Scalar f16{"f16", 16, &APFloat::IEEEhalf()};
const Scalar bf16{"bf16", 16, &APFloat::BFloat()};
const Scalar f32{"f32", 32, &APFloat::IEEEsingle()};
const Scalar f64{"f64", 64, &APFloat::IEEEdouble()};
const Scalar i8{"i8", 8, nullptr}, i16{"i16", 16, nullptr},
    i32{"i32", 32, nullptr}, i64{"i64", 64, nullptr};

const Scalar floats[] = {e4m3, e5m2, f16, bf16, f32, f64};
const Scalar integers[] = {i8, i16, i32, i64};

struct Conversion {
  Scalar from, to;
  std::string options;
  bool saturates = false, isUnsigned = false;
  APFloat::roundingMode rounding = APFloat::rmNearestTiesToEven;
};

//===----------------------------------------------------------------------===//
// What a conversion gives
//===----------------------------------------------------------------------===//

/// The result's bits, or none for NaN of any payload.
std::optional<uint64_t> convert(const Conversion &conversion, uint64_t bits) {
  const Scalar &from = conversion.from, &to = conversion.to;
  APInt code(from.width, bits);
  if (!to.semantics) {
    APSInt result(to.width, conversion.isUnsigned);
    bool isExact;
    APFloat(*from.semantics, code)
        .convertToInteger(result, conversion.rounding, &isExact);
    return result.getZExtValue();
  }
  APFloat result(*to.semantics);
  bool isNaN = false, losesInfo;
  if (from.semantics) {
    result = APFloat(*from.semantics, code);
    isNaN = result.isNaN();
    result.convert(*to.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  } else {
    result.convertFromAPInt(code, !conversion.isUnsigned,
                            APFloat::rmNearestTiesToEven);
  }
  if (isNaN)
    return std::nullopt;
  if (conversion.saturates && !result.isFinite()) {
    bool isNegative = from.semantics
                          ? APFloat(*from.semantics, code).isNegative()
                          : !conversion.isUnsigned && code.isNegative();
    result = APFloat::getLargest(*to.semantics, isNegative);
  }
  if (result.isNaN())
    return std::nullopt;
  return result.bitcastToAPInt().getZExtValue();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void addFloat(std::vector<uint64_t> &operands, const Scalar &type, double x) {
  APFloat value(x);
  bool losesInfo;
  value.convert(*type.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  for (uint64_t neighbour : {bits - 1, bits, bits + 1})
    for (uint64_t sign : {uint64_t(0), uint64_t(1) << (type.width - 1)})
      operands.push_back((neighbour ^ sign) &
                         (~uint64_t(0) >> (64 - type.width)));
}

/// Where the result changes from one float to the next, and beyond the last.
void addTies(std::vector<uint64_t> &operands, const Scalar &from,
             const Scalar &to) {
  uint64_t step = to.width == 8 ? 1 : 17;
  for (uint64_t code = 0; code < uint64_t(1) << (to.width - 1); code += step) {
    APFloat value(*to.semantics, APInt(to.width, code));
    APFloat next(*to.semantics, APInt(to.width, code + 1));
    if (!value.isFinite())
      break;
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    next.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    double low = value.convertToDouble(), high = next.convertToDouble();
    addFloat(operands, from, low);
    if (std::isfinite(high))
      addFloat(operands, from, low + (high - low) / 2);
  }
  // The last halves.
  for (double x : {464.0, 480.0, 57344.0, 61440.0, 65504.0, 65520.0, 65536.0,
                   0x1.fep127, 0x1.ffp127})
    addFloat(operands, from, x);
}

std::vector<uint64_t> getOperands(const Conversion &conversion) {
  const Scalar &from = conversion.from, &to = conversion.to;
  std::vector<uint64_t> operands;
  if (from.width <= 16) {
    for (uint64_t bits = 0; bits < uint64_t(1) << from.width; ++bits)
      operands.push_back(bits);
    return operands;
  }
  std::mt19937_64 random(5);
  uint64_t mask = ~uint64_t(0) >> (64 - from.width);
  for (int i = 0; i < 20000; ++i)
    operands.push_back(random() & mask);
  if (!from.semantics) {
    // Ties of a significand of eight bits, and their neighbours.
    for (int i = 0; i < 20000; ++i) {
      uint64_t odd = (random() & 0xff) | 0x101;
      uint64_t tie = odd << (random() % (from.width - 8));
      for (uint64_t delta : {uint64_t(0), uint64_t(1), ~uint64_t(0)}) {
        operands.push_back((tie + delta) & mask);
        operands.push_back((delta - tie) & mask);
      }
    }
    return operands;
  }
  for (double x : {0.0, 0x1p-149, 0x1p-126, 1.0, HUGE_VAL})
    addFloat(operands, from, x);
  if (to.semantics && to.width <= 16) {
    addTies(operands, from, to);
    return operands;
  }
  for (int i = 0; i < 20000; ++i) {
    double x = std::ldexp(double(random() % 1000), int(random() % 40) - 12);
    addFloat(operands, from, x);
  }
  for (int k = 0; k < 66; ++k)
    for (double delta : {-1.0, -0.5, 0.0, 0.5, 1.0})
      addFloat(operands, from, std::ldexp(1.0, k) + delta);
  for (int k = 0; k < 600; ++k)
    addFloat(operands, from, k / 2.0);
  return operands;
}

//===----------------------------------------------------------------------===//
// Running them
//===----------------------------------------------------------------------===//

/// The function with its epilogue ops expanded, as text. The types are those of
/// the arrays; `%x` gives `%y`.
std::string expandOps(const Scalar &from, const Scalar &to,
                      const std::string &body) {
  std::string ins = std::string("memref<?x") + from.name + ">";
  std::string outs = std::string("memref<?x") + to.name + ">";
  std::string text = "func.func @f(%xs: " + ins + ", %ys: " + outs +
                     ") {\n %c0 = arith.constant 0 : index\n"
                     " %c1 = arith.constant 1 : index\n"
                     " %n = memref.dim %xs, %c0 : " +
                     ins +
                     "\n scf.for %i = %c0 to %n step %c1 {\n"
                     " %x = memref.load %xs[%i] : " +
                     ins + "\n" + body +
                     "\n memref.store %y, %ys[%i] : " + outs +
                     "\n }\n return\n}\n";
  DialectRegistry registry;
  registry.insert<CutlDialect, func::FuncDialect, memref::MemRefDialect,
                  scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return "";
  module->walk([](EpilogueOpInterface op) {
    OpBuilder builder(op);
    if (Value value = op.expandToArith(builder, op->getOperands())) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  });
  std::string result;
  llvm::raw_string_ostream(result) << *module;
  return result;
}

std::vector<unsigned char> pack(const std::vector<uint64_t> &codes,
                                unsigned width) {
  std::vector<unsigned char> bytes(codes.size() * width / 8);
  for (size_t i = 0; i < codes.size(); ++i)
    std::memcpy(&bytes[i * width / 8], &codes[i], width / 8);
  return bytes;
}

std::vector<uint64_t> run(const std::string &text, const Scalar &from,
                          const Scalar &to,
                          const std::vector<uint64_t> &operands,
                          const std::string &cpu, unsigned level) {
  std::vector<uint64_t> results(operands.size());
  auto engine = compile(text, cpu, level);
  EXPECT_TRUE(bool(engine)) << toString(engine.takeError()) << text;
  if (!engine)
    return results;
  std::vector<unsigned char> xs = pack(operands, from.width);
  std::vector<unsigned char> ys(operands.size() * to.width / 8);
  int64_t size = operands.size(), stride = 1;
  llvm::Error error = (*engine)->invoke(
      "f", {HostArray{xs.data(), from.width, 1, &size, &stride, from.name},
            HostArray{ys.data(), to.width, 1, &size, &stride, to.name}});
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  for (size_t i = 0; i < results.size(); ++i)
    std::memcpy(&results[i], &ys[i * to.width / 8], to.width / 8);
  return results;
}

void check(const Conversion &conversion, const std::string &body) {
  const Scalar &from = conversion.from, &to = conversion.to;
  SCOPED_TRACE(std::string(from.name) + " to " + to.name + " " +
               conversion.options);
  std::string text = expandOps(from, to, body);
  std::vector<uint64_t> operands = getOperands(conversion);
  // Vectorised for this processor, and scalar for one that has little.
  for (auto [cpu, level] : {std::pair("host", 2u), {"x86-64", 1u}}) {
    std::vector<uint64_t> results = run(text, from, to, operands, cpu, level);
    unsigned wrong = 0;
    for (size_t i = 0; i < operands.size() && wrong < 3; ++i) {
      std::optional<uint64_t> want = convert(conversion, operands[i]);
      bool isRight =
          want ? results[i] == *want
               : APFloat(*to.semantics, APInt(to.width, results[i])).isNaN();
      if (isRight)
        continue;
      ++wrong;
      ADD_FAILURE() << cpu << ": 0x" << std::hex << operands[i] << " gives 0x"
                    << results[i] << ", expected "
                    << (want ? "0x" + llvm::utohexstr(*want) : "NaN");
    }
  }
}

/// A conversion if the verifier takes it.
void checkConvert(Conversion conversion) {
  std::string body = "%y = cutl.convert %x " + conversion.options + " : " +
                     conversion.from.name + " to " + conversion.to.name;
  check(conversion, body);
}

double getGreatest(const Scalar &type, bool isUnsigned) {
  if (!type.semantics)
    return std::ldexp(1.0, isUnsigned ? type.width : type.width - 1) - 1.0;
  APFloat value = APFloat::getLargest(*type.semantics);
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

} // namespace

TEST(Convert, FloatsToFloats) {
  for (const Scalar &from : floats)
    for (const Scalar &to : floats) {
      if (from.semantics == to.semantics)
        continue;
      checkConvert({from, to, ""});
      if (getGreatest(from, false) > getGreatest(to, false))
        checkConvert({from, to, "saturate", true});
    }
}

TEST(Convert, FloatsToIntegers) {
  const std::pair<const char *, APFloat::roundingMode> modes[] = {
      {"", APFloat::rmNearestTiesToEven},
      {"toward_zero ", APFloat::rmTowardZero},
      {"downward ", APFloat::rmTowardNegative},
      {"upward ", APFloat::rmTowardPositive}};
  for (const Scalar &from : floats)
    for (const Scalar &to : integers)
      for (auto [name, mode] : modes)
        for (bool isUnsigned : {false, true})
          checkConvert(
              {from, to,
               std::string(name) + "saturate" + (isUnsigned ? " unsigned" : ""),
               true, isUnsigned, mode});
}

TEST(Convert, IntegersToFloats) {
  for (const Scalar &from : integers)
    for (const Scalar &to : floats)
      for (bool isUnsigned : {false, true}) {
        std::string suffix = isUnsigned ? "unsigned" : "";
        checkConvert({from, to, suffix, false, isUnsigned});
        // Of signed integers the least one has the greatest magnitude.
        double greatest = getGreatest(from, isUnsigned) + (isUnsigned ? 0 : 1);
        if (greatest > getGreatest(to, false))
          checkConvert({from, to, "saturate " + suffix, true, isUnsigned});
      }
}

/// The upstream ops on 8-bit floats, which are those of f32 between
/// conversions.
TEST(Float8, ArithmeticIsThatOfSinglePrecision) {
  for (const Scalar &type : {e4m3, e5m2}) {
    std::string name = type.name;
    std::string text =
        expandOps(type, type,
                  "%k = arith.constant 1.5 : " + name +
                      "\n%s = arith.addf %x, %k : " + name +
                      "\n%a = math.absf %s : " + name +
                      "\n%c = arith.cmpf ogt, %a, %k : " + name +
                      "\n%y = arith.select %c, %a, %x : " + name);
    std::vector<uint64_t> operands = getOperands({type, type, ""});
    std::vector<uint64_t> results = run(text, type, type, operands, "host", 2);
    for (uint64_t bits : operands) {
      APFloat x(*type.semantics, APInt(8, bits)), sum = x;
      bool losesInfo;
      sum.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
      sum.add(APFloat(1.5f), APFloat::rmNearestTiesToEven);
      sum.convert(*type.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      sum.clearSign();
      APFloat limit(1.5f);
      limit.convert(*type.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      bool isGreater = sum.compare(limit) == APFloat::cmpGreaterThan;
      APFloat want = isGreater ? sum : x;
      APFloat got(*type.semantics, APInt(8, results[bits]));
      if (want.isNaN())
        EXPECT_TRUE(got.isNaN()) << name << " " << bits;
      else
        EXPECT_TRUE(got.bitwiseIsEqual(want)) << name << " " << bits;
    }
  }
}
