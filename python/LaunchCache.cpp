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

/// The operands of a call without a traced epilogue, in the order of its
/// arguments. With one they are A, each B, and what the function takes and
/// gives.
enum Source { A, B, C, D, Bias, NumSources };

/// Of a call that is remembered.
constexpr size_t kMaxSources = 16;
/// A function may read one operand in several ways.
constexpr size_t kMaxOperands = 2 * kMaxSources;

//===----------------------------------------------------------------------===//
// What a call depends on
//===----------------------------------------------------------------------===//

/// Types, shapes, strides and alignment of the operands, the device, and which
/// epilogue.
class Key {
public:
  static constexpr size_t kCapacity = 2 + kMaxSources * (3 + 2 * CUTL_MAX_RANK);

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
  std::array<void *, kMaxSources> data = {};
  /// Where each operand's words begin in the key.
  std::array<size_t, kMaxSources + 1> begin = {};
  int64_t device = -1;

  /// False, with nothing or a Python error pending, if something is not as
  /// tensors on a GPU have it.
  bool read(size_t source, PyObject *tensor);

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

bool Call::read(size_t source, PyObject *tensor) {
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
  data[source] = PyLong_AsVoidPtr(address.ptr());
  if (PyErr_Occurred())
    return false;
  // What is not aligned for the tensor copy engine is repacked.
  bool isAligned = uintptr_t(data[source]) % 16 == 0;
  key.append(rank << 1 | isAligned);
  return readTuple(shape.ptr(), rank) && readTuple(strides.ptr(), rank);
}

//===----------------------------------------------------------------------===//
// What is known about such calls
//===----------------------------------------------------------------------===//

using Sizes = std::vector<int64_t>;
/// Source, type, sizes and strides.
using OperandTuple = std::tuple<int, int, Sizes, Sizes>;
/// 0 for alpha or 1 for beta, or which operand is a number; and the type.
using ScalarTuple = std::pair<int, int>;
/// Which operand is written, and those that it may be if they lie alike.
using OutputTuple = std::pair<int, std::vector<int>>;
/// First byte and one past the last, counted from the address.
using Span = std::optional<std::pair<int64_t, int64_t>>;

/// A launch whose addresses and numbers are open.
class Prepared {
public:
  Prepared(std::shared_ptr<Device> device, std::shared_ptr<Bundle> bundle,
           const std::string &entryName, std::vector<OperandTuple> tuples,
           std::vector<ScalarTuple> numbers, std::vector<Span> spans,
           std::vector<OutputTuple> outputs);

  /// Whether every output is apart from all else, or is what it may be.
  bool isApart(const Call &call) const;
  /// Of `values` the launch takes those that its numbers name.
  void launch(const Call &call, const double *values, uintptr_t stream,
              nb::handle allocate) const;

private:
  bool isApart(const Call &call, const OutputTuple &output) const;

