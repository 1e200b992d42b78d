/*===- Device.c - memory, streams and events of one device ----------------===*\
|*                                                                            *|
|* Each function enters the device's primary context for the time of its call.*|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "cutl/Runtime/Device.h"
#include "RuntimeImpl.h"

#include <inttypes.h>
#include <stdlib.h>

struct CutlDevice {
  CutlRuntime *runtime;
  int32_t ordinal;
  CuDevice device;
  CuContext context;
};

static CutlRuntimeStatus missing(CutlRuntimeError *error, const char *what) {
  return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT, "expected %s, got null",
                  what);
}

/*===- The device ---------------------------------------------------------===*/

CutlRuntimeStatus cutlDeviceEnter(CutlDevice *device, CutlRuntimeError *error) {
  if (!device)
    return missing(error, "a device");
  const CutlDriver *driver = &device->runtime->driver;
  CuResult result = driver->ctxPushCurrent(device->context);
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot enter the context of device %d",
                          device->ordinal);
  return cutlSucceed(error);
}

CutlRuntimeStatus cutlDeviceLeave(CutlDevice *device, CutlRuntimeError *error) {
  if (!device)
    return missing(error, "a device");
  const CutlDriver *driver = &device->runtime->driver;
  CuContext context;
  CuResult result = driver->ctxPopCurrent(&context);
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot leave the context of device %d",
                          device->ordinal);
  return cutlSucceed(error);
}

CutlRuntimeStatus cutlDeviceOpen(CutlRuntime *runtime, int32_t ordinal,
                                 CutlDevice **device, CutlRuntimeError *error) {
  if (!runtime || !device)
    return missing(error, "a runtime and a place for the device");
  if (ordinal < 0 || ordinal >= runtime->deviceCount)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a device from 0 to %d, got %d",
                    runtime->deviceCount - 1, ordinal);
  CutlDevice *opened = calloc(1, sizeof(*opened));
  if (!opened)
    return cutlFail(error, CUTL_RUNTIME_OUT_OF_MEMORY,
                    "out of host memory for a device");
  const CutlDriver *driver = &runtime->driver;
  opened->runtime = runtime;
  opened->ordinal = ordinal;
  CuResult result = driver->deviceGet(&opened->device, ordinal);
  if (!result)
    result = driver->primaryCtxRetain(&opened->context, opened->device);
  if (result) {
    free(opened);
    return cutlDriverFail(driver, error, result,
                          "cannot open the context of device %d", ordinal);
  }
  *device = opened;
  return cutlSucceed(error);
}

void cutlDeviceClose(CutlDevice *device) {
  if (!device)
    return;
  /* The context may end with this hold on it, and its modules with it. */
  if (cutlDeviceEnter(device, NULL) == CUTL_RUNTIME_OK) {
    cutlRuntimeReleaseContext(device->runtime, NULL);
    cutlDeviceLeave(device, NULL);
  }
  device->runtime->driver.primaryCtxRelease(device->device);
  free(device);
}

/** Leaves the context again and passes on what the driver answered in it. */
static CutlRuntimeStatus finish(CutlDevice *device, CuResult result,
                                const char *what, CutlRuntimeError *error) {
  CutlRuntimeStatus left = cutlDeviceLeave(device, error);
  if (result)
    return cutlDriverFail(&device->runtime->driver, error, result,
                          "cannot %s on device %d", what, device->ordinal);
  return left;
}

/*===- Memory -------------------------------------------------------------===*/

CutlRuntimeStatus cutlDeviceAllocate(CutlDevice *device, uint64_t bytes,
                                     void **address, CutlRuntimeError *error) {
  if (!device || !address)
    return missing(error, "a device and a place for the address");
  if (bytes == 0) {
    *address = NULL;
    return cutlSucceed(error);
  }
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  const CutlDriver *driver = &device->runtime->driver;
  CuDevicePtr allocated = 0;
  CuResult result = driver->memAlloc(&allocated, bytes);
  size_t unused = 0, total = 0;
  int known = result && !driver->memGetInfo(&unused, &total);
  status = finish(device, result, "allocate memory", error);
  if (result == CU_ERROR_OUT_OF_MEMORY && known)
    return cutlFail(error, CUTL_RUNTIME_OUT_OF_MEMORY,
                    "out of memory on device %d: expected %" PRIu64
                    " free bytes, got %zu of %zu",
                    device->ordinal, bytes, unused, total);
  if (result)
    return status;
  if (status != CUTL_RUNTIME_OK) {
    driver->memFree(allocated);
    return status;
  }
  *address = (void *)(uintptr_t)allocated;
  return status;
}

CutlRuntimeStatus cutlDeviceFree(CutlDevice *device, void *address,
                                 CutlRuntimeError *error) {
  if (!device)
    return missing(error, "a device");
  if (!address)
    return cutlSucceed(error);
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CuResult result =
      device->runtime->driver.memFree((CuDevicePtr)(uintptr_t)address);
  return finish(device, result, "free memory", error);
}

