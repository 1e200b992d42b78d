//===- AssembleCubin.cpp - PTX to a cubin by ptxas ------------------------===//

#include "cutl/Target/GPU/Serialize.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static constexpr const char kPtxasVariable[] = "CUTL_PTXAS";

/// A path that was given, if there is a program.
static FailureOr<std::string> checkGiven(gpu::GPUModuleOp module,
                                         StringRef path, const Twine &where) {
  if (llvm::sys::fs::can_execute(path) && !llvm::sys::fs::is_directory(path))
    return path.str();
  return module.emitError("expected ptxas at '")
         << path << "', as " << where << " says, got no program there";
}

static FailureOr<std::string> findPtxas(gpu::GPUModuleOp module,
                                        StringRef option) {
  if (!option.empty())
    return checkGiven(module, option, "the option ptxas");
  std::optional<std::string> variable =
      llvm::sys::Process::GetEnv(kPtxasVariable);
  if (variable && !variable->empty())
    return checkGiven(module, *variable, kPtxasVariable);
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  return module.emitError("expected ptxas for format=cubin, got none: looked "
                          "at the option ptxas, the environment variable ")
         << kPtxasVariable << " and PATH";
}

FailureOr<std::string> mlir::cutl::assembleCubin(gpu::GPUModuleOp module,
                                           StringRef ptx, StringRef chip,
                                           StringRef ptxas) {
  FailureOr<std::string> program = findPtxas(module, ptxas);
  if (failed(program))
    return failure();

  SmallVector<std::string, 3> files;
  llvm::scope_exit removeFiles([&] {
    for (const std::string &file : files)
      llvm::sys::fs::remove(file);
  });
  for (const char *suffix : {"ptx", "cubin", "log"}) {
    SmallString<128> path;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("cutl", suffix, path))
      return module.emitError("cannot create a temporary file: ")
             << error.message();
    files.push_back(path.str().str());
  }
  StringRef ptxFile = files[0], cubinFile = files[1], logFile = files[2];
  std::error_code error;
  llvm::raw_fd_ostream stream(ptxFile, error);
  if (!error) {
    stream << ptx;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return module.emitError("cannot write '")
           << ptxFile << "': " << error.message();

  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {*program, arch, "-O3", ptxFile, "-o", cubinFile};
  std::optional<StringRef> redirects[] = {"", logFile, logFile};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  if (auto log = llvm::MemoryBuffer::getFile(logFile))
    message += (*log)->getBuffer().rtrim();
  if (status != 0)
    return module.emitError("ptxas failed with status ")
           << status << (message.empty() ? "" : ": ") << message;
  if (!message.empty())
    return module.emitError("ptxas reports: ") << message;
  auto cubin = llvm::MemoryBuffer::getFile(cubinFile, /*IsText=*/false);
  if (!cubin)
    return module.emitError("cannot read '")
           << cubinFile << "': " << cubin.getError().message();
  return (*cubin)->getBuffer().str();
}
