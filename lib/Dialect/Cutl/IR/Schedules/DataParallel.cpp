//===- DataParallel.cpp - #cutl.data_parallel ----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "llvm/Support/MathExtras.h"

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
  s::TileSpace space;
  int64_t rows = problem.guessedM(), columns = problem.guessedN();
  if (config.swapOperands)
    std::swap(rows, columns);
  space.tilesM =
      llvm::divideCeilSigned(rows, config.ctaM * config.clusterM);
  space.tilesN =
      llvm::divideCeilSigned(columns, config.ctaN * config.clusterN);
  space.batches = problem.guessedBatch();
  space.kIterations = llvm::divideCeilSigned(problem.guessedK(), config.ctaK);
  s::Raster raster;
  raster.alongM = config.raster == h::RasterOrder::M;
  raster.group = config.rasterGroup;
  return s::check(space, raster).value_or("");
}
