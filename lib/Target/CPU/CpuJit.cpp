//===- CpuJit.cpp - From LLVM IR to machine code in memory ----------------===//
//
// The half of the CPU engine that knows LLVM and not MLIR.
//
//===----------------------------------------------------------------------===//

#include "CpuJit.h"

#include "cutl/Target/CPU/CpuSymbols.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace mlir::cutl;
using llvm::orc::JITTargetMachineBuilder;
using llvm::orc::LLJIT;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

/// Whether `name` is a processor of the target; asking for another one only
/// prints a warning in LLVM.
static bool isCpuName(const llvm::Target &target, const llvm::Triple &triple,
                      StringRef name) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, "", ""));
  return info && info->isCPUStringValid(name);
}

static llvm::Expected<JITTargetMachineBuilder> describeTarget(StringRef cpu) {
  initializeNativeTarget();
  auto host = JITTargetMachineBuilder::detectHost();
  if (!host || cpu == "host")
    return host;
  const llvm::Triple &triple = host->getTargetTriple();
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError(message);
  if (!isCpuName(*target, triple, cpu))
    return makeError("expected 'host' or a processor name of " +
                     triple.getArchName() + ", got '" + cpu + "'");
  JITTargetMachineBuilder builder(triple);
  builder.setCPU(cpu.str());
  return builder;
}

llvm::Expected<unsigned> CpuEngine::getVectorBits(StringRef cpu) {
  auto builder = describeTarget(cpu);
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  const llvm::MCSubtargetInfo &info = *(*machine)->getMCSubtargetInfo();
  // Without fused multiply-add the extra width alone is of little use, and
  // integers need AVX2.
  return info.checkFeatures("+avx2,+fma") ? 256 : 128;
}

std::string cutl::getPackedName(StringRef name) {
  return ("cutl_packed_" + name).str();
}

llvm::Error cutl::addPackedWrapper(llvm::Module &module, StringRef name,
                                   ArrayRef<bool> isArray) {
  llvm::Function *callee =
      module.getFunction(("_mlir_ciface_" + name).str());
  if (!callee || callee->arg_size() != isArray.size())
    return makeError("expected a C interface for entry point '" + name + "'");
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *wrapper = llvm::Function::Create(
      type, llvm::Function::ExternalLinkage, getPackedName(name), module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", wrapper));
  SmallVector<llvm::Value *> arguments;
  for (auto [i, array] : llvm::enumerate(isArray)) {
    llvm::Value *slot =
        b.CreateConstInBoundsGEP1_64(b.getPtrTy(), wrapper->getArg(0), i);
    llvm::Value *address = b.CreateLoad(b.getPtrTy(), slot);
    arguments.push_back(
        array ? address
              : b.CreateLoad(callee->getArg(i)->getType(), address));
  }
  b.CreateCall(callee, arguments);
  b.CreateRetVoid();
  return llvm::Error::success();
}

/// Runs LLVM's default pipeline of the level over the module.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = level > 1;
  tuning.SLPVectorization = level > 1;
  llvm::PassBuilder passes(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraph, modules);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::ModulePassManager manager =
      level == 0 ? passes.buildO0DefaultPipeline(levels[0])
                 : passes.buildPerModuleDefaultPipeline(levels[level]);
  manager.run(module, modules);
}

llvm::Expected<std::unique_ptr<LLJIT>>
cutl::compileModule(std::unique_ptr<llvm::Module> module,
                    std::unique_ptr<llvm::LLVMContext> context,
                    const CpuEngineOptions &options) {
  if (options.optLevel > 3)
    return makeError("expected an optimisation level from 0 to 3, got " +
                     Twine(options.optLevel));
  auto builder = describeTarget(options.cpu);
  if (!builder)
    return builder.takeError();
  constexpr llvm::CodeGenOptLevel levels[] = {
      llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
      llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  builder->setCodeGenOptLevel(levels[options.optLevel]);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  optimize(*module, **machine, options.optLevel);

  // Symbols of the process stay out of reach, so that a module behaves the same
  // in every program that loads it.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(*builder)
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return jit.takeError();
  // Failures come back as errors of the lookup; they are not printed too.
  (*jit)->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  llvm::orc::SymbolMap symbols;
  forEachCpuSymbol([&](StringRef name, void *address) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  });
  if (llvm::Error error = (*jit)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (llvm::Error error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(module), std::move(context))))
    return std::move(error);
  return std::move(*jit);
}
