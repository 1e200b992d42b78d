/*===- RuntimeImpl.h - what the runtime's files share -------------*- C -*-===*\
|*                                                                            *|
|* The state of a runtime and the functions by which its parts, one file      *|
|* each, use one another.                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_LIB_RUNTIME_RUNTIMEIMPL_H
#define CUTL_LIB_RUNTIME_RUNTIMEIMPL_H

#include "DriverTypes.h"

#include "cutl/Runtime/Runtime.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/** 12.0 brought cuLaunchKernelEx, tensor maps and cuCtxGetId. */
#define CUTL_MINIMUM_DRIVER 12000
/** 12.3 brought programmatic launches to captured streams. */
#define CUTL_PROGRAMMATIC_DRIVER 12030

/*===- Errors.c -----------------------------------------------------------===*/

/** Writes `error` unless it is null; returns `status`. */
CutlRuntimeStatus cutlFail(CutlRuntimeError *error, CutlRuntimeStatus status,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Makes `error` say success. */
CutlRuntimeStatus cutlSucceed(CutlRuntimeError *error);

/*===- Driver.c -----------------------------------------------------------===*/

typedef struct CutlDriver {
  void *library;
  int version;
#define X(name, symbol, parameters) CuResult(*name) parameters;
#include "DriverSymbols.h"
#undef X
} CutlDriver;

/** Turns a driver's error into a status and "<what>: <name of the error>". */
CutlRuntimeStatus cutlDriverFail(const CutlDriver *driver,
                                 CutlRuntimeError *error, CuResult result,
                                 const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Whether `chip` is written like "sm_90", "sm_90a" or "sm_100f"; its number
   and its last letter, or null. */
int cutlParseChip(const char *chip, int *number, char *suffix);

/** Whether code of that kind for `chip` runs on compute capability
    `major`.`minor`. */
int cutlChipRuns(const char *chip, int32_t imageKind, int major, int minor);

/** Writes the chip that compute capability `major`.`minor` is compiled for. */
void cutlWriteChipName(char *text, size_t size, int major, int minor);

/*===- Modules.c ----------------------------------------------------------===*/

typedef struct CutlFunctionRecord {
  struct CutlFunctionRecord *next;
  const char *name;
  CuFunction function;
  /** Dynamic shared memory that it has been allowed; never lowered, since
      several launches may use it. */
  int64_t sharedLimit;
} CutlFunctionRecord;

typedef struct CutlModuleRecord {
  struct CutlModuleRecord *next;
  const CutlImage *image;
  CuModule module;
  CutlFunctionRecord *functions;
} CutlModuleRecord;

/** The shape of a launch: what occupancy depends on. */
typedef struct CutlLaunchShape {
  uint32_t block[3];
  uint32_t cluster[3];
  uint32_t sharedBytes;
} CutlLaunchShape;

typedef struct CutlLaunchRecord {
  struct CutlLaunchRecord *next;
  const CutlLaunch *launch;
  const CutlImage *image;
  CutlFunctionRecord *function;
  /** The last answer of the driver and what it was asked for. */
  CutlLaunchShape occupancyShape;
  int64_t occupancy;
} CutlLaunchRecord;

enum { CUTL_LAUNCH_BUCKETS = 256 };

typedef struct CutlContextRecord {
  struct CutlContextRecord *next;
  /** Contexts are told apart by id: addresses are used again. */
  unsigned long long id;
  CuContext context;
  CuDevice device;
  int major;
  int minor;
  int smCount;
  CutlModuleRecord *modules;
  CutlLaunchRecord *launches[CUTL_LAUNCH_BUCKETS];
} CutlContextRecord;

struct CutlRuntime {
  CutlDriver driver;
  int deviceCount;
  int checkPointers;
  /** Guards the tables: held for look-ups, never during a call of the driver.
   */
  pthread_mutex_t tables;
  /** Held while something is loaded, so that it is loaded once. */
  pthread_mutex_t loading;
  CutlContextRecord *contexts;
};

/** The record of the context that is current on this thread. */
CutlRuntimeStatus cutlCurrentContext(CutlRuntime *runtime,
                                     CutlContextRecord **record,
                                     CutlRuntimeError *error);

/** The record of `launch` in `context`, loaded if it is not yet. */
CutlRuntimeStatus cutlResolveLaunch(CutlRuntime *runtime,
                                    CutlContextRecord *context,
                                    const CutlLaunch *launch,
                                    CutlLaunchRecord **record,
                                    CutlRuntimeError *error);

/** Frees all contexts' records, unloading their modules. */
void cutlReleaseAllContexts(CutlRuntime *runtime);

/*===- Functions.c --------------------------------------------------------===*/

/** Allows the function `bytes` of dynamic shared memory. */
CutlRuntimeStatus cutlAllowSharedBytes(CutlRuntime *runtime,
                                       CutlLaunchRecord *record, int64_t bytes,
                                       CutlRuntimeError *error);

/** CTAs of that shape that the device holds at once. */
CutlRuntimeStatus cutlLaunchOccupancy(CutlRuntime *runtime,
                                      const CutlContextRecord *context,
                                      CutlLaunchRecord *record,
                                      const CutlLaunchShape *shape,
                                      int64_t *ctas, CutlRuntimeError *error);

/*===- Expression.c -------------------------------------------------------===*/

/** What expressions are evaluated over. */
typedef struct CutlEnvironment {
  const CutlEntry *entry;
  const CutlArguments *arguments;
  int64_t smCount;
  /** Answers CUTL_OP_OCCUPANCY; null where that is not allowed. */
  CutlRuntimeStatus (*occupancy)(void *state, int32_t step, int64_t *ctas,
                                 CutlRuntimeError *error);
  void *state;
} CutlEnvironment;

/** The value of `expression`, or `fallback` of an empty one. `what` names it in
    errors, and `of` what it belongs to. Trusts no index in it. */
CutlRuntimeStatus cutlEvaluate(const CutlEnvironment *environment,
                               const CutlExpression *expression,
                               int64_t fallback, const char *what,
                               const char *of, int64_t *value,
                               CutlRuntimeError *error);

/*===- Arguments.c --------------------------------------------------------===*/

/** Checks arguments against the signature: counts, types, ranks, sizes,
    strides, null and misaligned pointers. */
CutlRuntimeStatus cutlCheckArguments(const CutlEntry *entry,
                                     const CutlArguments *arguments,
                                     CutlRuntimeError *error);

/** Whether an operand has no elements. */
int cutlIsEmpty(const CutlOperand *operand);

/** Asks the driver whether every address is memory of the context's device. */
CutlRuntimeStatus cutlCheckPointers(CutlRuntime *runtime,
                                    const CutlContextRecord *context,
                                    const CutlEntry *entry,
                                    const CutlArguments *arguments,
                                    void *workspace, CutlRuntimeError *error);

/*===- Verify.c -----------------------------------------------------------===*/

/** Whether a bundle of that ABI version can be used. */
CutlRuntimeStatus cutlCheckAbiVersion(uint32_t version,
                                      CutlRuntimeError *error);

/*===- Image.c ------------------------------------------------------------===*/

/** Checks what the driver, which is not told the size, relies on. */
CutlRuntimeStatus cutlCheckImage(const CutlImage *image,
                                 CutlRuntimeError *error);

/*===- Guards.c -----------------------------------------------------------===*/

/** CUTL_RUNTIME_OK if the guard holds, CUTL_RUNTIME_GUARD_FAILED with its text
    if not; anything else is an error of the entry. */
CutlRuntimeStatus cutlCheckGuard(const CutlEnvironment *environment,
                                 const CutlGuard *guard,
                                 CutlRuntimeError *error);

/** Whether the variant's code runs on compute capability `major`.`minor`. */
int cutlVariantRuns(const CutlVariant *variant, int major, int minor);

/** The first variant for the context's chip whose guards hold. */
CutlRuntimeStatus cutlChooseVariant(const CutlEnvironment *environment,
                                    const CutlContextRecord *context,
                                    const CutlVariant **variant,
                                    CutlRuntimeError *error);

/*===- TensorMap.c --------------------------------------------------------===*/

/** Bytes of an element of a CutlTensorMapType; 0 for another number. */
int64_t cutlTensorMapTypeBytes(int32_t type);

/** Encodes `map` over the memory at `address`. */
CutlRuntimeStatus cutlEncodeTensorMap(const CutlDriver *driver,
                                      const CutlEnvironment *environment,
                                      const CutlTensorMap *map,
                                      uint64_t address, const char *kernel,
                                      CuTensorMap *result,
                                      CutlRuntimeError *error);

/*===- Plan.c -------------------------------------------------------------===*/

/** A step with everything evaluated. */
typedef struct CutlPlannedStep {
  /** A CutlStepKind, or -1 for a step with nothing to do. */
  int32_t kind;
  const CutlStep *step;
  CutlLaunchRecord *record;
  uint32_t grid[3];
  CutlLaunchShape shape;
  /** Of the kernel's parameters. */
  void **parameters;
  uint64_t destination;
  uint64_t source;
  /** Elements of a memset, bytes of a copy. */
  uint64_t count;
} CutlPlannedStep;

/** All that one launch of a variant puts on the stream, on the caller's stack.
    Parameters point into `values` and `maps`. */
typedef struct CutlPlan {
  CutlRuntime *runtime;
  CutlContextRecord *context;
  CutlEnvironment environment;
  const CutlVariant *variant;
  uint64_t workspace;
  uint64_t workspaceBytes;
  uint32_t stepCount;
  uint32_t valueCount;
  uint32_t mapCount;
  CutlPlannedStep steps[CUTL_MAX_STEPS];
  uint64_t values[CUTL_MAX_PARAMETERS];
  void *pointers[CUTL_MAX_PARAMETERS];
  CuTensorMap maps[CUTL_MAX_TENSOR_MAPS];
} CutlPlan;

/** Checks the arguments, chooses the variant and evaluates its workspace. The
    plan must not move afterwards. */
CutlRuntimeStatus cutlPlanVariant(CutlRuntime *runtime, const CutlEntry *entry,
                                  const CutlArguments *arguments,
                                  CutlPlan *plan, CutlRuntimeError *error);

/** Evaluates every step of the chosen variant. */
CutlRuntimeStatus cutlPlanSteps(CutlPlan *plan, CutlRuntimeError *error);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_LIB_RUNTIME_RUNTIMEIMPL_H */
