/*===- DriverTypes.h - the driver's types and numbers that are used -*- C
-*-===*\
|*                                                                            *|
|* Our own declarations of the part of the CUDA driver's binary interface     *|
|* that the runtime touches, so that building it needs no CUDA toolkit.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_LIB_RUNTIME_DRIVERTYPES_H
#define CUTL_LIB_RUNTIME_DRIVERTYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int CuResult;
typedef int CuDevice;
typedef void *CuContext;
typedef void *CuModule;
typedef void *CuFunction;
typedef void *CuStream;
typedef void *CuEvent;
typedef unsigned long long CuDevicePtr;

enum {
  CU_SUCCESS = 0,
  CU_ERROR_INVALID_VALUE = 1,
  CU_ERROR_OUT_OF_MEMORY = 2,
  CU_ERROR_STUB_LIBRARY = 34,
  CU_ERROR_NO_DEVICE = 100,
  CU_ERROR_INVALID_IMAGE = 200,
  CU_ERROR_INVALID_CONTEXT = 201,
  CU_ERROR_NO_BINARY_FOR_GPU = 209,
  CU_ERROR_INVALID_PTX = 218,
  CU_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CU_ERROR_NOT_FOUND = 500,

  CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_COMPUTE_CAPABILITY_MINOR = 76,

  CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,

  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_BYTES = 6,

  CU_STREAM_NON_BLOCKING = 1,
  CU_CAPTURE_MODE_RELAXED = 2,

  CU_POINTER_MEMORY_TYPE = 2,
  CU_POINTER_IS_MANAGED = 8,
  CU_POINTER_DEVICE_ORDINAL = 9,
  CU_MEMORY_TYPE_HOST = 1,
  CU_MEMORY_TYPE_DEVICE = 2,

  CU_LAUNCH_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION = 6
};

/** The driver wants 64 bytes of alignment; the size is part of PTX. */
typedef struct CuTensorMap {
#ifdef __cplusplus
  alignas(64) uint64_t words[16];
#else
  _Alignas(64) uint64_t words[16];
#endif
} CuTensorMap;

typedef struct CuLaunchAttribute {
  int id;
  int padding;
  /** The cluster's extents, or 1; the rest of the driver's 64-byte union is
      unused. */
  unsigned value[16];
} CuLaunchAttribute;

typedef struct CuLaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  CuStream stream;
  CuLaunchAttribute *attributes;
  unsigned attributeCount;
} CuLaunchConfig;

#ifdef __cplusplus
}
#endif

#endif /* CUTL_LIB_RUNTIME_DRIVERTYPES_H */
