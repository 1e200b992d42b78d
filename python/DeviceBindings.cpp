//===- DeviceBindings.cpp - Devices, bundles and calls --------------------===//
//
// The runtime as Python objects: what a call needs when it is not known yet.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "cutl/Runtime/Loader.h"
#include <cstring>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>

namespace nb = nanobind;

Bundle::~Bundle() {
  if (!kept)
    cutlBundleFree(handle);
}

const CutlEntry &Bundle::find(const std::string &name) const {
  const CutlEntry *entry = nullptr;
  CutlRuntimeError error;
  check(cutlBundleFindEntry(handle, name.c_str(), &entry, &error), error);
  return *entry;
}

CutlScalar encodeScalar(double value, int32_t type) {
  CutlScalar scalar = {0, type};
  if (type == CUTL_ELEMENT_F32) {
    float narrow = float(value);
    std::memcpy(&scalar.bits, &narrow, sizeof narrow);
  } else if (type == CUTL_ELEMENT_F64) {
    std::memcpy(&scalar.bits, &value, sizeof value);
  } else {
    throw DeviceFailure{CUTL_RUNTIME_INVALID_ARGUMENT,
                        "expected a floating-point number by value to be f32 "
                        "or f64"};
  }
  return scalar;
}

bool mayNeedWorkspace(const CutlEntry &entry) {
  for (uint32_t i = 0; i < entry.variantCount; ++i)
    if (entry.variants[i].workspaceBytes.count > 0)
      return true;
  return false;
}

namespace {

/// The driver, opened. Never closed, as devices are not.
struct Runtime {
  explicit Runtime(const std::optional<std::string> &driver) {
    CutlRuntimeOptions options = {driver ? driver->c_str() : nullptr,
                                  /*checkPointers=*/0};
    CutlRuntimeError error;
    check(cutlRuntimeCreate(&options, &handle, &error), error);
  }

