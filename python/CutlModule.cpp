//===- CutlModule.cpp - The extension module cutl._cutl ------------------===//
//
// A thin layer over the C interface: handles become objects, statuses become
// exceptions. What users see is written in Python.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "GemmStorage.h"
#include "cutl-c/Compiler.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

/// A status other than CUTL_OK with its text, on the way to Python.
struct Failure {
  CutlStatus status;
  std::string text;
};

using ContextHandle = std::shared_ptr<CutlContext>;
using Entry = std::tuple<int, std::string, std::string>;

/// Severity, message and location of every diagnostic of the last call.
std::vector<Entry> getDiagnostics(const CutlContext *context) {
  std::vector<Entry> entries;
  CutlDiagnostic diagnostic;
  for (size_t i = 0;
       cutlContextGetDiagnostic(context, i, &diagnostic) == CUTL_OK; ++i)
    entries.emplace_back(diagnostic.severity, diagnostic.message,
                         diagnostic.location);
  return entries;
}

void check(CutlStatus status, const CutlContext *context) {
  if (status == CUTL_OK)
    return;
  std::string text;
  for (const auto &[severity, message, location] : getDiagnostics(context)) {
    if (severity != CUTL_SEVERITY_ERROR && severity != CUTL_SEVERITY_NOTE)
      continue;
    text += (text.empty() ? "" : "\n") + message;
  }
  throw Failure{status, text.empty() ? cutlStatusText(status) : text};
}

void appendText(const char *text, size_t length, void *userData) {
  static_cast<std::string *>(userData)->append(text, length);
}

struct Executable {
  std::shared_ptr<CutlExecutable> handle;
};

struct Module {
  Module(ContextHandle context, CutlModule *module)
      : context(std::move(context)), handle(module, cutlModuleDestroy) {}

  // The module goes before the context that it lives in.
  ContextHandle context;
  std::unique_ptr<CutlModule, void (*)(CutlModule *)> handle;
};

struct Context {
  Context() {
    CutlContext *created = nullptr;
    check(cutlContextCreate(&created), nullptr);
    handle = ContextHandle(created, cutlContextDestroy);
  }

  ContextHandle handle;
};

Module parse(const Context &context, const nb::bytes &text,
             const std::string &name) {
  CutlModule *module = nullptr;
  check(cutlModuleParse(context.handle.get(), text.c_str(), text.size(),
                        name.c_str(), &module),
        context.handle.get());
  return Module(context.handle, module);
}

std::string print(const Module &module) {
  std::string text;
  check(cutlModulePrint(module.handle.get(), appendText, &text),
        module.context.get());
  return text;
}

nb::bytes getBytecode(const Module &module) {
  std::string bytes;
  check(cutlModuleWriteBytecode(module.handle.get(), appendText, &bytes),
        module.context.get());
  return nb::bytes(bytes.data(), bytes.size());
}

Module cloneModule(const Module &module) {
  CutlModule *copy = nullptr;
  check(cutlModuleClone(module.handle.get(), &copy), module.context.get());
  return Module(module.context, copy);
}

void runPipeline(Module &module, const std::string &pipeline) {
  CutlStatus status;
  {
    nb::gil_scoped_release unlocked;
    status = cutlModuleRunPipeline(module.handle.get(), pipeline.c_str());
  }
  check(status, module.context.get());
}

/// The module in some form: text, or the bytes of a file.
nb::bytes emit(Module &module, const std::string &stage,
               const std::string &options) {
  std::string result;
  CutlStatus status;
  {
    nb::gil_scoped_release unlocked;
    status = cutlModuleEmit(module.handle.get(), stage.c_str(),
                            options.c_str(), appendText, &result);
  }
  check(status, module.context.get());
  return nb::bytes(result.data(), result.size());
}

std::pair<std::string, std::string> getConfig(Module &module) {
  std::pair<std::string, std::string> texts;
  check(cutlModuleGetConfig(module.handle.get(), appendText, &texts.first,
                            appendText, &texts.second),
        module.context.get());
  return texts;
}

/// Configurations with their predicted microseconds, best first.
std::vector<std::pair<std::string, double>>
listConfigs(Module &module, const std::string &options) {
  std::vector<std::pair<std::string, double>> configs;
  auto receive = [](const char *config, double predictedUs, void *userData) {
    static_cast<std::vector<std::pair<std::string, double>> *>(userData)
        ->emplace_back(config, predictedUs);
  };
  check(cutlModuleListConfigs(module.handle.get(), options.c_str(), receive,
                              &configs),
        module.context.get());
  return configs;
}

/// Name of an entry, which of the function's arguments it takes, and how many
/// the function has.
using EntryCall = std::tuple<std::string, std::vector<uint32_t>, size_t>;

EntryCall findCall(Module &module, const std::string &function,
                   const std::string &options) {
  EntryCall call;
  auto receive = [](const char *entry, const uint32_t *arguments,
                    size_t numArguments, size_t numFunctionArguments,
                    void *userData) {
    *static_cast<EntryCall *>(userData) = {
        entry, {arguments, arguments + numArguments}, numFunctionArguments};
  };
  CutlStatus status;
  {
    nb::gil_scoped_release unlocked;
    status = cutlModuleGetCall(module.handle.get(), function.c_str(),
                               options.c_str(), receive, &call);
  }
  check(status, module.context.get());
  return call;
}

