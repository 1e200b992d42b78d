//===- Executor.cpp - Functions compiled for a device ---------------------===//

#include "Executor.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Pipelines/EntryCalls.h"
#include "cutl/Pipelines/Stages.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include <chrono>

using namespace mlir;
using namespace mlir::cutl;

using Clock = std::chrono::steady_clock;

static double getSeconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

Executor::~Executor() = default;

//===----------------------------------------------------------------------===//
// CPU
//===----------------------------------------------------------------------===//

namespace {

class CpuExecutor final : public Executor {
public:
  CpuExecutor(std::unique_ptr<CpuEngine> engine, StringRef function,
              StringRef cpu, size_t numArguments)
      : engine(std::move(engine)), function(function), cpu(cpu),
        numArguments(numArguments) {}

  size_t getNumArguments() const override { return numArguments; }
  std::string describe() const override { return cpu; }
  llvm::Error run(ArrayRef<HostArgument> arguments) override {
    return engine->invoke(function, arguments);
  }
  /// For half a second, at least five times and at most a thousand.
  llvm::Expected<std::vector<double>>
  time(ArrayRef<HostArgument> arguments) override {
    std::vector<double> times;
    Clock::time_point start = Clock::now();
    while (times.size() < 5 ||
           (getSeconds(start) < 0.5 && times.size() < 1000)) {
      Clock::time_point before = Clock::now();
      if (llvm::Error error = engine->invoke(function, arguments))
        return std::move(error);
      times.push_back(getSeconds(before));
    }
    return times;
  }

private:
  std::unique_ptr<CpuEngine> engine;
  std::string function, cpu;
  size_t numArguments;
};

} // namespace

FailureOr<std::unique_ptr<Executor>>
mlir::cutl::compileForCpu(ModuleOp module, StringRef function,
                          const RunOptions &options) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  llvm::Expected<unsigned> vectorBits = CpuEngine::getVectorBits(options.cpu);
  if (!vectorBits)
    return module.emitError(llvm::toString(vectorBits.takeError()));
  PipelineOptions pipelineOptions;
  pipelineOptions.vectorBits = *vectorBits;
  if (failed(pipelineOptions.parseFromString(options.pipelineOptions)))
    return failure();
  PassManager pm(module.getContext());
  buildToCPUPipeline(pm, pipelineOptions);
  if (failed(pm.run(*lowered)))
    return failure();

  Operation *entry = SymbolTable::lookupSymbolIn(*lowered, function);
  auto signature =
      entry
          ? entry->getAttrOfType<ArrayAttr>(CutlDialect::kHostSignatureAttrName)
          : ArrayAttr();
  if (!signature)
    return module.emitError("expected function '")
           << function << "' to be an entry point after lowering";
  CpuEngineOptions engineOptions;
  engineOptions.cpu = options.cpu;
  auto engine = CpuEngine::create(*lowered, engineOptions);
  if (!engine)
    return module.emitError(llvm::toString(engine.takeError()));
  return std::unique_ptr<Executor>(new CpuExecutor(
      std::move(*engine), function, options.cpu, signature.size()));
}

//===----------------------------------------------------------------------===//
// GPU
//===----------------------------------------------------------------------===//

namespace {

class GpuExecutor final : public Executor {
public:
  GpuExecutor(std::unique_ptr<GpuSession> session, const CutlEntry &entry,
              EntryCall call)
      : session(std::move(session)), entry(entry), call(std::move(call)) {}

  size_t getNumArguments() const override { return call.numArguments; }
  std::string describe() const override { return session->describe(); }
  llvm::Error run(ArrayRef<HostArgument> arguments) override {
    SmallVector<HostArgument> ordered;
    for (unsigned number : call.arguments)
      ordered.push_back(arguments[number]);
    auto created = GpuCall::create(*session, entry, ordered);
    if (!created)
      return created.takeError();
    onDevice = std::move(*created);
    return onDevice->run();
  }
  llvm::Expected<std::vector<double>> time(ArrayRef<HostArgument>) override {
    if (auto warm = onDevice->time(5); !warm)
      return warm.takeError();
    return onDevice->time(100);
  }

private:
  std::unique_ptr<GpuSession> session;
  const CutlEntry &entry;
  EntryCall call;
  std::unique_ptr<GpuCall> onDevice;
};

} // namespace

FailureOr<std::unique_ptr<Executor>>
mlir::cutl::compileForGpu(ModuleOp module, StringRef function,
                          const RunOptions &options,
                          std::unique_ptr<GpuSession> session) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  StageOptions stageOptions;
  if (failed(stageOptions.parseFromString(options.pipelineOptions)))
    return failure();
  stageOptions.device = "cuda";
  if (stageOptions.chip.empty())
    stageOptions.chip = session->getChip().str();
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(emitStage(*lowered, "bundle", stageOptions, os)))
    return failure();
  FailureOr<EntryCall> call = getEntryCall(*lowered, function);
  if (failed(call))
    return failure();
  if (llvm::Error error = session->load(bytes))
    return module.emitError(llvm::toString(std::move(error)));
  llvm::Expected<const CutlEntry *> entry = session->find(call->entry);
  if (!entry)
    return module.emitError(llvm::toString(entry.takeError()));
  return std::unique_ptr<Executor>(
      new GpuExecutor(std::move(session), **entry, std::move(*call)));
}

FailureOr<std::unique_ptr<Executor>>
mlir::cutl::compile(ModuleOp module, StringRef function,
                    const RunOptions &options, raw_ostream &os) {
  if (options.device == "cpu")
    return compileForCpu(module, function, options);
  bool isAuto = options.device == "auto";
  if (!isAuto && options.device != "cuda")
    return module.emitError("expected device to be auto, cpu or cuda, got '")
           << options.device << "'";
  llvm::Expected<std::unique_ptr<GpuSession>> session =
      GpuSession::open(options.driver);
  if (!session) {
    std::string reason = llvm::toString(session.takeError());
    if (!isAuto)
      return emitError(module.getLoc(), reason);
    return compileForCpu(module, function, options);
  }
  if (!isAuto)
    return compileForGpu(module, function, options, std::move(*session));

  // What keeps it off the GPU is no error then.
  std::string gpu = (*session)->describe(), reason;
  FailureOr<std::unique_ptr<Executor>> executor = failure();
  {
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              reason.empty())
            reason = diagnostic.str();
          return success();
        });
    executor = compileForGpu(module, function, options, std::move(*session));
  }
  if (succeeded(executor))
    return executor;
  os << "on the CPU since " << gpu << " cannot run it: " << reason << "\n";
  return compileForCpu(module, function, options);
}
