//===- TileSpaces.cpp - Problems in tiles, for schedules -----------------===//

#include "cutl/Dialect/Cutl/IR/TileSpaces.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace h = ::cutl::heuristics;
namespace s = ::cutl::schedule;

s::TileSpace mlir::cutl::guessTileSpace(const h::Problem &problem,
                                        const h::TileConfig &config) {
  int64_t rows = problem.guessedM(), columns = problem.guessedN();
  if (config.swapOperands)
    std::swap(rows, columns);
  s::TileSpace space;
  space.tilesM = llvm::divideCeilSigned(rows, config.ctaM * config.clusterM);
  space.tilesN = llvm::divideCeilSigned(columns, config.ctaN * config.clusterN);
  space.batches = problem.guessedBatch();
  space.kIterations = llvm::divideCeilSigned(problem.guessedK(), config.ctaK);
  return space;
}

s::Raster mlir::cutl::getRaster(const h::TileConfig &config) {
  return {config.raster == h::RasterOrder::M, config.rasterGroup};
}
