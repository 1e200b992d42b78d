/*===- Guards.c - chooses the variant of a call ---------------------------===*\
|*                                                                            *|
|* Checks guards, and says with their texts why no variant fits.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>
#include <string.h>

static const char *textOf(const CutlGuard *guard) {
  return guard->text ? guard->text : "a condition of the entry does not hold";
}

static CutlRuntimeStatus refuse(const CutlGuard *guard, int64_t value,
                                CutlRuntimeError *error) {
  return cutlFail(error, CUTL_RUNTIME_GUARD_FAILED, "%s, got %" PRId64,
                  textOf(guard), value);
}

static CutlRuntimeStatus checkCondition(const CutlEnvironment *environment,
                                        const CutlGuard *guard,
                                        CutlRuntimeError *error) {
  int64_t value = 0;
  CutlRuntimeStatus status =
      cutlEvaluate(environment, &guard->expression, 1, "a condition",
                   environment->entry->name, &value, error);
  if (status != CUTL_RUNTIME_OK || value != 0)
    return status;
  return cutlFail(error, CUTL_RUNTIME_GUARD_FAILED, "%s", textOf(guard));
}

static CutlRuntimeStatus checkPointer(const CutlOperand *operand,
                                      const CutlGuard *guard,
                                      CutlRuntimeError *error) {
  uint64_t address = (uint64_t)(uintptr_t)operand->data;
  if (cutlIsEmpty(operand) || address % (uint64_t)guard->divisor == 0)
    return CUTL_RUNTIME_OK;
  return cutlFail(error, CUTL_RUNTIME_GUARD_FAILED, "%s, got 0x%" PRIx64,
                  textOf(guard), address);
}

/** A guard of one dimension of an operand. */
static CutlRuntimeStatus checkDimension(const CutlEnvironment *environment,
                                        const CutlOperand *operand,
                                        const CutlGuard *guard,
                                        CutlRuntimeError *error) {
  int64_t size = operand->sizes[guard->dimension];
  int64_t stride = operand->strides[guard->dimension];
  switch (guard->kind) {
  case CUTL_GUARD_SIZE_RANGE:
    return guard->low <= size && size <= guard->high
               ? CUTL_RUNTIME_OK
               : refuse(guard, size, error);
  case CUTL_GUARD_SIZE_DIVISIBLE:
    return size % guard->divisor == 0 ? CUTL_RUNTIME_OK
                                      : refuse(guard, size, error);
  case CUTL_GUARD_SIZE_EQUALS: {
    int64_t expected = 0;
    CutlRuntimeStatus status =
        cutlEvaluate(environment, &guard->expression, 0, "an expected size",
                     environment->entry->name, &expected, error);
    if (status != CUTL_RUNTIME_OK || size == expected)
      return status;
    return cutlFail(error, CUTL_RUNTIME_GUARD_FAILED,
                    "%s, got %" PRId64 " instead of %" PRId64, textOf(guard),
                    size, expected);
  }
  case CUTL_GUARD_STRIDE_RANGE:
    return size <= 1 || (guard->low <= stride && stride <= guard->high)
               ? CUTL_RUNTIME_OK
               : refuse(guard, stride, error);
  default: {
    /* CUTL_GUARD_STRIDE_ALIGNMENT. The strides of an operand with elements were
       checked to fit; those of an empty one mean nothing. */
    if (size <= 1 || cutlIsEmpty(operand))
      return CUTL_RUNTIME_OK;
    int64_t bits = stride * cutlElementTypeBits(operand->type);
    if (bits % 8 == 0 && bits / 8 % guard->divisor == 0)
      return CUTL_RUNTIME_OK;
    /* Of types below a byte the value is rounded towards zero. */
    return refuse(guard, bits / 8, error);
  }
  }
}

