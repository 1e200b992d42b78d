/*===- Driver.c - opens the CUDA driver -----------------------------------===*\
|*                                                                            *|
|* Finds the driver's library and functions at run time, creates and destroys *|
|* runtimes, and describes devices.                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t cutlRuntimeAbiVersion(void) { return CUTL_RUNTIME_ABI_VERSION; }

static CutlRuntimeStatus statusOf(CuResult result) {
  switch (result) {
  case CU_ERROR_OUT_OF_MEMORY:
    return CUTL_RUNTIME_OUT_OF_MEMORY;
  case CU_ERROR_STUB_LIBRARY:
    return CUTL_RUNTIME_NO_DRIVER;
  case CU_ERROR_NO_DEVICE:
    return CUTL_RUNTIME_NO_DEVICE;
  case CU_ERROR_INVALID_CONTEXT:
    return CUTL_RUNTIME_NO_CONTEXT;
  case CU_ERROR_UNSUPPORTED_PTX_VERSION:
    return CUTL_RUNTIME_DRIVER_TOO_OLD;
  case CU_ERROR_INVALID_IMAGE:
  case CU_ERROR_NO_BINARY_FOR_GPU:
  case CU_ERROR_INVALID_PTX:
  case CU_ERROR_NOT_FOUND:
    return CUTL_RUNTIME_BAD_IMAGE;
  default:
    return CUTL_RUNTIME_DRIVER_ERROR;
  }
}

CutlRuntimeStatus cutlDriverFail(const CutlDriver *driver,
                                 CutlRuntimeError *error, CuResult result,
                                 const char *format, ...) {
  char what[896];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  const char *name = NULL;
  if (driver->getErrorName(result, &name) != CU_SUCCESS || !name)
    name = "an unknown error";
  return cutlFail(error, statusOf(result), "%s: %s (%d)", what, name, result);
}

/** Fills the table of functions; null, or the first name that is missing. */
static const char *findSymbols(CutlDriver *driver) {
  /* A function pointer is stored as the object pointer that dlsym gives. */
#define X(name, symbol, parameters)                                            \
  *(void **)(&driver->name) = dlsym(driver->library, symbol);                  \
  if (!driver->name)                                                           \
    return symbol;
#include "DriverSymbols.h"
#undef X
  return NULL;
}

/** Opens the library and checks its version before it asks for functions that
    an old one lacks. On failure the caller closes `driver->library`. */
