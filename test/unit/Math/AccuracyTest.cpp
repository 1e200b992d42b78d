//===- AccuracyTest.cpp - Errors of the expansions for NVPTX -------------===//
//
// Runs the expansions on the host, with approximate instructions that make the
// greatest errors they may make, and compares with double precision.
//
//===----------------------------------------------------------------------===//

#include "HostMath.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

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

struct Case {
  const char *name;
  const char *operation;
  double (*function)(double);
  /// Bounds in units in the last place with exact instructions and with the
  /// greatest errors.
  double exact, greatest;
  /// What is allowed beside them.
  double least = 0.0;
  /// Where the error of negative operands is bounded by a multiple of 2^-24·|x|
  /// instead.
  double negative = 0.0;
  /// The same for a multiple of 2^-24.
  double absolute = 0.0;
};

const Case cases[] = {
    {"exp", "%r = math.exp %x : f32", std::exp, 1.1, 3.4},
    {"exp2", "%r = math.exp2 %x : f32", std::exp2, 0.8, 2.9},
    {"expm1", "%r = math.expm1 %x : f32", std::expm1, 1.5, 1.5},
    {"log1p", "%r = math.log1p %x : f32", std::log1p, 1.5, 1.5},
    {"log", "%r = math.log %x : f32", std::log, 0.95, 0.95},
    {"log2", "%r = math.log2 %x : f32", std::log2, 1.3, 1.3},
    {"sqrt", "%r = math.sqrt %x : f32", std::sqrt, 0.5, 0.5},
    {"rsqrt", "%r = math.rsqrt %x : f32", rsqrt, 0.51, 2.2},
    {"tanh", "%r = math.tanh %x : f32", std::tanh, 1.6, 2.9},
    {"erf", "%r = math.erf %x : f32", std::erf, 1.1, 1.4},
    {"sin", "%r = math.sin %x : f32", std::sin, 2.5, 2.5},
    {"cos", "%r = math.cos %x : f32", std::cos, 2.5, 2.5},
    {"sigmoid", "%r = cutl.sigmoid %x : f32", sigmoid, 2.6, 6.0},
    {"silu", "%r = cutl.silu %x : f32", silu, 3.3, 6.5, 0x1p-142},
    {"tanhOp", "%r = cutl.tanh %x : f32", std::tanh, 1.6, 2.9},
    {"gelu", "%r = cutl.gelu %x : f32", gelu, 1.6, 3.9, 0.0, 2.2},
    {"geluTanh", "%r = cutl.gelu tanh %x : f32", geluTanh, 2.1, 4.4, 0.0, 2.7},
    {"relu", "%r = cutl.relu %x : f32", relu, 0.0, 0.0},
    {"leaky", "%r = cutl.leaky_relu %x slope 0.01 : f32", leaky, 0.5, 0.5},
    {"clamp", "%r = cutl.clamp %x low -1.0 high 6.0 : f32", clamp, 0.0, 0.0},
    {"hardswish", "%r = cutl.hardswish %x : f32", hardswish, 2.5, 2.5},
    {"softplus", "%r = cutl.softplus %x : f32", softplus, 1.9, 3.4},
    {"reluGrad", "%r = cutl.relu_grad %x : f32", reluGrad, 0.0, 0.0},
    {"leakyGrad", "%r = cutl.leaky_relu_grad %x slope 0.01 : f32", leakyGrad,
     0.0, 0.0},
    {"hardswishGrad", "%r = cutl.hardswish_grad %x : f32", hardswishGrad, 1.4,
     1.4},
    {"softplusGrad", "%r = cutl.softplus_grad %x : f32", sigmoid, 2.6, 6.0},
    {"sigmoidGrad", "%r = cutl.sigmoid_grad %x : f32", sigmoidGrad, 4.5, 9.6},
    {"tanhGrad", "%r = cutl.tanh_grad %x : f32", tanhGrad, 4.5, 9.6},
    {"siluGrad", "%r = cutl.silu_grad %x : f32", siluGrad, 1.7, 2.8, 0.0, 0.0,
     2.5},
    {"geluGrad", "%r = cutl.gelu_grad %x : f32", geluGrad, 1.4, 2.6, 0.0, 0.0,
     2.1},
    {"geluTanhGrad", "%r = cutl.gelu_grad tanh %x : f32", geluTanhGrad, 1.7,
     2.8, 0.0, 0.0, 2.5},
};

