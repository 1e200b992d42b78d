//===- CpuJit.cpp - From LLVM IR to machine code in memory ----------------===//
//
// The half of the CPU engine that knows LLVM and not MLIR.
//
//===----------------------------------------------------------------------===//

#include "CpuJit.h"
#include "RunPasses.h"

#include "cutl/Target/CPU/CpuSymbols.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
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

/// The instructions that convert to bf16 take subnormal numbers for zero.
static void leaveOutBFloat16(JITTargetMachineBuilder &builder) {
  if (builder.getTargetTriple().isX86())
    builder.addFeatures({"-avx512bf16", "-avxneconvert"});
}

static llvm::Expected<JITTargetMachineBuilder> describeTarget(StringRef cpu) {
  initializeNativeTarget();
  auto host = JITTargetMachineBuilder::detectHost();
  if (!host)
    return host;
  if (cpu == "host") {
    leaveOutBFloat16(*host);
    return host;
  }
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
  leaveOutBFloat16(builder);
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
  llvm::Function *callee = module.getFunction(("_mlir_ciface_" + name).str());
  if (!callee || callee->arg_size() != isArray.size())
    return makeError("expected a C interface for entry point '" + name + "'");
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *wrapper = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                         getPackedName(name), module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", wrapper));
  SmallVector<llvm::Value *> arguments;
  for (auto [i, array] : llvm::enumerate(isArray)) {
    llvm::Value *slot =
        b.CreateConstInBoundsGEP1_64(b.getPtrTy(), wrapper->getArg(0), i);
    llvm::Value *address = b.CreateLoad(b.getPtrTy(), slot);
    arguments.push_back(
        array ? address : b.CreateLoad(callee->getArg(i)->getType(), address));
  }
  b.CreateCall(callee, arguments);
  b.CreateRetVoid();
  return llvm::Error::success();
}

/// Scalar clean-up of what the lowering leaves: descriptors, address arithmetic
/// that does not change in a loop, empty blocks. The contraction kernel needs
/// no more, having been vectorised and unrolled before; LLVM's own pipelines
/// take several times as long for the same machine code.
static constexpr const char kCleanup[] =
    "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg";
/// For elementwise loops.
static constexpr const char kVectorize[] =
    "loop(loop-idiom),loop-vectorize<no-interleave-forced-only>,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg";

/// Optimises the module: nothing at level 0, clean-up at 1, vectorisation of
/// plain loops too at 2, and LLVM's whole pipeline at 3.
static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                            unsigned level) {
  if (level == 0 || level == 3) {
    runLLVMDefaultPasses(module, machine, level);
    return llvm::Error::success();
  }
  std::string pipeline = std::string("function(") + kCleanup;
  if (level == 2)
    pipeline += std::string(",") + kVectorize;
  return runLLVMPasses(
      module, machine,
      [&](llvm::PassBuilder &passes, llvm::ModulePassManager &manager) {
        return passes.parsePassPipeline(manager, pipeline + ")");
      });
}

llvm::Expected<CompiledModule>
cutl::compileModule(llvm::orc::ThreadSafeModule owner,
                    ArrayRef<std::string> names,
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
  llvm::Module &module = *owner.getModuleUnlocked();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (llvm::Error error = optimize(module, **machine, options.optLevel))
    return std::move(error);

  // Symbols of the process stay out of reach, so that a module behaves the same
  // in every program that loads it.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(*builder)
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return jit.takeError();
  // A failed lookup says which wrapper it was for; what it lacked goes to the
  // reporter, and from there into the error.
  auto reported = std::make_shared<std::string>();
  (*jit)->getExecutionSession().setErrorReporter([=](llvm::Error error) {
    *reported += (reported->empty() ? "" : "; ") + toString(std::move(error));
  });
  llvm::orc::SymbolMap symbols;
  forEachCpuSymbol([&](StringRef name, void *address) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  });
  if (llvm::Error error = (*jit)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (llvm::Error error = (*jit)->addIRModule(std::move(owner)))
    return std::move(error);

  CompiledModule result;
  for (const std::string &name : names) {
    auto address = (*jit)->lookup(getPackedName(name));
    if (!address)
      return makeError("compiling entry point '" + name + "' failed: " +
                       (reported->empty() ? "" : *reported + "; ") +
                       toString(address.takeError()));
    result.wrappers.push_back(address->toPtr<void (*)(void **)>());
  }
  result.jit = std::move(*jit);
  return std::move(result);
}
