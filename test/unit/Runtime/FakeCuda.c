/*===- FakeCuda.c - a CUDA driver that only keeps records -----------------===*\
|*                                                                            *|
|* Answers as it was told to and remembers what it was asked. Allocations are *|
|* host memory at addresses that say which device they are of, so that copies *|
|* are real; kernels do nothing.                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "FakeCuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum { DEVICES = 2, DEPTH = 8 };

static FakeCuda state = {.driverVersion = 13000,
                         .deviceCount = DEVICES,
                         .major = 9,
                         .smCount = 132,
                         .blocksPerSm = 1,
                         .clusters = 66};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FakeContext primary[DEVICES] = {{101, 0}, {102, 1}};
static _Thread_local FakeContext *current;

EXPORT FakeCuda *fakeCuda(void) { return &state; }
EXPORT void fakeSetCurrent(FakeContext *context) { current = context; }

static int *fieldOf(const char *name) {
#define FIELD(field)                                                           \
  if (!strcmp(name, #field))                                                   \
    return &state.field;
  FIELD(driverVersion)
  FIELD(initResult)
  FIELD(deviceCount)
  FIELD(major)
  FIELD(minor)
  FIELD(smCount)
  FIELD(loadResult)
  FIELD(launchResult)
  FIELD(loads)
  FIELD(unloads)
  FIELD(pushes)
  FIELD(pops)
  FIELD(encodes)
  FIELD(launches)
  FIELD(retains)
  FIELD(releases)
  FIELD(allocations)
  FIELD(frees)
  FIELD(copiesIn)
  FIELD(copiesOut)
  FIELD(streams)
  FIELD(streamsGone)
  FIELD(synchronisations)
#undef FIELD
  return NULL;
}
/** Zero if there is such a number. */
EXPORT int fakeSet(const char *name, long long value) {
  int *field = fieldOf(name);
  if (field)
    *field = (int)value;
  else if (!strcmp(name, "memoryBytes"))
    state.memoryBytes = (uint64_t)value;
  else
    return 1;
  return 0;
}
EXPORT long long fakeGet(const char *name) {
  int *field = fieldOf(name);
  return field                      ? *field
         : !strcmp(name, "current") ? (long long)(current ? current->id : 0)
         : !strcmp(name, "stream")  ? (long long)(uintptr_t)state.stream
         : !strcmp(name, "grid")    ? (long long)state.grid[0]
         : !strcmp(name, "cluster") ? (long long)state.cluster[0]
                                    : -1;
}
__attribute__((constructor)) static void readEnvironment(void) {
  const char *text = getenv("FAKE_CUDA");
  char name[32];
  long long value;
  int length;
  while (text &&
         sscanf(text, " %31[a-zA-Z]=%lli%n", name, &value, &length) == 2) {
    if (fakeSet(name, value))
      abort();
    text += length;
  }
}

