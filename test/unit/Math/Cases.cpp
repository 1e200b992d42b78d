//===- Cases.cpp - Functions of one operand and their errors --------------===//

#include "Cases.h"

#include "HostMath.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace cutltest;

//===----------------------------------------------------------------------===//
// The functions in double precision
//===----------------------------------------------------------------------===//

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double gelu(double x) {
  return x == -kInf ? -0.0 : 0.5 * x * std::erfc(-x * std::sqrt(0.5));
}
double geluTanh(double x) {
  if (x < -1e3)
    return std::isnan(x) ? x : -0.0;
  double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return x / (1.0 + std::exp(-2.0 * u));
}
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double silu(double x) { return x == -kInf ? -0.0 : x / (1.0 + std::exp(-x)); }
double leaky(double x) { return x > 0.0 ? x : double(0.01f) * x; }
double hardswish(double x) {
  if (x <= -3.0)
    return -0.0;
  return x >= 3.0 ? x : x * (x + 3.0) / 6.0;
}
double softplus(double x) {
  double tail = std::log1p(std::exp(-std::fabs(x)));
  return x > 0.0 ? x + tail : tail;
}
double relu(double x) { return x > 0.0 || std::isnan(x) ? x : 0.0; }
double clamp(double x) {
  return std::isnan(x) ? x : std::fmin(std::fmax(x, -1.0), 6.0);
}

/// Derivatives. Those of the form x·F(x) with F(-x) = 1 - F(x) have
/// y(x) = 1 - y(-x).
double reluGrad(double x) { return std::isnan(x) ? x : x > 0.0 ? 1.0 : 0.0; }
double leakyGrad(double x) {
  return std::isnan(x) ? x : x > 0.0 ? 1.0 : double(0.01f);
}
double hardswishGrad(double x) {
  if (x <= -3.0)
    return 0.0;
  return x >= 3.0 ? 1.0 : (x + 1.5) / 3.0;
}
double sigmoidGrad(double x) {
  double t = std::exp(-std::fabs(x));
  return t / (1.0 + t) / (1.0 + t);
}
double tanhGrad(double x) { return 4.0 * sigmoidGrad(2.0 * x); }
double siluGrad(double x) {
  double a = std::isinf(x) ? 1e4 : std::fabs(x), t = std::exp(-a);
  double small = t / (1.0 + t) * (1.0 - a / (1.0 + t)) + 0.0;
  return x < 0.0 ? small : 1.0 - small;
}
double geluGrad(double x) {
  double a = std::isinf(x) ? 1e4 : std::fabs(x);
  double density = std::exp(-0.5 * a * a) / std::sqrt(2.0 * M_PI);
  double small = 0.5 * std::erfc(a * std::sqrt(0.5)) - a * density;
  return x < 0.0 ? small : 1.0 - small;
}
double geluTanhGrad(double x) {
  double a = std::fabs(x) > 1e3 ? 1e3 : std::fabs(x);
  double scale = 2.0 * 0.79788456080286535588;
  double t = std::exp(-scale * (a + 0.044715 * a * a * a)), s = t / (1.0 + t);
  double slope = scale * (1.0 + 3.0 * 0.044715 * a * a);
  double small = s - a * (s / (1.0 + t)) * slope;
  return x < 0.0 ? small : 1.0 - small;
}

double rsqrt(double x) { return 1.0 / std::sqrt(x); }

} // namespace

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

const std::vector<Case> &cutltest::getCases() {
  static const std::vector<Case> cases = {
      {"exp", "math.exp %x", std::exp, {1.1}, {3.4}, {0.6}},
      {"exp2", "math.exp2 %x", std::exp2, {0.8}, {2.9}, {0.6}},
      {"expm1", "math.expm1 %x", std::expm1, {1.5}, {1.5}, {1.0}},
      {"log1p", "math.log1p %x", std::log1p, {1.5}, {1.5}, {1.0}},
      {"log", "math.log %x", std::log, {0.95}, {0.95}, {1.0}},
      {"log2", "math.log2 %x", std::log2, {1.4}, {1.4}, {1.0}},
      {"sqrt", "math.sqrt %x", std::sqrt, {0.5}, {0.5}, {0.5}},
      {"rsqrt", "math.rsqrt %x", rsqrt, {0.51}, {2.2}, {1.5}},
      {"tanh", "math.tanh %x", std::tanh, {1.6}, {2.9}, {2.5}},
      {"erf", "math.erf %x", std::erf, {1.1}, {1.4}, {1.0}},
      {"sin", "math.sin %x", std::sin, {2.6}, {2.6}, {1.0}},
      {"cos", "math.cos %x", std::cos, {2.6}, {2.6}, {1.0}},
      {"sigmoid",
       "cutl.sigmoid %x",
       sigmoid,
       {2.6},
       {6.0},
       {2.5, 0.0, 0x1p-128}},
      {"silu",
       "cutl.silu %x",
       silu,
       {3.3, 0.0, 0x1p-142},
       {6.5, 0.0, 0x1p-142},
       {3.0, 0.0, 0x1p-121}},
      {"tanhOp", "cutl.tanh %x", std::tanh, {1.6}, {2.9}, {2.5}},
      {"gelu",
       "cutl.gelu %x",
       gelu,
       {1.6, 2.2},
       {3.9, 2.2},
       {1.6, 1.0},
       Lower::TimesOperand},
      {"geluTanh",
       "cutl.gelu tanh %x",
       geluTanh,
       {3.1, 2.7},
       {4.8, 2.7},
       {2.1, 1.3},
       Lower::TimesOperand},
      {"relu", "cutl.relu %x", relu, {0.0}, {0.0}, {0.0}},
      {"leaky", "cutl.leaky_relu %x slope 0.01", leaky, {0.5}, {0.5}, {0.5}},
      {"clamp", "cutl.clamp %x low -1.0 high 6.0", clamp, {0.0}, {0.0}, {0.0}},
      {"hardswish", "cutl.hardswish %x", hardswish, {2.5}, {2.5}, {2.5}},
      {"softplus", "cutl.softplus %x", softplus, {1.9}, {3.4}, {1.6}},
      {"reluGrad", "cutl.relu_grad %x", reluGrad, {0.0}, {0.0}, {0.0}},
      {"leakyGrad",
       "cutl.leaky_relu_grad %x slope 0.01",
       leakyGrad,
       {0.0},
       {0.0},
       {0.0}},
      {"hardswishGrad",
       "cutl.hardswish_grad %x",
       hardswishGrad,
       {1.4},
       {1.4},
       {1.4}},
      {"softplusGrad",
       "cutl.softplus_grad %x",
       sigmoid,
       {2.6},
       {6.0},
       {2.5, 0.0, 0x1p-128}},
      {"sigmoidGrad", "cutl.sigmoid_grad %x", sigmoidGrad, {4.5}, {9.6}, {4.2}},
      {"tanhGrad", "cutl.tanh_grad %x", tanhGrad, {4.5}, {9.6}, {4.2}},
      {"siluGrad",
       "cutl.silu_grad %x",
       siluGrad,
       {1.7, 2.5},
       {2.8, 2.5},
       {1.4, 1.0},
       Lower::Absolute},
      {"geluGrad",
       "cutl.gelu_grad %x",
       geluGrad,
       {1.4, 2.1},
       {2.6, 2.1},
       {1.7, 1.0},
       Lower::Absolute},
      {"geluTanhGrad",
       "cutl.gelu_grad tanh %x",
       geluTanhGrad,
       {1.7, 2.5},
       {2.8, 2.5},
       {1.4, 1.4},
       Lower::Absolute},
  };
  return cases;
}

