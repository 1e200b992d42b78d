//===- ListConfigs.cpp - Prints the configurations of problems -----------===//

#include "CutlTestPasses.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Heuristics/Heuristics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;

namespace {

struct ListConfigsPass final : PassWrapper<ListConfigsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ListConfigsPass)

  StringRef getArgument() const override { return "test-cutl-list-configs"; }
  StringRef getDescription() const override {
    return "Print every configuration that a problem's choice is made from";
  }

  void runOnOperation() override {
    WalkResult result =
        getOperation()->walk([](ProblemOpInterface op) { return list(op); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static WalkResult list(ProblemOpInterface op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    TargetAttr target = TargetAttr::lookup(op);
    if (!function || !target)
      return op->emitOpError("expected a function with a target around it");
    h::Ranked ranked = h::rankConfigs(op.getProblem(), *target.getRecord());
    if (ranked.candidates.empty())
      return op->emitOpError("has no tile configuration: ") << ranked.error;
    for (const h::Candidate &candidate : ranked.candidates)
      llvm::outs() << function.getName() << ": "
                   << TileConfigAttr::get(op.getContext(), candidate.config)
                   << "\n";
    return WalkResult::advance();
  }
};

} // namespace

void mlir::cutl::registerCutlTestPasses() {
  PassRegistration<ListConfigsPass>();
}
