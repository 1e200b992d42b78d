/*===- Arguments.c - checks a call against its signature ------------------===*\
|*                                                                            *|
|* Counts, types, ranks, sizes, strides and addresses of operands and scalars,*|
|* and on request what kind of memory the addresses point to.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>

static const struct {
  const char *name;
  int32_t bits;
} elementTypes[] = {
    [CUTL_ELEMENT_F16] = {"f16", 16},  [CUTL_ELEMENT_BF16] = {"bf16", 16},
    [CUTL_ELEMENT_F32] = {"f32", 32},  [CUTL_ELEMENT_F64] = {"f64", 64},
    [CUTL_ELEMENT_E4M3] = {"e4m3", 8}, [CUTL_ELEMENT_E5M2] = {"e5m2", 8},
    [CUTL_ELEMENT_E8M0] = {"e8m0", 8}, [CUTL_ELEMENT_E2M3] = {"e2m3", 6},
    [CUTL_ELEMENT_E3M2] = {"e3m2", 6}, [CUTL_ELEMENT_E2M1] = {"e2m1", 4},
    [CUTL_ELEMENT_S4] = {"s4", 4},     [CUTL_ELEMENT_U4] = {"u4", 4},
    [CUTL_ELEMENT_S8] = {"s8", 8},     [CUTL_ELEMENT_U8] = {"u8", 8},
    [CUTL_ELEMENT_S32] = {"s32", 32},  [CUTL_ELEMENT_S64] = {"s64", 64},
};

static int isElementType(int32_t type) {
  int32_t count = sizeof(elementTypes) / sizeof(elementTypes[0]);
  return type >= 0 && type < count && elementTypes[type].name;
}

const char *cutlElementTypeName(int32_t type) {
  return isElementType(type) ? elementTypes[type].name : NULL;
}

int32_t cutlElementTypeBits(int32_t type) {
  return isElementType(type) ? elementTypes[type].bits : 0;
}

int cutlIsEmpty(const CutlOperand *operand) {
  for (uint32_t i = 0; i < operand->rank; ++i)
    if (operand->sizes[i] == 0)
      return 1;
  return 0;
}

/** For messages: the name of any number. */
static const char *typeText(int32_t type) {
  const char *name = cutlElementTypeName(type);
  return name ? name : "no element type";
}

static CutlRuntimeStatus checkSizes(const CutlOperandSignature *signature,
                                    const CutlOperand *operand, uint32_t index,
                                    CutlRuntimeError *error) {
  for (uint32_t i = 0; i < operand->rank; ++i) {
    int64_t size = operand->sizes[i];
    if (size < 0)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                      "operand %u ('%s'): expected the size of dimension %u to "
                      "be at least 0, got %" PRId64,
                      index, signature->name, i, size);
    int64_t expected = signature->sizes ? signature->sizes[i] : CUTL_ANY_SIZE;
    if (expected != CUTL_ANY_SIZE && size != expected)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                      "operand %u ('%s'): expected the size of dimension %u to "
                      "be %" PRId64 ", got %" PRId64,
                      index, signature->name, i, expected, size);
  }
  return CUTL_RUNTIME_OK;
}

/** Byte offsets of all elements must fit 63 bits, and elements that are written
    must be distinct as far as a stride of zero can tell. */
static CutlRuntimeStatus checkStrides(const CutlOperandSignature *signature,
                                      const CutlOperand *operand,
                                      uint32_t index, CutlRuntimeError *error) {
  uint64_t span = 1;
  for (uint32_t i = 0; i < operand->rank; ++i) {
    int64_t size = operand->sizes[i], stride = operand->strides[i];
    if (size == 1)
      continue;
    if (stride == 0 && signature->access == CUTL_ACCESS_WRITE)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                      "operand %u ('%s') is written: expected a stride that is "
                      "not 0 for dimension %u of size %" PRId64 ", got 0",
                      index, signature->name, i, size);
    uint64_t magnitude = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    uint64_t extent;
    if (__builtin_mul_overflow((uint64_t)size - 1, magnitude, &extent) ||
        __builtin_add_overflow(span, extent, &span) || span > INT64_MAX / 64)
      return cutlFail(
          error, CUTL_RUNTIME_INVALID_ARGUMENT,
          "operand %u ('%s'): expected byte offsets of 64 bits, got "
          "size %" PRId64 " and stride %" PRId64 " for dimension %u",
          index, signature->name, size, stride, i);
  }
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus checkOperand(const CutlOperandSignature *signature,
                                      const CutlOperand *operand,
                                      uint32_t index, CutlRuntimeError *error) {
  if (signature->rank > CUTL_MAX_RANK || !isElementType(signature->type))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "the signature of operand %u ('%s') has rank %u and type "
                    "%s: expected a rank of at most %d and an element type",
                    index, signature->name, signature->rank,
                    typeText(signature->type), CUTL_MAX_RANK);
  if (operand->rank != signature->rank)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "operand %u ('%s'): expected rank %u, got %u", index,
                    signature->name, signature->rank, operand->rank);
  if (operand->type != signature->type)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "operand %u ('%s'): expected elements of type %s, got %s",
                    index, signature->name, typeText(signature->type),
                    typeText(operand->type));
  if (operand->rank && (!operand->sizes || !operand->strides))
    return cutlFail(
        error, CUTL_RUNTIME_INVALID_ARGUMENT,
        "operand %u ('%s'): expected %u sizes and strides, got null", index,
        signature->name, operand->rank);
  CutlRuntimeStatus status = checkSizes(signature, operand, index, error);
  if (status != CUTL_RUNTIME_OK || cutlIsEmpty(operand))
    return status;
  if (!operand->data)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "operand %u ('%s'): expected a device address, got null",
                    index, signature->name);
  uint64_t bytes = (uint64_t)cutlElementTypeBits(operand->type) / 8;
  if (bytes > 1 && (uintptr_t)operand->data % bytes != 0)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "operand %u ('%s'): expected the address of %s elements to "
                    "be a multiple of %" PRIu64 ", got %p",
                    index, signature->name, typeText(operand->type), bytes,
                    operand->data);
  return checkStrides(signature, operand, index, error);
}

