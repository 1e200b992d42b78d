/*===- Stream.c - launches from compiled host code ------------------------===*\
|*                                                                            *|
|* Loads the bundle that a host function carries, and keeps the first error.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "cutl/Runtime/Stream.h"
#include "RuntimeImpl.h"
#include "cutl/Runtime/Loader.h"

/** What `slot` holds, after loading it if no thread has. Generated code has the
    slot as a plain pointer, so it is not of an atomic type. */
static CutlRuntimeStatus getBundle(void **slot, const void *data, uint64_t size,
                                   const CutlBundle **bundle,
                                   CutlRuntimeError *error) {
  void *found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (!found) {
    const CutlBundle *loaded = NULL;
    CutlRuntimeStatus status = cutlBundleLoad(data, size, &loaded, error);
    if (status != CUTL_RUNTIME_OK)
      return status;
    /* Another thread may have been faster. */
    if (__atomic_compare_exchange_n(slot, &found, (void *)(uintptr_t)loaded, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      found = (void *)(uintptr_t)loaded;
    else
      cutlBundleFree(loaded);
  }
  *bundle = found;
  return CUTL_RUNTIME_OK;
}

CutlRuntimeStatus
cutlStreamLaunch(CutlStream *stream, void **slot, const void *bundle,
                 uint64_t bundleBytes, const char *entry,
                 const CutlOperand *operands, uint32_t operandCount,
                 const CutlScalar *scalars, uint32_t scalarCount,
                 void *workspace, uint64_t workspaceBytes) {
  if (!stream)
    return CUTL_RUNTIME_INVALID_ARGUMENT;
  CutlRuntimeError *error = &stream->error;
  if (error->status != CUTL_RUNTIME_OK)
    return error->status;
  if (!stream->runtime)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a runtime in the CutlStream, got null");
  if (!slot)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a slot for the bundle, got null");
  const CutlBundle *loaded = NULL;
  CutlRuntimeStatus status =
      getBundle(slot, bundle, bundleBytes, &loaded, error);
  const CutlEntry *found = NULL;
  if (status == CUTL_RUNTIME_OK)
    status = cutlBundleFindEntry(loaded, entry, &found, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  CutlArguments arguments = {operands, operandCount, scalars, scalarCount};
  return cutlRuntimeLaunch(stream->runtime, found, &arguments, workspace,
                           workspaceBytes, stream->stream, error);
}
