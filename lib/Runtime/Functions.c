/*===- Functions.c - what is asked and told about a kernel ----------------===*\
|*                                                                            *|
|* The limit of a function's shared memory, and how many of its CTAs fit.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <string.h>

CutlRuntimeStatus cutlAllowSharedBytes(CutlRuntime *runtime,
                                       CutlLaunchRecord *record, int64_t bytes,
                                       CutlRuntimeError *error) {
  CutlFunctionRecord *function = record->function;
  pthread_mutex_lock(&runtime->tables);
  int allowed = bytes <= function->sharedLimit;
  pthread_mutex_unlock(&runtime->tables);
  if (allowed)
    return CUTL_RUNTIME_OK;
  /* Only holders of `loading` write the limit, so it may be read here. */
  pthread_mutex_lock(&runtime->loading);
  CuResult result = CU_SUCCESS;
  if (bytes > function->sharedLimit) {
    result = runtime->driver.funcSetAttribute(
        function->function, CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, (int)bytes);
    if (result == CU_SUCCESS) {
      pthread_mutex_lock(&runtime->tables);
      function->sharedLimit = bytes;
      pthread_mutex_unlock(&runtime->tables);
    }
  }
  pthread_mutex_unlock(&runtime->loading);
  if (result)
    return cutlDriverFail(
        &runtime->driver, error, result,
        "cannot give kernel '%s' %lld bytes of dynamic shared "
        "memory",
        function->name, (long long)bytes);
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus cutlLaunchOccupancy(CutlRuntime *runtime,
                                      const CutlContextRecord *context,
                                      CutlLaunchRecord *record,
                                      const CutlLaunchShape *shape,
                                      int64_t *ctas, CutlRuntimeError *error) {
  pthread_mutex_lock(&runtime->tables);
  int known = memcmp(&record->occupancyShape, shape, sizeof(*shape)) == 0;
  *ctas = record->occupancy;
  pthread_mutex_unlock(&runtime->tables);
  if (known)
    return CUTL_RUNTIME_OK;

  const CutlDriver *driver = &runtime->driver;
  CuFunction function = record->function->function;
  uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2];
  uint32_t cluster = shape->cluster[0] * shape->cluster[1] * shape->cluster[2];
  int count = 0;
  CuResult result;
  if (cluster == 1) {
    result = driver->occupancyMaxActiveBlocks(&count, function, (int)threads,
                                              shape->sharedBytes);
    *ctas = (int64_t)count * context->smCount;
  } else {
    CuLaunchAttribute attribute = {CU_LAUNCH_CLUSTER_DIMENSION, 0, {0}};
    CuLaunchConfig config = {{0}, {0}, shape->sharedBytes, NULL, &attribute, 1};
    for (int i = 0; i < 3; ++i) {
      config.grid[i] = attribute.value[i] = shape->cluster[i];
      config.block[i] = shape->block[i];
    }
    result = driver->occupancyMaxActiveClusters(&count, function, &config);
    *ctas = (int64_t)count * cluster;
  }
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot ask how many CTAs of kernel '%s' fit the "
                          "device",
                          record->function->name);
  /* A grid of what fits would be empty, and the launch left out. */
  if (*ctas <= 0)
    return cutlFail(error, CUTL_RUNTIME_DRIVER_ERROR,
                    "expected a device that holds a cluster of %u CTAs of "
                    "kernel '%s', got one that holds none",
                    cluster, record->function->name);
  pthread_mutex_lock(&runtime->tables);
  record->occupancyShape = *shape;
  record->occupancy = *ctas;
  pthread_mutex_unlock(&runtime->tables);
  return CUTL_RUNTIME_OK;
}