Executable compileCpu(Module &module, const std::string &options) {
  CutlExecutable *executable = nullptr;
  CutlStatus status;
  {
    nb::gil_scoped_release unlocked;
    status =
        cutlCpuCompile(module.handle.get(), options.c_str(), &executable);
  }
  check(status, module.context.get());
  return {std::shared_ptr<CutlExecutable>(executable, cutlExecutableDestroy)};
}

Module buildGemm(const Context &context, const std::string &name,
                 bool memrefForm, std::tuple<int64_t, int64_t, int64_t> extents,
                 const std::vector<int64_t> &batch, nb::handle a, nb::handle b,
                 nb::list moreB, int split, nb::handle c, nb::handle bias,
                 nb::handle d, nb::handle epilogue, int accumulator,
                 int math, bool hasAlpha, bool hasBeta, int activation,
                 double activationArgument, const std::string &config,
                 const std::string &schedule, bool deterministic,
                 bool batchInvariant, int64_t smBudget, bool saturate,
                 int64_t promote, bool unalignedA, bool unalignedB) {
  if (batch.size() > CUTL_MAX_BATCH)
    throw Failure{CUTL_ERROR_INVALID_ARGUMENT,
                  "expected at most " + std::to_string(CUTL_MAX_BATCH) +
                      " batch dimensions, got " + std::to_string(batch.size())};
  OperandStorage operands[] = {OperandStorage(a), OperandStorage(b),
                               OperandStorage(c), OperandStorage(bias),
                               OperandStorage(d)};
  OperandListStorage others(moreB);
  EpilogueStorage graph(epilogue);
  CutlGemmProblem problem = {};
  problem.structSize = sizeof problem;
  problem.name = name.c_str();
  problem.memrefForm = memrefForm;
  std::tie(problem.m, problem.n, problem.k) = extents;
  problem.numBatch = int32_t(batch.size());
  std::copy(batch.begin(), batch.end(), problem.batch);
  problem.a = operands[0].get();
  problem.b = operands[1].get();
  problem.c = operands[2].get();
  problem.bias = operands[3].get();
  problem.d = operands[4].get();
  problem.accumulator = CutlDataType(accumulator);
  problem.math = CutlMathMode(math);
  problem.hasAlpha = hasAlpha;
  problem.hasBeta = hasBeta;
  problem.activation = CutlActivation(activation);
  problem.activationArgument = activationArgument;
  problem.config = config.empty() ? nullptr : config.c_str();
  problem.schedule = schedule.empty() ? nullptr : schedule.c_str();
  problem.moreB = others.data();
  problem.numMoreB = others.size();
  problem.split = CutlSplit(split);
  problem.epilogue = graph.get();
  problem.anyOrder = !deterministic;
  problem.batchInvariant = batchInvariant;
  problem.smBudget = smBudget;
  problem.saturate = saturate;
  problem.promote = promote;
  problem.unalignedA = unalignedA;
  problem.unalignedB = unalignedB;

  CutlModule *module = nullptr;
  check(cutlGemmModuleCreate(context.handle.get(), &problem, &module),
        context.handle.get());
  return Module(context.handle, module);
}

/// A number as its type has it in memory.
union Number {
  int64_t integer;
  double f64;
  float f32;
};

Number encode(nb::handle value, CutlDataType type) {
  Number number = {};
  if (type == CUTL_TYPE_F32)
    number.f32 = float(nb::cast<double>(value));
  else if (type == CUTL_TYPE_F64)
    number.f64 = nb::cast<double>(value);
  else if (type == CUTL_TYPE_S8 || type == CUTL_TYPE_U8 ||
           type == CUTL_TYPE_S32)
    number.integer = nb::cast<int64_t>(value);
  else
    throw Failure{CUTL_ERROR_INVALID_ARGUMENT,
                  "expected a number by value to be f32, f64, s8, u8 or s32"};
  return number;
}

/// Arguments are `(address, type, sizes, strides)` for arrays and
/// `(value, type)` for numbers.
void invoke(const Executable &executable, const std::string &function,
            nb::list arguments) {
  using Sizes = std::vector<int64_t>;
  struct Storage {
    Sizes sizes, strides;
    Number number;
  };
  std::vector<Storage> storage(nb::len(arguments));
  std::vector<CutlArray> arrays(storage.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    Storage &slot = storage[i];
    nb::tuple argument = nb::cast<nb::tuple>(arguments[i]);
    auto type = CutlDataType(nb::cast<int>(argument[1]));
    if (nb::len(argument) == 2) {
      slot.number = encode(argument[0], type);
      arrays[i] = {&slot.number, type, -1, nullptr, nullptr};
      continue;
    }
    slot.sizes = nb::cast<Sizes>(argument[2]);
    slot.strides = nb::cast<Sizes>(argument[3]);
    if (slot.sizes.size() != slot.strides.size())
      throw Failure{CUTL_ERROR_INVALID_ARGUMENT,
                    "expected as many strides as sizes"};
    arrays[i] = {reinterpret_cast<void *>(nb::cast<uintptr_t>(argument[0])),
                 type, int32_t(slot.sizes.size()), slot.sizes.data(),
                 slot.strides.data()};
  }
  char message[512] = "";
  CutlStatus status;
  {
    nb::gil_scoped_release unlocked;
    status = cutlCpuInvoke(executable.handle.get(), function.c_str(),
                           arrays.data(), arrays.size(), message,
                           sizeof message);
  }
  if (status != CUTL_OK)
    throw Failure{status, message[0] ? message : cutlStatusText(status)};
}

