//===- SuitableConfigs.h - Configurations for a schedule --------*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_SUITABLECONFIGS_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_SUITABLECONFIGS_H

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Heuristics/Heuristics.h"

#include <vector>

namespace mlir::cutl {

/// Keeps the candidates that a schedule which was given can run with. Where
/// none can all of them stay, and cutl-verify-config says why.
void keepSuitable(std::vector<::cutl::heuristics::Candidate> &candidates,
                  ScheduleAttrInterface schedule,
                  const ::cutl::heuristics::Problem &problem,
                  const ::cutl::targetinfo::Target &target);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_SUITABLECONFIGS_H
