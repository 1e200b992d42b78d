/*===- cutl/Runtime/Runtime.h - launches entries on a CUDA device -*- C -*-===*\
|*                                                                            *|
|* Conventions                                                                *|
|*  - A runtime is what the caller creates and destroys; there is no other    *|
|*    state. Several may exist at once.                                       *|
|*  - Memory, workspace, stream and context are the caller's. Functions that  *|
|*    need a context use the one that is current on the calling thread.       *|
|*  - Functions return a status, and put it with a text into `error` unless   *|
|*    that is null. After a failure outputs are as before and nothing has     *|
|*    been put on the stream, unless the driver itself refused a later step.  *|
|*  - All functions but create and destroy may be called from several threads *|
|*    at once with one runtime.                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_RUNTIME_RUNTIME_H
#define CUTL_RUNTIME_RUNTIME_H

#include "cutl/Runtime/Entry.h"

#if defined(_WIN32)
#define CUTL_RUNTIME_EXPORT
#else
#define CUTL_RUNTIME_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CutlRuntimeStatus {
  CUTL_RUNTIME_OK = 0,
  /** An argument of the call is wrong: a null pointer, a rank, type or size. */
  CUTL_RUNTIME_INVALID_ARGUMENT = 1,
  /** The entry itself is malformed: an index out of range, an unknown kind. */
  CUTL_RUNTIME_INVALID_ENTRY = 2,
  /** An expression overflowed, divided by zero, or left the range of its use.
   */
  CUTL_RUNTIME_ARITHMETIC = 3,
  /** The driver's library cannot be opened or does not answer. */
  CUTL_RUNTIME_NO_DRIVER = 4,
  /** The driver is older than the runtime, or than the PTX, needs. */
  CUTL_RUNTIME_DRIVER_TOO_OLD = 5,
  /** The driver's library lacks a function. */
  CUTL_RUNTIME_SYMBOL_MISSING = 6,
  CUTL_RUNTIME_NO_DEVICE = 7,
  /** No context is current on this thread. */
  CUTL_RUNTIME_NO_CONTEXT = 8,
  /** The stream belongs to another context than the current one. */
  CUTL_RUNTIME_WRONG_CONTEXT = 9,
  /** No variant is for this chip. */
  CUTL_RUNTIME_WRONG_CHIP = 10,
  /** A requirement, or a guard of every variant, does not hold. */
  CUTL_RUNTIME_GUARD_FAILED = 11,
  CUTL_RUNTIME_WORKSPACE_TOO_SMALL = 12,
  /** A pointer is not to memory of the context's device. */
  CUTL_RUNTIME_WRONG_MEMORY = 13,
  CUTL_RUNTIME_OUT_OF_MEMORY = 14,
  /** The driver cannot load an image, or the image lacks the kernel. */
  CUTL_RUNTIME_BAD_IMAGE = 15,
  /** Another error of the driver, named in the text. */
  CUTL_RUNTIME_DRIVER_ERROR = 16,
  /** Bytes that are no bundle, one cut short or damaged, or one of another ABI
      version. */
  CUTL_RUNTIME_BAD_BUNDLE = 17
} CutlRuntimeStatus;

/** Why a call failed; on success CUTL_RUNTIME_OK and an empty text. */
typedef struct CutlRuntimeError {
  CutlRuntimeStatus status;
  char text[1024];
} CutlRuntimeError;

typedef struct CutlRuntime CutlRuntime;

typedef struct CutlRuntimeOptions {
  /** The driver's library; null for libcuda.so.1 as the loader finds it. */
  const char *driverPath;
  /** Not zero: each launch asks the driver whether operands and workspace are
      memory of the context's device. It costs about a microsecond. */
  int32_t checkPointers;
} CutlRuntimeOptions;

typedef struct CutlDeviceInfo {
  char name[256];
  /** "sm_90a": what to compile for. */
  char chip[16];
  int32_t computeMajor;
  int32_t computeMinor;
  int32_t smCount;
  /** Of the driver: 12040 is 12.4. */
  int32_t driverVersion;
} CutlDeviceInfo;

