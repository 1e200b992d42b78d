/*===- TensorMap.c - encodes tensor maps ----------------------------------===*\
|*                                                                            *|
|* Evaluates the record of a tensor map, checks what the driver would refuse  *|
|* without saying why, and lets the driver encode it.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>

static const int64_t maximumSize = INT64_C(1) << 32;

/** Drivers up to this version set a bit in maps of small tensors that must be
    cleared. */
enum {
  LAST_DRIVER_WITH_SMALL_TENSOR_RULE = 13010,
  SMALL_TENSOR_BYTES = 131072,
  SMALL_TENSOR_WORD = 1,
  SMALL_TENSOR_BIT = 21
};

int64_t cutlTensorMapTypeBytes(int32_t type) {
  switch (type) {
  case CUTL_TENSOR_MAP_UINT8:
    return 1;
  case CUTL_TENSOR_MAP_UINT16:
  case CUTL_TENSOR_MAP_FLOAT16:
  case CUTL_TENSOR_MAP_BFLOAT16:
    return 2;
  case CUTL_TENSOR_MAP_UINT32:
  case CUTL_TENSOR_MAP_INT32:
  case CUTL_TENSOR_MAP_FLOAT32:
  case CUTL_TENSOR_MAP_TFLOAT32:
    return 4;
  case CUTL_TENSOR_MAP_FLOAT64:
    return 8;
  default:
    return 0;
  }
}

static CutlRuntimeStatus checkRecord(const CutlTensorMap *map,
                                     const char *kernel,
                                     CutlRuntimeError *error) {
  if (map->rank < 1 || map->rank > CUTL_MAX_TENSOR_MAP_RANK || !map->sizes ||
      !map->box || (map->rank > 1 && !map->strides))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "a tensor map of '%s' has rank %u, expected 1 to %d with "
                    "sizes, strides and box",
                    kernel, map->rank, CUTL_MAX_TENSOR_MAP_RANK);
  if (!cutlTensorMapTypeBytes(map->type))
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "a tensor map of '%s' has the unknown type %d", kernel,
                    map->type);
  return CUTL_RUNTIME_OK;
}

/** A multiple of 16 in the memory of some operand with elements. Where none has
    any, nothing is launched. */
static uint64_t findDeviceAddress(const CutlArguments *arguments) {
  for (uint32_t i = 0; i < arguments->operandCount; ++i) {
    const CutlOperand *operand = &arguments->operands[i];
    int full = operand->data != NULL;
    for (uint32_t d = 0; d < operand->rank; ++d)
      full &= operand->sizes[d] > 0;
    if (full)
      return (uint64_t)(uintptr_t)operand->data /
             CUTL_TENSOR_MAP_ALIGNMENT * CUTL_TENSOR_MAP_ALIGNMENT;
  }
  return CUTL_TENSOR_MAP_ALIGNMENT;
}

CutlRuntimeStatus cutlEncodeTensorMap(const CutlDriver *driver,
                                      const CutlEnvironment *environment,
                                      const CutlTensorMap *map,
                                      uint64_t address, const char *kernel,
                                      CuTensorMap *result,
                                      CutlRuntimeError *error) {
  static const uint32_t ones[CUTL_MAX_TENSOR_MAP_RANK] = {1, 1, 1, 1, 1};
  CutlRuntimeStatus status = checkRecord(map, kernel, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  uint64_t sizes[CUTL_MAX_TENSOR_MAP_RANK] = {0};
  uint64_t strides[CUTL_MAX_TENSOR_MAP_RANK] = {0};
  int empty = 0;
  for (uint32_t i = 0; i < map->rank; ++i) {
    int64_t size = 0;
    status = cutlEvaluate(environment, &map->sizes[i], 1,
                          "a size of a tensor map", kernel, &size, error);
    if (status != CUTL_RUNTIME_OK)
      return status;
    if (size < 0 || size > maximumSize)
      return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                      "a tensor map of '%s': expected the size of dimension %u "
                      "to be 0 to %" PRId64 ", got %" PRId64,
                      kernel, i, maximumSize, size);
    empty |= size == 0;
    sizes[i] = size == 0 ? 1 : (uint64_t)size;
  }
  /* Bytes up to the end of the dimensions so far, and of all of them. */
  int64_t span = cutlTensorMapTypeBytes(map->type), bytes = 0;
  for (uint32_t i = 0; i < map->rank; ++i) {
    int64_t stride = span;
    if (i > 0)
      status = cutlEvaluate(environment, &map->strides[i - 1], 0,
                            "a stride of a tensor map", kernel, &stride, error);
    if (status != CUTL_RUNTIME_OK)
      return status;
    if (i > 0 && (empty || sizes[i] == 1)) {
      /* Nothing steps along this dimension; any stride that the driver takes
         will do, and that of a view may be anything. */
      stride = span > CUTL_MAX_TENSOR_MAP_STRIDE ? CUTL_MAX_TENSOR_MAP_STRIDE : (span + CUTL_TENSOR_MAP_ALIGNMENT - 1) /
                         CUTL_TENSOR_MAP_ALIGNMENT * CUTL_TENSOR_MAP_ALIGNMENT;
    } else if (i > 0 &&
               (stride < 0 || stride > CUTL_MAX_TENSOR_MAP_STRIDE || stride % CUTL_TENSOR_MAP_ALIGNMENT != 0)) {
      return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                      "a tensor map of '%s': expected the stride of dimension "
                      "%u to be a multiple of 16 from 0 to %" PRId64
                      " bytes, got %" PRId64,
                      kernel, i, CUTL_MAX_TENSOR_MAP_STRIDE, stride);
    }
    if (i > 0)
      strides[i - 1] = (uint64_t)stride;
    if (__builtin_mul_overflow(stride, (int64_t)sizes[i], &span))
      return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                      "a tensor map of '%s' covers more than 64 bits of bytes",
                      kernel);
    bytes = span > bytes ? span : bytes;
  }
  /* An empty operand is never read, but the copy engine faults unless its
     address is one of the device. */
  if (empty)
    address = findDeviceAddress(environment->arguments);
  if (address % CUTL_TENSOR_MAP_ALIGNMENT != 0)
    return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                    "a tensor map of '%s': expected an address that is a "
                    "multiple of 16, got 0x%" PRIx64,
                    kernel, address);
  CuResult code = driver->tensorMapEncodeTiled(
      result, map->type, map->rank, (void *)(uintptr_t)address, sizes, strides,
      map->box, ones, /*interleave=*/0, map->swizzle, map->l2Promotion,
      map->outOfBounds);
  if (code != CU_SUCCESS)
    return cutlDriverFail(
        driver, error, code,
        "cannot encode a tensor map of '%s' with rank %u, sizes %" PRIu64
        " x %" PRIu64 ", stride %" PRIu64 ", box %u x %u, swizzle %d",
        kernel, map->rank, sizes[0], map->rank > 1 ? sizes[1] : 1, strides[0],
        map->box[0], map->rank > 1 ? map->box[1] : 1, map->swizzle);
  if (bytes < SMALL_TENSOR_BYTES &&
      driver->version <= LAST_DRIVER_WITH_SMALL_TENSOR_RULE)
    result->words[SMALL_TENSOR_WORD] &= ~(UINT64_C(1) << SMALL_TENSOR_BIT);
  return CUTL_RUNTIME_OK;
}
