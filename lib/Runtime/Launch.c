/*===- Launch.c - puts entries on a stream --------------------------------===*\
|*                                                                            *|
|* The functions that callers use per call: workspace, preparation, launch.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>
#include <string.h>

CutlRuntimeStatus cutlBundleFindEntry(const CutlBundle *bundle,
                                      const char *name, const CutlEntry **entry,
                                      CutlRuntimeError *error) {
  if (!bundle || !name || !entry)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a bundle, a name and a place for the entry, got "
                    "null");
  CutlRuntimeStatus status = cutlCheckAbiVersion(bundle->abiVersion, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  for (uint32_t i = 0; i < bundle->entryCount; ++i)
    if (strcmp(bundle->entries[i].name, name) == 0) {
      *entry = &bundle->entries[i];
      return cutlSucceed(error);
    }
  return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                  "expected a bundle with entry '%s', got one with %u others",
                  name, bundle->entryCount);
}

CutlRuntimeStatus cutlRuntimePrepare(CutlRuntime *runtime,
                                     const CutlEntry *entry,
                                     CutlRuntimeError *error) {
  if (!runtime || !entry)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a runtime and an entry, got null");
  CutlContextRecord *context = NULL;
  CutlRuntimeStatus status = cutlCurrentContext(runtime, &context, error);
  if (status == CUTL_RUNTIME_OK && entry->variantCount && !entry->variants)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has variants at a null pointer", entry->name);
  for (uint32_t i = 0; !status && i < entry->variantCount; ++i) {
    const CutlVariant *variant = &entry->variants[i];
    if (!variant->steps ||
        !cutlVariantRuns(variant, context->major, context->minor))
      continue;
    for (uint32_t j = 0; !status && j < variant->stepCount; ++j) {
      CutlLaunchRecord *record = NULL;
      const CutlStep *step = &variant->steps[j];
      if (step->kind == CUTL_STEP_LAUNCH && step->launch)
        status =
            cutlResolveLaunch(runtime, context, step->launch, &record, error);
    }
  }
  return status == CUTL_RUNTIME_OK ? cutlSucceed(error) : status;
}

CutlRuntimeStatus cutlRuntimeWorkspaceBytes(CutlRuntime *runtime,
                                            const CutlEntry *entry,
                                            const CutlArguments *arguments,
                                            uint64_t *bytes,
                                            CutlRuntimeError *error) {
  if (!bytes)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a place for the size, got null");
  CutlPlan plan;
  CutlRuntimeStatus status =
      cutlPlanVariant(runtime, entry, arguments, &plan, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  *bytes = plan.workspaceBytes;
  return cutlSucceed(error);
}

static CutlRuntimeStatus checkWorkspace(CutlPlan *plan, void *workspace,
                                        uint64_t bytes,
                                        CutlRuntimeError *error) {
  const char *name = plan->environment.entry->name;
  if (bytes < plan->workspaceBytes)
    return cutlFail(error, CUTL_RUNTIME_WORKSPACE_TOO_SMALL,
                    "'%s': expected a workspace of at least %" PRIu64
                    " bytes, got %" PRIu64,
                    name, plan->workspaceBytes, bytes);
  if (plan->workspaceBytes &&
      (!workspace || (uintptr_t)workspace % CUTL_WORKSPACE_ALIGNMENT != 0))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "'%s': expected the workspace at a multiple of %d, got %p",
                    name, CUTL_WORKSPACE_ALIGNMENT, workspace);
  plan->workspace = (uint64_t)(uintptr_t)workspace;
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus checkStream(const CutlPlan *plan, CuStream stream,
                                     CutlRuntimeError *error) {
  const CutlDriver *driver = &plan->runtime->driver;
  CuContext context = NULL;
  CuResult result = driver->streamGetCtx(stream, &context);
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot ask for the context of stream %p", stream);
  if (context != plan->context->context)
    return cutlFail(error, CUTL_RUNTIME_WRONG_CONTEXT,
                    "expected a stream of the current context %p, got one of "
                    "context %p",
                    plan->context->context, context);
  return CUTL_RUNTIME_OK;
}

static CuResult issueLaunch(const CutlDriver *driver,
                            const CutlPlannedStep *step, CuStream stream) {
  const CutlLaunchShape *shape = &step->shape;
  CuLaunchAttribute attributes[2];
  unsigned count = 0;
  if (shape->cluster[0] * shape->cluster[1] * shape->cluster[2] > 1)
    attributes[count++] = (CuLaunchAttribute){
        CU_LAUNCH_CLUSTER_DIMENSION,
        0,
        {shape->cluster[0], shape->cluster[1], shape->cluster[2]}};
  if (step->step->launch->programmatic &&
      driver->version >= CUTL_PROGRAMMATIC_DRIVER)
    attributes[count++] = (CuLaunchAttribute){
        CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION, 0, {1}};
  CuLaunchConfig config = {{step->grid[0], step->grid[1], step->grid[2]},
                           {shape->block[0], shape->block[1], shape->block[2]},
                           shape->sharedBytes,
                           stream,
                           attributes,
                           count};
  return driver->launchKernelEx(&config, step->record->function->function,
                                step->parameters, NULL);
}

static CuResult issueMemset(const CutlDriver *driver,
                            const CutlPlannedStep *step, CuStream stream) {
  const CutlMemset *memset = step->step->memset;
  switch (memset->elementBytes) {
  case 1:
    return driver->memsetD8Async(
        step->destination, (unsigned char)memset->value, step->count, stream);
  case 2:
    return driver->memsetD16Async(
        step->destination, (unsigned short)memset->value, step->count, stream);
  default:
    return driver->memsetD32Async(step->destination, memset->value, step->count,
                                  stream);
  }
}

static CutlRuntimeStatus issueStep(const CutlPlan *plan, uint32_t index,
                                   CuStream stream, CutlRuntimeError *error) {
  const CutlDriver *driver = &plan->runtime->driver;
  const CutlPlannedStep *step = &plan->steps[index];
  const char *what;
  CuResult result;
  switch (step->kind) {
  case CUTL_STEP_LAUNCH:
    what = step->step->launch->kernel;
    result = issueLaunch(driver, step, stream);
    break;
  case CUTL_STEP_MEMSET:
    what = "memset";
    result = issueMemset(driver, step, stream);
    break;
  case CUTL_STEP_COPY:
    what = "copy";
    result = driver->memcpyDtoDAsync(step->destination, step->source,
                                     step->count, stream);
    break;
  default:
    return CUTL_RUNTIME_OK;
  }
  if (result)
    return cutlDriverFail(driver, error, result,
                          "cannot put step %u (%s) of '%s' on the stream",
                          index, what, plan->environment.entry->name);
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus cutlRuntimeLaunch(CutlRuntime *runtime,
                                    const CutlEntry *entry,
                                    const CutlArguments *arguments,
                                    void *workspace, uint64_t workspaceBytes,
                                    void *stream, CutlRuntimeError *error) {
  CutlPlan plan;
  CutlRuntimeStatus status =
      cutlPlanVariant(runtime, entry, arguments, &plan, error);
  if (status == CUTL_RUNTIME_OK)
    status = checkWorkspace(&plan, workspace, workspaceBytes, error);
  if (status == CUTL_RUNTIME_OK)
    status = checkStream(&plan, stream, error);
  if (status == CUTL_RUNTIME_OK && runtime->checkPointers)
    status = cutlCheckPointers(runtime, plan.context, entry, arguments,
                               workspace, error);
  if (status == CUTL_RUNTIME_OK)
    status = cutlPlanSteps(&plan, error);
  for (uint32_t i = 0; !status && i < plan.stepCount; ++i)
    status = issueStep(&plan, i, stream, error);
  return status == CUTL_RUNTIME_OK ? cutlSucceed(error) : status;
}
