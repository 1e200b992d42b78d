//===- DataParallel.cpp - #cutl.data_parallel ----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/TileSpaces.h"

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

std::unique_ptr<s::TileScheduler>
DataParallelAttr::makeScheduler(const s::TileSpace &space,
                                const s::Raster &raster,
                                int64_t workers) const {
  return s::makeDataParallel(space, raster, workers);
}

std::string
DataParallelAttr::checkSchedule(const h::Problem &problem,
                                const h::TileConfig &config,
                                const ::cutl::targetinfo::Target &) const {
  // Dynamic extents are checked again at run time, with their values.
  return s::check(guessTileSpace(problem, config), getRaster(config))
      .value_or("");
}
