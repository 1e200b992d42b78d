//===- SuitableConfigs.h - Configurations for a schedule --------*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_SUITABLECONFIGS_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_SUITABLECONFIGS_H

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Heuristics/Heuristics.h"

#include <vector>

namespace mlir::cutl {

/// What a configuration costs with a schedule: with one whose units meet, what
/// it costs for whole tiles.
::cutl::heuristics::Cost
estimateCost(ScheduleAttrInterface schedule,
             const ::cutl::heuristics::Problem &problem,
             const ::cutl::heuristics::TileConfig &config,
             const ::cutl::targetinfo::Target &target);

/// Keeps the candidates that a schedule which was given can run with, with what
/// they cost then, best first. Where none can all of them stay, and
/// cutl-verify-config says why.
void keepSuitable(std::vector<::cutl::heuristics::Candidate> &candidates,
                  ScheduleAttrInterface schedule,
                  const ::cutl::heuristics::Problem &problem,
                  const ::cutl::targetinfo::Target &target);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_SUITABLECONFIGS_H
