/*===- Plan.c - evaluates a variant ---------------------------------------===*\
|*                                                                            *|
|* Works out everything that a launch puts on the stream before anything is   *|
|* put there, so that what cannot run leaves the stream as it was.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>

/*===- The variant --------------------------------------------------------===*/

static CutlRuntimeStatus checkVariant(const CutlEntry *entry,
                                      const CutlVariant *variant,
                                      CutlRuntimeError *error) {
  if (variant->stepCount > CUTL_MAX_STEPS ||
      (variant->stepCount && !variant->steps))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "variant '%s' of '%s' has %u steps, expected at most %d at "
                    "a pointer that is not null",
                    variant->name, entry->name, variant->stepCount,
                    CUTL_MAX_STEPS);
  for (uint32_t i = 0; i < variant->stepCount; ++i) {
    const CutlStep *step = &variant->steps[i];
    if (!(step->kind == CUTL_STEP_LAUNCH && step->launch) &&
        !(step->kind == CUTL_STEP_MEMSET && step->memset) &&
        !(step->kind == CUTL_STEP_COPY && step->copy))
      return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                      "step %u of variant '%s' of '%s' has kind %d, expected a "
                      "launch, memset or copy with its struct",
                      i, variant->name, entry->name, step->kind);
  }
  return CUTL_RUNTIME_OK;
}

/** An expression whose value must lie in a range. */
static CutlRuntimeStatus evaluateIn(const CutlEnvironment *environment,
                                    const CutlExpression *expression,
                                    int64_t fallback, int64_t low, int64_t high,
                                    const char *what, const char *of,
                                    int64_t *value, CutlRuntimeError *error) {
  CutlRuntimeStatus status =
      cutlEvaluate(environment, expression, fallback, what, of, value, error);
  if (status != CUTL_RUNTIME_OK || (low <= *value && *value <= high))
    return status;
  return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                  "%s of '%s': expected %" PRId64 " to %" PRId64
                  ", got %" PRId64,
                  what, of, low, high, *value);
}

/** Three extents; names are those of x, y and z. */
static CutlRuntimeStatus evaluateExtents(const CutlEnvironment *environment,
                                         const CutlExpression *expressions,
                                         int64_t low, const int64_t *high,
                                         const char *const *names,
                                         const char *kernel, uint32_t *extents,
                                         CutlRuntimeError *error) {
  for (int i = 0; i < 3; ++i) {
    int64_t value = 0;
    CutlRuntimeStatus status =
        evaluateIn(environment, &expressions[i], 1, low, high[i], names[i],
                   kernel, &value, error);
    if (status != CUTL_RUNTIME_OK)
      return status;
    extents[i] = (uint32_t)value;
  }
  return CUTL_RUNTIME_OK;
}

/*===- Launches -----------------------------------------------------------===*/

/** Loads launch step `index` and works out its shape, once. */
static CutlRuntimeStatus planShape(CutlPlan *plan, uint32_t index,
                                   CutlRuntimeError *error) {
  static const int64_t maximumBlock[3] = {1024, 1024, 64};
  static const int64_t maximumCluster[3] = {16, 16, 16};
  static const char *const blockNames[3] = {"block x", "block y", "block z"};
  static const char *const clusterNames[3] = {"cluster x", "cluster y",
                                              "cluster z"};
  CutlPlannedStep *step = &plan->steps[index];
  if (step->record)
    return CUTL_RUNTIME_OK;
  const CutlLaunch *launch = plan->variant->steps[index].launch;
  CutlLaunchRecord *record = NULL;
  CutlRuntimeStatus status =
      cutlResolveLaunch(plan->runtime, plan->context, launch, &record, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CutlEnvironment environment = plan->environment;
  environment.occupancy = NULL;
  CutlLaunchShape *shape = &step->shape;
  status = evaluateExtents(&environment, launch->block, 1, maximumBlock,
                           blockNames, launch->kernel, shape->block, error);
  if (status == CUTL_RUNTIME_OK)
    status =
        evaluateExtents(&environment, launch->cluster, 1, maximumCluster,
                        clusterNames, launch->kernel, shape->cluster, error);
  int64_t sharedBytes = 0;
  if (status == CUTL_RUNTIME_OK)
    status = evaluateIn(&environment, &launch->sharedBytes, 0, 0, INT32_MAX,
                        "shared memory", launch->kernel, &sharedBytes, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  shape->sharedBytes = (uint32_t)sharedBytes;
  uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2];
  uint32_t ctas = shape->cluster[0] * shape->cluster[1] * shape->cluster[2];
  if (threads > 1024 || ctas > 16)
    return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                    "'%s': expected at most 1024 threads in a CTA and 16 CTAs "
                    "in a cluster, got %u and %u",
                    launch->kernel, threads, ctas);
  status = cutlAllowSharedBytes(plan->runtime, record, sharedBytes, error);
  if (status == CUTL_RUNTIME_OK)
    step->record = record;
  return status;
}