/// Bit patterns all over f32, and all of the neighbourhoods where the functions
/// turn or the formulas change.
std::vector<float> getOperands() {
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

const std::vector<float> &operands() {
  static const std::vector<float> values = getOperands();
  return values;
}

/// The operation by itself, for its reference value.
class Reference {
public:
  explicit Reference(const std::string &operation) {
    context.loadDialect<CutlDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: f32) { " + operation + " return }", &context);
    module->walk([&](EpilogueOpInterface found) { op = found; });
  }
  RefValue operator()(double x) {
    return op.evaluateReference(RefValue{x, 0.0});
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  EpilogueOpInterface op;
};

class Accuracy : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Accuracy, HoldsItsBound) {
  const Case &test = GetParam();
  std::vector<double> expected;
  for (float x : operands())
    expected.push_back(test.function(x));
  for (const Errors &errors : getExtremes()) {
    HostFunction function(test.operation, "f32", errors);
    std::vector<float> results = function.run(operands());
    bool isExact = errors.exp2 == 0.0;
    double worst = 0.0, worstNegative = 0.0;
    float worstAt = 0.0, worstNegativeAt = 0.0;
    for (size_t i = 0; i < results.size(); ++i) {
      float x = operands()[i];
      double want = expected[i], got = results[i];
      if (std::isnan(want) || std::isnan(got)) {
        ASSERT_EQ(std::isnan(want), std::isnan(got)) << "at " << x;
        continue;
      }
      // Rounding decides what is infinite; within an ulp of the threshold
      // either is right.
      double rounded = float(want);
      if (std::isinf(rounded) || std::isinf(got)) {
        ASSERT_TRUE(got == rounded || std::fabs(want) > 0x1.fffff8p127)
            << "at " << x << ": " << got << ", expected " << want;
        continue;
      }
      EXPECT_TRUE(want != 0.0 || std::signbit(want) == std::signbit(got))
          << "at " << x;
      double distance = std::fabs(got - want);
      if ((test.negative != 0.0 || test.absolute != 0.0) && x < 0.0) {
        double scale = test.negative != 0.0 ? std::fabs(x) : 1.0;
        double units = distance / (0x1p-24 * scale + 0x1p-149);
        if (units > worstNegative)
          worstNegative = units, worstNegativeAt = x;
        continue;
      }
      double units = std::max(distance - test.least, 0.0) / getUlp(want, false);
      if (units > worst)
        worst = units, worstAt = x;
    }
    printf("%-9s %6.3f ulp at %.9g", test.name, worst, worstAt);
    if (test.negative != 0.0 || test.absolute != 0.0)
      printf(", %6.3f 2^-24%s at %.9g", worstNegative,
             test.negative != 0.0 ? " |x|" : "", worstNegativeAt);
    printf("%s\n", isExact ? "" : ", greatest errors");
    EXPECT_LE(worst, isExact ? test.exact : test.greatest) << "at " << worstAt;
    EXPECT_LE(worstNegative, std::max(test.negative, test.absolute))
        << "at " << worstNegativeAt;
  }
}

/// What the kernels compute is held against the reference values; the bounds
/// there have room for the expansions.
TEST_P(Accuracy, IsWithinTheReferenceBound) {
  Reference reference(GetParam().operation);
  std::vector<float> sample;
  for (size_t i = 0; i < operands().size(); i += 29)
    sample.push_back(operands()[i]);
  std::vector<RefValue> expected;
  for (float x : sample)
    expected.push_back(reference(x));
  for (const Errors &errors : getExtremes()) {
    HostFunction function(GetParam().operation, "f32", errors);
    std::vector<float> results = function.run(sample);
    double worst = 0.0, worstAt = 0.0;
    for (size_t i = 0; i < results.size(); ++i) {
      double distance = getDistance(expected[i].value, results[i]);
      if (distance == 0.0 || expected[i].error == kUnbounded)
        continue;
      double share = distance / expected[i].error;
      if (share > worst)
        worst = share, worstAt = sample[i];
    }
    EXPECT_LE(worst, 1.0) << "at " << worstAt;
    printf("%-9s uses %.2f of the bound, at %g\n", GetParam().name, worst,
           worstAt);
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });
