/*===- FakeCuda.c - a CUDA driver that only keeps records -----------------===*\
|*                                                                            *|
|* Answers as it was told to and remembers what it was asked.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "FakeCuda.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static FakeCuda state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local FakeContext *current;

EXPORT FakeCuda *fakeCuda(void) { return &state; }
EXPORT void fakeSetCurrent(FakeContext *context) { current = context; }

static int count(int *counter, int result) {
  pthread_mutex_lock(&lock);
  ++*counter;
  pthread_mutex_unlock(&lock);
  return result;
}

EXPORT int cuDriverGetVersion(int *version) {
  *version = state.driverVersion;
  return 0;
}
EXPORT int cuInit(unsigned flags) { return flags ? 1 : state.initResult; }
EXPORT int cuGetErrorName(int result, const char **name) {
  *name = result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_SOMETHING";
  return 0;
}
EXPORT int cuDeviceGetCount(int *value) {
  *value = state.deviceCount;
  return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "Fake %d", device);
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 16   ? state.smCount
           : attribute == 75 ? state.major
           : attribute == 76 ? state.minor
                             : -1;
  return 0;
}
EXPORT int cuCtxGetCurrent(CuContext *context) {
  *context = current;
  return 0;
}
EXPORT int cuCtxGetDevice(int *device) {
  *device = current->device;
  return 0;
}
EXPORT int cuCtxGetId(CuContext context, unsigned long long *id) {
  *id = ((FakeContext *)context)->id;
  return 0;
}
static _Thread_local FakeContext *pushed;
EXPORT int cuCtxPushCurrent_v2(CuContext context) {
  pushed = current;
  current = context;
  return count(&state.pushes, 0);
}
EXPORT int cuCtxPopCurrent_v2(CuContext *context) {
  *context = current;
  current = pushed;
  return count(&state.pops, 0);
}
EXPORT int cuStreamGetCtx(CuStream stream, CuContext *context) {
  *context = stream ? ((FakeStream *)stream)->context : current;
  return 0;
}
EXPORT int cuThreadExchangeStreamCaptureMode(int *mode) {
  pthread_mutex_lock(&lock);
  int old = state.captureMode;
  state.captureMode = *mode;
  *mode = old;
  pthread_mutex_unlock(&lock);
  return 0;
}
EXPORT int cuModuleLoadDataEx(CuModule *module, const void *image,
                              unsigned options, int *names, void **values) {
  if (state.jitLog && options == 2 && names[0] == CU_JIT_ERROR_LOG_BUFFER)
    snprintf(values[0], (size_t)(uintptr_t)values[1], "%s", state.jitLog);
  if (state.loadResult)
    return state.loadResult;
  *module = (void *)(uintptr_t)image;
  return count(&state.loads, 0);
}
EXPORT int cuModuleUnload(CuModule module) {
  return count(&state.unloads, module ? 0 : 1);
}
EXPORT int cuModuleGetFunction(CuFunction *function, CuModule module,
                               const char *name) {
  if (state.functionResult)
    return state.functionResult;
  *function = (void *)((uintptr_t)module ^ (uintptr_t)name);
  return count(&state.functions, 0);
}
EXPORT int cuFuncSetAttribute(CuFunction function, int attribute, int value) {
  if (!function || attribute != CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES)
    return 1;
  if (state.attributeResult)
    return state.attributeResult;
  state.sharedLimit = value;
  return count(&state.attributes, 0);
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                       CuFunction function,
                                                       int threads,
                                                       size_t sharedBytes) {
  (void)function, (void)threads, (void)sharedBytes;
  *blocks = state.blocksPerSm;
  return count(&state.occupancies, 0);
}
EXPORT int cuOccupancyMaxActiveClusters(int *clusters, CuFunction function,
                                        const CuLaunchConfig *config) {
  (void)function;
  *clusters = state.clusters;
  return count(&state.occupancies, config->attributeCount == 1 ? 0 : 1);
}
EXPORT int cuPointerGetAttribute(void *value, int attribute, CuDevicePtr p) {
  unsigned long long memory = p & 0xf00000000000ull;
  if (memory < FAKE_DEVICE_0 || memory > FAKE_MANAGED)
    return CU_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_MEMORY_TYPE)
    *(int *)value =
        memory == FAKE_PINNED ? CU_MEMORY_TYPE_HOST : CU_MEMORY_TYPE_DEVICE;
  if (attribute == CU_POINTER_IS_MANAGED)
    *(int *)value = memory == FAKE_MANAGED;
  if (attribute == CU_POINTER_DEVICE_ORDINAL)
    *(int *)value = memory == FAKE_DEVICE_1;
  return 0;
}
#ifndef FAKE_CUDA_WITHOUT_TENSOR_MAPS
EXPORT int cuTensorMapEncodeTiled(CuTensorMap *map, int type, uint32_t rank,
                                  void *address, const uint64_t *sizes,
                                  const uint64_t *strides, const uint32_t *box,
                                  const uint32_t *elementStrides,
                                  int interleave, int swizzle, int promotion,
                                  int outOfBounds) {
  if (state.encodeResult)
    return state.encodeResult;
  if (interleave || elementStrides[rank - 1] != 1 || (uintptr_t)map % 64)
    return CU_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  memset(map, 0xff, sizeof(*map));
  map->words[0] = (uintptr_t)address;
  memcpy(state.mapSizes, sizes, rank * 8);
  memcpy(state.mapStrides, strides, (rank - 1) * 8);
  memcpy(state.mapBox, box, rank * 4);
  state.mapAddress = (uintptr_t)address;
  state.mapRank = rank, state.mapType = type, state.mapSwizzle = swizzle;
  state.mapPromotion = promotion, state.mapOutOfBounds = outOfBounds;
  ++state.encodes;
  pthread_mutex_unlock(&lock);
  return 0;
}
#endif
static void mark(char what) {
  size_t length = strlen(state.order);
  if (length + 1 < sizeof(state.order))
    state.order[length] = what;
}
static int fill(uint64_t address, uint64_t value, uint64_t elements) {
  mark('M');
  uint64_t record[3] = {address, value, elements};
  memcpy(state.memory, record, sizeof(record));
  return count(&state.memsets, 0);
}
EXPORT int cuMemsetD8Async(CuDevicePtr p, unsigned char value, size_t n,
                           CuStream stream) {
  (void)stream;
  return fill(p, value, n);
}
EXPORT int cuMemsetD16Async(CuDevicePtr p, unsigned short value, size_t n,
                            CuStream stream) {
  (void)stream;
  return fill(p, value, n);
}
EXPORT int cuMemsetD32Async(CuDevicePtr p, unsigned value, size_t n,
                            CuStream stream) {
  (void)stream;
  return fill(p, value, n);
}
EXPORT int cuMemcpyDtoDAsync_v2(CuDevicePtr to, CuDevicePtr from, size_t bytes,
                                CuStream stream) {
  (void)stream;
  mark('C');
  uint64_t record[3] = {to, from, bytes};
  memcpy(state.memory, record, sizeof(record));
  return count(&state.copies, 0);
}
EXPORT int cuLaunchKernelEx(const CuLaunchConfig *config, CuFunction function,
                            void **parameters, void **extra) {
  if (state.launchResult)
    return state.launchResult;
  if (!function || extra)
    return 1;
  pthread_mutex_lock(&lock);
  mark('L');
  for (int i = 0; i < 3; ++i) {
    state.grid[i] = config->grid[i];
    state.block[i] = config->block[i];
    state.cluster[i] =
        config->attributeCount ? config->attributes[0].value[i] : 0;
  }
  state.sharedBytes = config->sharedBytes;
  state.stream = config->stream;
  for (int i = 0; i < 8 && state.parameterWords[i]; ++i)
    memcpy(state.parameters[i], parameters[i], state.parameterWords[i] * 8);
  ++state.launches;
  pthread_mutex_unlock(&lock);
  return 0;
}
