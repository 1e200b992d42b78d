//===- Expansions.h - The functions that are expanded -----------*- C++ -*-===//
//
// One function for each operation and type. None emits a branch, a loop, a call
// or a stack slot.
//
// "ulp" is the unit in the last place of the result. Two bounds are given where
// they differ: with exact instructions, as the tests find it on dense sweeps,
// and with the greatest errors that `HardwareMath` allows all at once.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLMATHTONVVM_EXPANSIONS_H
#define CUTL_CONVERSION_CUTLMATHTONVVM_EXPANSIONS_H

#include "FloatEmit.h"

namespace mlir::cutl::nvvm {

// ExpSingle.cpp
Value emitExpSingle(FloatEmit &e, Value x);
Value emitExp2Single(FloatEmit &e, Value x);
Value emitSigmoidSingle(FloatEmit &e, Value x);
Value emitSiluSingle(FloatEmit &e, Value x);
Value emitTanhSingle(FloatEmit &e, Value x);
Value emitGeluTanhSingle(FloatEmit &e, Value x);

// ErfSingle.cpp
Value emitErfSingle(FloatEmit &e, Value x);
Value emitGeluErfSingle(FloatEmit &e, Value x);

// LogSingle.cpp
Value emitLogSingle(FloatEmit &e, Value x);
Value emitLog2Single(FloatEmit &e, Value x);
Value emitPowSingle(FloatEmit &e, Value x, Value y);

// TrigSingle.cpp
Value emitSinSingle(FloatEmit &e, Value x);
Value emitCosSingle(FloatEmit &e, Value x);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLMATHTONVVM_EXPANSIONS_H