static int count(int *counter, int result) {
  pthread_mutex_lock(&lock);
  ++*counter;
  pthread_mutex_unlock(&lock);
  return result;
}
/** What the test wants of the calling function, counted unless it fails. */
static int answer(const char *name, int *counter) {
  if (state.failing && !strcmp(state.failing, name))
    return state.failingResult;
  return count(counter, 0);
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
static _Thread_local FakeContext *pushed[DEPTH];
static _Thread_local int depth;
EXPORT int cuCtxPushCurrent_v2(CuContext context) {
  int result = answer(__func__, &state.pushes);
  if (result || depth == DEPTH)
    return result ? result : 999;
  pushed[depth++] = current;
  current = context;
  return 0;
}
EXPORT int cuCtxPopCurrent_v2(CuContext *context) {
  *context = current;
  current = depth ? pushed[--depth] : NULL;
  return answer(__func__, &state.pops);
}
EXPORT int cuDevicePrimaryCtxRetain(CuContext *context, int device) {
  *context = &primary[device];
  return answer(__func__, &state.retains);
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return answer(__func__, &state.releases);
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
typedef struct Block {
  struct Block *next;
  uint64_t address, bytes;
} Block;
static Block *blocks;
static uint64_t used[DEVICES];

/** The block that holds all these bytes; the caller has the lock. */
static Block *blockOf(uint64_t address, uint64_t bytes) {
  Block *block = blocks;
  while (block && (address < block->address ||
                   address + bytes > block->address + block->bytes))
    block = block->next;
  return block;
}
EXPORT int cuMemAlloc_v2(CuDevicePtr *address, size_t bytes) {
  /* Above what a sanitizer keeps of the address space for itself. */
  static uint64_t next[DEVICES] = {FAKE_DEVICE_0 + (1ull << 40),
                                   FAKE_DEVICE_1 + (1ull << 40)};
  if (!current)
    return CU_ERROR_INVALID_CONTEXT;
  int device = current->device, result = 0;
  pthread_mutex_lock(&lock);
  if (state.memoryBytes && used[device] + bytes > state.memoryBytes)
    result = CU_ERROR_OUT_OF_MEMORY;
  Block *block = result ? NULL : malloc(sizeof(*block));
  if (block) {
    *block = (Block){blocks, next[device], bytes};
    next[device] += (bytes + 8191) / 4096 * 4096;
    if (mmap((void *)block->address, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0) != (void *)block->address)
      abort();
    memset((void *)block->address, 0xff, bytes);
    used[device] += bytes;
    *address = block->address;
    blocks = block;
  }
  pthread_mutex_unlock(&lock);
  return result ? result : answer(__func__, &state.allocations);
}
EXPORT int cuMemFree_v2(CuDevicePtr address) {
  pthread_mutex_lock(&lock);
  Block **link = &blocks;
  while (*link && (*link)->address != address)
    link = &(*link)->next;
  Block *block = *link;
  if (block) {
    *link = block->next;
    munmap((void *)block->address, block->bytes);
    used[block->address >= FAKE_DEVICE_1] -= block->bytes;
    free(block);
  }
  pthread_mutex_unlock(&lock);
  return block ? answer(__func__, &state.frees) : CU_ERROR_INVALID_VALUE;
}
EXPORT int cuMemGetInfo_v2(size_t *unused, size_t *total) {
  if (!current)
    return CU_ERROR_INVALID_CONTEXT;
  *total = state.memoryBytes;
  *unused = state.memoryBytes - used[current->device];
  return 0;
}
EXPORT int cuMemcpyHtoDAsync_v2(CuDevicePtr to, const void *from, size_t bytes,
                                CuStream stream) {
  (void)stream;
  pthread_mutex_lock(&lock);
  Block *block = blockOf(to, bytes);
  if (block)
    memcpy((void *)to, from, bytes);
  pthread_mutex_unlock(&lock);
  return block ? answer(__func__, &state.copiesIn) : CU_ERROR_INVALID_VALUE;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, CuDevicePtr from, size_t bytes,
                                CuStream stream) {
  (void)stream;
  pthread_mutex_lock(&lock);
  Block *block = blockOf(from, bytes);
  if (block)
    memcpy(to, (const void *)from, bytes);
  pthread_mutex_unlock(&lock);
  return block ? answer(__func__, &state.copiesOut) : CU_ERROR_INVALID_VALUE;
}
EXPORT int cuStreamCreate(CuStream *stream, unsigned flags) {
  FakeStream *created = malloc(sizeof(*created));
  created->context = current;
  *stream = created;
  int result = flags == 1 ? answer(__func__, &state.streams) : 1;
  if (result)
    free(created);
  return result;
}
EXPORT int cuStreamDestroy_v2(CuStream stream) {
  free(stream);
  return answer(__func__, &state.streamsGone);
}
EXPORT int cuStreamSynchronize(CuStream stream) {
  (void)stream;
  return answer(__func__, &state.synchronisations);
}
EXPORT int cuEventCreate(CuEvent *event, unsigned flags) {
  *event = flags ? NULL : calloc(1, sizeof(int));
  int result = answer(__func__, &state.events);
  if (result)
    free(*event);
  return result;
}
EXPORT int cuEventDestroy_v2(CuEvent event) {
  free(event);
  return answer(__func__, &state.eventsGone);
}
/** The fake's clock: milliseconds are records. */
EXPORT int cuEventRecord(CuEvent event, CuStream stream) {
  (void)stream;
  int result = answer(__func__, &state.records);
  *(int *)event = state.records;
  return result;
}
EXPORT int cuEventSynchronize(CuEvent event) {
  return answer(__func__, &state.synchronisations) || !*(int *)event;
}
EXPORT int cuEventElapsedTime(float *milliseconds, CuEvent start, CuEvent end) {
  *milliseconds = (float)(*(int *)end - *(int *)start);
  int ignored = 0;
  return answer(__func__, &ignored);
}
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
  int refused = 0;
  mark('L');
  for (int i = 0; i < 3; ++i) {
    state.grid[i] = config->grid[i];
    state.block[i] = config->block[i];
    state.cluster[i] = 0;
  }
  state.programmatic = 0;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const CuLaunchAttribute *attribute = &config->attributes[i];
    if (attribute->id == CU_LAUNCH_CLUSTER_DIMENSION)
      memcpy(state.cluster, attribute->value, sizeof(state.cluster));
    else if (attribute->id == CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION)
      state.programmatic = attribute->value[0];
    else
      refused = CU_ERROR_INVALID_VALUE;
  }
  state.sharedBytes = config->sharedBytes;
  state.stream = config->stream;
  for (int i = 0; i < 8 && state.parameterWords[i]; ++i)
    memcpy(state.parameters[i], parameters[i], state.parameterWords[i] * 8);
  ++state.launches;
  pthread_mutex_unlock(&lock);
  return refused;
}
