//===- Problems.h - problems that several tests share -----------*- C++ -*-===//
//
// Short ways to state a problem.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_HEURISTICS_PROBLEMS_H
#define CUTL_TEST_UNIT_HEURISTICS_PROBLEMS_H

#include "cutl/Heuristics/Problem.h"

namespace cutl::heuristics {

inline Problem makeProblem(int64_t m, int64_t n, int64_t k,
                           const char *type = "bf16",
                           const char *accumulator = "f32",
                           const char *output = "bf16") {
  using targetinfo::lookupDataType;
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a.type = problem.b.type = lookupDataType(type);
  problem.accumulator = lookupDataType(accumulator);
  problem.outputs = {{lookupDataType(output), 0}};
  return problem;
}

} // namespace cutl::heuristics

#endif // CUTL_TEST_UNIT_HEURISTICS_PROBLEMS_H
