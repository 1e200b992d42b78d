//===- StreamKTest.cpp - properties of the stream-K schedule --------------===//

#include "cutl/Schedule/TileScheduler.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace cutl::schedule;

static const int64_t tileBytes = 128 * 200 * 4;

/// Checks what a schedule that splits k owes: each (tile, k iteration) is done
/// exactly once, by one worker; the slots of a tile follow one another in the
/// order of k; and no slot has two owners.
static void expectSound(const TileScheduler &scheduler, const TileSpace &space,
                        int64_t workers) {
  ASSERT_LE(scheduler.gridSize(), workers);
  std::vector<int> taken(scheduler.unitCount());
  for (int64_t worker = 0; worker < scheduler.gridSize(); ++worker) {
    std::vector<int64_t> units = scheduler.unitsOf(worker);
    ASSERT_FALSE(units.empty()) << "worker " << worker << " has nothing to do";
    for (int64_t unit : units)
      ++taken.at(unit);
  }
  for (int count : taken)
    ASSERT_EQ(count, 1);

  std::map<std::tuple<int64_t, int64_t, int64_t>, std::map<int64_t, WorkUnit>>
      tiles;
  for (int64_t i = 0; i < scheduler.unitCount(); ++i) {
    WorkUnit unit = scheduler.unit(i);
    auto &slots = tiles[{unit.tile.batch, unit.tile.m, unit.tile.n}];
    ASSERT_TRUE(slots.emplace(unit.slot, unit).second);
  }
  ASSERT_EQ(int64_t(tiles.size()), space.tiles());
  std::set<int64_t> used;
  for (auto &[key, slots] : tiles) {
    auto [batch, m, n] = key;
    Contributors contributors = scheduler.contributors({m, n, batch});
    ASSERT_EQ(contributors.count, int64_t(slots.size()));
    ASSERT_EQ(scheduler.reducer({m, n, batch}).has_value(), slots.size() == 1);
    int64_t slot = contributors.first, k = 0;
    for (auto &[own, unit] : slots) {
      ASSERT_EQ(own, slot++);
      ASSERT_EQ(unit.kBegin, k);
      if (space.kIterations > 0)
        ASSERT_GT(unit.kEnd, unit.kBegin);
      k = unit.kEnd;
      if (slots.size() > 1) {
        ASSERT_TRUE(own >= 0 && own < scheduler.slotCount());
        ASSERT_TRUE(used.insert(own).second);
      }
    }
    ASSERT_EQ(k, space.kIterations);
    if (slots.size() == 1) {
      WorkUnit unit = scheduler.unit(*scheduler.reducer({m, n, batch}));
      ASSERT_TRUE((unit.tile == Tile{m, n, batch}));
    }
  }
  ASSERT_EQ(scheduler.workspaceBytes(tileBytes),
            scheduler.slotCount() * (tileBytes + kCounterBytes));
}

static int64_t pickWorkers(std::mt19937 &random) {
  const int64_t fixed[] = {1, 2, 7, 131, 132};
  unsigned i = random() % 6;
  return i < 5 ? fixed[i] : 1 + random() % 300;
}

static TileSpace pickSpace(std::mt19937 &random) {
  return {int64_t(random() % 12), int64_t(random() % 12), int64_t(random() % 3),
          int64_t(random() % 40)};
}

static Raster pickRaster(std::mt19937 &random) {
  return {random() % 2 == 0, int64_t(1 + random() % 10)};
}

static std::optional<int64_t> pickTiles(std::mt19937 &random,
                                        const TileSpace &space) {
  if (random() % 2)
    return std::nullopt;
  return random() % (space.tiles() + 1);
}

TEST(StreamK, IsSound) {
  std::mt19937 random(4);
  int64_t divided = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    TileSpace space = pickSpace(random);
    Raster raster = pickRaster(random);
    int64_t workers = pickWorkers(random);
    std::optional<int64_t> tiles = pickTiles(random, space);
    ASSERT_FALSE(checkStreamK(space, raster, tiles));
    auto scheduler = makeStreamK(space, raster, workers, tiles);
    expectSound(*scheduler, space, workers);
    divided += scheduler->slotCount() > 0;
  }
  EXPECT_GT(divided, 1000);
}

// Shares differ by one iteration at most.
TEST(StreamK, SharesEvenly) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    TileSpace space = pickSpace(random);
    int64_t workers = pickWorkers(random);
    auto scheduler =
        makeStreamK(space, pickRaster(random), workers, space.tiles());
    if (scheduler->slotCount() == 0)
      continue;
    int64_t least = INT64_MAX, most = 0;
    for (int64_t worker = 0; worker < scheduler->gridSize(); ++worker) {
      int64_t share = 0;
      for (int64_t unit : scheduler->unitsOf(worker))
        share += scheduler->unit(unit).kEnd - scheduler->unit(unit).kBegin;
      least = std::min(least, share);
      most = std::max(most, share);
    }
    ASSERT_LE(most - least, 1);
  }
}

