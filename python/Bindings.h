//===- Bindings.h - What the files of the extension module share -*- C++ -*-==//

#ifndef CUTL_PYTHON_BINDINGS_H
#define CUTL_PYTHON_BINDINGS_H

#include "cutl/Runtime/Device.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

/// An error of the runtime on its way to Python.
struct DeviceFailure {
  CutlRuntimeStatus status;
  std::string text;
};

inline void check(CutlRuntimeStatus status, const CutlRuntimeError &error) {
  if (status != CUTL_RUNTIME_OK)
    throw DeviceFailure{status, error.text};
}

/// A device in use, until the process ends: work may be running on it, and
/// graphs that were captured know its functions.
struct Device {
  CutlRuntime *runtime;
  CutlDevice *handle;
  int32_t ordinal;
};

/// A loaded bundle. One that was launched from is kept for the same reason.
class Bundle {
public:
  explicit Bundle(const CutlBundle *handle) : handle(handle) {}
  Bundle(const Bundle &) = delete;
  ~Bundle();

  const CutlBundle &get() const { return *handle; }
  const CutlEntry &find(const std::string &name) const;
  void keep() { kept = true; }

private:
  const CutlBundle *handle;
  bool kept = false;
};

/// Makes a device's context current while it lives.
class InDevice {
public:
  explicit InDevice(Device &device) : device(device) {
    CutlRuntimeError error;
    check(cutlDeviceEnter(device.handle, &error), error);
  }
  ~InDevice() { cutlDeviceLeave(device.handle, nullptr); }

private:
  Device &device;
};

/// A number of a call as the runtime takes it.
CutlScalar encodeScalar(double value, int32_t type);

/// Whether some variant may need a workspace.
bool mayNeedWorkspace(const CutlEntry &entry);

void bindDevice(nanobind::module_ &m);
void bindLaunchCache(nanobind::module_ &m);

#endif // CUTL_PYTHON_BINDINGS_H
