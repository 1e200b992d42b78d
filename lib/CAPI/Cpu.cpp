//===- Cpu.cpp - Running on the CPU through the C interface --------------===//

#include "Handles.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::cutl::capi;
using mlir::cutl::CpuEngine;
using mlir::cutl::CpuEngineOptions;
using mlir::cutl::HostArgument;
using mlir::cutl::HostArray;
using mlir::cutl::HostScalar;

struct CutlExecutable {
  std::unique_ptr<CpuEngine> engine;
};

namespace {

/// The options of `cutl-to-cpu`, and which processor they are for.
struct CompileOptions : mlir::cutl::PipelineOptions {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("Processor to compile for: host, or one that LLVM names, "
                     "such as x86-64-v2"),
      llvm::cl::init("host")};
};

} // namespace

/// Widest types that a number by value can have.
static constexpr unsigned kMaxScalarBits = 64;

CutlStatus cutlCpuCompile(CutlModule *module, const char *text,
                          CutlExecutable **executable) {
  if (!module || !executable)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    CutlContext &context = *module->context;
    DiagnosticScope scope(context);
    CompileOptions options;
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (failed(options.parseFromString(text ? text : "", stream)))
      return report(context, CUTL_ERROR_PARSE, StringRef(message).trim());

    CpuEngineOptions engineOptions;
    engineOptions.cpu = options.cpu;
    if (!options.vectorBits.hasValue()) {
      llvm::Expected<unsigned> bits = CpuEngine::getVectorBits(options.cpu);
      if (!bits)
        return report(context, CUTL_ERROR_COMPILE,
                      llvm::toString(bits.takeError()));
      options.vectorBits = *bits;
    }

    OwningOpRef<ModuleOp> lowered(cast<ModuleOp>(module->op.get()->clone()));
    PassManager manager(&context.mlir, ModuleOp::getOperationName());
    mlir::cutl::buildToCPUPipeline(manager, options);
    if (failed(manager.run(*lowered)))
      return CUTL_ERROR_COMPILE;
    llvm::Expected<std::unique_ptr<CpuEngine>> engine =
        CpuEngine::create(*lowered, engineOptions);
    if (!engine)
      return report(context, CUTL_ERROR_COMPILE,
                    llvm::toString(engine.takeError()));
    *executable = new CutlExecutable{std::move(*engine)};
    return CUTL_OK;
  });
}

void cutlExecutableDestroy(CutlExecutable *executable) { delete executable; }

/// Copies what fits, with the null that ends it.
static CutlStatus fail(CutlStatus status, const Twine &message, char *error,
                       size_t errorSize) {
  if (error && errorSize > 0) {
    std::string text = message.str();
    size_t length = std::min(text.size(), errorSize - 1);
    std::memcpy(error, text.data(), length);
    error[length] = '\0';
  }
  return status;
}

/// The argument as the engine wants it; otherwise what is wrong with it.
static std::optional<HostArgument> convert(const CutlArray &array,
                                           std::string &fault) {
  const ::cutl::targetinfo::DataType *record = getRecord(array.type);
  if (!record || !record->isStorage) {
    fault = ("expected the CutlDataType of numbers that can be stored, got " +
             Twine(int(array.type)))
                .str();
    return std::nullopt;
  }
  unsigned bits = record->storageBits;
  if (array.rank == -1) {
    if (!array.data || bits % 8 != 0 || bits > kMaxScalarBits) {
      fault = array.data ? "expected a number of whole bytes"
                         : "expected the address of a number, got null";
      return std::nullopt;
    }
    HostScalar scalar;
    scalar.width = bits;
    scalar.type = record->mlirName;
    std::memcpy(&scalar.bits, array.data, bits / 8);
    return scalar;
  }
  if (array.rank < 0 || (array.rank > 0 && (!array.sizes || !array.strides))) {
    fault = array.rank < 0
                ? ("expected a rank of -1 or more, got " + Twine(array.rank))
                      .str()
                : "expected sizes and strides, got null";
    return std::nullopt;
  }
  HostArray host;
  host.data = array.data;
  host.elementBits = bits;
  host.elementType = record->mlirName;
  host.rank = array.rank;
  host.sizes = array.sizes;
  host.strides = array.strides;
  return host;
}

int32_t cutlExecutableWrites(const CutlExecutable *executable,
                             const char *function, size_t argument) {
  return executable && function &&
         executable->engine->isWritten(function, argument);
}

CutlStatus cutlCpuInvoke(const CutlExecutable *executable, const char *function,
                         const CutlArray *arguments, size_t numArguments,
                         char *error, size_t errorSize) {
  if (!executable || !function || (!arguments && numArguments > 0))
    return fail(CUTL_ERROR_INVALID_ARGUMENT,
                "expected an executable, a function and arguments, got null",
                error, errorSize);
  return guarded([&] {
    SmallVector<HostArgument> converted;
    for (size_t i = 0; i < numArguments; ++i) {
      std::string fault;
      std::optional<HostArgument> argument = convert(arguments[i], fault);
      if (!argument)
        return fail(CUTL_ERROR_INVALID_ARGUMENT,
                    "argument " + Twine(i) + ": " + fault, error, errorSize);
      converted.push_back(*argument);
    }
    if (llvm::Error failure = executable->engine->invoke(function, converted))
      return fail(CUTL_ERROR_INVOKE, llvm::toString(std::move(failure)), error,
                  errorSize);
    return CUTL_OK;
  });
}
