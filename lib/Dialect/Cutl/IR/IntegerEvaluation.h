//===- IntegerEvaluation.h - Reference values of integer ops ----*- C++ -*-===//
//
// Booleans are carried as 0 and 1, wider integers as signed numbers. Where a
// result is not defined, or a double does not hold it, nothing is claimed.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_INTEGEREVALUATION_H
#define CUTL_DIALECT_CUTL_IR_INTEGEREVALUATION_H

#include "cutl/Dialect/Cutl/IR/EpilogueTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::cutl {

/// An integer operation on the operands' bits, zero-extended; of the result the
/// low bits are taken.
using Bits = ArrayRef<uint64_t>;
using BitFormula = uint64_t (*)(Bits bits, unsigned width);

/// The number of an integer's low bits, and how it is carried.
int64_t toSigned(uint64_t bits, unsigned width);
double fromBits(uint64_t bits, unsigned width);

/// Applies a formula to bits. `formula`, if there, is the same on signed
/// numbers as long as nothing wraps, and bounds the result of inexact operands.
/// Inexact booleans are tried both ways.
RefValue evaluateBits(Operation *op, ArrayRef<RefValue> operands,
                      BitFormula bitFormula,
                      double (*formula)(ArrayRef<double>));

/// Division truncates; by zero, or of the least number by -1, it is not
/// defined. The remainder has the sign of the dividend.
RefValue evaluateIntegerDivision(Operation *op, ArrayRef<RefValue> x,
                                 bool isUnsigned);
RefValue evaluateIntegerRemainder(Operation *op, ArrayRef<RefValue> x,
                                  bool isUnsigned);

/// A shift by the width or more is not defined.
enum class Shift { Left, RightSigned, RightUnsigned };
RefValue evaluateShift(Operation *op, ArrayRef<RefValue> x, Shift kind);

/// arith.cmpi.
RefValue evaluateIntegerComparison(Operation *op, ArrayRef<RefValue> x);

/// To another width.
RefValue evaluateIntegerCast(Operation *op, ArrayRef<RefValue> operands,
                             bool isUnsigned);
RefValue evaluateIntegerToFloat(Operation *op, ArrayRef<RefValue> operands,
                                bool isUnsigned);
/// Towards zero; beyond the integer's range the result is not defined.
RefValue evaluateFloatToInteger(Operation *op, ArrayRef<RefValue> operands,
                                bool isUnsigned);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_INTEGEREVALUATION_H
