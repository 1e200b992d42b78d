//===- AccuracyTest.cpp - Errors of the functions of one operand ----------===//
//
// Runs the expansions on the host, with approximate instructions that make the
// greatest errors they may make, and compares with double precision.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "HostMath.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

namespace {

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
  for (const Errors &errors : getExtremes()) {
    HostFunction function(test.getText(), "f32", errors);
    bool isExact = errors.exp2 == 0.0;
    checkBound(test, isExact ? test.exact : test.gpu,
               function.run(getSingleOperands()),
               isExact ? "" : ", greatest errors");
  }
}

/// The formulas of the CPU target, with the functions of the C library.
TEST_P(Accuracy, HoldsItsBoundOnTheCpu) {
  const Case &test = GetParam();
  HostFunction function(test.getText(), "f32");
  checkBound(test, test.cpu, function.run(getSingleOperands()), ", CPU");
}

/// What the kernels compute is held against the reference values; the bounds
/// there have room for the expansions.
TEST_P(Accuracy, IsWithinTheReferenceBound) {
  Reference reference(GetParam().getText());
  std::vector<float> sample;
  for (size_t i = 0; i < getSingleOperands().size(); i += 29)
    sample.push_back(getSingleOperands()[i]);
  std::vector<RefValue> expected;
  for (float x : sample)
    expected.push_back(reference(x));
  for (const Errors &errors : getExtremes()) {
    HostFunction function(GetParam().getText(), "f32", errors);
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

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(getCases()),
                         [](const auto &info) { return info.param.name; });
