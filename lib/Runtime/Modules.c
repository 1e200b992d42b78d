/*===- Modules.c - loads images into contexts -----------------------------===*\
|*                                                                            *|
|* The tables of contexts, modules and functions. Look-ups take one lock for  *|
|* a moment; loading takes another, so that launches of what is loaded never  *|
|* wait for it.                                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <stdlib.h>
#include <string.h>

static CutlRuntimeStatus noMemory(CutlRuntimeError *error) {
  return cutlFail(error, CUTL_RUNTIME_OUT_OF_MEMORY,
                  "out of host memory for the tables of the runtime");
}

/*===- Contexts -----------------------------------------------------------===*/

static CutlContextRecord *findContext(CutlRuntime *runtime,
                                      unsigned long long id) {
  pthread_mutex_lock(&runtime->tables);
  CutlContextRecord *record = runtime->contexts;
  while (record && record->id != id)
    record = record->next;
  pthread_mutex_unlock(&runtime->tables);
  return record;
}

static CutlRuntimeStatus describeContext(const CutlDriver *driver,
                                         CutlContextRecord *record,
                                         CutlRuntimeError *error) {
  CuResult result = driver->ctxGetDevice(&record->device);
  if (!result)
    result = driver->deviceGetAttribute(
        &record->major, CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, record->device);
  if (!result)
    result = driver->deviceGetAttribute(
        &record->minor, CU_DEVICE_COMPUTE_CAPABILITY_MINOR, record->device);
  if (!result)
    result = driver->deviceGetAttribute(
        &record->smCount, CU_DEVICE_MULTIPROCESSOR_COUNT, record->device);
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot describe the current context's device");
  return CUTL_RUNTIME_OK;
}

