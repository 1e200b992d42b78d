//===- LaunchCache.cpp - Repeated calls on tensors of a GPU ---------------===//
//
// A plan that has run on tensors of some shapes, strides and types has decided
// all that depends on them. A call that meets the same again reads what is on
// the tensors, fills in addresses and numbers, and launches.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <array>
#include <cstring>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <unordered_map>

namespace nb = nanobind;

namespace {

/// The operands of a call, in the order of its arguments.
enum Source { A, B, C, D, Bias, NumSources };

//===----------------------------------------------------------------------===//
// What a call depends on
//===----------------------------------------------------------------------===//

/// Types, shapes and strides of the operands, the device, and which epilogue.
class Key {
public:
  static constexpr size_t kCapacity = 2 + NumSources * (3 + 2 * CUTL_MAX_RANK);

  void append(int64_t word) { words[length++] = word; }
  size_t size() const { return length; }
  bool sameWords(size_t first, size_t second, size_t count) const {
    return std::memcmp(&words[first], &words[second], count * 8) == 0;
  }
  bool operator==(const Key &other) const {
    return length == other.length &&
           std::memcmp(words.data(), other.words.data(), length * 8) == 0;
  }
  size_t hash() const {
    uint64_t value = length;
    for (size_t i = 0; i < length; ++i)
      value =
          (value ^ uint64_t(words[i])) * 0x9e3779b97f4a7c15u >> 7 ^ value << 57;
    return value;
  }

private:
  // Left as it is up to `length`: a key is made for every call.
  std::array<int64_t, kCapacity> words;
  size_t length = 0;
};

struct KeyHash {
  size_t operator()(const Key &key) const { return key.hash(); }
};

/// The names that tensors are asked for, made once.
struct Names {
  PyObject *isCuda = PyUnicode_InternFromString("is_cuda");
  PyObject *getDevice = PyUnicode_InternFromString("get_device");
  PyObject *dtype = PyUnicode_InternFromString("dtype");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *stride = PyUnicode_InternFromString("stride");
  PyObject *dataPtr = PyUnicode_InternFromString("data_ptr");
};

const Names &names() {
  static const Names instance;
  return instance;
}

nb::object callMethod(PyObject *self, PyObject *name) {
  return nb::steal(PyObject_VectorcallMethod(
      name, &self, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
}

/// What one call's tensors say.
struct Call {
  Key key;
  std::array<void *, NumSources> data = {};
  /// Where each operand's words begin in the key.
  std::array<size_t, NumSources + 1> begin = {};
  int64_t device = -1;

  /// False, with nothing or a Python error pending, if something is not as
  /// tensors on a GPU have it.
  bool read(Source source, PyObject *tensor);

private:
  bool readTuple(PyObject *tuple, Py_ssize_t count);
};

bool Call::readTuple(PyObject *tuple, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GetItem(tuple, i);
    long long value = item ? PyLong_AsLongLong(item) : -1;
    if (value < 0)
      return false;
    key.append(value);
  }
  return true;
}

bool Call::read(Source source, PyObject *tensor) {
  begin[source] = key.size();
  nb::object onGpu = nb::steal(PyObject_GetAttr(tensor, names().isCuda));
  if (onGpu.ptr() != Py_True)
    return false;
  nb::object ordinal = callMethod(tensor, names().getDevice);
  long long where = ordinal.is_valid() ? PyLong_AsLongLong(ordinal.ptr()) : -1;
  if (where < 0 || (device >= 0 && where != device))
    return false;
  device = where;
  nb::object type = nb::steal(PyObject_GetAttr(tensor, names().dtype));
  nb::object shape = nb::steal(PyObject_GetAttr(tensor, names().shape));
  nb::object strides = callMethod(tensor, names().stride);
  nb::object address = callMethod(tensor, names().dataPtr);
  if (!type.is_valid() || !shape.is_valid() || !strides.is_valid() ||
      !address.is_valid())
    return false;
  Py_ssize_t rank = PyTuple_Size(shape.ptr());
  if (rank < 0 || rank > CUTL_MAX_RANK || PyTuple_Size(strides.ptr()) != rank)
    return false;
  // Types are objects that live as long as their module.
  key.append(int64_t(uintptr_t(type.ptr())));
  key.append(rank);
  if (!readTuple(shape.ptr(), rank) || !readTuple(strides.ptr(), rank))
    return false;
  data[source] = PyLong_AsVoidPtr(address.ptr());
  return !PyErr_Occurred();
}

//===----------------------------------------------------------------------===//
// What is known about such calls
//===----------------------------------------------------------------------===//

using Sizes = std::vector<int64_t>;
/// Source, type, sizes and strides.
using OperandTuple = std::tuple<int, int, Sizes, Sizes>;
/// 0 for alpha or 1 for beta, and the type.
using ScalarTuple = std::pair<int, int>;
/// First byte and one past the last, counted from the address.
using Span = std::optional<std::pair<int64_t, int64_t>>;

/// A launch whose addresses and numbers are open.
class Prepared {
public:
  Prepared(std::shared_ptr<Device> device, std::shared_ptr<Bundle> bundle,
           const std::string &entryName, std::vector<OperandTuple> tuples,
           std::vector<ScalarTuple> numbers, std::vector<Span> spans);

  /// Whether the output is apart from all else, or is C itself.
  bool isApart(const Call &call) const;
  void launch(const Call &call, double alpha, double beta, uintptr_t stream,
              nb::handle allocate) const;

private:
  std::shared_ptr<Device> device;
  std::shared_ptr<Bundle> bundle;
  const CutlEntry &entry;
  std::vector<OperandTuple> tuples;
  std::vector<ScalarTuple> numbers;
  std::vector<Span> spans;
  bool asksForWorkspace;
};

Prepared::Prepared(std::shared_ptr<Device> device,
                   std::shared_ptr<Bundle> bundle, const std::string &entryName,
                   std::vector<OperandTuple> tuples,
                   std::vector<ScalarTuple> numbers, std::vector<Span> spans)
    : device(std::move(device)), bundle(std::move(bundle)),
      entry(this->bundle->find(entryName)), tuples(std::move(tuples)),
      numbers(std::move(numbers)), spans(std::move(spans)),
      asksForWorkspace(mayNeedWorkspace(entry)) {
  bool ok = this->spans.size() == NumSources &&
            this->tuples.size() <= NumSources && this->numbers.size() <= 2;
  for (const auto &[source, type, sizes, strides] : this->tuples)
    ok &= source >= 0 && source < NumSources && sizes.size() == strides.size();
  for (const auto &[which, type] : this->numbers)
    ok &= which == 0 || which == 1;
  if (!ok)
    throw DeviceFailure{CUTL_RUNTIME_INVALID_ARGUMENT,
                        "expected the operands and numbers of a gemm"};
  this->bundle->keep();
}

bool Prepared::isApart(const Call &call) const {
  auto output = spans[D];
  if (!output)
    return true;
  uintptr_t at = uintptr_t(call.data[D]);
  for (int source : {A, B, C, Bias}) {
    if (!call.data[source] || !spans[source])
      continue;
    uintptr_t other = uintptr_t(call.data[source]);
    if (other + spans[source]->second <= at + output->first ||
        at + output->second <= other + spans[source]->first)
      continue;
    size_t words = call.begin[D + 1] - call.begin[D];
    bool isOutput = source == C && other == at &&
                    call.begin[C + 1] - call.begin[C] == words &&
                    call.key.sameWords(call.begin[C], call.begin[D], words);
    if (!isOutput)
      return false;
  }
  return true;
}

void Prepared::launch(const Call &call, double alpha, double beta,
                      uintptr_t stream, nb::handle allocate) const {
  std::array<CutlOperand, NumSources> operands;
  std::array<CutlScalar, 2> scalars;
  size_t numOperands = 0, numScalars = 0;
  for (const auto &[source, type, sizes, strides] : tuples)
    operands[numOperands++] = {call.data[source], sizes.data(), strides.data(),
                               uint32_t(sizes.size()), type};
  for (const auto &[which, type] : numbers)
    scalars[numScalars++] = encodeScalar(which == 0 ? alpha : beta, type);
  CutlArguments arguments = {operands.data(), uint32_t(numOperands),
                             scalars.data(), uint32_t(numScalars)};
  CutlRuntimeError error;
  // In use until the work is done: its allocator knows the stream's order.
  nb::object memory;
  void *workspace = nullptr;
  uint64_t bytes = 0;
  if (asksForWorkspace) {
    InDevice inside(*device);
    check(cutlRuntimeWorkspaceBytes(device->runtime, &entry, &arguments, &bytes,
                                    &error),
          error);
  }
  if (bytes > 0) {
    memory = allocate(device->ordinal, bytes, stream);
    nb::object address = callMethod(memory.ptr(), names().dataPtr);
    if (address.is_valid())
      workspace = PyLong_AsVoidPtr(address.ptr());
    if (PyErr_Occurred())
      throw nb::python_error();
  }
  InDevice inside(*device);
  check(cutlRuntimeLaunch(device->runtime, &entry, &arguments, workspace, bytes,
                          reinterpret_cast<void *>(stream), &error),
        error);
}

//===----------------------------------------------------------------------===//
// The cache of one plan
//===----------------------------------------------------------------------===//

class LaunchCache {
public:
  LaunchCache(double alpha, double beta) : alpha(alpha), beta(beta) {}

  /// Launches and returns true if such a call is known.
  bool run(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
           nb::handle bias, nb::handle alphaOrNone, nb::handle betaOrNone,
           nb::handle streamOrNone);
  /// Remembers how calls like this one are launched.
  bool add(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
           nb::handle bias, double usedAlpha, double usedBeta,
           std::shared_ptr<Prepared> prepared);
  /// Tensors of that type are read.
  void addType(nb::type_object type) { types.push_back(std::move(type)); }
  void setHost(nb::object currentStream, nb::object workspaceAllocator) {
    getStream = std::move(currentStream);
    allocate = std::move(workspaceAllocator);
  }
  size_t size() const { return known.size(); }

  /// Shows the garbage collector what the cache refers to.
  int traverse(visitproc visit, void *arg) {
    for (const nb::type_object &type : types)
      Py_VISIT(type.ptr());
    Py_VISIT(getStream.ptr());
    Py_VISIT(allocate.ptr());
    return 0;
  }
  void clear() {
    types.clear();
    getStream.reset();
    allocate.reset();
  }

private:
  bool read(Call &call, const std::array<PyObject *, NumSources> &tensors,
            double usedAlpha, double usedBeta) const;

  /// Of calls that give none.
  double alpha, beta;
  std::vector<nb::type_object> types;
  nb::object getStream, allocate;
  std::unordered_map<Key, std::shared_ptr<Prepared>, KeyHash> known;
};

bool LaunchCache::read(Call &call,
                       const std::array<PyObject *, NumSources> &tensors,
                       double usedAlpha, double usedBeta) const {
  for (int source = 0; source < NumSources; ++source) {
    PyObject *tensor = tensors[source];
    bool isUsed = source == C      ? usedBeta != 0.0
                  : source == Bias ? tensor != Py_None
                                   : true;
    call.begin[source] = call.key.size();
    if (!isUsed) {
      call.key.append(-1);
      continue;
    }
    bool isTensor = false;
    for (const nb::type_object &type : types)
      isTensor |= Py_TYPE(tensor) == (PyTypeObject *)type.ptr();
    if (!isTensor || !call.read(Source(source), tensor)) {
      PyErr_Clear();
      return false;
    }
  }
  call.begin[NumSources] = call.key.size();
  call.key.append(call.device);
  call.key.append((usedAlpha == 1.0) | (usedBeta == 0.0) << 1);
  return true;
}

/// A number as Python has them; nothing for other objects.
std::optional<double> readNumber(nb::handle value, double fallback) {
  if (value.is_none())
    return fallback;
  if (!PyFloat_Check(value.ptr()) && !PyLong_CheckExact(value.ptr()))
    return std::nullopt;
  double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return std::nullopt;
  }
  return number;
}

bool LaunchCache::run(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
                      nb::handle bias, nb::handle alphaOrNone,
                      nb::handle betaOrNone, nb::handle streamOrNone) {
  std::optional<double> usedAlpha = readNumber(alphaOrNone, alpha);
  std::optional<double> usedBeta = readNumber(betaOrNone, beta);
  if (!usedAlpha || !usedBeta)
    return false;
  Call call;
  if (!read(call, {a.ptr(), b.ptr(), c.ptr(), d.ptr(), bias.ptr()}, *usedAlpha,
            *usedBeta))
    return false;
  auto found = known.find(call.key);
  if (found == known.end() || !found->second->isApart(call))
    return false;
  // Whoever allocates may run other threads, which may add and drop calls.
  std::shared_ptr<Prepared> prepared = found->second;
  nb::object stream = streamOrNone.is_none() ? getStream(call.device)
                                             : nb::borrow(streamOrNone);
  if (!PyLong_CheckExact(stream.ptr()))
    return false;
  unsigned long long handle = PyLong_AsUnsignedLongLong(stream.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  prepared->launch(call, *usedAlpha, *usedBeta, uintptr_t(handle), allocate);
  return true;
}

bool LaunchCache::add(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
                      nb::handle bias, double usedAlpha, double usedBeta,
                      std::shared_ptr<Prepared> prepared) {
  Call call;
  if (!read(call, {a.ptr(), b.ptr(), c.ptr(), d.ptr(), bias.ptr()}, usedAlpha,
            usedBeta))
    return false;
  // Sizes that change with every call must not pile up.
  constexpr size_t kMostCalls = 4096;
  if (known.size() >= kMostCalls)
    known.clear();
  known[call.key] = std::move(prepared);
  return true;
}

int traverseCache(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self)
             ? nb::inst_ptr<LaunchCache>(self)->traverse(visit, arg)
             : 0;
}

int clearCache(PyObject *self) {
  nb::inst_ptr<LaunchCache>(self)->clear();
  return 0;
}

PyType_Slot cacheSlots[] = {{Py_tp_traverse, (void *)traverseCache},
                            {Py_tp_clear, (void *)clearCache},
                            {0, nullptr}};

} // namespace

