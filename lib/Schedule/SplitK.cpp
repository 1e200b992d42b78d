//===- SplitK.cpp - several units per tile --------------------------------===//
//
// The schedule that divides k, for results too small to fill a chip.
//
//===----------------------------------------------------------------------===//

#include "cutl/Schedule/TileScheduler.h"

#include <algorithm>

using namespace cutl::schedule;

namespace {

class SplitK final : public TileScheduler {
public:
  SplitK(const TileSpace &space, const Raster &raster, int64_t workers,
         int64_t parts, Meeting meeting)
      : space(space), raster(raster), workers(std::max<int64_t>(workers, 0)),
        parts(parts), meeting(meeting) {}

  int64_t gridSize() const override { return std::min(workers, unitCount()); }

  int64_t workspaceBytes(int64_t tileBytes) const override {
    // Workers draw their numbers from one more counter.
    return slotCount() *
               (tileBytes + (meeting == Meeting::None ? 0 : kCounterBytes)) +
           (takesTurns() ? kCounterBytes : 0);
  }

  int64_t unitCount() const override { return space.tiles() * parts; }

  int64_t slotCount() const override {
    // Of one part there is nothing to add.
    if (meeting != Meeting::None && parts == 1)
      return 0;
    return space.tiles() * (takesTurns() ? 1 : slotsOfTile());
  }

  WorkUnit unit(int64_t index) const override {
    int64_t part = index / space.tiles(), tile = index % space.tiles();
    return {rasterTile(space, raster, tile), begin(part), begin(part + 1),
            tile * slotsOfTile() + (sharesSlot() ? 0 : part)};
  }

  std::vector<int64_t> unitsOf(int64_t worker) const override {
    if (!takesTurns())
      return TileScheduler::unitsOf(worker);
    std::vector<int64_t> units;
    int64_t count = unitCount(), grid = gridSize();
    auto first = [&](int64_t number) {
      return number * (count / grid) + std::min(number, count % grid);
    };
    for (int64_t i = first(worker); i < first(worker + 1); ++i)
      units.push_back(i);
    return units;
  }

  Contributors contributors(const Tile &tile) const override {
    return {rasterIndex(space, raster, tile) * slotsOfTile(), parts};
  }

  std::optional<int64_t> reducer(const Tile &tile) const override {
    int64_t index = rasterIndex(space, raster, tile);
    if (takesTurns())
      return (parts - 1) * space.tiles() + index;
    if (meeting == Meeting::None || parts != 1)
      return std::nullopt;
    return index;
  }

private:
  bool takesTurns() const { return meeting == Meeting::Turnstile; }
  bool sharesSlot() const { return meeting == Meeting::OneSlot; }
  int64_t slotsOfTile() const { return sharesSlot() ? 1 : parts; }

  /// The first iterations of the longer parts come first, which needs no
  /// product of two large numbers.
  int64_t begin(int64_t part) const {
    int64_t length = space.kIterations / parts;
    return part * length + std::min(part, space.kIterations % parts);
  }

  TileSpace space;
  Raster raster;
  int64_t workers;
  int64_t parts;
  Meeting meeting;
};

} // namespace

std::unique_ptr<TileScheduler>
cutl::schedule::makeSplitK(const TileSpace &space, const Raster &raster,
                           int64_t workers, int64_t parts, Meeting meeting) {
  return std::make_unique<SplitK>(space, raster, workers, parts, meeting);
}
