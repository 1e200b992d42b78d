//===- SplitK.cpp - #cutl.split_k ----------------------------------------===//

#include "MeetingUnits.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/TileSpaces.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

/// More than any chip has CTAs for.
static constexpr int64_t kMaxParts = 1 << 16;

LogicalResult SplitKAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t parts, PartReduction) {
  if (parts >= 1 && parts <= kMaxParts)
    return success();
  return emitError() << "expected from 1 to " << kMaxParts
                     << " parts of k, got " << parts
                     << "; nearest legal value is "
                     << (parts < 1 ? 1 : kMaxParts);
}

std::unique_ptr<s::TileScheduler>
SplitKAttr::makeScheduler(const s::TileSpace &space, const s::Raster &raster,
                          int64_t workers) const {
  return s::makeSplitK(space, raster, workers, getParts(),
                       getMeeting(getReduction()));
}

int64_t SplitKAttr::getNumParts() const { return splitsK() ? 1 : getParts(); }

bool SplitKAttr::splitsK() const {
  return getReduction() != PartReduction::Separate;
}

bool SplitKAttr::takesTurns() const {
  return getReduction() == PartReduction::Turnstile;
}

bool SplitKAttr::addsAsUnitsArrive() const {
  return getReduction() == PartReduction::ArrivalOrder;
}

std::string
SplitKAttr::checkSchedule(const h::Problem &problem,
                          const h::TileConfig &config,
                          const ::cutl::targetinfo::Target &target) const {
  if (takesTurns()) {
    // CTAs of a cluster would have to agree on a number.
    if (config.clusterSize() != 1)
      return "expected a cluster of 1 CTA, which takes its turn by itself, "
             "got " +
             std::to_string(config.clusterSize()) +
             "; nearest legal value is 1";
    int64_t bytes = config.sharedMemoryBytes(problem) + h::kTicketBytes;
    if (bytes > target.sharedMemoryPerCta)
      return ("expected at most " + Twine(target.sharedMemoryPerCta) +
              " bytes of shared memory with the " + Twine(h::kTicketBytes) +
              " of a turnstile's ticket, got " + Twine(bytes) +
              (config.stages > 2 ? "; nearest legal configuration has " +
                                       Twine(config.stages - 1) + " stages"
                                 : Twine()))
          .str();
  }
  if (splitsK())
    if (std::optional<std::string> reason = checkMeetingUnits(problem, config))
      return *reason;
  s::TileSpace space = guessTileSpace(problem, config);
  int64_t iterations = std::max<int64_t>(space.kIterations, 1);
  if (problem.k != h::kDynamic && getParts() > iterations)
    return ("expected at most " + Twine(iterations) +
            " parts, the k iterations of a tile of " + Twine(config.ctaK) +
            ", got " + Twine(getParts()) + "; nearest legal value is " +
            Twine(iterations))
        .str();
  if (llvm::MulOverflow(space.batches, getParts(), space.batches))
    return "expected fewer batches times parts than 64 bits count";
  return s::check(space, getRaster(config)).value_or("");
}