void bindLaunchCache(nb::module_ &m) {
  nb::class_<Prepared>(m, "Prepared")
      .def(nb::init<std::shared_ptr<Device>, std::shared_ptr<Bundle>,
                    const std::string &, std::vector<OperandTuple>,
                    std::vector<ScalarTuple>, std::vector<Span>>(),
           nb::arg("device"), nb::arg("bundle"), nb::arg("entry"),
           nb::arg("operands"), nb::arg("scalars"), nb::arg("spans"));
  nb::class_<LaunchCache>(m, "LaunchCache", nb::type_slots(cacheSlots))
      .def(nb::init<double, double>(), nb::arg("alpha"), nb::arg("beta"))
      .def("run", &LaunchCache::run, nb::arg("a").none(), nb::arg("b").none(),
           nb::arg("c").none(), nb::arg("d").none(), nb::arg("bias").none(),
           nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("stream").none())
      .def("add", &LaunchCache::add, nb::arg("a"), nb::arg("b"),
           nb::arg("c").none(), nb::arg("d"), nb::arg("bias").none(),
           nb::arg("alpha"), nb::arg("beta"), nb::arg("prepared"))
      .def("add_type", &LaunchCache::addType, nb::arg("type"))
      .def("set_host", &LaunchCache::setHost, nb::arg("current_stream"),
           nb::arg("allocate"))
      .def("__len__", &LaunchCache::size);
}