/** The id of the current context, and the context. */
static CutlRuntimeStatus currentId(const CutlDriver *driver, CuContext *context,
                                   unsigned long long *id,
                                   CutlRuntimeError *error) {
  *context = NULL;
  CuResult result = driver->ctxGetCurrent(context);
  if (!result && !*context)
    return cutlFail(error, CUTL_RUNTIME_NO_CONTEXT,
                    "expected a CUDA context to be current on this thread, got "
                    "none");
  if (!result)
    result = driver->ctxGetId(*context, id);
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot ask for the current context");
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus cutlCurrentContext(CutlRuntime *runtime,
                                     CutlContextRecord **record,
                                     CutlRuntimeError *error) {
  CuContext context;
  unsigned long long id = 0;
  CutlRuntimeStatus status = currentId(&runtime->driver, &context, &id, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  if ((*record = findContext(runtime, id)))
    return CUTL_RUNTIME_OK;

  pthread_mutex_lock(&runtime->loading);
  CutlContextRecord *created = NULL;
  if (!(*record = findContext(runtime, id))) {
    created = calloc(1, sizeof(*created));
    status = created ? describeContext(&runtime->driver, created, error)
                     : noMemory(error);
  }
  if (created && status == CUTL_RUNTIME_OK) {
    created->id = id;
    created->context = context;
    pthread_mutex_lock(&runtime->tables);
    created->next = runtime->contexts;
    runtime->contexts = *record = created;
    pthread_mutex_unlock(&runtime->tables);
  } else {
    free(created);
  }
  pthread_mutex_unlock(&runtime->loading);
  return status;
}

/*===- Loading; the caller holds `loading` --------------------------------===*/

static CutlRuntimeStatus loadModule(const CutlDriver *driver,
                                    const CutlImage *image, CuModule *module,
                                    CutlRuntimeError *error) {
  CutlRuntimeStatus status = cutlCheckImage(image, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  char log[512] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
  /* Loading while another thread, or this one, captures a stream is harmless:
     it is no work on a stream. */
  int mode = CU_CAPTURE_MODE_RELAXED;
  CuResult result = driver->threadExchangeStreamCaptureMode(&mode);
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot load image '%s' during stream capture",
                          image->name);
  result = driver->moduleLoadDataEx(module, image->data, 2, options, values);
  driver->threadExchangeStreamCaptureMode(&mode);
  if (result == CU_SUCCESS)
    return CUTL_RUNTIME_OK;
  log[sizeof(log) - 1] = '\0';
  if (result == CU_ERROR_UNSUPPORTED_PTX_VERSION)
    return cutlFail(error, CUTL_RUNTIME_DRIVER_TOO_OLD,
                    "cannot load image '%s': expected a driver that knows its "
                    "PTX version, got one for CUDA %d.%d",
                    image->name, driver->version / 1000,
                    driver->version % 1000 / 10);
  return cutlDriverFail(driver, error, result, "cannot load image '%s'%s%s",
                        image->name, log[0] ? ": " : "", log);
}

static CutlRuntimeStatus findModule(CutlRuntime *runtime,
                                    CutlContextRecord *context,
                                    const CutlImage *image,
                                    CutlModuleRecord **record,
                                    CutlRuntimeError *error) {
  for (*record = context->modules; *record; *record = (*record)->next)
    if ((*record)->image == image)
      return CUTL_RUNTIME_OK;
  CutlModuleRecord *created = calloc(1, sizeof(*created));
  if (!created)
    return noMemory(error);
  CutlRuntimeStatus status =
      loadModule(&runtime->driver, image, &created->module, error);
  if (status != CUTL_RUNTIME_OK) {
    free(created);
    return status;
  }
  created->image = image;
  created->next = context->modules;
  context->modules = *record = created;
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus
findFunction(CutlRuntime *runtime, CutlModuleRecord *module, const char *name,
             CutlFunctionRecord **record, CutlRuntimeError *error) {
  for (*record = module->functions; *record; *record = (*record)->next)
    if (strcmp((*record)->name, name) == 0)
      return CUTL_RUNTIME_OK;
  CutlFunctionRecord *created = calloc(1, sizeof(*created));
  if (!created)
    return noMemory(error);
  CuResult result = runtime->driver.moduleGetFunction(&created->function,
                                                      module->module, name);
  if (result) {
    free(created);
    return cutlDriverFail(&runtime->driver, error, result,
                          "cannot find kernel '%s' in image '%s'", name,
                          module->image->name);
  }
  created->name = name;
  created->next = module->functions;
  module->functions = *record = created;
  return CUTL_RUNTIME_OK;
}

/*===- Launches -----------------------------------------------------------===*/

static CutlLaunchRecord **bucketOf(CutlContextRecord *context,
                                   const CutlLaunch *launch) {
  /* Structs of an array are some hundred bytes apart. */
  return &context->launches[((uintptr_t)launch >> 4) * 2654435761u / 16 %
                            CUTL_LAUNCH_BUCKETS];
}

static CutlLaunchRecord *findLaunch(CutlRuntime *runtime,
                                    CutlContextRecord *context,
                                    const CutlLaunch *launch) {
  pthread_mutex_lock(&runtime->tables);
  CutlLaunchRecord *record = *bucketOf(context, launch);
  while (record && record->launch != launch)
    record = record->next;
  pthread_mutex_unlock(&runtime->tables);
  return record;
}

static CutlRuntimeStatus loadLaunch(CutlRuntime *runtime,
                                    CutlContextRecord *context,
                                    const CutlLaunch *launch,
                                    CutlLaunchRecord **record,
                                    CutlRuntimeError *error) {
  CutlModuleRecord *module = NULL;
  CutlFunctionRecord *function = NULL;
  CutlRuntimeStatus status =
      findModule(runtime, context, launch->image, &module, error);
  if (status == CUTL_RUNTIME_OK)
    status = findFunction(runtime, module, launch->kernel, &function, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CutlLaunchRecord *created = calloc(1, sizeof(*created));
  if (!created)
    return noMemory(error);
  created->launch = launch;
  created->image = launch->image;
  created->function = function;
  pthread_mutex_lock(&runtime->tables);
  CutlLaunchRecord **bucket = bucketOf(context, launch);
  created->next = *bucket;
  *bucket = *record = created;
  pthread_mutex_unlock(&runtime->tables);
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus cutlResolveLaunch(CutlRuntime *runtime,
                                    CutlContextRecord *context,
                                    const CutlLaunch *launch,
                                    CutlLaunchRecord **record,
                                    CutlRuntimeError *error) {
  if ((*record = findLaunch(runtime, context, launch)))
    return CUTL_RUNTIME_OK;
  if (!launch->image || !launch->kernel)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "a launch has no image or no kernel");
  pthread_mutex_lock(&runtime->loading);
  CutlRuntimeStatus status = CUTL_RUNTIME_OK;
  if (!(*record = findLaunch(runtime, context, launch)))
    status = loadLaunch(runtime, context, launch, record, error);
  pthread_mutex_unlock(&runtime->loading);
  return status;
}

/*===- Releasing ----------------------------------------------------------===*/

static void freeLaunches(CutlContextRecord *context, const CutlImage *image) {
  for (int i = 0; i < CUTL_LAUNCH_BUCKETS; ++i) {
    CutlLaunchRecord **link = &context->launches[i];
    while (*link) {
      CutlLaunchRecord *record = *link;
      if (image && record->image != image) {
        link = &record->next;
        continue;
      }
      *link = record->next;
      free(record);
    }
  }
}

/** Frees what belongs to `image`, or to every image if it is null. The caller
    holds both locks. A context that is gone has taken its modules with it. */
static void unload(CutlRuntime *runtime, CutlContextRecord *context,
                   const CutlImage *image) {
  int entered = runtime->driver.ctxPushCurrent(context->context) == CU_SUCCESS;
  freeLaunches(context, image);
  CutlModuleRecord **link = &context->modules;
  while (*link) {
    CutlModuleRecord *module = *link;
    if (image && module->image != image) {
      link = &module->next;
      continue;
    }
    *link = module->next;
    while (module->functions) {
      CutlFunctionRecord *function = module->functions;
      module->functions = function->next;
      free(function);
    }
    if (entered)
      runtime->driver.moduleUnload(module->module);
    free(module);
  }
  CuContext popped;
  if (entered)
    runtime->driver.ctxPopCurrent(&popped);
}

void cutlRuntimeReleaseImage(CutlRuntime *runtime, const CutlImage *image) {
  if (!runtime || !image)
    return;
  pthread_mutex_lock(&runtime->loading);
  pthread_mutex_lock(&runtime->tables);
  for (CutlContextRecord *each = runtime->contexts; each; each = each->next)
    unload(runtime, each, image);
  pthread_mutex_unlock(&runtime->tables);
  pthread_mutex_unlock(&runtime->loading);
}

void cutlRuntimeReleaseBundle(CutlRuntime *runtime, const CutlBundle *bundle) {
  for (uint32_t i = 0; bundle && i < bundle->entryCount; ++i)
    for (uint32_t j = 0; j < bundle->entries[i].variantCount; ++j) {
      const CutlVariant *variant = &bundle->entries[i].variants[j];
      for (uint32_t k = 0; k < variant->stepCount; ++k)
        if (variant->steps[k].kind == CUTL_STEP_LAUNCH)
          cutlRuntimeReleaseImage(runtime, variant->steps[k].launch->image);
    }
}

CutlRuntimeStatus cutlRuntimeReleaseContext(CutlRuntime *runtime,
                                            CutlRuntimeError *error) {
  if (!runtime)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a runtime, got null");
  CuContext context;
  unsigned long long id = 0;
  CutlRuntimeStatus status = currentId(&runtime->driver, &context, &id, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  pthread_mutex_lock(&runtime->loading);
  pthread_mutex_lock(&runtime->tables);
  CutlContextRecord **link = &runtime->contexts;
  while (*link && (*link)->id != id)
    link = &(*link)->next;
  if (*link) {
    CutlContextRecord *record = *link;
    *link = record->next;
    unload(runtime, record, NULL);
    free(record);
  }
  pthread_mutex_unlock(&runtime->tables);
  pthread_mutex_unlock(&runtime->loading);
  return cutlSucceed(error);
}

void cutlReleaseAllContexts(CutlRuntime *runtime) {
  while (runtime->contexts) {
    CutlContextRecord *record = runtime->contexts;
    runtime->contexts = record->next;
    unload(runtime, record, NULL);
    free(record);
  }
}