CutlRuntimeStatus cutlCheckArguments(const CutlEntry *entry,
                                     const CutlArguments *arguments,
                                     CutlRuntimeError *error) {
  if (arguments->operandCount != entry->operandCount ||
      arguments->scalarCount != entry->scalarCount)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "'%s': expected %u operands and %u scalars, got %u and %u",
                    entry->name, entry->operandCount, entry->scalarCount,
                    arguments->operandCount, arguments->scalarCount);
  if ((entry->operandCount && !arguments->operands) ||
      (entry->scalarCount && !arguments->scalars))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "'%s': expected arrays of operands and scalars, got null",
                    entry->name);
  if ((entry->operandCount && !entry->operands) ||
      (entry->scalarCount && !entry->scalars))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "'%s' has a signature at a null pointer", entry->name);
  for (uint32_t i = 0; i < entry->operandCount; ++i) {
    CutlRuntimeStatus status =
        checkOperand(&entry->operands[i], &arguments->operands[i], i, error);
    if (status != CUTL_RUNTIME_OK)
      return status;
  }
  for (uint32_t i = 0; i < entry->scalarCount; ++i)
    if (arguments->scalars[i].type != entry->scalars[i].type)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                      "scalar %u ('%s'): expected type %s, got %s", i,
                      entry->scalars[i].name, typeText(entry->scalars[i].type),
                      typeText(arguments->scalars[i].type));
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus checkPointer(const CutlDriver *driver, CuDevice device,
                                      const char *name, void *pointer,
                                      CutlRuntimeError *error) {
  CuDevicePtr address = (CuDevicePtr)(uintptr_t)pointer;
  int type = 0;
  CuResult result =
      driver->pointerGetAttribute(&type, CU_POINTER_MEMORY_TYPE, address);
  if (result == CU_ERROR_INVALID_VALUE)
    return cutlFail(error, CUTL_RUNTIME_WRONG_MEMORY,
                    "'%s': expected memory of device %d, got host memory at %p",
                    name, device, pointer);
  int managed = 0;
  if (!result)
    result =
        driver->pointerGetAttribute(&managed, CU_POINTER_IS_MANAGED, address);
  int ordinal = device;
  if (!result && !managed)
    result = driver->pointerGetAttribute(&ordinal, CU_POINTER_DEVICE_ORDINAL,
                                         address);
  if (result)
    return cutlDriverFail(driver, error, result, "'%s': cannot ask about %p",
                          name, pointer);
  /* Managed memory belongs to every device. */
  if (managed)
    return CUTL_RUNTIME_OK;
  if (type != CU_MEMORY_TYPE_DEVICE)
    return cutlFail(error, CUTL_RUNTIME_WRONG_MEMORY,
                    "'%s': expected memory of device %d, got page-locked host "
                    "memory at %p",
                    name, device, pointer);
  if (ordinal != device)
    return cutlFail(error, CUTL_RUNTIME_WRONG_MEMORY,
                    "'%s': expected memory of device %d, got memory of device "
                    "%d at %p",
                    name, device, ordinal, pointer);
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus cutlCheckPointers(CutlRuntime *runtime,
                                    const CutlContextRecord *context,
                                    const CutlEntry *entry,
                                    const CutlArguments *arguments,
                                    void *workspace, CutlRuntimeError *error) {
  for (uint32_t i = 0; i < arguments->operandCount; ++i) {
    const CutlOperand *operand = &arguments->operands[i];
    if (cutlIsEmpty(operand))
      continue;
    CutlRuntimeStatus status =
        checkPointer(&runtime->driver, context->device, entry->operands[i].name,
                     operand->data, error);
    if (status != CUTL_RUNTIME_OK)
      return status;
  }
  if (!workspace)
    return CUTL_RUNTIME_OK;
  return checkPointer(&runtime->driver, context->device, "workspace", workspace,
                      error);
}