std::optional<mlir::cutl::NarrowError>
cutltest::getNarrowError(const Case &test,
                         mlir::cutl::NarrowPrecision precision) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::cutl::CutlDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f(%x: f32) { " + test.getText() + " return }", &context);
  std::optional<mlir::cutl::NarrowError> error;
  module->walk([&](mlir::Operation *op) {
    if (!error)
      error = mlir::cutl::getNarrowError(op, precision);
  });
  return error;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Bit patterns all over f32, and all of the neighbourhoods where the functions
/// turn or the formulas change.
static std::vector<float> makeOperands() {
  std::vector<float> operands;
  auto addBits = [&](uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    operands.push_back(value);
  };
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4093)
    addBits(uint32_t(bits));
  for (uint32_t bits :
       {0x00000000u, 0x00800000u, 0x3f000000u, 0x3f200000u, 0x3f2aaaabu,
        0x3f490fdbu, 0x3f800000u, 0x3fb504f3u, 0x40000000u, 0x40490fdbu,
        0x40800000u, 0x41800000u, 0x42af0000u, 0x42b00000u, 0x42b17218u,
        0x42cff1b5u, 0x43000000u, 0x7f7fffffu, 0x7f800000u})
    for (uint32_t i = 0; i < 4000; ++i)
      for (uint32_t sign : {0x00000000u, 0x80000000u})
        if (bits + i >= 2000)
          addBits((bits + i - 2000) | sign);
  for (double x = -20.0; x < 20.0; x += 0x1p-13)
    operands.push_back(float(x));
  return operands;
}

const std::vector<float> &cutltest::getSingleOperands() {
  static const std::vector<float> values = makeOperands();
  return values;
}

void cutltest::checkBound(const Case &test, const Bound &bound,
                          const std::vector<float> &results,
                          const char *where) {
  const std::vector<float> &operands = getSingleOperands();
  double worst = 0.0, worstLower = 0.0;
  float worstAt = 0.0, worstLowerAt = 0.0;
  for (size_t i = 0; i < results.size(); ++i) {
    float x = operands[i];
    double want = test.function(x), got = results[i];
    if (std::isnan(want) || std::isnan(got)) {
      ASSERT_EQ(std::isnan(want), std::isnan(got)) << "at " << x;
      continue;
    }
    // Rounding decides what is infinite; within an ulp of the threshold either
    // is right.
    double rounded = float(want);
    if (std::isinf(rounded) || std::isinf(got)) {
      ASSERT_TRUE(got == rounded || std::fabs(want) > 0x1.fffff8p127)
          << "at " << x << ": " << got << ", expected " << want;
      continue;
    }
    EXPECT_TRUE(want != 0.0 || std::signbit(want) == std::signbit(got))
        << "at " << x;
    double distance = std::fabs(got - want);
    if (test.lower != Lower::None && x < 0.0) {
      double scale = test.lower == Lower::TimesOperand ? std::fabs(x) : 1.0;
      double units = distance / (0x1p-24 * scale + 0x1p-149);
      if (units > worstLower)
        worstLower = units, worstLowerAt = x;
      continue;
    }
    double units = std::max(distance - bound.least, 0.0) / getUlp(want, false);
    if (units > worst)
      worst = units, worstAt = x;
  }
  printf("%-13s %6.3f ulp at %.9g", test.name, worst, worstAt);
  if (test.lower != Lower::None)
    printf(", %6.3f 2^-24%s at %.9g", worstLower,
           test.lower == Lower::TimesOperand ? " |x|" : "", worstLowerAt);
  printf("%s\n", where);
  EXPECT_LE(worst, bound.ulp) << "at " << worstAt << where;
  EXPECT_LE(worstLower, bound.lower) << "at " << worstLowerAt << where;
}
