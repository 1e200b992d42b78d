//===- CpuSymbols.h - What generated code may call --------------*- C++ -*-===//
//
// The run-time functions that the CPU engine gives to compiled modules.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_CPU_CPUSYMBOLS_H
#define CUTL_TARGET_CPU_CPUSYMBOLS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::cutl {

/// Calls `visit` with the name and the address of every function that compiled
/// code can refer to. Nothing else of the process is visible to it.
void forEachCpuSymbol(llvm::function_ref<void(llvm::StringRef, void *)> visit);

/// Conversions between the bits of IEEE half or bfloat16 and wider types,
/// rounding to nearest even; a NaN stays one and becomes quiet.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
uint16_t doubleToHalf(double value);
uint16_t floatToBfloat(float value);
uint16_t doubleToBfloat(double value);

} // namespace mlir::cutl

#endif // CUTL_TARGET_CPU_CPUSYMBOLS_H
