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
  DataParallel(const TileSpace &space, const Raster &raster, int64_t workers)
      : space(space), raster(raster), workers(std::max<int64_t>(workers, 0)) {}

  int64_t gridSize() const override { return std::min(workers, unitCount()); }

  int64_t workspaceBytes(int64_t) const override { return 0; }

  int64_t unitCount() const override { return space.tiles(); }

  WorkUnit unit(int64_t index) const override {
    return {rasterTile(space, raster, index), 0, space.kIterations, index};
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
  int64_t workers;
};

} // namespace

std::unique_ptr<TileScheduler>
cutl::schedule::makeDataParallel(const TileSpace &space, const Raster &raster,
                                 int64_t workers) {
  return std::make_unique<DataParallel>(space, raster, workers);
}
