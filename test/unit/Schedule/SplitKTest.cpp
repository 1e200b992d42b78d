//===- SplitKTest.cpp - properties of the split-K schedule ----------------===//

#include "cutl/Schedule/TileScheduler.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <tuple>

using namespace cutl::schedule;

TEST(SplitK, CoversEveryIterationOnceAndInOrder) {
  std::mt19937 random(9);
  for (int trial = 0; trial < 4000; ++trial) {
    TileSpace space = {int64_t(random() % 9), int64_t(random() % 9),
                       int64_t(random() % 3), int64_t(random() % 40)};
    Raster raster = {random() % 2 == 0, int64_t(1 + random() % 10)};
    int64_t workers = 1 + random() % 140, parts = 1 + random() % 12;
    auto scheduler = makeSplitK(space, raster, workers, parts);
    ASSERT_EQ(scheduler->unitCount(), space.tiles() * parts);
    ASSERT_LE(scheduler->gridSize(), workers);
    ASSERT_EQ(scheduler->slotCount(), space.tiles() * parts);
    ASSERT_EQ(scheduler->workspaceBytes(1000), scheduler->slotCount() * 1000);
    std::vector<int> taken(scheduler->unitCount());
    for (int64_t worker = 0; worker < scheduler->gridSize(); ++worker)
      for (int64_t unit : scheduler->unitsOf(worker))
        ++taken.at(unit);
    std::map<int64_t, WorkUnit> slots;
    for (int64_t i = 0; i < scheduler->unitCount(); ++i) {
      ASSERT_EQ(taken[i], 1);
      WorkUnit unit = scheduler->unit(i);
      ASSERT_TRUE(slots.emplace(unit.slot, unit).second);
    }
    for (int64_t index = 0; index < space.tiles(); ++index) {
      Tile tile = rasterTile(space, raster, index);
      Contributors contributors = scheduler->contributors(tile);
      ASSERT_EQ(contributors.count, parts);
      // A kernel that follows adds them.
      ASSERT_FALSE(scheduler->reducer(tile));
      int64_t k = 0;
      for (int64_t part = 0; part < parts; ++part) {
        WorkUnit unit = slots.at(contributors.first + part);
        ASSERT_TRUE(unit.tile == tile);
        ASSERT_EQ(unit.kBegin, k);
        int64_t length = unit.kEnd - unit.kBegin;
        ASSERT_GE(length, space.kIterations / parts);
        ASSERT_LE(length, space.kIterations / parts + 1);
        k = unit.kEnd;
      }
      ASSERT_EQ(k, space.kIterations);
    }
  }
}

TEST(SplitK, UnitsOfOnePartAreNeighbours) {
  TileSpace space = {2, 3, 1, 8};
  auto scheduler = makeSplitK(space, {}, 132, 4);
  for (int64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(scheduler->unit(i).kBegin, i / 6 * 2);
    EXPECT_EQ(scheduler->unit(i).slot, i % 6 * 4 + i / 6);
  }
}

TEST(SplitK, MeetsInSlotsOrInOneOfEachTile) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    TileSpace space = {int64_t(random() % 9), int64_t(random() % 9),
                       int64_t(random() % 3), int64_t(random() % 40)};
    Raster raster = {random() % 2 == 0, int64_t(1 + random() % 10)};
    int64_t workers = 1 + random() % 140, parts = 1 + random() % 12;
    auto plain = makeSplitK(space, raster, workers, parts);
    for (Meeting meeting : {Meeting::Slots, Meeting::OneSlot}) {
      auto scheduler = makeSplitK(space, raster, workers, parts, meeting);
      bool isShared = meeting == Meeting::OneSlot;
      // Of one part there is nothing to add.
      int64_t slots = parts == 1 ? 0 : space.tiles() * (isShared ? 1 : parts);
      ASSERT_EQ(scheduler->slotCount(), slots);
      ASSERT_EQ(scheduler->workspaceBytes(1000), slots * 1004);
      ASSERT_EQ(scheduler->gridSize(), plain->gridSize());
      ASSERT_EQ(scheduler->unitCount(), plain->unitCount());
      for (int64_t i = 0; i < scheduler->unitCount(); ++i) {
        WorkUnit unit = scheduler->unit(i), same = plain->unit(i);
        ASSERT_TRUE(unit.tile == same.tile);
        ASSERT_EQ(unit.kBegin, same.kBegin);
        ASSERT_EQ(unit.kEnd, same.kEnd);
        int64_t tile = rasterIndex(space, raster, unit.tile);
        ASSERT_EQ(unit.slot, isShared ? tile : same.slot);
        Contributors contributors = scheduler->contributors(unit.tile);
        ASSERT_EQ(contributors.count, parts);
        ASSERT_EQ(contributors.first, isShared ? tile : tile * parts);
        // Of one part the unit has all, and of several the last to arrive.
        auto reducer = scheduler->reducer(unit.tile);
        ASSERT_EQ(reducer.has_value(), parts == 1);
        if (reducer)
          ASSERT_EQ(*reducer, i);
      }
    }
  }
}

// So that no worker waits for one that may not have started, nor for itself.
TEST(SplitK, WaitsAtATurnstileForSmallerWorkersAlone) {
  std::mt19937 random(13);
  int64_t waits = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    TileSpace space = {int64_t(random() % 9), int64_t(random() % 9),
                       int64_t(random() % 3), int64_t(random() % 40)};
    int64_t workers = 1 + random() % 140, parts = 1 + random() % 12;
    auto scheduler = makeSplitK(space, {}, workers, parts, Meeting::Turnstile);
    int64_t tiles = space.tiles();
    ASSERT_EQ(scheduler->slotCount(), parts == 1 ? 0 : tiles);
    ASSERT_EQ(scheduler->workspaceBytes(1000),
              scheduler->slotCount() * 1004 + 4);
    std::map<int64_t, int64_t> workerOf, placeOf;
    for (int64_t worker = 0; worker < scheduler->gridSize(); ++worker)
      for (int64_t unit : scheduler->unitsOf(worker)) {
        placeOf[unit] = placeOf.size();
        ASSERT_TRUE(workerOf.emplace(unit, worker).second);
      }
    ASSERT_EQ(int64_t(workerOf.size()), tiles * parts);
    for (auto [unit, worker] : workerOf) {
      WorkUnit own = scheduler->unit(unit);
      int64_t tile = rasterIndex(space, {}, own.tile);
      Contributors contributors = scheduler->contributors(own.tile);
      ASSERT_EQ(contributors.first, tile * parts);
      ASSERT_EQ(own.slot - contributors.first, unit / tiles);
      ASSERT_EQ(scheduler->reducer(own.tile), (parts - 1) * tiles + tile);
      if (own.slot == contributors.first)
        continue;
      ++waits;
      // The part before is the unit as many before as there are tiles.
      ASSERT_EQ(scheduler->unit(unit - tiles).slot, own.slot - 1);
      ASSERT_LE(workerOf.at(unit - tiles), worker);
      ASSERT_LT(placeOf.at(unit - tiles), placeOf.at(unit));
    }
  }
  EXPECT_GT(waits, 1000);
}
