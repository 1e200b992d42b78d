//===- EpilogueOpFixture.h - One epilogue op and its expansion --*- C++ -*-===//

#ifndef CUTL_TEST_UNIT_DIALECT_EPILOGUEOPFIXTURE_H
#define CUTL_TEST_UNIT_DIALECT_EPILOGUEOPFIXTURE_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

namespace cutltest {

using namespace mlir;
using namespace mlir::cutl;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A module with one op on constants and what that op expands to.
class EpilogueOpsTest : public ::testing::Test {
protected:
  EpilogueOpsTest() {
    context.loadDialect<CutlDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
    f32 = builder.getF32Type();
    for (int i = 0; i < 4; ++i)
      inputs.push_back(number(f32, 1.0));
  }

  Value number(FloatType type, double value) {
    return arith::ConstantOp::create(builder, loc(),
                                     FloatAttr::get(type, value));
  }
  Location loc() { return UnknownLoc::get(&context); }

  template <typename OpT, typename... Args>
  EpilogueOpInterface make(Args... args) {
    return cast<EpilogueOpInterface>(
        OpT::create(builder, loc(), args...).getOperation());
  }
  EpilogueOpInterface makeGelu(GeluForm form) {
    return make<GeluOp>(f32, inputs[0], GeluFormAttr::get(&context, form));
  }

  static RefValue evaluate(EpilogueOpInterface op, ArrayRef<double> values) {
    SmallVector<RefValue> operands;
    for (double value : values)
      operands.push_back({value, 0.0});
    return op.evaluateReference(operands);
  }

  /// Runs the expansion op by op. After each op the value is rounded to
  /// single precision, as hardware would.
  double interpretExpansion(EpilogueOpInterface op, ArrayRef<double> values) {
    OpBuilder::InsertionGuard guard(builder);
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc());
    builder.setInsertionPointToEnd(scratch->getBody());
    ValueRange arguments = ValueRange(inputs).take_front(values.size());
    Value result = op.expandToArith(builder, arguments);
    llvm::DenseMap<Value, double> known;
    for (auto [argument, value] : llvm::zip_equal(arguments, values))
      known[argument] = value;
    for (Operation &step : *scratch->getBody()) {
      auto epilogueOp = dyn_cast<EpilogueOpInterface>(step);
      EXPECT_TRUE(epilogueOp)
          << "not admitted: " << step.getName().getStringRef().str();
      SmallVector<RefValue> operands;
      for (Value operand : step.getOperands())
        operands.push_back({known.lookup(operand), 0.0});
      double value = epilogueOp.evaluateReference(operands).value;
      Type type = step.getResult(0).getType();
      known[step.getResult(0)] =
          isa<FloatType>(type) ? roundToNearest(cast<FloatType>(type), value)
                               : value;
    }
    return known.lookup(result);
  }

  /// Compares the reference with `libm` and the expansion with the reference.
  void check(EpilogueOpInterface op,
             function_ref<double(ArrayRef<double>)> libm,
             ArrayRef<double> values, double tolerance = 1e-13) {
    RefValue reference = evaluate(op, values);
    double expected = libm(values);
    if (std::isfinite(expected) && std::fabs(expected) < 3e38) {
      EXPECT_NEAR(reference.value, expected,
                  tolerance * std::max(std::fabs(expected), 1e-30))
          << "at " << values[0];
      // The bound says something: it is small beside the largest operand.
      double scale = 1.0;
      for (double value : values)
        scale *= std::max(1.0, std::fabs(value));
      EXPECT_LE(reference.error, 2e-5 * scale) << "at " << values[0];
    } else if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(reference.value)) << "at " << values[0];
    }
    if (reference.error == kUnbounded)
      return;
    double got = interpretExpansion(op, values);
    EXPECT_LE(getDistance(got, reference.value), reference.error)
        << "at " << values[0] << ": expanded " << got << ", reference "
        << reference.value;
  }

  void checkUnary(EpilogueOpInterface op, double (*libm)(double),
                  double tolerance = 1e-13) {
    auto formula = [&](ArrayRef<double> x) { return libm(x[0]); };
    for (double x = -40.0; x <= 40.0; x += 0.0625)
      check(op, formula, x, tolerance);
    for (double x : {0.0,  -0.0,  1e-30, -1e-30, 1e-42,  88.0,    -88.0,
                     89.0, -89.0, 104.0, -104.0, -150.0, 1000.0,  -1000.0,
                     1e10, -1e10, 1e30,  -1e30,  3.4e38, -3.4e38, kNaN})
      check(op, formula, roundToNearest(f32, x), tolerance);
  }

  /// The error bound holds for operands moved within their own error.
  void checkPropagation(EpilogueOpInterface op, unsigned arity) {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal(0.0, 2.0);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < 500; ++i) {
      SmallVector<RefValue> operands;
      SmallVector<double> moved;
      for (unsigned j = 0; j < arity; ++j) {
        operands.push_back({normal(engine), std::fabs(normal(engine)) * 0.3});
        moved.push_back(operands.back().value +
                        uniform(engine) * operands.back().error);
      }
      RefValue reference = op.evaluateReference(operands);
      EXPECT_LE(getDistance(evaluate(op, moved).value, reference.value),
                reference.error);
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder{&context};
  FloatType f32;
  SmallVector<Value> inputs;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_DIALECT_EPILOGUEOPFIXTURE_H
