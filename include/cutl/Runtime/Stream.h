/*===- cutl/Runtime/Stream.h - launches from compiled host code --*- C -*-===*\
|*                                                                            *|
|* What convert-cutl-launch-to-llvm makes of a launch in a host function. The *|
|* function has no result for an error, so the stream that its caller hands   *|
|* in keeps the first one.                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_RUNTIME_STREAM_H
#define CUTL_RUNTIME_STREAM_H

#include "cutl/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a host function puts its work. The caller owns it and what it points
    to; one thread at a time uses it. */
typedef struct CutlStream {
  CutlRuntime *runtime;
  /** A CUstream of the current context; null is the default stream. */
  void *stream;
  /** What the first launch that failed reports. While the status is not
      CUTL_RUNTIME_OK, launches do nothing and return it; the caller clears the
      field to go on. */
  CutlRuntimeError error;
} CutlStream;

/** Launches the entry called `entry` of a bundle file in memory, as
    cutlRuntimeLaunch does. `slot` belongs to the bytes: null before the first
    launch, then what was loaded from them, for all threads and for as long as
    the process runs. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlStreamLaunch(
    CutlStream *stream, void **slot, const void *bundle, uint64_t bundleBytes,
    const char *entry, const CutlOperand *operands, uint32_t operandCount,
    const CutlScalar *scalars, uint32_t scalarCount, void *workspace,
    uint64_t workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_RUNTIME_STREAM_H */
