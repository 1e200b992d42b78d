//===- Problem.cpp - a contraction as the heuristics see it ---------------===//
//
// Derived quantities and printing.
//
//===----------------------------------------------------------------------===//

#include "cutl/Heuristics/Problem.h"

#include <algorithm>
#include <ostream>

using namespace cutl::heuristics;

const char *cutl::heuristics::majorName(Major major) {
  switch (major) {
  case Major::K:
    return "k_major";
  case Major::MN:
    return "mn_major";
  case Major::Strided:
    return "strided";
  }
  return "unknown";
}

int64_t Problem::operandBits() const {
  // Operands below a byte are widened on their way to shared memory.
  int64_t bits = 8;
  for (const Operand *operand : {&a, &b})
    if (operand->type)
      bits = std::max<int64_t>(bits, operand->type->storageBits);
  return bits;
}

static void printExtent(std::ostream &os, int64_t extent) {
  if (extent < 0)
    os << '?';
  else
    os << extent;
}

std::ostream &cutl::heuristics::operator<<(std::ostream &os,
                                           const Problem &problem) {
  auto typeName = [](const targetinfo::DataType *type) {
    return type ? type->name : "<none>";
  };
  printExtent(os, problem.m);
  os << 'x';
  printExtent(os, problem.n);
  os << 'x';
  printExtent(os, problem.k);
  if (problem.batch != 1) {
    os << " batch ";
    printExtent(os, problem.batch);
  }
  if (problem.groups != 1)
    os << " groups " << problem.groups;
  os << ' ' << typeName(problem.a.type) << ' ' << majorName(problem.a.major)
     << " * " << typeName(problem.b.type) << ' ' << majorName(problem.b.major)
     << " -> " << typeName(problem.accumulator);
  if (problem.accumulators != 1)
    os << " (" << problem.accumulators << " accumulators)";
  for (const Output &output : problem.outputs)
    os << " -> " << typeName(output.type);
  if (problem.promote)
    os << ", promoted every " << *problem.promote;
  if (!problem.deterministic)
    os << ", in any order";
  if (problem.batchInvariant)
    os << ", batch invariant";
  if (problem.smBudget)
    os << ", on at most " << *problem.smBudget << " SMs";
  return os;
}
