//===- DataParallelTest.cpp - properties of the data parallel schedule ----===//

#include "cutl/Schedule/TileScheduler.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <tuple>

using namespace cutl::schedule;

/// Checks what any schedule owes: each (tile, k iteration) is done exactly
/// once, every tile has an epilogue, and contributors name those units.
static void expectExactCover(const TileScheduler &scheduler,
                             const TileSpace &space) {
  using Key = std::tuple<int64_t, int64_t, int64_t>;
  std::map<Key, std::vector<int>> done;
  std::map<Key, int64_t> units;
  for (int64_t i = 0; i < scheduler.unitCount(); ++i) {
    WorkUnit unit = scheduler.unit(i);
    ASSERT_TRUE(0 <= unit.kBegin && unit.kBegin <= unit.kEnd &&
                unit.kEnd <= space.kIterations);
    Key key{unit.tile.m, unit.tile.n, unit.tile.batch};
    std::vector<int> &k = done[key];
    k.resize(space.kIterations);
    for (int64_t j = unit.kBegin; j < unit.kEnd; ++j)
      ++k[j];
    ++units[key];
    Contributors contributors = scheduler.contributors(unit.tile);
    EXPECT_TRUE(contributors.first <= i &&
                i < contributors.first + contributors.count);
    if (std::optional<int64_t> reducer = scheduler.reducer(unit.tile))
      EXPECT_TRUE(contributors.first <= *reducer &&
                  *reducer < contributors.first + contributors.count);
  }
  ASSERT_EQ(int64_t(done.size()), space.tiles());
  for (auto &[key, k] : done) {
    for (int count : k)
      EXPECT_EQ(count, 1);
    auto [m, n, batch] = key;
    EXPECT_EQ(scheduler.contributors({m, n, batch}).count, units[key]);
  }
}

TEST(DataParallel, CoversEveryIterationOnce) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    TileSpace space{int64_t(random() % 12), int64_t(random() % 12),
                    int64_t(random() % 3), int64_t(random() % 6)};
    Raster raster{random() % 2 == 0, int64_t(1 + random() % 10)};
    expectExactCover(*makeDataParallel(space, raster, 132), space);
  }
}

TEST(DataParallel, NeedsNoWorkspaceAndNoFixup) {
  TileSpace space{5, 7, 2, 9};
  auto scheduler = makeDataParallel(space, Raster(), 132);
  EXPECT_EQ(scheduler->workspaceBytes(128 * 256 * 4), 0);
  for (int64_t i = 0; i < scheduler->unitCount(); ++i) {
    Tile tile = scheduler->unit(i).tile;
    EXPECT_EQ(scheduler->contributors(tile).count, 1);
    EXPECT_EQ(scheduler->reducer(tile), i);
  }
}

TEST(DataParallel, GridIsBoundedByTilesAndChip) {
  auto grid = [](int64_t tiles, int64_t resident) {
    return makeDataParallel({tiles, 1, 1, 4}, Raster(), resident)->gridSize();
  };
  EXPECT_EQ(grid(1000, 132), 132);
  EXPECT_EQ(grid(100, 132), 100);
  EXPECT_EQ(grid(0, 132), 0);
}

TEST(DataParallel, WithoutKEachTileIsStillAUnit) {
  auto scheduler = makeDataParallel({3, 4, 1, 0}, Raster(), 132);
  ASSERT_EQ(scheduler->unitCount(), 12);
  EXPECT_EQ(scheduler->unit(11).kBegin, scheduler->unit(11).kEnd);
}
