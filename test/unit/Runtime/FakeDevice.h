//===- FakeDevice.h - the fake driver with one Hopper device ----*- C++ -*-===//

#ifndef CUTL_TEST_UNIT_RUNTIME_FAKEDEVICE_H
#define CUTL_TEST_UNIT_RUNTIME_FAKEDEVICE_H

#include "FakeCuda.h"
#include <cstdio>
#include <dlfcn.h>

/// Opens the library FAKE_CUDA and sets it to a device with 132 multiprocessors
/// and a new driver; `current` becomes the thread's context. Null, with a line
/// that says why, if there is no library. It is never closed, so that the
/// struct stays where it is.
inline FakeCuda *openFakeDevice(FakeContext *current) {
  void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  FakeCuda *fake = FakeCudaFunction(dlsym(library, "fakeCuda"))();
  *fake = FakeCuda();
  fake->driverVersion = 13000;
  fake->deviceCount = 1;
  fake->major = 9;
  fake->smCount = 132;
  fake->blocksPerSm = 1;
  fake->clusters = 66;
  FakeSetCurrentFunction(dlsym(library, "fakeSetCurrent"))(current);
  return fake;
}

#endif // CUTL_TEST_UNIT_RUNTIME_FAKEDEVICE_H
