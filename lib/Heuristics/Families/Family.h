//===- Family.h - what an instruction family contributes --------*- C++ -*-===//
//
// One implementation per family: its candidates and its legality rules.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_HEURISTICS_FAMILIES_FAMILY_H
#define CUTL_LIB_HEURISTICS_FAMILIES_FAMILY_H

#include "cutl/Heuristics/Heuristics.h"

#include <optional>
#include <string>
#include <vector>

namespace cutl::heuristics {

/// A broken rule and the same configuration with that rule mended.
struct BrokenRule {
  std::string rule;
  std::string message;
  TileConfig mended;
};

class Family {
public:
  virtual ~Family() = default;

  /// Configurations worth compiling, the preferred of equals first. Some may be
  /// illegal for this problem; the caller drops them. With `shareOperands` CTAs
  /// of clusters do even where rows are aligned.
  virtual std::vector<TileConfig>
  enumerate(const Problem &problem, const targetinfo::Target &target,
            bool shareOperands = false) const = 0;

  /// The first legality rule that `config` breaks.
  virtual std::optional<BrokenRule>
  findBrokenRule(const Problem &problem, const targetinfo::MmaAtom &atom,
                 const TileConfig &config,
                 const targetinfo::Target &target) const = 0;

  /// Whether a kernel of this shape proved robust over sizes, so that it wins
  /// where predictions tie.
  virtual bool isPreferred(const TileConfig &config) const = 0;
};

/// The family of warpgroup multiplies on sm_90a.
const Family &wgmmaFamily();

/// The implementation of `family`, or null while it has no configurations.
const Family *lookupFamily(targetinfo::MmaFamily family);

/// Candidates of the chosen family for the operands as they are read, repacked
/// where they have to be.
std::vector<TileConfig> enumerateConfigs(const Problem &problem,
                                         const FamilyChoice &choice,
                                         const targetinfo::Target &target,
                                         bool shareOperands = false);

/// The first rule that `config` breaks: of what has to be repacked, or of the
/// family.
std::optional<BrokenRule> findBrokenRule(const Problem &problem,
                                         const FamilyChoice &choice,
                                         const TileConfig &config,
                                         const targetinfo::Target &target);

} // namespace cutl::heuristics

#endif // CUTL_LIB_HEURISTICS_FAMILIES_FAMILY_H