static CutlRuntimeStatus occupancyOf(void *state, int32_t index, int64_t *ctas,
                                     CutlRuntimeError *error) {
  CutlPlan *plan = state;
  if (index < 0 || (uint32_t)index >= plan->variant->stepCount ||
      plan->variant->steps[index].kind != CUTL_STEP_LAUNCH)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "variant '%s' of '%s' asks for the occupancy of step %d, "
                    "which is no launch",
                    plan->variant->name, plan->environment.entry->name, index);
  CutlRuntimeStatus status = planShape(plan, (uint32_t)index, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  const CutlPlannedStep *step = &plan->steps[index];
  return cutlLaunchOccupancy(plan->runtime, plan->context, step->record,
                             &step->shape, ctas, error);
}

/** Whether the launch has anything to do goes into `step->kind`. */
static CutlRuntimeStatus planGrid(CutlPlan *plan, CutlPlannedStep *step,
                                  const CutlLaunch *launch,
                                  CutlRuntimeError *error) {
  static const int64_t maximumGrid[3] = {INT32_MAX, 65535, 65535};
  static const char *const gridNames[3] = {"grid x", "grid y", "grid z"};
  CutlRuntimeStatus status =
      evaluateExtents(&plan->environment, launch->grid, 0, maximumGrid,
                      gridNames, launch->kernel, step->grid, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  for (int i = 0; i < 3; ++i) {
    if (step->grid[i] == 0)
      step->kind = -1;
    if (step->grid[i] % step->shape.cluster[i] != 0)
      return cutlFail(
          error, CUTL_RUNTIME_ARITHMETIC,
          "%s of '%s': expected a multiple of the cluster's %u, got "
          "%u",
          gridNames[i], launch->kernel, step->shape.cluster[i], step->grid[i]);
  }
  return CUTL_RUNTIME_OK;
}

/** The device address, with `bytes` from there on inside the workspace. */
static CutlRuntimeStatus planAddress(const CutlPlan *plan,
                                     const CutlAddress *address, uint64_t bytes,
                                     const char *of, uint64_t *value,
                                     CutlRuntimeError *error) {
  const CutlArguments *arguments = plan->environment.arguments;
  int64_t offset = 0;
  CutlRuntimeStatus status = cutlEvaluate(&plan->environment, &address->offset,
                                          0, "an offset", of, &offset, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  if (address->kind == CUTL_ADDRESS_WORKSPACE) {
    if (offset < 0 || (uint64_t)offset > plan->workspaceBytes ||
        bytes > plan->workspaceBytes - (uint64_t)offset)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                      "'%s' uses %" PRIu64 " bytes at offset %" PRId64
                      " of the workspace, which is planned to have %" PRIu64,
                      of, bytes, offset, plan->workspaceBytes);
    *value = plan->workspace + (uint64_t)offset;
    return CUTL_RUNTIME_OK;
  }
  if (address->kind != CUTL_ADDRESS_OPERAND || address->operand < 0 ||
      (uint32_t)address->operand >= arguments->operandCount)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' uses an address of kind %d of operand %d of %u", of,
                    address->kind, address->operand, arguments->operandCount);
  uintptr_t data = (uintptr_t)arguments->operands[address->operand].data;
  *value = (uint64_t)data + (uint64_t)offset;
  return CUTL_RUNTIME_OK;
}