  CutlRuntime *handle = nullptr;
};

using DeviceFacts = std::tuple<std::string, std::string, int, int>;

DeviceFacts describe(const Runtime &runtime, int32_t ordinal) {
  CutlDeviceInfo info;
  CutlRuntimeError error;
  check(cutlRuntimeDeviceInfo(runtime.handle, ordinal, &info, &error), error);
  return {info.name, info.chip, info.smCount, info.driverVersion};
}

std::shared_ptr<Device> openDevice(const Runtime &runtime, int32_t ordinal) {
  CutlDevice *handle = nullptr;
  CutlRuntimeError error;
  check(cutlDeviceOpen(runtime.handle, ordinal, &handle, &error), error);
  return std::make_shared<Device>(Device{runtime.handle, handle, ordinal});
}

/// Memory of a device.
class Buffer {
public:
  Buffer(std::shared_ptr<Device> device, uint64_t bytes)
      : device(std::move(device)), bytes(bytes) {
    CutlRuntimeError error;
    check(cutlDeviceAllocate(this->device->handle, bytes, &address, &error),
          error);
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { cutlDeviceFree(device->handle, address, nullptr); }

  /// Takes a copy of host memory that is in place when the stream gets there.
  void copyIn(uintptr_t source, uint64_t count, uintptr_t stream) {
    CutlRuntimeError error;
    checkRange(count);
    nb::gil_scoped_release unlocked;
    check(cutlDeviceCopyInAsync(device->handle, address,
                                reinterpret_cast<void *>(source), count,
                                reinterpret_cast<void *>(stream), &error),
          error);
  }
  /// Copies to the host and waits for the stream.
  void copyOut(uintptr_t destination, uint64_t count, uintptr_t stream) const {
    CutlRuntimeError error;
    checkRange(count);
    nb::gil_scoped_release unlocked;
    check(cutlDeviceCopyOut(device->handle,
                            reinterpret_cast<void *>(destination), address,
                            count, reinterpret_cast<void *>(stream), &error),
          error);
  }

  uintptr_t getAddress() const { return uintptr_t(address); }
  uint64_t getBytes() const { return bytes; }

private:
  void checkRange(uint64_t count) const {
    if (count > bytes)
      throw DeviceFailure{CUTL_RUNTIME_INVALID_ARGUMENT,
                          "expected a copy of at most " +
                              std::to_string(bytes) + " bytes, got " +
                              std::to_string(count)};
  }

  std::shared_ptr<Device> device;
  uint64_t bytes;
  void *address = nullptr;
};

uintptr_t createStream(Device &device) {
  void *stream = nullptr;
  CutlRuntimeError error;
  check(cutlDeviceCreateStream(device.handle, &stream, &error), error);
  return uintptr_t(stream);
}

void synchronize(Device &device, uintptr_t stream) {
  CutlRuntimeError error;
  nb::gil_scoped_release unlocked;
  check(cutlDeviceSynchronize(device.handle, reinterpret_cast<void *>(stream),
                              &error),
        error);
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

std::shared_ptr<Bundle> loadBundle(const nb::bytes &bytes) {
  const CutlBundle *bundle = nullptr;
  CutlRuntimeError error;
  check(cutlBundleLoad(bytes.data(), bytes.size(), &bundle, &error), error);
  return std::make_shared<Bundle>(bundle);
}

/// Names, operands and scalars of each entry.
nb::list listEntries(const Bundle &bundle) {
  nb::list entries;
  const CutlBundle &handle = bundle.get();
  for (uint32_t i = 0; i < handle.entryCount; ++i) {
    const CutlEntry &entry = handle.entries[i];
    nb::list operands, scalars;
    for (uint32_t j = 0; j < entry.operandCount; ++j) {
      const CutlOperandSignature &operand = entry.operands[j];
      nb::list sizes;
      for (uint32_t k = 0; k < operand.rank; ++k)
        sizes.append(operand.sizes ? operand.sizes[k] : CUTL_ANY_SIZE);
      operands.append(nb::make_tuple(operand.name, operand.type,
                                     operand.access == CUTL_ACCESS_WRITE,
                                     nb::tuple(sizes)));
    }
    for (uint32_t j = 0; j < entry.scalarCount; ++j)
      scalars.append(
          nb::make_tuple(entry.scalars[j].name, entry.scalars[j].type));
    entries.append(
        nb::make_tuple(entry.name, nb::tuple(operands), nb::tuple(scalars)));
  }
  return entries;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

using Sizes = std::vector<int64_t>;
/// Address, type, sizes and strides.
using OperandTuple = std::tuple<uintptr_t, int, Sizes, Sizes>;
/// The number and its type.
using ScalarTuple = std::pair<nb::object, int>;

/// The arguments of one call, owned.
class Arguments {
public:
  Arguments(std::vector<OperandTuple> tuples,
            const std::vector<ScalarTuple> &numbers)
      : tuples(std::move(tuples)) {
    for (const auto &[address, type, sizes, strides] : this->tuples) {
      if (sizes.size() != strides.size())
        throw DeviceFailure{CUTL_RUNTIME_INVALID_ARGUMENT,
                            "expected as many strides as sizes"};
      operands.push_back({reinterpret_cast<void *>(address), sizes.data(),
                          strides.data(), uint32_t(sizes.size()), type});
    }
    for (const auto &[value, type] : numbers) {
      if (type == CUTL_ELEMENT_F32 || type == CUTL_ELEMENT_F64)
        scalars.push_back(encodeScalar(nb::cast<double>(value), type));
      else
        scalars.push_back({uint64_t(nb::cast<int64_t>(value)), type});
    }
  }

  CutlArguments get() const {
    return {operands.data(), uint32_t(operands.size()), scalars.data(),
            uint32_t(scalars.size())};
  }

private:
  std::vector<OperandTuple> tuples;
  std::vector<CutlOperand> operands;
  std::vector<CutlScalar> scalars;
};

/// Loads all that an entry needs on the device, which may compile it.
void prepare(Device &device, Bundle &bundle, const std::string &entry) {
  const CutlEntry &found = bundle.find(entry);
  bundle.keep();
  CutlRuntimeError error;
  nb::gil_scoped_release unlocked;
  InDevice inside(device);
  check(cutlRuntimePrepare(device.runtime, &found, &error), error);
}

uint64_t getWorkspaceBytes(Device &device, const Bundle &bundle,
                           const std::string &entry,
                           std::vector<OperandTuple> operands,
                           const std::vector<ScalarTuple> &scalars) {
  Arguments arguments(std::move(operands), scalars);
  CutlArguments list = arguments.get();
  uint64_t bytes = 0;
  CutlRuntimeError error;
  InDevice inside(device);
  check(cutlRuntimeWorkspaceBytes(device.runtime, &bundle.find(entry), &list,
                                  &bytes, &error),
        error);
  return bytes;
}

void launch(Device &device, Bundle &bundle, const std::string &entry,
            std::vector<OperandTuple> operands,
            const std::vector<ScalarTuple> &scalars, uintptr_t workspace,
            uint64_t workspaceBytes, uintptr_t stream) {
  Arguments arguments(std::move(operands), scalars);
  CutlArguments list = arguments.get();
  const CutlEntry &found = bundle.find(entry);
  bundle.keep();
  CutlRuntimeError error;
  nb::gil_scoped_release unlocked;
  InDevice inside(device);
  check(cutlRuntimeLaunch(device.runtime, &found, &list,
                          reinterpret_cast<void *>(workspace), workspaceBytes,
                          reinterpret_cast<void *>(stream), &error),
        error);
}

//===----------------------------------------------------------------------===//
// Arrays of other libraries
//===----------------------------------------------------------------------===//

/// Address, kind and bits of elements, shape, strides in elements, device.
nb::tuple readDlpack(const nb::ndarray<> &array) {
  nb::list shape, strides;
  for (size_t i = 0; i < array.ndim(); ++i) {
    shape.append(array.shape(i));
    strides.append(array.stride(i));
  }
  nb::dlpack::dtype type = array.dtype();
  return nb::make_tuple(uintptr_t(array.data()), int(type.code),
                        int(type.bits) * int(type.lanes), nb::tuple(shape),
                        nb::tuple(strides), array.device_id());
}

} // namespace

void bindDevice(nb::module_ &m) {
  static PyObject *errorType =
      PyErr_NewException("cutl._cutl.DeviceError", PyExc_RuntimeError, nullptr);
  m.attr("DeviceError") = nb::handle(errorType);
  nb::register_exception_translator([](const std::exception_ptr &pointer,
                                       void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const DeviceFailure &failure) {
      nb::object arguments = nb::make_tuple(int(failure.status), failure.text);
      PyErr_SetObject(errorType, arguments.ptr());
    }
  });

  nb::class_<Runtime>(m, "Runtime")
      .def(nb::init<std::optional<std::string>>(), nb::arg("driver").none())
      .def_prop_ro("device_count",
                   [](const Runtime &runtime) {
                     return cutlRuntimeDeviceCount(runtime.handle);
                   })
      .def("describe", describe, nb::arg("ordinal"))
      .def("open", openDevice, nb::arg("ordinal"));
  nb::class_<Bundle>(m, "Bundle").def("entries", listEntries);
  m.def("load_bundle", loadBundle, nb::arg("bytes"));
  m.def("read_dlpack", readDlpack, nb::arg("array"));
  nb::class_<Buffer>(m, "Buffer")
      .def(nb::init<std::shared_ptr<Device>, uint64_t>(), nb::arg("device"),
           nb::arg("bytes"))
      .def("data_ptr", &Buffer::getAddress)
      .def_prop_ro("bytes", &Buffer::getBytes)
      .def("copy_in", &Buffer::copyIn, nb::arg("source"), nb::arg("bytes"),
           nb::arg("stream"))
      .def("copy_out", &Buffer::copyOut, nb::arg("destination"),
           nb::arg("bytes"), nb::arg("stream"));
  nb::class_<Device>(m, "Device")
      .def_ro("ordinal", &Device::ordinal)
      .def("create_stream", createStream)
      .def("synchronize", synchronize, nb::arg("stream"))
      .def("prepare", prepare, nb::arg("bundle"), nb::arg("entry"))
      .def("workspace_bytes", getWorkspaceBytes, nb::arg("bundle"),
           nb::arg("entry"), nb::arg("operands"), nb::arg("scalars"))
      .def("launch", launch, nb::arg("bundle"), nb::arg("entry"),
           nb::arg("operands"), nb::arg("scalars"), nb::arg("workspace"),
           nb::arg("workspace_bytes"), nb::arg("stream"));
}
