//===- Heuristics.h - ranking and checking configurations -------*- C++ -*-===//
//
// (problem, chip) to ranked configurations, and whether one can run at all.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_HEURISTICS_HEURISTICS_H
#define CUTL_HEURISTICS_HEURISTICS_H

#include "cutl/Heuristics/CostModel.h"
#include "cutl/Heuristics/Problem.h"
#include "cutl/Heuristics/TileConfig.h"
#include "cutl/TargetInfo/MmaAtoms.h"
#include "cutl/TargetInfo/Targets.h"

#include <optional>
#include <string>
#include <vector>

namespace cutl::heuristics {

struct Candidate {
  TileConfig config;
  Cost cost;
};

/// The instruction family that serves a problem, or why none does.
struct FamilyChoice {
  const targetinfo::MmaAtom *atom = nullptr;
  /// Empty exactly when `atom` is set.
  std::string error;
  /// Why the copy engine or the instruction cannot take A, or B, as it lies in
  /// memory, so that it has to be repacked; empty if they can.
  std::string repackA, repackB;
};

/// Chooses the first atom of the chip's preferred family that multiplies the
/// problem's types and has configurations.
FamilyChoice chooseAtom(const Problem &problem,
                        const targetinfo::Target &target);

struct Ranked {
  /// Best first; empty exactly when `error` is set.
  std::vector<Candidate> candidates;
  std::string error;
};

/// Every configuration worth compiling for `problem`, best first. Predictions
/// closer than the noise of the measurements behind the model count as equal;
/// among those, the kernels that proved robust come first.
Ranked rankConfigs(const Problem &problem, const targetinfo::Target &target);

/// A division of the k of every tile into parts, which another kernel adds.
struct Split {
  TileConfig config;
  int64_t parts;
  /// Of both kernels.
  double predictedUs;
  /// Of the first.
  Cost cost;
};

/// What it takes to divide the k of every tile, of static extents, with that
/// configuration.
Split estimateSplit(const Problem &problem, const TileConfig &config,
                    int64_t parts, const targetinfo::Target &target);

/// The fastest division of k, if it is predicted to be well ahead of a product
/// of whole tiles that takes `wholeUs`; none where extents are dynamic, where
/// more than rounding is done to the sums, or where rows must not depend on m.
std::optional<Split> chooseSplit(const Problem &problem,
                                 const targetinfo::Target &target,
                                 double wholeUs);

/// Why a configuration cannot run.
struct Violation {
  /// A short stable name: "cta_m", "stages", "shared_memory".
  std::string rule;
  /// "expected ..., got ...; nearest legal value is ...".
  std::string message;
  /// The closest configuration that can run, where there is one.
  std::optional<TileConfig> nearest;
};

/// Checks a configuration against everything that would keep its kernel from
/// running. Returns the first rule it breaks.
std::optional<Violation> checkConfig(const Problem &problem,
                                     const TileConfig &config,
                                     const targetinfo::Target &target);

} // namespace cutl::heuristics

#endif // CUTL_HEURISTICS_HEURISTICS_H
