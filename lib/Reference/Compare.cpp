//===- Compare.cpp - Computed arrays against the reference ---------------===//

#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "cutl/Reference/GemmReference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

bool ReferenceOutput::isComplete() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return indices.empty() && static_cast<int64_t>(values.size()) == count;
}

/// The share of the bound that an error uses; infinite where no error is
/// allowed.
static double getShare(const RefValue &expected, double got) {
  double distance = getDistance(expected.value, got);
  if (distance == 0.0)
    return 0.0;
  return distance / expected.error;
}

Comparison mlir::cutl::compareWithReference(const ReferenceOutput &reference,
                                            const NumericArray &computed) {
  Comparison comparison;
  std::optional<ElementReader> reader =
      ElementReader::get(computed.elementType);
  if (!reader || computed.sizes != reference.sizes) {
    comparison.worstShare = kUnbounded;
    return comparison;
  }
  for (size_t i = 0; i < reference.values.size(); ++i) {
    const RefValue &expected = reference.values[i];
    int64_t index = reference.indices.empty() ? static_cast<int64_t>(i)
                                              : reference.indices[i];
    ++comparison.checked;
    if (expected.error == kUnbounded) {
      ++comparison.unbounded;
      continue;
    }
    double got = reader->read(computed.data, computed.getOffset(index));
    double share = getShare(expected, got);
    if (share <= comparison.worstShare &&
        comparison.checked > comparison.unbounded + 1)
      continue;
    comparison.worstShare = share;
    comparison.expected = expected;
    comparison.got = got;
    comparison.worstIndex.assign(computed.sizes.size(), 0);
    for (size_t dim = computed.sizes.size(); dim-- > 0;
         index /= computed.sizes[dim])
      comparison.worstIndex[dim] = index % computed.sizes[dim];
  }
  return comparison;
}

std::string Comparison::describeWorst() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(worstIndex, os);
  os << "]: expected " << llvm::format("%.9g", expected.value) << " ± "
     << llvm::format("%.3g", expected.error) << ", got "
     << llvm::format("%.9g", got);
  return text;
}
