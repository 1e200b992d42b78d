//===- TileScheduler.cpp - tile spaces and raster order -------------------===//
//
// What all schedules share.
//
//===----------------------------------------------------------------------===//

#include "cutl/Schedule/TileScheduler.h"

#include <algorithm>

using namespace cutl::schedule;

TileScheduler::~TileScheduler() = default;

std::vector<int64_t> TileScheduler::unitsOf(int64_t worker) const {
  std::vector<int64_t> units;
  int64_t count = unitCount(), step = gridSize();
  for (int64_t i = worker; i < count; i += step)
    units.push_back(i);
  return units;
}

std::optional<std::string> cutl::schedule::check(const TileSpace &space,
                                                 const Raster &raster) {
  struct Extent {
    const char *name;
    int64_t value;
  };
  for (const Extent &extent :
       {Extent{"tiles along m", space.tilesM},
        Extent{"tiles along n", space.tilesN}, Extent{"batches", space.batches},
        Extent{"k iterations", space.kIterations}})
    if (extent.value < 0)
      return std::string("expected ") + extent.name +
             " to be at least 0, got " + std::to_string(extent.value);
  if (raster.group < 1)
    return "expected raster group to be at least 1, got " +
           std::to_string(raster.group);

  // Any product of some of the factors must fit, a zero among the others does
  // not excuse it: intermediate results are formed in any order.
  int64_t product = 1;
  for (int64_t factor :
       {space.tilesM, space.tilesN, space.batches, space.kIterations})
    if (__builtin_mul_overflow(product, std::max<int64_t>(factor, 1), &product))
      return "expected fewer than 2^63 k iterations in all, got " +
             std::to_string(space.tilesM) + "x" + std::to_string(space.tilesN) +
             " tiles in " + std::to_string(space.batches) + " batches with " +
             std::to_string(space.kIterations) + " k iterations each";
  return std::nullopt;
}

namespace {

/// A raster seen along its own two directions: `inner` is walked inside a
/// group, `outer` by the group as a whole.
struct Walk {
  int64_t inner;
  int64_t outer;
  int64_t group;

  Walk(const TileSpace &space, const Raster &raster)
      : inner(raster.alongM ? space.tilesM : space.tilesN),
        outer(raster.alongM ? space.tilesN : space.tilesM),
        group(std::min(raster.group, std::max<int64_t>(inner, 1))) {}

  /// Tiles along `inner` in the group that starts at `begin`; the last group is
  /// as narrow as what is left.
  int64_t width(int64_t begin) const { return std::min(group, inner - begin); }
};

} // namespace

int64_t cutl::schedule::rasterIndex(const TileSpace &space,
                                    const Raster &raster, const Tile &tile) {
  Walk walk(space, raster);
  int64_t inner = raster.alongM ? tile.m : tile.n;
  int64_t outer = raster.alongM ? tile.n : tile.m;
  int64_t begin = inner / walk.group * walk.group;
  return tile.batch * space.tilesM * space.tilesN + begin * walk.outer +
         outer * walk.width(begin) + (inner - begin);
}

Tile cutl::schedule::rasterTile(const TileSpace &space, const Raster &raster,
                                int64_t index) {
  Walk walk(space, raster);
  int64_t perBatch = space.tilesM * space.tilesN;
  int64_t inBatch = index % perBatch;
  int64_t begin = inBatch / (walk.group * walk.outer) * walk.group;
  int64_t inGroup = inBatch - begin * walk.outer;
  int64_t width = walk.width(begin);
  int64_t inner = begin + inGroup % width;
  int64_t outer = inGroup / width;
  return raster.alongM ? Tile{inner, outer, index / perBatch}
                       : Tile{outer, inner, index / perBatch};
}
