/*===- cutl/Runtime/Loader.h - bundle files to structs ------------*- C -*-===*\
|*                                                                            *|
|* Reads what a compiler wrote into the structs that cutlRuntimeLaunch takes. *|
|* Nothing about the bytes is trusted: what loads can be launched, and what   *|
|* cannot be is refused with a text that says why.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_RUNTIME_LOADER_H
#define CUTL_RUNTIME_LOADER_H

#include "cutl/Runtime/Runtime.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Instructions of one expression of a file. */
#define CUTL_MAX_EXPRESSION_INSTRUCTIONS 1024
/** Bytes of one text of a file, without its null. */
#define CUTL_MAX_TEXT_BYTES 65535

/** Copies `size` bytes of a bundle file and checks all of them. The bundle is
   to be freed with cutlBundleFree. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlBundleLoad(const void *data,
                                                     size_t size,
                                                     const CutlBundle **bundle,
                                                     CutlRuntimeError *error);

/** The same from a file. */
CUTL_RUNTIME_EXPORT CutlRuntimeStatus cutlBundleLoadFile(
    const char *path, const CutlBundle **bundle, CutlRuntimeError *error);

/** Frees a loaded bundle; null is allowed. Runtimes that launched from it are
    destroyed, or told with cutlRuntimeReleaseBundle, before. */
CUTL_RUNTIME_EXPORT void cutlBundleFree(const CutlBundle *bundle);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_RUNTIME_LOADER_H */
