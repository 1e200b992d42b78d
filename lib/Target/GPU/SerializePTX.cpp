//===- SerializePTX.cpp - PTX of a lowered kernel module ------------------===//

#include "cutl/Target/GPU/Serialize.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

static constexpr const char kTriple[] = "nvptx64-nvidia-cuda";

void mlir::cutl::registerGpuTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(gpu::GPUModuleOp module, const mlir::cutl::PtxOptions &options) {
  initializeTarget();
  llvm::Triple triple(kTriple);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    module.emitError("expected LLVM with the NVPTX target: ") << message;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.chip, options.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt,
      static_cast<llvm::CodeGenOptLevel>(options.optLevel)));
}

/// Diagnostics of LLVM become diagnostics at the module; one is a failure.
struct CollectDiagnostics : llvm::DiagnosticHandler {
  explicit CollectDiagnostics(std::string &messages) : messages(messages) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Remark ||
        info.getSeverity() == llvm::DS_Note)
      return true;
    llvm::raw_string_ostream stream(messages);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << "\n";
    return true;
  }
  std::string &messages;
};

FailureOr<std::string>
mlir::cutl::translateToLLVMIRText(gpu::GPUModuleOp module) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << *llvmModule;
  return text;
}

/// A function that is called and not defined would be looked up by the driver,
/// which has none.
static LogicalResult checkSelfContained(gpu::GPUModuleOp module,
                                        const llvm::Module &llvmModule) {
  for (const llvm::Function &function : llvmModule)
    if (function.isDeclaration() && !function.isIntrinsic())
      return module.emitError("expected kernels that call nothing outside "
                              "their module, got a call of '")
             << function.getName().str() << "'";
  return success();
}

FailureOr<std::string> mlir::cutl::translateToPtx(gpu::GPUModuleOp module,
                                            const PtxOptions &options) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(module, options);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::string messages;
  context.setDiagnosticHandler(std::make_unique<CollectDiagnostics>(messages));
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return failure();
  llvmModule->setTargetTriple(llvm::Triple(kTriple));
  llvmModule->setDataLayout(machine->createDataLayout());
  if (failed(checkSelfContained(module, *llvmModule)))
    return failure();

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("expected a target that writes PTX"), failure();
  codegen.run(*llvmModule);
  if (!messages.empty())
    return module.emitError("code generation reports: ")
               << StringRef(messages).rtrim(),
           failure();
  return std::string(text);
}
