//===- MmaAtoms.h - typed view of the mma atom table ------------*- C++ -*-===//
//
// Matrix multiply instructions and which chips have them.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGETINFO_MMAATOMS_H
#define CUTL_TARGETINFO_MMAATOMS_H

#include "cutl/TargetInfo/DataTypes.h"

#include <cstdint>
#include <vector>

namespace cutl::targetinfo {

struct Target;

/// An instruction family: one set of heuristics and one lowering serve all of
/// its atoms.
enum class MmaFamily : uint8_t { Wgmma, MmaSync, Tcgen05, Simt };

/// "wgmma", "mma_sync", "tcgen05" or "simt".
const char *familyName(MmaFamily family);

/// One record of MmaAtoms.td, where the fields are explained.
struct MmaAtom {
  MmaFamily family;
  uint16_t minSm;
  bool archSpecific;
  const char *a;
  const char *b;
  const char *acc;
  uint16_t m;
  uint16_t nMin;
  uint16_t nMax;
  uint16_t nStep;
  /// From here on n goes in steps of 16; 0 when the step never changes.
  uint16_t nCoarseFrom;
  uint16_t k;
  /// Whether the operand must lie K-major in shared memory.
  bool aKMajor;
  bool bKMajor;

  /// Whether the instruction exists with this n.
  bool isLegalN(int64_t n) const;
  /// The legal n closest to `n`, the smaller of two equally close ones.
  int64_t nearestLegalN(int64_t n) const;
  bool isAvailableOn(const Target &chip) const;
};

/// Every atom.
const std::vector<const MmaAtom *> &allMmaAtoms();

/// The atoms that multiply `a` by `b` into `acc` on `chip`, those of the chip's
/// preferred family first and, within one family, the largest first.
std::vector<const MmaAtom *> lookupMmaAtoms(const DataType &a,
                                            const DataType &b,
                                            const DataType &acc,
                                            const Target &chip);

} // namespace cutl::targetinfo

#endif // CUTL_TARGETINFO_MMAATOMS_H