/** Where the driver finds the parameter's value. */
static CutlRuntimeStatus planParameter(CutlPlan *plan, const CutlLaunch *launch,
                                       const CutlParameter *parameter,
                                       CuTensorMap *maps, uint64_t *value,
                                       void **pointer,
                                       CutlRuntimeError *error) {
  const CutlArguments *arguments = plan->environment.arguments;
  int64_t number = 0;
  CutlRuntimeStatus status;
  /* The low bytes come first, here and on the device. */
  *pointer = value;
  switch (parameter->kind) {
  case CUTL_PARAMETER_EXPRESSION:
    if (parameter->bytes != 4 && parameter->bytes != 8)
      break;
    status = evaluateIn(&plan->environment, &parameter->expression, 0,
                        parameter->bytes == 4 ? INT32_MIN : INT64_MIN,
                        parameter->bytes == 4 ? UINT32_MAX : INT64_MAX,
                        "a parameter", launch->kernel, &number, error);
    *value = (uint64_t)number;
    return status;
  case CUTL_PARAMETER_ADDRESS:
    return planAddress(plan, &parameter->address, 0, launch->kernel, value,
                       error);
  case CUTL_PARAMETER_TENSOR_MAP:
    if (parameter->index < 0 ||
        (uint32_t)parameter->index >= launch->tensorMapCount)
      break;
    *pointer = &maps[parameter->index];
    return CUTL_RUNTIME_OK;
  case CUTL_PARAMETER_SCALAR:
    if (parameter->index < 0 ||
        (uint32_t)parameter->index >= arguments->scalarCount)
      break;
    *value = arguments->scalars[parameter->index].bits;
    return CUTL_RUNTIME_OK;
  default:
    break;
  }
  return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                  "'%s' has a parameter of kind %d with index %d and %u bytes",
                  launch->kernel, parameter->kind, parameter->index,
                  parameter->bytes);
}

static CutlRuntimeStatus planLaunch(CutlPlan *plan, uint32_t index,
                                    CutlRuntimeError *error) {
  CutlPlannedStep *step = &plan->steps[index];
  const CutlLaunch *launch = step->step->launch;
  CutlRuntimeStatus status = planShape(plan, index, error);
  if (status == CUTL_RUNTIME_OK)
    status = planGrid(plan, step, launch, error);
  if (status != CUTL_RUNTIME_OK || step->kind == -1)
    return status;
  if (launch->parameterCount > CUTL_MAX_PARAMETERS - plan->valueCount ||
      launch->tensorMapCount > CUTL_MAX_TENSOR_MAPS - plan->mapCount ||
      (launch->parameterCount && !launch->parameters) ||
      (launch->tensorMapCount && !launch->tensorMaps))
    return cutlFail(
        error, CUTL_RUNTIME_INVALID_ENTRY,
        "'%s' has %u parameters and %u tensor maps, expected at most "
        "%d and %d for all steps of a variant, not at null",
        launch->kernel, launch->parameterCount, launch->tensorMapCount,
        CUTL_MAX_PARAMETERS, CUTL_MAX_TENSOR_MAPS);
  CuTensorMap *maps = plan->maps + plan->mapCount;
  uint64_t *values = plan->values + plan->valueCount;
  step->parameters = plan->pointers + plan->valueCount;
  plan->mapCount += launch->tensorMapCount;
  plan->valueCount += launch->parameterCount;
  for (uint32_t i = 0; i < launch->tensorMapCount; ++i) {
    const CutlTensorMap *map = &launch->tensorMaps[i];
    uint64_t address = 0;
    status =
        planAddress(plan, &map->address, 0, launch->kernel, &address, error);
    if (status == CUTL_RUNTIME_OK)
      status =
          cutlEncodeTensorMap(&plan->runtime->driver, &plan->environment, map,
                              address, launch->kernel, &maps[i], error);
    if (status != CUTL_RUNTIME_OK)
      return status;
  }
  for (uint32_t i = 0; i < launch->parameterCount; ++i) {
    status = planParameter(plan, launch, &launch->parameters[i], maps,
                           &values[i], &step->parameters[i], error);
    if (status != CUTL_RUNTIME_OK)
      return status;
  }
  return CUTL_RUNTIME_OK;
}

/*===- Memory -------------------------------------------------------------===*/