static CutlRuntimeStatus openDriver(CutlDriver *driver, const char *path,
                                    CutlRuntimeError *error) {
  /* The driver leaves threads and exit handlers behind: it is never unmapped.
   */
  driver->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!driver->library)
    return cutlFail(error, CUTL_RUNTIME_NO_DRIVER,
                    "cannot open the CUDA driver; install NVIDIA's driver, or "
                    "run on the CPU: %s",
                    dlerror());
  *(void **)(&driver->driverGetVersion) =
      dlsym(driver->library, "cuDriverGetVersion");
  if (!driver->driverGetVersion)
    return cutlFail(error, CUTL_RUNTIME_SYMBOL_MISSING,
                    "'%s' has no function cuDriverGetVersion: it is not a CUDA "
                    "driver",
                    path);
  CuResult result = driver->driverGetVersion(&driver->version);
  if (result != CU_SUCCESS)
    return cutlFail(error, CUTL_RUNTIME_NO_DRIVER,
                    "'%s' does not answer for its version, with error %d: "
                    "expected NVIDIA's driver, got a stub of it",
                    path, result);
  if (driver->version < CUTL_MINIMUM_DRIVER)
    return cutlFail(error, CUTL_RUNTIME_DRIVER_TOO_OLD,
                    "expected a driver for CUDA %d.%d or later, got one for "
                    "%d.%d",
                    CUTL_MINIMUM_DRIVER / 1000, CUTL_MINIMUM_DRIVER % 1000 / 10,
                    driver->version / 1000, driver->version % 1000 / 10);
  const char *missing = findSymbols(driver);
  if (missing)
    return cutlFail(error, CUTL_RUNTIME_SYMBOL_MISSING,
                    "'%s' (CUDA %d.%d) has no function %s", path,
                    driver->version / 1000, driver->version % 1000 / 10,
                    missing);
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus startDriver(const CutlDriver *driver, int *deviceCount,
                                     CutlRuntimeError *error) {
  CuResult result = driver->init(0);
  if (result == CU_SUCCESS)
    result = driver->deviceGetCount(deviceCount);
  if (result == CU_ERROR_NO_DEVICE || (!result && *deviceCount < 1))
    return cutlFail(error, CUTL_RUNTIME_NO_DEVICE,
                    "the CUDA driver shows no device; see nvidia-smi and "
                    "CUDA_VISIBLE_DEVICES");
  if (result != CU_SUCCESS)
    return cutlDriverFail(driver, error, result,
                          "cannot initialise the CUDA driver");
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus cutlRuntimeCreate(const CutlRuntimeOptions *options,
                                    CutlRuntime **result,
                                    CutlRuntimeError *error) {
  if (!result)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a place for the runtime, got null");
  CutlRuntime *runtime = calloc(1, sizeof(*runtime));
  if (!runtime)
    return cutlFail(error, CUTL_RUNTIME_OUT_OF_MEMORY,
                    "out of host memory for a runtime");
  const char *path =
      options && options->driverPath ? options->driverPath : "libcuda.so.1";
  CutlRuntimeStatus status = openDriver(&runtime->driver, path, error);
  if (status == CUTL_RUNTIME_OK)
    status = startDriver(&runtime->driver, &runtime->deviceCount, error);
  if (status != CUTL_RUNTIME_OK) {
    if (runtime->driver.library)
      dlclose(runtime->driver.library);
    free(runtime);
    return status;
  }
  runtime->checkPointers = options && options->checkPointers;
  pthread_mutex_init(&runtime->tables, NULL);
  pthread_mutex_init(&runtime->loading, NULL);
  *result = runtime;
  return cutlSucceed(error);
}

void cutlRuntimeDestroy(CutlRuntime *runtime) {
  if (!runtime)
    return;
  cutlReleaseAllContexts(runtime);
  pthread_mutex_destroy(&runtime->loading);
  pthread_mutex_destroy(&runtime->tables);
  dlclose(runtime->driver.library);
  free(runtime);
}

int32_t cutlRuntimeDeviceCount(const CutlRuntime *runtime) {
  return runtime ? runtime->deviceCount : 0;
}

CutlRuntimeStatus cutlRuntimeDeviceInfo(const CutlRuntime *runtime,
                                        int32_t ordinal, CutlDeviceInfo *info,
                                        CutlRuntimeError *error) {
  if (!runtime || !info)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a runtime and a place for the description, got "
                    "null");
  if (ordinal < 0 || ordinal >= runtime->deviceCount)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a device from 0 to %d, got %d",
                    runtime->deviceCount - 1, ordinal);
  const CutlDriver *driver = &runtime->driver;
  CutlDeviceInfo found;
  memset(&found, 0, sizeof(found));
  CuDevice device = 0;
  CuResult result = driver->deviceGet(&device, ordinal);
  if (!result)
    result = driver->deviceGetName(found.name, sizeof(found.name), device);
  if (!result)
    result = driver->deviceGetAttribute(
        &found.computeMajor, CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, device);
  if (!result)
    result = driver->deviceGetAttribute(
        &found.computeMinor, CU_DEVICE_COMPUTE_CAPABILITY_MINOR, device);
  if (!result)
    result = driver->deviceGetAttribute(&found.smCount,
                                        CU_DEVICE_MULTIPROCESSOR_COUNT, device);
  if (result)
    return cutlDriverFail(driver, error, result, "cannot describe device %d",
                          ordinal);
  cutlWriteChipName(found.chip, sizeof(found.chip), found.computeMajor,
               found.computeMinor);
  found.driverVersion = driver->version;
  *info = found;
  return cutlSucceed(error);
}

void cutlWriteChipName(char *text, size_t size, int major, int minor) {
  /* From 9.0 on the instructions that matter are those of one chip. */
  snprintf(text, size, "sm_%d%d%s", major, minor, major >= 9 ? "a" : "");
}

int cutlParseChip(const char *chip, int *number, char *suffix) {
  if (strncmp(chip, "sm_", 3) != 0)
    return 0;
  const char *digits = chip + 3;
  size_t count = strspn(digits, "0123456789");
  if (count < 2 || count > 4 || digits[0] == '0')
    return 0;
  *number = atoi(digits);
  *suffix = digits[count];
  if (*suffix == '\0')
    return 1;
  return (*suffix == 'a' || *suffix == 'f') && digits[count + 1] == '\0';
}

int cutlChipRuns(const char *chip, int32_t imageKind, int major, int minor) {
  int number;
  char suffix;
  if (!chip || !cutlParseChip(chip, &number, &suffix))
    return 0;
  int chipMajor = number / 10, chipMinor = number % 10;
  if (suffix == 'a')
    return chipMajor == major && chipMinor == minor;
  if (suffix == '\0' && imageKind == CUTL_IMAGE_PTX)
    return number <= major * 10 + minor;
  return chipMajor == major && chipMinor <= minor;
}