nb::list getDataTypes() {
  nb::list types;
  CutlDataTypeInfo info;
  for (size_t i = 0; cutlGetDataType(i, &info) == CUTL_OK; ++i)
    types.append(nb::make_tuple(int(info.type), info.name, info.numpyName,
                                info.bits, bool(info.isStorage),
                                bool(info.isInteger),
                                bool(info.isCpuOperand)));
  return types;
}

nb::list getEpilogueOps() {
  nb::list ops;
  CutlEpilogueOpInfo info;
  for (size_t i = 0; cutlGetEpilogueOp(i, &info) == CUTL_OK; ++i)
    ops.append(nb::make_tuple(info.name, info.numOperands, info.numNumbers));
  return ops;
}

nb::list getStages() {
  nb::list stages;
  for (size_t i = 0; const char *name = cutlStageName(i); ++i)
    stages.append(name);
  return stages;
}

nb::list getChips() {
  nb::list chips;
  for (size_t i = 0; i < cutlNumChips(); ++i)
    chips.append(cutlChipName(i));
  return chips;
}

int getDefaultAccumulator(int a, int b) {
  return cutlDefaultAccumulator(CutlDataType(a), CutlDataType(b));
}

void checkDecisions(const Context &context, const std::string &config,
                    const std::string &schedule) {
  check(cutlGemmCheckDecisions(context.handle.get(), config.c_str(),
                               schedule.c_str()),
        context.handle.get());
}

} // namespace

NB_MODULE(_cutl, m) {
  static PyObject *errorType =
      PyErr_NewException("cutl._cutl.Error", PyExc_RuntimeError, nullptr);
  m.attr("Error") = nb::handle(errorType);
  nb::register_exception_translator(
      [](const std::exception_ptr &pointer, void *) {
        try {
          std::rethrow_exception(pointer);
        } catch (const Failure &failure) {
          nb::object arguments =
              nb::make_tuple(int(failure.status), failure.text);
          PyErr_SetObject(errorType, arguments.ptr());
        }
      });

  m.def("api_version", cutlApiVersion);
  m.def("data_types", getDataTypes);
  m.def("default_accumulator", getDefaultAccumulator);
  m.def("chips", getChips);
  m.def("stages", getStages);
  m.def("epilogue_ops", getEpilogueOps);
  bindDevice(m);
  bindLaunchCache(m);

  nb::class_<Executable>(m, "Executable")
      .def("invoke", invoke, nb::arg("function"), nb::arg("arguments"))
      .def("writes",
           [](const Executable &executable, const std::string &function,
              size_t argument) {
             return bool(cutlExecutableWrites(executable.handle.get(),
                                              function.c_str(), argument));
           },
           nb::arg("function"), nb::arg("argument"));
  nb::class_<Module>(m, "Module")
      .def("clone", cloneModule)
      .def("run_pipeline", runPipeline, nb::arg("pipeline"))
      .def("compile_cpu", compileCpu, nb::arg("options"))
      .def("emit", emit, nb::arg("stage"), nb::arg("options"))
      .def("find_call", findCall, nb::arg("function"), nb::arg("options"))
      .def("config", getConfig)
      .def("list_configs", listConfigs, nb::arg("options"))
      .def("bytecode", getBytecode)
      .def("__str__", print);
  nb::class_<Context>(m, "Context")
      .def(nb::init<>())
      .def("parse", parse, nb::arg("text"), nb::arg("name"))
      .def("gemm", buildGemm, nb::kw_only(), nb::arg("name"),
           nb::arg("memref_form"), nb::arg("extents"), nb::arg("batch"),
           nb::arg("a"), nb::arg("b"), nb::arg("more_b"), nb::arg("split"),
           nb::arg("c").none(), nb::arg("bias").none(), nb::arg("d").none(),
           nb::arg("epilogue").none(), nb::arg("accumulator"),
           nb::arg("math"), nb::arg("has_alpha"), nb::arg("has_beta"),
           nb::arg("activation"), nb::arg("activation_argument"),
           nb::arg("config"), nb::arg("schedule"), nb::arg("deterministic"),
           nb::arg("batch_invariant"), nb::arg("sm_budget"),
           nb::arg("saturate"), nb::arg("promote"), nb::arg("unaligned_a"),
           nb::arg("unaligned_b"))
      .def("check_decisions", checkDecisions, nb::arg("config"),
           nb::arg("schedule"))
      .def("diagnostics", [](const Context &context) {
        return getDiagnostics(context.handle.get());
      });
}