/** An array of a call. */
typedef struct CutlOperand {
  /** Device address of the element with all indices zero; may be null if there
      are no elements. */
  void *data;
  /** `rank` sizes. */
  const int64_t *sizes;
  /** `rank` strides in elements, of any sign. */
  const int64_t *strides;
  uint32_t rank;
  /** A CutlElementType. */
  int32_t type;
} CutlOperand;

/** A number of a call. */
typedef struct CutlScalar {
  /** Its bits, in the low bytes. */
  uint64_t bits;
  /** A CutlElementType. */
  int32_t type;
} CutlScalar;

/** The arguments of a call, in the order of the signature. */
typedef struct CutlArguments {
  const CutlOperand *operands;
  uint32_t operandCount;
  const CutlScalar *scalars;
  uint32_t scalarCount;
} CutlArguments;

/** CUTL_RUNTIME_ABI_VERSION that the library was built with. */
CUTL_RUNTIME_EXPORT uint32_t cutlRuntimeAbiVersion(void);

/** Opens and initialises the driver. Null options are zeros. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlRuntimeCreate(const CutlRuntimeOptions *options, CutlRuntime **runtime,
                  CutlRuntimeError *error);

/** Unloads every image from every context and frees the runtime. No other
    thread may be using it, and the work that it launched must be done. */
CUTL_RUNTIME_EXPORT void cutlRuntimeDestroy(CutlRuntime *runtime);

/** How many devices the driver shows; at least one. */
CUTL_RUNTIME_EXPORT int32_t cutlRuntimeDeviceCount(const CutlRuntime *runtime);

/** Needs no context. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlRuntimeDeviceInfo(const CutlRuntime *runtime, int32_t ordinal,
                      CutlDeviceInfo *info, CutlRuntimeError *error);

/** The entry of that name. A bundle of another ABI version is refused. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlBundleFindEntry(const CutlBundle *bundle, const char *name,
                    const CutlEntry **entry, CutlRuntimeError *error);

/** Checks everything in a bundle that does not depend on a call: counts,
    indices, kinds, expressions, texts, images. Every pointer must be null or
    lead to as many structs as the count beside it says. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlBundleVerify(const CutlBundle *bundle,
                                                       CutlRuntimeError *error);

/** Loads into the current context all that variants of `entry` for its device
    use, so that no later launch loads or compiles anything. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlRuntimePrepare(
    CutlRuntime *runtime, const CutlEntry *entry, CutlRuntimeError *error);

/** How large the workspace of a launch with these arguments must be. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlRuntimeWorkspaceBytes(
    CutlRuntime *runtime, const CutlEntry *entry,
    const CutlArguments *arguments, uint64_t *bytes, CutlRuntimeError *error);

/** Puts the steps of the first variant that fits on `stream`, a CUstream of the
    current context, and returns without waiting. `workspace` is a device
    address, a multiple of CUTL_WORKSPACE_ALIGNMENT, and may be null if
    `workspaceBytes` is zero; it is in use until the work is done. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlRuntimeLaunch(
    CutlRuntime *runtime, const CutlEntry *entry,
    const CutlArguments *arguments, void *workspace, uint64_t workspaceBytes,
    void *stream, CutlRuntimeError *error);

/** Unloads `image` from every context. To be called before its struct is freed,
    when no launch of it is running. */
CUTL_RUNTIME_EXPORT void cutlRuntimeReleaseImage(CutlRuntime *runtime,
                                                 const CutlImage *image);

/** The same for every image of a bundle. */
CUTL_RUNTIME_EXPORT void cutlRuntimeReleaseBundle(CutlRuntime *runtime,
                                                  const CutlBundle *bundle);

/** Unloads everything from the current context. To be called before a context
    is destroyed that the runtime outlives, when no launch in it is running. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus
cutlRuntimeReleaseContext(CutlRuntime *runtime, CutlRuntimeError *error);

/** "bf16" and the like; null for a number that is no CutlElementType. */
CUTL_RUNTIME_EXPORT const char *cutlElementTypeName(int32_t type);

/** Bits that an element takes in memory; 0 for no CutlElementType. */
CUTL_RUNTIME_EXPORT int32_t cutlElementTypeBits(int32_t type);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_RUNTIME_RUNTIME_H */
