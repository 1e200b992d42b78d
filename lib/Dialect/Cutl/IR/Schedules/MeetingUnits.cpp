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

/// Accumulators of a thread beside which those of another unit can be added
/// without spills.
static constexpr int64_t kMaxAccumulators = 192;

std::optional<std::string>
mlir::cutl::checkMeetingUnits(const h::Problem &problem,
                              const h::TileConfig &config) {
  int64_t registers = config.accumulatorRegisters(problem);
  if (registers > kMaxAccumulators) {
    h::TileConfig mended = config;
    do
      mended.ctaN -= 8;
    while (mended.ctaN > 8 &&
           mended.accumulatorRegisters(problem) > kMaxAccumulators);
    return "expected at most " + std::to_string(kMaxAccumulators) +
           " accumulator registers per thread, to which those of other units "
           "are added, got " +
           std::to_string(registers) + " with cta n " +
           std::to_string(config.ctaN) + "; nearest legal cta n is " +
           std::to_string(mended.ctaN);
  }
  if (config.clusterK == 1)
    return std::nullopt;
  return "expected a cluster of 1 along k, whose CTAs meet in the workspace "
         "instead, got " +
         std::to_string(config.clusterK) + "; nearest legal value is 1";
}
