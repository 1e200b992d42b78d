/*===- launch.c - times launches of both kinds from C ---------------------===*\
|*                                                                            *|
|* Loaded by launch.py, which passes the functions and their arguments.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <time.h>

typedef int (*LaunchKernelEx)(const void *config, void *function,
                              void **parameters, void **extra);
typedef int (*RuntimeLaunch)(void *runtime, const void *entry,
                             const void *arguments, void *workspace,
                             uint64_t workspaceBytes, void *stream,
                             void *error);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Seconds of one call, or a negative number if one failed. */
double timeEmpty(LaunchKernelEx launch, const void *config, void *function,
                 int count) {
  int failed = 0;
  double start = now();
  for (int i = 0; i < count; ++i)
    failed |= launch(config, function, 0, 0);
  double end = now();
  return failed ? -1.0 : (end - start) / count;
}

double timeRuntime(RuntimeLaunch launch, void *runtime, const void *entry,
                   const void *arguments, void *stream, int count) {
  int failed = 0;
  double start = now();
  for (int i = 0; i < count; ++i)
    failed |= launch(runtime, entry, arguments, 0, 0, stream, 0);
  double end = now();
  return failed ? -1.0 : (end - start) / count;
}