static CutlRuntimeStatus planMemset(CutlPlan *plan, CutlPlannedStep *step,
                                    CutlRuntimeError *error) {
  const char *of = plan->variant->name;
  const CutlMemset *memset = step->step->memset;
  uint32_t bytes = memset->elementBytes;
  if (bytes != 1 && bytes != 2 && bytes != 4)
    return cutlFail(
        error, CUTL_RUNTIME_INVALID_ENTRY,
        "a memset of '%s': expected elements of 1, 2 or 4 bytes, got "
        "%u",
        of, bytes);
  int64_t count = 0;
  CutlRuntimeStatus status =
      evaluateIn(&plan->environment, &memset->count, 0, 0, INT64_MAX / 4,
                 "the count of a memset", of, &count, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  step->count = (uint64_t)count;
  if (count == 0)
    step->kind = -1;
  return planAddress(plan, &memset->destination, (uint64_t)count * bytes, of,
                     &step->destination, error);
}

static CutlRuntimeStatus planCopy(CutlPlan *plan, CutlPlannedStep *step,
                                  CutlRuntimeError *error) {
  const char *of = plan->variant->name;
  const CutlCopy *copy = step->step->copy;
  int64_t bytes = 0;
  CutlRuntimeStatus status =
      evaluateIn(&plan->environment, &copy->bytes, 0, 0, INT64_MAX,
                 "the bytes of a copy", of, &bytes, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  step->count = (uint64_t)bytes;
  if (bytes == 0)
    step->kind = -1;
  status = planAddress(plan, &copy->destination, step->count, of,
                       &step->destination, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  return planAddress(plan, &copy->source, step->count, of, &step->source,
                     error);
}

/*===- The plan -----------------------------------------------------------===*/

CutlRuntimeStatus cutlPlanVariant(CutlRuntime *runtime, const CutlEntry *entry,
                                  const CutlArguments *arguments,
                                  CutlPlan *plan, CutlRuntimeError *error) {
  if (!runtime || !entry || !arguments)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a runtime, an entry and arguments, got null");
  CutlRuntimeStatus status = cutlCheckArguments(entry, arguments, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  plan->runtime = runtime;
  status = cutlCurrentContext(runtime, &plan->context, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CutlEnvironment environment = {entry, arguments, plan->context->smCount, NULL,
                                 NULL};
  if (entry->requirementCount && !entry->requirements)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has requirements at a null pointer", entry->name);
  for (uint32_t i = 0; i < entry->requirementCount; ++i) {
    CutlRuntimeError reason;
    status = cutlCheckGuard(&environment, &entry->requirements[i], &reason);
    if (status != CUTL_RUNTIME_OK)
      return cutlFail(error, status, "'%s': %s", entry->name, reason.text);
  }
  status =
      cutlChooseVariant(&environment, plan->context, &plan->variant, error);
  if (status == CUTL_RUNTIME_OK)
    status = checkVariant(entry, plan->variant, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  for (uint32_t i = 0; i < plan->variant->stepCount; ++i) {
    plan->steps[i].kind = plan->variant->steps[i].kind;
    plan->steps[i].step = &plan->variant->steps[i];
    plan->steps[i].record = NULL;
  }
  plan->stepCount = plan->variant->stepCount;
  plan->valueCount = plan->mapCount = 0;
  environment.occupancy = occupancyOf;
  environment.state = plan;
  plan->environment = environment;
  int64_t bytes = 0;
  status = evaluateIn(&plan->environment, &plan->variant->workspaceBytes, 0, 0,
                      INT64_MAX, "the workspace", entry->name, &bytes, error);
  plan->workspaceBytes = (uint64_t)bytes;
  plan->workspace = 0;
  return status;
}

CutlRuntimeStatus cutlPlanSteps(CutlPlan *plan, CutlRuntimeError *error) {
  CutlRuntimeStatus status = CUTL_RUNTIME_OK;
  for (uint32_t i = 0; i < plan->stepCount && status == CUTL_RUNTIME_OK; ++i) {
    CutlPlannedStep *step = &plan->steps[i];
    switch (step->kind) {
    case CUTL_STEP_LAUNCH:
      status = planLaunch(plan, i, error);
      break;
    case CUTL_STEP_MEMSET:
      status = planMemset(plan, step, error);
      break;
    default:
      status = planCopy(plan, step, error);
      break;
    }
  }
  return status;
}
