//===- MeetingUnits.cpp - Schedules whose units meet in a workspace ------===//

#include "MeetingUnits.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

s::Meeting mlir::cutl::getMeeting(PartReduction reduction) {
  switch (reduction) {
  case PartReduction::Separate:
    return s::Meeting::None;
  case PartReduction::LastArriver:
    return s::Meeting::Slots;
  case PartReduction::ArrivalOrder:
    return s::Meeting::OneSlot;
  case PartReduction::Turnstile:
    return s::Meeting::Turnstile;
  }
  llvm_unreachable("unknown reduction");
}

std::optional<std::string>
mlir::cutl::checkMeetingUnits(const h::TileConfig &config) {
  if (config.clusterK == 1)
    return std::nullopt;
  return "expected a cluster of 1 along k, whose CTAs meet in the workspace "
         "instead, got " +
         std::to_string(config.clusterK) + "; nearest legal value is 1";
}
