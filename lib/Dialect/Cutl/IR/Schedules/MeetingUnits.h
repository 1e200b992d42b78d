//===- MeetingUnits.h - Schedules whose units meet in a workspace --------===//

#ifndef CUTL_LIB_DIALECT_CUTL_IR_SCHEDULES_MEETINGUNITS_H
#define CUTL_LIB_DIALECT_CUTL_IR_SCHEDULES_MEETINGUNITS_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/Heuristics/TileConfig.h"
#include "cutl/Schedule/TileScheduler.h"
#include <optional>
#include <string>

namespace mlir::cutl {

/// How the units of a tile come together.
::cutl::schedule::Meeting getMeeting(PartReduction reduction);

/// Why units of kernels of `config` cannot meet in a workspace, or nothing.
std::optional<std::string>
checkMeetingUnits(const ::cutl::heuristics::Problem &problem,
                  const ::cutl::heuristics::TileConfig &config);

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_IR_SCHEDULES_MEETINGUNITS_H
