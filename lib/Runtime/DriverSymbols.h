/*===- DriverSymbols.h - the functions of the driver that are used -*- C
-*-===*\
|*                                                                            *|
|* Each line is X(name, exported name, parameters). Includers define X; there *|
|* is no include guard, since the list is expanded several times.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

X(driverGetVersion, "cuDriverGetVersion", (int *version))
X(init, "cuInit", (unsigned flags))
X(getErrorName, "cuGetErrorName", (CuResult result, const char **name))
X(deviceGetCount, "cuDeviceGetCount", (int *count))
X(deviceGet, "cuDeviceGet", (CuDevice * device, int ordinal))
X(deviceGetName, "cuDeviceGetName", (char *name, int size, CuDevice device))
X(deviceGetAttribute, "cuDeviceGetAttribute",
  (int *value, int attribute, CuDevice device))
X(primaryCtxRetain, "cuDevicePrimaryCtxRetain",
  (CuContext * context, CuDevice device))
X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CuDevice device))
X(ctxGetCurrent, "cuCtxGetCurrent", (CuContext * context))
X(ctxGetDevice, "cuCtxGetDevice", (CuDevice * device))
X(ctxGetId, "cuCtxGetId", (CuContext context, unsigned long long *id))
X(ctxPushCurrent, "cuCtxPushCurrent_v2", (CuContext context))
X(ctxPopCurrent, "cuCtxPopCurrent_v2", (CuContext * context))
X(streamCreate, "cuStreamCreate", (CuStream * stream, unsigned flags))
X(streamDestroy, "cuStreamDestroy_v2", (CuStream stream))
X(streamSynchronize, "cuStreamSynchronize", (CuStream stream))
X(streamGetCtx, "cuStreamGetCtx", (CuStream stream, CuContext *context))
X(eventCreate, "cuEventCreate", (CuEvent * event, unsigned flags))
X(eventDestroy, "cuEventDestroy_v2", (CuEvent event))
X(eventRecord, "cuEventRecord", (CuEvent event, CuStream stream))
X(eventSynchronize, "cuEventSynchronize", (CuEvent event))
X(eventElapsedTime, "cuEventElapsedTime",
  (float *milliseconds, CuEvent start, CuEvent end))
X(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode",
  (int *mode))
X(moduleLoadDataEx, "cuModuleLoadDataEx",
  (CuModule * module, const void *image, unsigned optionCount, int *options,
   void **optionValues))
X(moduleUnload, "cuModuleUnload", (CuModule module))
X(moduleGetFunction, "cuModuleGetFunction",
  (CuFunction * function, CuModule module, const char *name))
X(funcSetAttribute, "cuFuncSetAttribute",
  (CuFunction function, int attribute, int value))
X(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
  (int *blocks, CuFunction function, int blockSize, size_t sharedBytes))
X(occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",
  (int *clusters, CuFunction function, const CuLaunchConfig *config))
X(pointerGetAttribute, "cuPointerGetAttribute",
  (void *value, int attribute, CuDevicePtr address))
X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",
  (CuTensorMap * map, int type, uint32_t rank, void *address,
   const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
   const uint32_t *elementStrides, int interleave, int swizzle, int l2Promotion,
   int outOfBounds))
X(memAlloc, "cuMemAlloc_v2", (CuDevicePtr * address, size_t bytes))
X(memFree, "cuMemFree_v2", (CuDevicePtr address))
X(memGetInfo, "cuMemGetInfo_v2", (size_t * unused, size_t *total))
X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",
  (CuDevicePtr destination, const void *source, size_t bytes, CuStream stream))
X(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",
  (void *destination, CuDevicePtr source, size_t bytes, CuStream stream))
X(memsetD8Async, "cuMemsetD8Async",
  (CuDevicePtr address, unsigned char value, size_t count, CuStream stream))
X(memsetD16Async, "cuMemsetD16Async",
  (CuDevicePtr address, unsigned short value, size_t count, CuStream stream))
X(memsetD32Async, "cuMemsetD32Async",
  (CuDevicePtr address, unsigned value, size_t count, CuStream stream))
X(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",
  (CuDevicePtr destination, CuDevicePtr source, size_t bytes, CuStream stream))
X(launchKernelEx, "cuLaunchKernelEx",
  (const CuLaunchConfig *config, CuFunction function, void **parameters,
   void **extra))
