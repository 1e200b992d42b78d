/*===- cutl/Runtime/Device.h - memory, streams and events ---------*- C -*-===*\
|*                                                                            *|
|* For programs that have no other user of CUDA: a device with its primary    *|
|* context, memory on it, copies, streams and events. A program that has one  *|
|* needs none of this; cutlRuntimeLaunch takes its memory and its streams.    *|
|*                                                                            *|
|* The conventions are those of Runtime.h, and these:                         *|
|*  - Every function works in the device's own context, whichever is current, *|
|*    and leaves the current one as it was. Launches need it to be current:   *|
|*    cutlDeviceEnter before, cutlDeviceLeave after.                          *|
|*  - A null stream is the context's default stream.                          *|
|*  - What a function creates the caller destroys, before it closes the       *|
|*    device. Destroying null does nothing.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_RUNTIME_DEVICE_H
#define CUTL_RUNTIME_DEVICE_H

#include "cutl/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A device and a hold on its primary context, which libraries on one device
    share. */
typedef struct CutlDevice CutlDevice;

/** The runtime must outlive the device. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceOpen(CutlRuntime *runtime,
                                                     int32_t ordinal,
                                                     CutlDevice **device,
                                                     CutlRuntimeError *error);

/** Unloads what the runtime has loaded into the context, and lets go of it. The
    work that was launched must be done. */
CUTL_RUNTIME_EXPORT void cutlDeviceClose(CutlDevice *device);

/** Makes the device's context the current one of this thread. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceEnter(CutlDevice *device,
                                                      CutlRuntimeError *error);

/** Makes current what was so before the last cutlDeviceEnter on this thread. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceLeave(CutlDevice *device,
                                                      CutlRuntimeError *error);

/*===- Memory -------------------------------------------------------------===*/

/** `address` is a multiple of CUTL_WORKSPACE_ALIGNMENT; null for zero bytes. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlDeviceAllocate(CutlDevice *device, uint64_t bytes, void **address,
                   CutlRuntimeError *error);

/** Waits for work that uses the memory. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceFree(CutlDevice *device,
                                                     void *address,
                                                     CutlRuntimeError *error);

/** Copies host memory to the device, in stream order. It may still be read when
    this returns only if it is page-locked. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlDeviceCopyInAsync(CutlDevice *device, void *destination, const void *source,
                      uint64_t bytes, void *stream, CutlRuntimeError *error);

/** Copies device memory to the host, in stream order. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceCopyOutAsync(
    CutlDevice *device, void *destination, const void *source, uint64_t bytes,
    void *stream, CutlRuntimeError *error);

/** The same two, and waits for the stream. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlDeviceCopyIn(CutlDevice *device, void *destination, const void *source,
                 uint64_t bytes, void *stream, CutlRuntimeError *error);
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlDeviceCopyOut(CutlDevice *device, void *destination, const void *source,
                  uint64_t bytes, void *stream, CutlRuntimeError *error);

/*===- Streams and events -------------------------------------------------===*/

/** A stream that does not wait for the default one. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceCreateStream(
    CutlDevice *device, void **stream, CutlRuntimeError *error);
CUTL_RUNTIME_EXPORT void cutlDeviceDestroyStream(CutlDevice *device,
                                                 void *stream);

/** Waits for all work on the stream, and reports the errors of kernels on it.
 */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceSynchronize(
    CutlDevice *device, void *stream, CutlRuntimeError *error);

/** An event that remembers when it was reached. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceCreateEvent(
    CutlDevice *device, void **event, CutlRuntimeError *error);
CUTL_RUNTIME_EXPORT void cutlDeviceDestroyEvent(CutlDevice *device,
                                                void *event);

CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlDeviceRecordEvent(
    CutlDevice *device, void *event, void *stream, CutlRuntimeError *error);

/** Waits for `end`, and gives the milliseconds since `start`. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlDeviceElapsed(CutlDevice *device, void *start, void *end,
                  float *milliseconds, CutlRuntimeError *error);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_RUNTIME_DEVICE_H */