  std::shared_ptr<Device> device;
  std::shared_ptr<Bundle> bundle;
  const CutlEntry &entry;
  std::vector<OperandTuple> tuples;
  std::vector<ScalarTuple> numbers;
  std::vector<Span> spans;
  std::vector<OutputTuple> outputs;
  bool asksForWorkspace;
};

Prepared::Prepared(std::shared_ptr<Device> device,
                   std::shared_ptr<Bundle> bundle, const std::string &entryName,
                   std::vector<OperandTuple> tuples,
                   std::vector<ScalarTuple> numbers, std::vector<Span> spans,
                   std::vector<OutputTuple> outputs)
    : device(std::move(device)), bundle(std::move(bundle)),
      entry(this->bundle->find(entryName)), tuples(std::move(tuples)),
      numbers(std::move(numbers)), spans(std::move(spans)),
      outputs(std::move(outputs)), asksForWorkspace(mayNeedWorkspace(entry)) {
  int numSources = int(this->spans.size());
  auto isSource = [&](int source) {
    return source >= 0 && source < numSources;
  };
  bool ok = this->spans.size() <= kMaxSources &&
            this->tuples.size() <= kMaxOperands &&
            this->numbers.size() <= kMaxSources;
  for (const auto &[source, type, sizes, strides] : this->tuples)
    ok &= isSource(source) && sizes.size() == strides.size();
  for (const auto &[which, type] : this->numbers)
    ok &= isSource(which);
  for (const auto &[output, others] : this->outputs) {
    ok &= isSource(output);
    for (int other : others)
      ok &= isSource(other);
  }
  if (!ok)
    throw DeviceFailure{CUTL_RUNTIME_INVALID_ARGUMENT,
                        "expected the operands and numbers of a gemm"};
  this->bundle->keep();
}

bool Prepared::isApart(const Call &call, const OutputTuple &output) const {
  const auto &[written, mayBe] = output;
  if (!spans[written])
    return true;
  uintptr_t at = uintptr_t(call.data[written]);
  for (int source = 0; source < int(spans.size()); ++source) {
    if (source == written || !call.data[source] || !spans[source])
      continue;
    uintptr_t other = uintptr_t(call.data[source]);
    if (other + spans[source]->second <= at + spans[written]->first ||
        at + spans[written]->second <= other + spans[source]->first)
      continue;
    bool isAllowed = false;
    for (int allowed : mayBe)
      isAllowed |= allowed == source;
    size_t words = call.begin[written + 1] - call.begin[written];
    if (!isAllowed || other != at ||
        call.begin[source + 1] - call.begin[source] != words ||
        !call.key.sameWords(call.begin[source], call.begin[written], words))
      return false;
  }
  return true;
}

bool Prepared::isApart(const Call &call) const {
  for (const OutputTuple &output : outputs)
    if (!isApart(call, output))
      return false;
  return true;
}

void Prepared::launch(const Call &call, const double *values, uintptr_t stream,
                      nb::handle allocate) const {
  std::array<CutlOperand, kMaxOperands> operands;
  std::array<CutlScalar, kMaxSources> scalars;
  size_t numOperands = 0, numScalars = 0;
  for (const auto &[source, type, sizes, strides] : tuples)
    operands[numOperands++] = {call.data[source], sizes.data(), strides.data(),
                               uint32_t(sizes.size()), type};
  for (const auto &[which, type] : numbers)
    scalars[numScalars++] = encodeScalar(values[which], type);
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

  /// Launches a call that is known, and returns what it was remembered with;
  /// none for others.
  nb::object run(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
           nb::handle bias, nb::handle alphaOrNone, nb::handle betaOrNone,
           nb::handle streamOrNone);
  /// Remembers how calls like this one are launched, and what to return.
  bool add(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
           nb::handle bias, double usedAlpha, double usedBeta,
           std::shared_ptr<Prepared> prepared, nb::object result);
  /// The same with a traced epilogue: tensors and numbers in order.
  nb::object runVisited(nb::list operands, nb::handle streamOrNone);
  bool addVisited(nb::list operands, std::shared_ptr<Prepared> prepared,
                  nb::object result);
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
    for (const auto &[key, repeat] : known)
      Py_VISIT(repeat.result.ptr());
    return 0;
  }
  void clear() {
    types.clear();
    getStream.reset();
    allocate.reset();
    known.clear();
  }

private:
  /// How a call is launched again, and what its caller gets.
  struct Repeat {
    std::shared_ptr<Prepared> prepared;
    nb::object result;
  };

  bool isTensor(PyObject *object) const;
  bool read(Call &call, const std::array<PyObject *, NumSources> &tensors,
            double usedAlpha, double usedBeta) const;
  bool readVisited(Call &call, std::array<double, kMaxSources> &values,
                   nb::list operands) const;
  /// Launches what is known of a call, if anything is.
  nb::object launch(const Call &call, const double *values,
                    nb::handle streamOrNone);
  void remember(const Call &call, Repeat repeat);

  /// Of calls that give none.
  double alpha, beta;
  std::vector<nb::type_object> types;
  nb::object getStream, allocate;
  std::unordered_map<Key, Repeat, KeyHash> known;
};

