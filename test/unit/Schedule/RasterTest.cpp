//===- RasterTest.cpp - tests of tile spaces and raster order -------------===//

#include "cutl/Schedule/TileScheduler.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>
#include <set>
#include <tuple>

using namespace cutl::schedule;

TEST(Raster, IsAPermutation) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    TileSpace space{int64_t(random() % 20), int64_t(random() % 20),
                    int64_t(random() % 4), 1};
    Raster raster{random() % 2 == 0, int64_t(1 + random() % 24)};
    ASSERT_FALSE(check(space, raster));
    std::set<std::tuple<int64_t, int64_t, int64_t>> seen;
    for (int64_t i = 0; i < space.tiles(); ++i) {
      Tile tile = rasterTile(space, raster, i);
      ASSERT_TRUE(tile.m >= 0 && tile.m < space.tilesM);
      ASSERT_TRUE(tile.n >= 0 && tile.n < space.tilesN);
      ASSERT_TRUE(tile.batch >= 0 && tile.batch < space.batches);
      ASSERT_TRUE(seen.insert({tile.m, tile.n, tile.batch}).second);
      ASSERT_EQ(rasterIndex(space, raster, tile), i);
    }
  }
}

TEST(Raster, WalksInsideTheGroupFirst) {
  TileSpace space{3, 2, 1, 1};
  std::string order;
  for (int64_t i = 0; i < space.tiles(); ++i) {
    Tile tile = rasterTile(space, {/*alongM=*/true, /*group=*/2}, i);
    order += std::to_string(tile.m) + std::to_string(tile.n) + " ";
  }
  EXPECT_EQ(order, "00 10 01 11 20 21 ");
  order.clear();
  for (int64_t i = 0; i < space.tiles(); ++i) {
    Tile tile = rasterTile(space, {/*alongM=*/false, /*group=*/8}, i);
    order += std::to_string(tile.m) + std::to_string(tile.n) + " ";
  }
  EXPECT_EQ(order, "00 01 10 11 20 21 ");
}

TEST(Raster, CountsBeyond32Bits) {
  TileSpace space{int64_t(1) << 20, int64_t(1) << 20, 1 << 10, 1 << 10};
  Raster raster{true, std::numeric_limits<int64_t>::max()};
  ASSERT_FALSE(check(space, raster));
  for (const Raster &each : {raster, Raster{false, 7}, Raster{true, 8}})
    for (int64_t i :
         {int64_t(0), (int64_t(1) << 40) + 12345, space.tiles() - 1})
      EXPECT_EQ(rasterIndex(space, each, rasterTile(space, each, i)), i);
}

TEST(TileSpace, RefusesWhatItCannotCount) {
  EXPECT_EQ(*check({-1, 1, 1, 1}, {}),
            "expected tiles along m to be at least 0, got -1");
  EXPECT_EQ(*check({1, 1, 1, -2}, {}),
            "expected k iterations to be at least 0, got -2");
  EXPECT_EQ(*check({1, 1, 1, 1}, {true, 0}),
            "expected raster group to be at least 1, got 0");
  int64_t big = int64_t(1) << 40;
  EXPECT_EQ(*check({big, big, 1, 1}, {}),
            "expected fewer than 2^63 k iterations in all, got "
            "1099511627776x1099511627776 tiles in 1 batches with 1 k "
            "iterations each");
  EXPECT_TRUE(check({big, big, 0, 1}, {}));
}
