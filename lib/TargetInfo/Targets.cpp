//===- Targets.cpp - typed view of the chip table -------------------------===//
//
// Lookups over the generated table and the nearest-name rule.
//
//===----------------------------------------------------------------------===//

#include "cutl/TargetInfo/Targets.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace cutl::targetinfo;

namespace {
#define GET_TargetTable_IMPL
#include "cutl/TargetInfo/Targets.inc"
} // namespace

bool Target::hasFamily(MmaFamily family) const {
  return std::find(families, families + familyCount, family) !=
         families + familyCount;
}

int64_t Target::residentCtas(int64_t clusterSize) const {
  if (clusterSize <= 1)
    return smCount;
  // Pairs fit wherever two SMs share a cluster of processors; larger clusters
  // leave the odd SMs of each such group unused.
  int64_t usable = clusterSize < 4 ? smCount : clusteredSmCount;
  return usable / clusterSize * clusterSize;
}

const std::vector<const Target *> &cutl::targetinfo::allChips() {
  static const std::vector<const Target *> chips = [] {
    std::vector<const Target *> result;
    for (const Target &chip : TargetTable)
      result.push_back(&chip);
    std::sort(
        result.begin(), result.end(),
        [](const Target *lhs, const Target *rhs) { return lhs->sm < rhs->sm; });
    return result;
  }();
  return chips;
}

const Target *cutl::targetinfo::lookupChip(std::string_view name) {
  for (const Target &chip : TargetTable)
    if (name == chip.name)
      return &chip;
  return nullptr;
}

/// The first number in `name`, or -1. Stops before it could overflow.
static int64_t firstNumber(std::string_view name) {
  size_t begin = name.find_first_of("0123456789");
  if (begin == std::string_view::npos)
    return -1;
  int64_t value = 0;
  for (size_t i = begin;
       i < name.size() && name[i] >= '0' && name[i] <= '9' && value < 1000000;
       ++i)
    value = value * 10 + (name[i] - '0');
  return value;
}

static int64_t editDistance(std::string_view from, std::string_view to) {
  std::vector<int64_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      int64_t substituted = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

const Target &cutl::targetinfo::nearestChip(std::string_view name) {
  // A chip name is a few letters; anything longer cannot get closer.
  name = name.substr(0, 32);
  int64_t number = firstNumber(name);
  const Target *best = nullptr;
  int64_t bestDistance = 0;
  for (const Target *chip : allChips()) {
    int64_t distance = number < 0 ? editDistance(name, chip->name)
                                  : std::llabs(number - chip->sm);
    if (!best || distance < bestDistance) {
      best = chip;
      bestDistance = distance;
    }
  }
  return *best;
}

std::string cutl::targetinfo::unknownChipMessage(std::string_view name) {
  return "unknown chip '" + std::string(name) + "'; nearest known is '" +
         nearestChip(name).name + "'";
}
