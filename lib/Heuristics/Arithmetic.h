//===- Arithmetic.h - integer helpers of the heuristics ---------*- C++ -*-===//
//
// Arithmetic that stays defined for any extents a user may write.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_HEURISTICS_ARITHMETIC_H
#define CUTL_LIB_HEURISTICS_ARITHMETIC_H

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace cutl::heuristics {

/// `value / by` rounded up, for non-negative `value` and positive `by`.
inline int64_t ceilDiv(int64_t value, int64_t by) {
  return value / by + (value % by != 0);
}

/// The product of non-negative factors, or the largest integer.
inline int64_t product(std::initializer_list<int64_t> factors) {
  int64_t result = 1;
  bool overflow = false;
  for (int64_t factor : factors) {
    if (factor == 0)
      return 0;
    overflow |= __builtin_mul_overflow(result, factor, &result);
  }
  return overflow ? std::numeric_limits<int64_t>::max() : result;
}

/// The sum of non-negative terms, or the largest integer.
inline int64_t sum(std::initializer_list<int64_t> terms) {
  int64_t result = 0;
  for (int64_t term : terms)
    if (__builtin_add_overflow(result, term, &result))
      return std::numeric_limits<int64_t>::max();
  return result;
}

} // namespace cutl::heuristics

#endif // CUTL_LIB_HEURISTICS_ARITHMETIC_H
