/*===- Errors.c - statuses with texts -------------------------------------===*\
|*                                                                            *|
|* Writes the caller's error struct.                                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <stdarg.h>
#include <stdio.h>

CutlRuntimeStatus cutlFail(CutlRuntimeError *error, CutlRuntimeStatus status,
                           const char *format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
  }
  return status;
}

CutlRuntimeStatus cutlSucceed(CutlRuntimeError *error) {
  if (error) {
    error->status = CUTL_RUNTIME_OK;
    error->text[0] = '\0';
  }
  return CUTL_RUNTIME_OK;
}
