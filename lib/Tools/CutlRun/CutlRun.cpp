//===- CutlRun.cpp - Running a function on seeded inputs -----------------===//

#include "cutl/Tools/CutlRun.h"
#include "Arguments.h"
#include "Executor.h"
#include "Report.h"
#include "ShapeResolver.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Reference/GemmReference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::cutl;

using Clock = std::chrono::steady_clock;

static double getSeconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

//===----------------------------------------------------------------------===//
// Finding the function
//===----------------------------------------------------------------------===//

static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      candidates.push_back(function);
  SmallVector<StringRef> names;
  for (func::FuncOp function : candidates) {
    names.push_back(function.getName());
    if (function.getName() == name ||
        (name.empty() && candidates.size() == 1)) {
      if (!function.getBody().hasOneBlock())
        return function.emitError("expected a function of one block");
      return function;
    }
  }
  std::string list = names.empty() ? "none" : llvm::join(names, ", ");
  if (!name.empty())
    return module.emitError("expected the name of a public function with a "
                            "body, got '")
           << name << "'; there are " << list;
  return module.emitError("expected one public function with a body, or "
                          "--function with the name of one; there are ")
         << list;
}

//===----------------------------------------------------------------------===//
// Verifying and timing
//===----------------------------------------------------------------------===//

static LogicalResult report(func::FuncOp function, const Twine &name,
                            const ReferenceOutput &reference,
                            const NumericArray &computed, raw_ostream &os) {
  Comparison comparison = compareWithReference(reference, computed);
  if (!comparison.passed()) {
    return function.emitError()
           << name << " is wrong at " << comparison.describeWorst() << " ("
           << llvm::formatv("{0:F2}", comparison.worstShare).str()
           << " times the bound, " << comparison.checked
           << " elements checked)";
  }
  os << "verified " << name << ": " << comparison.checked << " of "
     << computed.getNumElements() << " elements, worst error "
     << llvm::format("%.3f", comparison.worstShare) << " of its bound";
  if (comparison.unbounded)
    os << ", " << comparison.unbounded << " without a bound";
  os << "\n";
  return success();
}

static LogicalResult verify(func::FuncOp function,
                            const FunctionReference &reference,
                            const Arguments &arguments, raw_ostream &os) {
  bool ok = true;
  for (auto [i, output] : llvm::enumerate(reference.results))
    ok &= succeeded(report(function, "result " + Twine(i), output,
                           arguments.getResult(i), os));
  for (auto &[number, output] : reference.writtenArguments)
    ok &= succeeded(report(function,
                           getArgumentName(function.getArgument(number)),
                           output, arguments.getArgument(number), os));
  return success(ok);
}

void mlir::cutl::printTimes(std::vector<double> times, double flops,
                            raw_ostream &os) {
  llvm::sort(times);
  double median = times[times.size() / 2];
  os << "time: " << llvm::format("%.3f", median * 1e3) << " ms (median of "
     << times.size() << " runs, fastest "
     << llvm::format("%.3f", times.front() * 1e3) << " ms)";
  if (flops > 0.0)
    os << ", " << llvm::format("%.1f", flops / median * 1e-9) << " GFLOP/s";
  os << "\n";
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// `linear(4x8xf32, f32)`, with the sizes that the function is run on.
static void printCall(func::FuncOp function, const Arguments &arguments,
                      raw_ostream &os) {
  os << "function " << function.getName() << "(";
  llvm::interleaveComma(arguments.getInputs(), os, [&](const NumericArray &a) {
    for (int64_t size : a.sizes)
      os << size << "x";
    os << a.elementType;
  });
  os << ")\n";
}

LogicalResult mlir::cutl::runFunction(ModuleOp module,
                                      const RunOptions &options,
                                      raw_ostream &os) {
  if (options.samples < 1)
    return module.emitError("expected a sample of at least 1 element, got ")
           << options.samples;
  FailureOr<func::FuncOp> function = findFunction(module, options.function);
  if (failed(function))
    return failure();
  FailureOr<FunctionSizes> sizes = resolveSizes(*function, options.shape);
  if (failed(sizes))
    return failure();
  FailureOr<Arguments> arguments =
      Arguments::create(*function, *sizes, options.seed);
  if (failed(arguments))
    return failure();
  printCall(*function, *arguments, os);

  Clock::time_point start = Clock::now();
  FailureOr<std::unique_ptr<Executor>> executor =
      compile(module, function->getName(), options, os);
  if (failed(executor))
    return failure();
  os << "compiled for " << (*executor)->describe() << " in "
     << llvm::format("%.0f", getSeconds(start) * 1e3) << " ms\n";
  FailureOr<std::vector<HostArgument>> list =
      arguments->getHostArguments((*executor)->getNumArguments());
  if (failed(list))
    return failure();

  // Before the run, which may write to what the reference reads.
  FunctionReference reference;
  if (options.verify) {
    ReferenceOptions referenceOptions;
    referenceOptions.seed = options.seed;
    referenceOptions.samples = options.samples;
    FailureOr<FunctionReference> evaluated =
        evaluateFunction(*function, arguments->getInputs(), referenceOptions);
    if (failed(evaluated))
      return failure();
    reference = std::move(*evaluated);
  }
  if (llvm::Error error = (*executor)->run(*list))
    return function->emitError(llvm::toString(std::move(error)));
  if (options.verify && failed(verify(*function, reference, *arguments, os)))
    return failure();
  if (!options.time)
    return success();
  llvm::Expected<std::vector<double>> times = (*executor)->time(*list);
  if (!times)
    return function->emitError(llvm::toString(times.takeError()));
  printTimes(std::move(*times), sizes->flops, os);
  return success();
}
