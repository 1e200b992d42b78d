//===- MainloopRates.h - how fast operands are loaded and used --*- C++ -*-===//
//
// Measured rates of one multiprocessor, per atom of k: the 128 bytes of an
// operand row that one swizzled row of shared memory holds.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_HEURISTICS_MAINLOOPRATES_H
#define CUTL_LIB_HEURISTICS_MAINLOOPRATES_H

#include "cutl/Heuristics/Problem.h"

namespace cutl::heuristics {

/// Microseconds that a cta tile of `rows` x `columns` spends on one atom of k
/// when its operands are there in time.
double getTensorUs(int64_t rows, double columns);

/// What loading one operand of a cta tile costs for one atom of k.
struct LoadCost {
  /// Microseconds for which the copy engine of the multiprocessor is busy.
  double engineUs = 0;
  /// Bytes that the L2 cache delivers.
  double cacheBytes = 0;
};

/// The cost of `extent` rows of `operand`.
LoadCost getLoadCost(const Problem &problem, const Operand &operand,
                     int64_t extent);

} // namespace cutl::heuristics

#endif // CUTL_LIB_HEURISTICS_MAINLOOPRATES_H
