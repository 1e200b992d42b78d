//===- StreamK.cpp - an equal share of k iterations for each worker -------===//
//
// The first tiles are cut where a worker's share ends, the others are whole.
// The emission in lib/Conversion/ScheduleEmission/StreamK.cpp is the same
// arithmetic.
//
//===----------------------------------------------------------------------===//

#include "cutl/Schedule/TileScheduler.h"

#include <algorithm>

using namespace cutl::schedule;

int64_t cutl::schedule::streamedTiles(const TileSpace &space, int64_t workers,
                                      std::optional<int64_t> asked) {
  int64_t tiles = space.tiles();
  if (space.kIterations < 2 || workers < 1)
    return 0;
  if (asked)
    return std::clamp<int64_t>(*asked, 0, tiles);
  int64_t rest = tiles % workers;
  // With a full wave added, a share is longer than one tile: each tile is cut
  // in fewer places.
  return rest != 0 && tiles > workers ? rest + workers : rest;
}

std::optional<std::string>
cutl::schedule::checkStreamK(const TileSpace &space, const Raster &raster,
                             std::optional<int64_t> asked) {
  if (std::optional<std::string> reason = check(space, raster))
    return reason;
  int64_t tiles = space.tiles();
  if (asked && (*asked < 0 || *asked > tiles))
    return "expected stream_k tiles to be from 0 to the " +
           std::to_string(tiles) + " tiles there are, got " +
           std::to_string(*asked) + "; nearest legal value is " +
           std::to_string(std::clamp<int64_t>(*asked, 0, tiles));
  return std::nullopt;
}

namespace {

class StreamK final : public TileScheduler {
public:
  StreamK(const TileSpace &space, const Raster &raster, int64_t workers,
          std::optional<int64_t> asked, Meeting meeting)
      : space(space), raster(raster), workers(std::max<int64_t>(workers, 0)),
        sharesSlot(meeting == Meeting::OneSlot),
        streamed(streamedTiles(space, workers, asked)) {
    int64_t iterations = streamed * space.kIterations;
    sharers = std::min(this->workers, iterations);
    share = iterations / std::max<int64_t>(sharers, 1);
    longer = iterations % std::max<int64_t>(sharers, 1);
    // The number of the first unit of every worker's share.
    firstUnit.push_back(0);
    for (int64_t w = 0; w < sharers; ++w)
      firstUnit.push_back(firstUnit.back() + lastTile(w) - firstTile(w) + 1);
  }

  int64_t gridSize() const override {
    return std::min(workers, std::max(sharers, space.tiles() - streamed));
  }

  int64_t slotCount() const override {
    return sharesSlot ? streamed : streamed + sharers;
  }

  int64_t workspaceBytes(int64_t tileBytes) const override {
    return slotCount() * (tileBytes + kCounterBytes);
  }

  int64_t unitCount() const override {
    return firstUnit.back() + space.tiles() - streamed;
  }

  WorkUnit unit(int64_t index) const override {
    if (index >= firstUnit.back())
      return {rasterTile(space, raster, streamed + index - firstUnit.back()), 0,
              space.kIterations, 0};
    int64_t worker =
        std::upper_bound(firstUnit.begin(), firstUnit.end(), index) -
        firstUnit.begin() - 1;
    int64_t tile = firstTile(worker) + index - firstUnit[worker];
    int64_t start = tile * space.kIterations;
    return {rasterTile(space, raster, tile),
            std::max(begin(worker) - start, int64_t(0)),
            std::min(begin(worker + 1) - start, space.kIterations),
            sharesSlot ? tile : worker + tile};
  }

  std::vector<int64_t> unitsOf(int64_t worker) const override {
    std::vector<int64_t> units;
    if (worker < sharers)
      for (int64_t i = firstUnit[worker]; i < firstUnit[worker + 1]; ++i)
        units.push_back(i);
    int64_t step = gridSize();
    for (int64_t i = firstUnit.back() + worker; i < unitCount(); i += step)
      units.push_back(i);
    return units;
  }

  Contributors contributors(const Tile &tile) const override {
    int64_t index = rasterIndex(space, raster, tile);
    if (index >= streamed)
      return {0, 1};
    int64_t first = owner(index * space.kIterations);
    int64_t last = owner((index + 1) * space.kIterations - 1);
    return {sharesSlot ? index : first + index, last - first + 1};
  }

  std::optional<int64_t> reducer(const Tile &tile) const override {
    int64_t index = rasterIndex(space, raster, tile);
    if (index >= streamed)
      return firstUnit.back() + index - streamed;
    if (contributors(tile).count > 1)
      return std::nullopt;
    int64_t worker = owner(index * space.kIterations);
    return firstUnit[worker] + index - firstTile(worker);
  }

private:
  /// Where the share of `worker` begins. No product is larger than the number
  /// of iterations.
  int64_t begin(int64_t worker) const {
    return worker * share + std::min(worker, longer);
  }
  /// The worker whose share has `iteration`.
  int64_t owner(int64_t iteration) const {
    return iteration < longer * (share + 1) ? iteration / (share + 1)
                                            : (iteration - longer) / share;
  }
  int64_t firstTile(int64_t worker) const {
    return begin(worker) / space.kIterations;
  }
  int64_t lastTile(int64_t worker) const {
    return (begin(worker + 1) - 1) / space.kIterations;
  }

  TileSpace space;
  Raster raster;
  int64_t workers;
  /// Whether the units of a tile add to one slot.
  bool sharesSlot;
  /// Tiles that are divided.
  int64_t streamed;
  /// Workers with a share, iterations of the shorter shares, and how many
  /// shares are one longer.
  int64_t sharers, share, longer;
  std::vector<int64_t> firstUnit;
};

} // namespace

std::unique_ptr<TileScheduler>
cutl::schedule::makeStreamK(const TileSpace &space, const Raster &raster,
                            int64_t workers, std::optional<int64_t> asked,
                            Meeting meeting) {
  return std::make_unique<StreamK>(space, raster, workers, asked, meeting);
}
