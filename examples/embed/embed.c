/*===- embed.c - cutl inside another compiler, in C -----------------------===*\
|*                                                                            *|
|* Parses a module, gives each operation its configuration for a chip, compiles|
|* its kernels to PTX, lowers it for the CPU, and prints all three forms.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "cutl-c/Compiler.h"
#include <stdio.h>
#include <stdlib.h>

static void writeText(const char *text, size_t length, void *file) {
  fwrite(text, 1, length, file);
}

static void printDiagnostics(const CutlContext *context) {
  CutlDiagnostic diagnostic;
  for (size_t i = 0; i < cutlContextNumDiagnostics(context); ++i)
    if (cutlContextGetDiagnostic(context, i, &diagnostic) == CUTL_OK)
      fprintf(stderr, "%s: %s\n", diagnostic.location, diagnostic.message);
}

static CutlStatus runAndPrint(const CutlContext *context, CutlModule *module,
                              const char *name, const char *options) {
  char pipeline[256];
  snprintf(pipeline, sizeof pipeline, "%s{%s}", name, options);
  CutlStatus status = cutlModuleRunPipeline(module, pipeline);
  printDiagnostics(context);
  if (status == CUTL_OK)
    status = cutlModulePrint(module, writeText, stdout);
  return status;
}

/* The bytes of a file, which the caller frees, or NULL. */
static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  long end;
  if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 &&
      (data = malloc((size_t)end + 1))) {
    rewind(file);
    *size = fread(data, 1, (size_t)end, file);
  }
  if (file)
    fclose(file);
  return data;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: embed-c FILE.mlir [OPTIONS]\n");
    return 2;
  }
  const char *options = argc == 3 ? argv[2] : "chip=sm_90a";
  if (cutlApiVersion() / 1000 != CUTL_C_API_VERSION / 1000) {
    fprintf(stderr, "expected version %d of the interface, got %d\n",
            CUTL_C_API_VERSION, (int)cutlApiVersion());
    return 2;
  }

  size_t size;
  char *text = readFile(argv[1], &size);
  if (!text) {
    perror(argv[1]);
    return 1;
  }
  CutlContext *context = NULL;
  CutlModule *module = NULL;
  CutlStatus status = cutlContextCreate(&context);
  if (status == CUTL_OK) {
    status = cutlModuleParse(context, text, size, argv[1], &module);
    printDiagnostics(context);
  }
  if (status == CUTL_OK)
    status = runAndPrint(context, module, "cutl-configure", options);
  /* A GPU's code and a CPU's start from the same module. */
  CutlModule *kernels = NULL;
  if (status == CUTL_OK)
    status = cutlModuleClone(module, &kernels);
  if (status == CUTL_OK)
    status = runAndPrint(context, kernels, "cutl-to-ptx", options);
  if (status == CUTL_OK)
    status = runAndPrint(context, module, "cutl-to-cpu", options);
  if (status != CUTL_OK)
    fprintf(stderr, "%s\n", cutlStatusText(status));
  cutlModuleDestroy(kernels);
  cutlModuleDestroy(module);
  cutlContextDestroy(context);
  free(text);
  return status != CUTL_OK;
}