static CutlRuntimeStatus copy(CutlDevice *device, void *destination,
                              const void *source, uint64_t bytes, int isIn,
                              int waits, void *stream,
                              CutlRuntimeError *error) {
  if (!device || (bytes && (!destination || !source)))
    return missing(error, "a device and two addresses");
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  const CutlDriver *driver = &device->runtime->driver;
  CuResult result = CU_SUCCESS;
  if (bytes && isIn)
    result = driver->memcpyHtoDAsync((CuDevicePtr)(uintptr_t)destination,
                                     source, bytes, stream);
  else if (bytes)
    result = driver->memcpyDtoHAsync(
        destination, (CuDevicePtr)(uintptr_t)source, bytes, stream);
  if (!result && waits)
    result = driver->streamSynchronize(stream);
  return finish(device, result, isIn ? "copy to memory" : "copy from memory",
                error);
}

CutlRuntimeStatus cutlDeviceCopyInAsync(CutlDevice *device, void *destination,
                                        const void *source, uint64_t bytes,
                                        void *stream, CutlRuntimeError *error) {
  return copy(device, destination, source, bytes, /*isIn=*/1, /*waits=*/0,
              stream, error);
}

CutlRuntimeStatus cutlDeviceCopyOutAsync(CutlDevice *device, void *destination,
                                         const void *source, uint64_t bytes,
                                         void *stream,
                                         CutlRuntimeError *error) {
  return copy(device, destination, source, bytes, /*isIn=*/0, /*waits=*/0,
              stream, error);
}

CutlRuntimeStatus cutlDeviceCopyIn(CutlDevice *device, void *destination,
                                   const void *source, uint64_t bytes,
                                   void *stream, CutlRuntimeError *error) {
  return copy(device, destination, source, bytes, /*isIn=*/1, /*waits=*/1,
              stream, error);
}

CutlRuntimeStatus cutlDeviceCopyOut(CutlDevice *device, void *destination,
                                    const void *source, uint64_t bytes,
                                    void *stream, CutlRuntimeError *error) {
  return copy(device, destination, source, bytes, /*isIn=*/0, /*waits=*/1,
              stream, error);
}

/*===- Streams and events -------------------------------------------------===*/

CutlRuntimeStatus cutlDeviceCreateStream(CutlDevice *device, void **stream,
                                         CutlRuntimeError *error) {
  if (!device || !stream)
    return missing(error, "a device and a place for the stream");
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  const CutlDriver *driver = &device->runtime->driver;
  CuStream created = NULL;
  CuResult result = driver->streamCreate(&created, CU_STREAM_NON_BLOCKING);
  status = finish(device, result, "create a stream", error);
  if (status == CUTL_RUNTIME_OK)
    *stream = created;
  else if (!result)
    driver->streamDestroy(created);
  return status;
}

void cutlDeviceDestroyStream(CutlDevice *device, void *stream) {
  if (!device || !stream || cutlDeviceEnter(device, NULL) != CUTL_RUNTIME_OK)
    return;
  device->runtime->driver.streamDestroy(stream);
  cutlDeviceLeave(device, NULL);
}

CutlRuntimeStatus cutlDeviceSynchronize(CutlDevice *device, void *stream,
                                        CutlRuntimeError *error) {
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CuResult result = device->runtime->driver.streamSynchronize(stream);
  return finish(device, result, "finish the work", error);
}

CutlRuntimeStatus cutlDeviceCreateEvent(CutlDevice *device, void **event,
                                        CutlRuntimeError *error) {
  if (!device || !event)
    return missing(error, "a device and a place for the event");
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  const CutlDriver *driver = &device->runtime->driver;
  CuEvent created = NULL;
  CuResult result = driver->eventCreate(&created, /*flags=*/0);
  status = finish(device, result, "create an event", error);
  if (status == CUTL_RUNTIME_OK)
    *event = created;
  else if (!result)
    driver->eventDestroy(created);
  return status;
}

void cutlDeviceDestroyEvent(CutlDevice *device, void *event) {
  if (!device || !event || cutlDeviceEnter(device, NULL) != CUTL_RUNTIME_OK)
    return;
  device->runtime->driver.eventDestroy(event);
  cutlDeviceLeave(device, NULL);
}

CutlRuntimeStatus cutlDeviceRecordEvent(CutlDevice *device, void *event,
                                        void *stream, CutlRuntimeError *error) {
  if (!device || !event)
    return missing(error, "a device and an event");
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CuResult result = device->runtime->driver.eventRecord(event, stream);
  return finish(device, result, "record an event", error);
}

CutlRuntimeStatus cutlDeviceElapsed(CutlDevice *device, void *start, void *end,
                                    float *milliseconds,
                                    CutlRuntimeError *error) {
  if (!device || !start || !end || !milliseconds)
    return missing(error, "a device, two events and a place for the time");
  CutlRuntimeStatus status = cutlDeviceEnter(device, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  const CutlDriver *driver = &device->runtime->driver;
  float elapsed = 0.0f;
  CuResult result = driver->eventSynchronize(end);
  if (!result)
    result = driver->eventElapsedTime(&elapsed, start, end);
  status = finish(device, result, "measure the time between events", error);
  if (status == CUTL_RUNTIME_OK)
    *milliseconds = elapsed;
  return status;
}
