//===- DataParallel.cpp - #cutl.data_parallel ----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

std::unique_ptr<s::TileScheduler>
DataParallelAttr::makeScheduler(const s::TileSpace &space,
                                const s::Raster &raster) const {
  return s::makeDataParallel(space, raster);
}

std::string
DataParallelAttr::checkSchedule(const h::Problem &problem,
                                const h::TileConfig &config,
                                const ::cutl::targetinfo::Target &) const {
  // Dynamic extents are checked again at run time, with their values.
  s::TileSpace space;
  int64_t rows = problem.guessedM(), columns = problem.guessedN();
  if (config.swapped)
    std::swap(rows, columns);
  space.tilesM = llvm::divideCeilSigned(rows, config.ctaM);
  space.tilesN = llvm::divideCeilSigned(columns, config.ctaN);
  space.batches = problem.guessedBatch();
  space.kIterations = llvm::divideCeilSigned(problem.guessedK(), config.ctaK);
  s::Raster raster;
  raster.alongM = config.raster == h::RasterOrder::AlongM;
  raster.group = config.rasterGroup;
  return s::check(space, raster).value_or("");
}
