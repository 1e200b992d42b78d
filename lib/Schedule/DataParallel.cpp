//===- DataParallel.cpp - one unit per tile -------------------------------===//
//
// The schedule without partial results.
//
//===----------------------------------------------------------------------===//

#include "cutl/Schedule/TileScheduler.h"

#include <algorithm>

using namespace cutl::schedule;

namespace {

class DataParallel final : public TileScheduler {
public:
  DataParallel(const TileSpace &space, const Raster &raster)
      : space(space), raster(raster) {}

  int64_t gridSize(int64_t residentCtas) const override {
    return std::min(std::max<int64_t>(residentCtas, 0), unitCount());
  }

  int64_t workspaceBytes(int64_t) const override { return 0; }

  int64_t unitCount() const override { return space.tiles(); }

  WorkUnit unit(int64_t index) const override {
    return {rasterTile(space, raster, index), 0, space.kIterations};
  }

  Contributors contributors(const Tile &tile) const override {
    return {rasterIndex(space, raster, tile), 1};
  }

  std::optional<int64_t> reducer(const Tile &tile) const override {
    return rasterIndex(space, raster, tile);
  }

private:
  TileSpace space;
  Raster raster;
};

} // namespace

std::unique_ptr<TileScheduler>
cutl::schedule::makeDataParallel(const TileSpace &space, const Raster &raster) {
  return std::make_unique<DataParallel>(space, raster);
}