// A kernel knows how many workers there are, not how many there could have
// been: both must come to the same.
TEST(StreamK, IsTheSameForTheWorkersItAsksFor) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 4000; ++trial) {
    TileSpace space = pickSpace(random);
    Raster raster = pickRaster(random);
    std::optional<int64_t> tiles = pickTiles(random, space);
    auto scheduler = makeStreamK(space, raster, pickWorkers(random), tiles);
    int64_t grid = scheduler->gridSize();
    auto same = makeStreamK(space, raster, grid, tiles);
    ASSERT_EQ(same->gridSize(), grid);
    ASSERT_EQ(same->slotCount(), scheduler->slotCount());
    ASSERT_EQ(same->unitCount(), scheduler->unitCount());
    for (int64_t worker = 0; worker < grid; ++worker)
      ASSERT_EQ(same->unitsOf(worker), scheduler->unitsOf(worker));
    for (int64_t i = 0; i < same->unitCount(); ++i) {
      WorkUnit a = same->unit(i), b = scheduler->unit(i);
      ASSERT_TRUE(a.tile == b.tile && a.kBegin == b.kBegin &&
                  a.kEnd == b.kEnd && a.slot == b.slot);
    }
  }
}

// Positions in the row of all iterations do not fit 32 bits.
TEST(StreamK, CountsManyIterations) {
  TileSpace space{10, 20, 1, int64_t(1) << 25};
  auto scheduler = makeStreamK(space, {}, 132);
  EXPECT_EQ(scheduler->slotCount(), 200 + 132);
  for (int64_t worker = 0; worker < 132; ++worker)
    for (int64_t i : scheduler->unitsOf(worker)) {
      WorkUnit unit = scheduler->unit(i);
      ASSERT_TRUE(0 <= unit.kBegin && unit.kBegin < unit.kEnd &&
                  unit.kEnd <= space.kIterations);
      Contributors contributors = scheduler->contributors(unit.tile);
      ASSERT_TRUE(contributors.first <= unit.slot &&
                  unit.slot < contributors.first + contributors.count);
    }
}

TEST(StreamK, SharesTheLastWaves) {
  auto tiles = [](const TileSpace &space) {
    return streamedTiles(space, 132, std::nullopt);
  };
  EXPECT_EQ(tiles({264, 1, 1, 8}), 0);
  EXPECT_EQ(tiles({100, 1, 1, 8}), 100);
  EXPECT_EQ(tiles({300, 1, 1, 8}), 36 + 132);
  EXPECT_EQ(tiles({300, 1, 1, 0}), 0);
  EXPECT_EQ(tiles({300, 1, 1, 1}), 0);
  EXPECT_EQ(streamedTiles({300, 1, 1, 8}, 132, 400), 300);
}

TEST(StreamK, RefusesMoreTilesThanThereAre) {
  EXPECT_EQ(*checkStreamK({3, 4, 1, 8}, {}, 13),
            "expected stream_k tiles to be from 0 to the 12 tiles there are, "
            "got 13; nearest legal value is 12");
  EXPECT_TRUE(checkStreamK({3, 4, 1, 8}, {}, -1));
  EXPECT_FALSE(checkStreamK({3, 4, 1, 8}, {}, 12));
}

TEST(StreamK, SharesASlotOfEachDividedTile) {
  std::mt19937 random(12);
  int64_t divided = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    TileSpace space = {int64_t(random() % 9), int64_t(random() % 9),
                       int64_t(1 + random() % 2), int64_t(random() % 40)};
    int64_t workers = 1 + random() % 140;
    auto plain = makeStreamK(space, {}, workers);
    auto scheduler =
        makeStreamK(space, {}, workers, std::nullopt, Meeting::OneSlot);
    int64_t slots = streamedTiles(space, workers, std::nullopt);
    ASSERT_EQ(scheduler->slotCount(), slots);
    ASSERT_EQ(scheduler->workspaceBytes(tileBytes), slots * (tileBytes + 4));
    ASSERT_EQ(scheduler->unitCount(), plain->unitCount());
    for (int64_t i = 0; i < scheduler->unitCount(); ++i) {
      WorkUnit unit = scheduler->unit(i), same = plain->unit(i);
      ASSERT_TRUE(unit.tile == same.tile);
      ASSERT_EQ(unit.kBegin, same.kBegin);
      ASSERT_EQ(unit.kEnd, same.kEnd);
      Contributors contributors = scheduler->contributors(unit.tile);
      ASSERT_EQ(contributors.count, plain->contributors(unit.tile).count);
      ASSERT_EQ(scheduler->reducer(unit.tile), plain->reducer(unit.tile));
      if (contributors.count == 1)
        continue;
      ++divided;
      ASSERT_EQ(unit.slot, rasterIndex(space, {}, unit.tile));
      ASSERT_EQ(contributors.first, unit.slot);
      ASSERT_LT(unit.slot, slots);
    }
  }
  EXPECT_GT(divided, 1000);
}
