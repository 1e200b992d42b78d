//===- MmaAtoms.cpp - typed view of the mma atom table --------------------===//
//
// Lookups over the generated table.
//
//===----------------------------------------------------------------------===//

#include "cutl/TargetInfo/MmaAtoms.h"

#include "cutl/TargetInfo/Targets.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace cutl::targetinfo;

namespace {
#define GET_MmaAtomTable_IMPL
#include "cutl/TargetInfo/MmaAtoms.inc"
} // namespace

const char *cutl::targetinfo::familyName(MmaFamily family) {
  switch (family) {
  case MmaFamily::Wgmma:
    return "wgmma";
  case MmaFamily::MmaSync:
    return "mma_sync";
  case MmaFamily::Tcgen05:
    return "tcgen05";
  case MmaFamily::Simt:
    return "simt";
  }
  return "unknown";
}

bool MmaAtom::isLegalN(int64_t n) const {
  if (n < nMin || n > nMax || n % nStep != 0)
    return false;
  return nCoarseFrom == 0 || n < nCoarseFrom || n % 16 == 0;
}

int64_t MmaAtom::nearestLegalN(int64_t n) const {
  int64_t best = nMin;
  for (int64_t candidate = nMin; candidate <= nMax; candidate += nStep)
    if (isLegalN(candidate) && std::llabs(candidate - n) < std::llabs(best - n))
      best = candidate;
  return best;
}

bool MmaAtom::isAvailableOn(const Target &chip) const {
  if (!chip.hasFamily(family))
    return false;
  return archSpecific ? chip.archSpecific && chip.sm == minSm
                      : chip.sm >= minSm;
}

const std::vector<const MmaAtom *> &cutl::targetinfo::allMmaAtoms() {
  static const std::vector<const MmaAtom *> atoms = [] {
    std::vector<const MmaAtom *> result;
    for (const MmaAtom &atom : MmaAtomTable)
      result.push_back(&atom);
    return result;
  }();
  return atoms;
}

std::vector<const MmaAtom *>
cutl::targetinfo::lookupMmaAtoms(const DataType &a, const DataType &b,
                                 const DataType &acc, const Target &chip) {
  std::vector<const MmaAtom *> found;
  for (const MmaAtom &atom : MmaAtomTable)
    if (std::string_view(a.name) == atom.a &&
        std::string_view(b.name) == atom.b &&
        std::string_view(acc.name) == atom.acc && atom.isAvailableOn(chip))
      found.push_back(&atom);

  auto rank = [&](const MmaAtom *atom) {
    const MmaFamily *end = chip.families + chip.familyCount;
    return std::find(chip.families, end, atom->family) - chip.families;
  };
  std::sort(found.begin(), found.end(),
            [&](const MmaAtom *lhs, const MmaAtom *rhs) {
              if (rank(lhs) != rank(rhs))
                return rank(lhs) < rank(rhs);
              return lhs->m * lhs->nMax * lhs->k > rhs->m * rhs->nMax * rhs->k;
            });
  return found;
}
