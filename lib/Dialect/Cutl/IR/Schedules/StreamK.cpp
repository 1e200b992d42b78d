//===- StreamK.cpp - #cutl.stream_k --------------------------------------===//

#include "MeetingUnits.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/TileSpaces.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

/// What kernels count tiles in.
static constexpr int64_t kMaxTiles = INT32_MAX;

LogicalResult StreamKAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  std::optional<int64_t> tiles,
                                  PartReduction reduction) {
  if (reduction != PartReduction::LastArriver &&
      reduction != PartReduction::ArrivalOrder)
    return emitError() << "expected a reduction of stream_k by last_arriver or "
                          "in arrival_order, got "
                       << stringifyPartReduction(reduction)
                       << "; nearest legal value is last_arriver";
  if (!tiles || (*tiles >= 0 && *tiles <= kMaxTiles))
    return success();
  return emitError() << "expected from 0 to " << kMaxTiles
                     << " tiles of stream_k, got " << *tiles
                     << "; nearest legal value is "
                     << (*tiles < 0 ? 0 : kMaxTiles);
}

std::unique_ptr<s::TileScheduler>
StreamKAttr::makeScheduler(const s::TileSpace &space, const s::Raster &raster,
                           int64_t workers) const {
  return s::makeStreamK(space, raster, workers, getTiles(),
                        getMeeting(getReduction()));
}

bool StreamKAttr::splitsK() const { return true; }

bool StreamKAttr::addsAsUnitsArrive() const {
  return getReduction() == PartReduction::ArrivalOrder;
}

bool StreamKAttr::dividesByTiles() const { return getTiles() != 0; }

std::string
StreamKAttr::checkSchedule(const h::Problem &problem,
                           const h::TileConfig &config,
                           const ::cutl::targetinfo::Target &) const {
  if (std::optional<std::string> reason = checkMeetingUnits(problem, config))
    return *reason;
  // Dynamic extents may come to more tiles than their guess.
  bool isStatic = problem.m >= 0 && problem.n >= 0 && problem.batch >= 0;
  return s::checkStreamK(guessTileSpace(problem, config), getRaster(config),
                         isStatic ? getTiles() : std::nullopt)
      .value_or("");
}
