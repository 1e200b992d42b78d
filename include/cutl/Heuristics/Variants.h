//===- Variants.h - choices for extents known at run time -------*- C++ -*-===//
//-*-===//
//
// A few configurations for a problem with dynamic extents, and which of them
// serves which extents.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_HEURISTICS_VARIANTS_H
#define CUTL_HEURISTICS_VARIANTS_H

#include "cutl/Heuristics/Problem.h"
#include "cutl/Heuristics/TileConfig.h"
#include "cutl/TargetInfo/Targets.h"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace cutl::heuristics {

/// What guards compare: an extent, in the order of `Extents`, or how many
/// results there are, m times n times batch.
enum class Term : uint8_t { M, N, K, Batch, Results };

/// "m", "n", "k", "batch" or "results".
const char *termName(Term term);

/// m, n, k and batch of one call.
constexpr size_t kNumExtents = 4;
using Extents = std::array<int64_t, kNumExtents>;

int64_t getTerm(Term term, const Extents &extents);

/// That a term is at most so large.
struct Bound {
  Term term = Term::M;
  int64_t most = 0;

  bool operator==(const Bound &other) const {
    return term == other.term && most == other.most;
  }
};

struct Variant {
  /// What the extents that it serves meet: all of it, and not that of a variant
  /// ahead.
  std::vector<Bound> guard;
  TileConfig config;

  bool accepts(const Extents &extents) const;
  /// "m <= 64 and n <= 512", empty without a guard.
  std::string guardText() const;
};

std::ostream &operator<<(std::ostream &os, const Variant &variant);

struct Variants {
  /// In the order in which guards are tried. The last has none; empty exactly
  /// when `error` is set.
  std::vector<Variant> variants;
  std::string error;

  /// The first that accepts the extents.
  const Variant &pick(const Extents &extents) const;
};

/// The problem with these extents in place of the dynamic ones.
Problem withExtents(const Problem &problem, const Extents &extents);

/// As many guards as are worth trying at each launch.
constexpr int64_t kMaxVariants = 16;

/// Chooses at most `maxConfigs` configurations, each the first of the ranking
/// for some extents, and the extents that each serves, so that little is lost
/// against the ranking's first for every extent. One configuration may have
/// several variants, `maxVariants` with those of the others. There is one
/// variant, the ranking's first, if no extent is dynamic, if no more are asked
/// for, or if rows of a reduction may not depend on m.
Variants chooseVariants(const Problem &problem,
                        const targetinfo::Target &target, int64_t maxConfigs,
                        int64_t maxVariants = kMaxVariants);

} // namespace cutl::heuristics

#endif // CUTL_HEURISTICS_VARIANTS_H