CutlRuntimeStatus cutlCheckGuard(const CutlEnvironment *environment,
                                 const CutlGuard *guard,
                                 CutlRuntimeError *error) {
  const CutlArguments *arguments = environment->arguments;
  if (guard->kind == CUTL_GUARD_CONDITION)
    return checkCondition(environment, guard, error);
  if (guard->kind < 0 || guard->kind > CUTL_GUARD_CONDITION)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has a guard of unknown kind %d",
                    environment->entry->name, guard->kind);
  if (guard->operand < 0 || (uint32_t)guard->operand >= arguments->operandCount)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has a guard of operand %d of %u",
                    environment->entry->name, guard->operand,
                    arguments->operandCount);
  int divides = guard->kind == CUTL_GUARD_SIZE_DIVISIBLE ||
                guard->kind == CUTL_GUARD_POINTER_ALIGNMENT ||
                guard->kind == CUTL_GUARD_STRIDE_ALIGNMENT;
  if (divides && guard->divisor < 1)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has a guard with divisor %" PRId64
                    ", expected at least 1",
                    environment->entry->name, guard->divisor);
  const CutlOperand *operand = &arguments->operands[guard->operand];
  if (guard->kind == CUTL_GUARD_POINTER_ALIGNMENT)
    return checkPointer(operand, guard, error);
  if (guard->dimension < 0 || (uint32_t)guard->dimension >= operand->rank)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has a guard of dimension %d of operand %d, which has "
                    "rank %u",
                    environment->entry->name, guard->dimension, guard->operand,
                    operand->rank);
  return checkDimension(environment, operand, guard, error);
}

int cutlVariantRuns(const CutlVariant *variant, int major, int minor) {
  int32_t kind = CUTL_IMAGE_PTX;
  for (uint32_t i = 0; variant->steps && i < variant->stepCount; ++i) {
    const CutlStep *step = &variant->steps[i];
    if (step->kind == CUTL_STEP_LAUNCH && step->launch && step->launch->image &&
        step->launch->image->kind == CUTL_IMAGE_CUBIN)
      kind = CUTL_IMAGE_CUBIN;
  }
  return cutlChipRuns(variant->chip, kind, major, minor);
}

/** Appends "<separator><text>", cut to the buffer's size. */
static void append(char *buffer, size_t size, const char *separator,
                   const char *text) {
  if (buffer[0])
    strncat(buffer, separator, size - strlen(buffer) - 1);
  strncat(buffer, text, size - strlen(buffer) - 1);
}

static const char *chipOf(const CutlVariant *variant) {
  return variant->chip ? variant->chip : "no chip";
}

static CutlRuntimeStatus wrongChip(const CutlEntry *entry,
                                   const CutlContextRecord *context,
                                   CutlRuntimeError *error) {
  char chips[256] = "", chip[16];
  for (uint32_t i = 0; i < entry->variantCount; ++i) {
    const char *name = chipOf(&entry->variants[i]);
    int isNew = 1;
    for (uint32_t j = 0; j < i && isNew; ++j)
      isNew = strcmp(name, chipOf(&entry->variants[j])) != 0;
    if (isNew)
      append(chips, sizeof(chips), ", ", name);
  }
  cutlWriteChipName(chip, sizeof(chip), context->major, context->minor);
  return cutlFail(error, CUTL_RUNTIME_WRONG_CHIP,
                  "'%s': expected a variant for %s, the chip of device %d, got "
                  "variants for: %s",
                  entry->name, chip, context->device,
                  chips[0] ? chips : "none");
}

CutlRuntimeStatus cutlChooseVariant(const CutlEnvironment *environment,
                                    const CutlContextRecord *context,
                                    const CutlVariant **variant,
                                    CutlRuntimeError *error) {
  const CutlEntry *entry = environment->entry;
  char reasons[768] = "";
  int candidates = 0;
  if (entry->variantCount && !entry->variants)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has variants at a null pointer", entry->name);
  for (uint32_t i = 0; i < entry->variantCount; ++i) {
    const CutlVariant *candidate = &entry->variants[i];
    if (!cutlVariantRuns(candidate, context->major, context->minor))
      continue;
    ++candidates;
    if (candidate->guardCount && !candidate->guards)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                      "variant '%s' of '%s' has guards at a null pointer",
                      candidate->name, entry->name);
    CutlRuntimeStatus status = CUTL_RUNTIME_OK;
    CutlRuntimeError reason;
    for (uint32_t j = 0; j < candidate->guardCount && !status; ++j)
      status = cutlCheckGuard(environment, &candidate->guards[j], &reason);
    if (status == CUTL_RUNTIME_OK) {
      *variant = candidate;
      return CUTL_RUNTIME_OK;
    }
    if (status != CUTL_RUNTIME_GUARD_FAILED)
      return cutlFail(error, status, "%s", reason.text);
    /* Variants often share a guard. */
    if (!strstr(reasons, reason.text))
      append(reasons, sizeof(reasons), "; or ", reason.text);
  }
  if (!candidates)
    return wrongChip(entry, context, error);
  return cutlFail(error, CUTL_RUNTIME_GUARD_FAILED, "'%s': %s", entry->name,
                  reasons);
}