bool LaunchCache::isTensor(PyObject *object) const {
  for (const nb::type_object &type : types)
    if (Py_TYPE(object) == (PyTypeObject *)type.ptr())
      return true;
  return false;
}

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
    if (!isTensor(tensor) || !call.read(source, tensor)) {
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

nb::object LaunchCache::run(nb::handle a, nb::handle b, nb::handle c,
                            nb::handle d, nb::handle bias,
                            nb::handle alphaOrNone, nb::handle betaOrNone,
                            nb::handle streamOrNone) {
  std::optional<double> usedAlpha = readNumber(alphaOrNone, alpha);
  std::optional<double> usedBeta = readNumber(betaOrNone, beta);
  if (!usedAlpha || !usedBeta)
    return nb::none();
  Call call;
  if (!read(call, {a.ptr(), b.ptr(), c.ptr(), d.ptr(), bias.ptr()}, *usedAlpha,
            *usedBeta))
    return nb::none();
  std::array<double, kMaxSources> values = {*usedAlpha, *usedBeta};
  return launch(call, values.data(), streamOrNone);
}

nb::object LaunchCache::launch(const Call &call, const double *values,
                               nb::handle streamOrNone) {
  auto found = known.find(call.key);
  if (found == known.end() || !found->second.prepared->isApart(call))
    return nb::none();
  // Whoever allocates may run other threads, which may add and drop calls.
  Repeat repeat = found->second;
  nb::object stream = streamOrNone.is_none() ? getStream(call.device)
                                             : nb::borrow(streamOrNone);
  if (!PyLong_CheckExact(stream.ptr()))
    return nb::none();
  unsigned long long handle = PyLong_AsUnsignedLongLong(stream.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return nb::none();
  }
  repeat.prepared->launch(call, values, uintptr_t(handle), allocate);
  return repeat.result;
}

bool LaunchCache::add(nb::handle a, nb::handle b, nb::handle c, nb::handle d,
                      nb::handle bias, double usedAlpha, double usedBeta,
                      std::shared_ptr<Prepared> prepared, nb::object result) {
  Call call;
  if (!read(call, {a.ptr(), b.ptr(), c.ptr(), d.ptr(), bias.ptr()}, usedAlpha,
            usedBeta))
    return false;
  remember(call, {std::move(prepared), std::move(result)});
  return true;
}

void LaunchCache::remember(const Call &call, Repeat repeat) {
  // Sizes that change with every call must not pile up.
  constexpr size_t kMostCalls = 4096;
  if (known.size() >= kMostCalls)
    known.clear();
  known[call.key] = std::move(repeat);
}

bool LaunchCache::readVisited(Call &call,
                              std::array<double, kMaxSources> &values,
                              nb::list operands) const {
  size_t count = nb::len(operands);
  if (count > kMaxSources)
    return false;
  for (size_t i = 0; i < count; ++i) {
    nb::object operand = operands[i];
    call.begin[i] = call.key.size();
    if (isTensor(operand.ptr())) {
      if (!call.read(i, operand.ptr())) {
        PyErr_Clear();
        return false;
      }
      continue;
    }
    std::optional<double> number = readNumber(operand, 0.0);
    if (!number || operand.is_none())
      return false;
    values[i] = *number;
    call.key.append(-1);
  }
  call.begin[count] = call.key.size();
  call.key.append(call.device);
  return call.device >= 0;
}

nb::object LaunchCache::runVisited(nb::list operands,
                                   nb::handle streamOrNone) {
  Call call;
  std::array<double, kMaxSources> values;
  if (!readVisited(call, values, operands))
    return nb::none();
  return launch(call, values.data(), streamOrNone);
}

bool LaunchCache::addVisited(nb::list operands,
                             std::shared_ptr<Prepared> prepared,
                             nb::object result) {
  Call call;
  std::array<double, kMaxSources> values;
  if (!readVisited(call, values, operands))
    return false;
  remember(call, {std::move(prepared), std::move(result)});
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
                    std::vector<ScalarTuple>, std::vector<Span>,
                    std::vector<OutputTuple>>(),
           nb::arg("device"), nb::arg("bundle"), nb::arg("entry"),
           nb::arg("operands"), nb::arg("scalars"), nb::arg("spans"),
           nb::arg("outputs"));
  nb::class_<LaunchCache>(m, "LaunchCache", nb::type_slots(cacheSlots))
      .def(nb::init<double, double>(), nb::arg("alpha"), nb::arg("beta"))
      .def("run", &LaunchCache::run, nb::arg("a").none(), nb::arg("b").none(),
           nb::arg("c").none(), nb::arg("d").none(), nb::arg("bias").none(),
           nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("stream").none())
      .def("add", &LaunchCache::add, nb::arg("a"), nb::arg("b"),
           nb::arg("c").none(), nb::arg("d"), nb::arg("bias").none(),
           nb::arg("alpha"), nb::arg("beta"), nb::arg("prepared"),
           nb::arg("result").none())
      .def("run_visited", &LaunchCache::runVisited, nb::arg("operands"),
           nb::arg("stream").none())
      .def("add_visited", &LaunchCache::addVisited, nb::arg("operands"),
           nb::arg("prepared"), nb::arg("result").none())
      .def("add_type", &LaunchCache::addType, nb::arg("type"))
      .def("set_host", &LaunchCache::setHost, nb::arg("current_stream"),
           nb::arg("allocate"))
      .def("__len__", &LaunchCache::size);
}
