//===- TimelineTest.cpp - tests of schedules laid out over time -----------===//

#include "cutl/Schedule/Timeline.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace cutl::schedule;

namespace {

/// How k is divided, if it is, and where the parts meet.
enum Kind { Whole, Streamed, Parts, Turns };

std::unique_ptr<TileScheduler> makeScheduler(Kind kind, const TileSpace &space,
                                             const Raster &raster,
                                             int64_t workers) {
  if (kind == Streamed)
    return makeStreamK(space, raster, workers);
  if (kind == Parts)
    return makeSplitK(space, raster, workers, 3);
  if (kind == Turns)
    return makeSplitK(space, raster, workers, 3, Meeting::Turnstile);
  return makeDataParallel(space, raster, workers);
}

int64_t count(const std::string &text, const std::string &what) {
  int64_t number = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at)
    ++number;
  return number;
}

/// When a unit is done with all that it does.
int64_t endOf(const Timeline &timeline, const TimedUnit &unit) {
  return unit.turn() + timeline.share * (unit.isLast ? 2 : 1);
}

class Timelines : public ::testing::TestWithParam<Kind> {};

TEST_P(Timelines, HaveEveryUnitInOrder) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    TileSpace space = {int64_t(random() % 9), int64_t(random() % 9),
                       int64_t(1 + random() % 2), int64_t(random() % 40)};
    Raster raster = {random() % 2 == 0, int64_t(1 + random() % 9)};
    auto scheduler =
        makeScheduler(GetParam(), space, raster, 1 + random() % 30);
    Timeline timeline =
        makeTimeline(*scheduler, space, raster, GetParam() == Parts);
    ASSERT_EQ(timeline.workers, scheduler->gridSize());
    ASSERT_EQ(int64_t(timeline.units.size()), scheduler->unitCount());

    int64_t worker = -1, free = 0, end = 0;
    // Arrivals of the units of each tile, and of the one that adds them up.
    std::map<int64_t, int64_t> latest, adding;
    std::map<std::pair<int64_t, int64_t>, TimedUnit> turns;
    for (const TimedUnit &unit : timeline.units) {
      ASSERT_GE(unit.worker, worker);
      if (unit.worker != worker)
        free = 0;
      worker = unit.worker;
      ASSERT_EQ(unit.begin, free) << "no worker waits before a unit";
      ASSERT_GE(unit.wait, 0);
      if (GetParam() == Turns)
        turns[{unit.tile, unit.unit.slot}] = unit;
      else
        ASSERT_EQ(unit.wait, 0);
      free = endOf(timeline, unit);
      end = std::max(end, free);
      ASSERT_TRUE(rasterTile(space, raster, unit.tile) == unit.unit.tile);
      bool isDivided = scheduler->contributors(unit.unit.tile).count > 1;
      ASSERT_EQ(unit.isPart, isDivided || GetParam() == Parts);
      int64_t arrival = unit.turn() + timeline.share;
      latest[unit.tile] = std::max(latest[unit.tile], arrival);
      if (unit.isLast)
        ASSERT_TRUE(adding.emplace(unit.tile, arrival).second);
    }
    ASSERT_EQ(timeline.end, end);
    for (auto &[place, unit] : turns) {
      auto before = turns.find({place.first, place.second - 1});
      if (before == turns.end())
        continue;
      int64_t left = before->second.turn() + timeline.share;
      ASSERT_EQ(unit.turn(), std::max(unit.kDone(), left));
    }
    for (auto &[tile, arrival] : adding)
      ASSERT_EQ(arrival, latest[tile]);
    int64_t divided = 0;
    for (auto &[tile, arrival] : latest)
      divided +=
          scheduler->contributors(rasterTile(space, raster, tile)).count > 1;
    ASSERT_EQ(int64_t(adding.size()), GetParam() == Parts ? 0 : divided);
  }
}

TEST_P(Timelines, DrawABoxForEveryUnit) {
  TileSpace space = {9, 3, 1, 16};
  auto scheduler = makeScheduler(GetParam(), space, {}, 12);
  Timeline timeline = makeTimeline(*scheduler, space, {}, GetParam() == Parts);
  Caption caption = {"1 < 2 & 3", "tile", "schedule", "CTA"};
  std::string svg = drawTimelines({{timeline, caption}});
  EXPECT_EQ(svg, drawTimelines({{timeline, caption}}));
  EXPECT_NE(svg.find(">1 &lt; 2 &amp; 3</text>"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"unit\""), scheduler->unitCount());
  EXPECT_EQ(count(svg, "class=\"adding\""), GetParam() == Parts);
  EXPECT_EQ(count(svg, "partial result written"), GetParam() != Whole);
  EXPECT_EQ(count(svg, ">last to arrive: "),
            GetParam() == Streamed || GetParam() == Turns);
  EXPECT_EQ(count(svg, "<g"), count(svg, "</g>"));
}

INSTANTIATE_TEST_SUITE_P(Schedules, Timelines,
                         ::testing::Values(Whole, Streamed, Parts, Turns));

// The picture in docs/Schedules.md.
TEST(Timeline, PrintsWhoAddsUp) {
  TileSpace space = {3, 1, 1, 8};
  auto scheduler = makeStreamK(space, {}, 5, 3);
  Timeline timeline = makeTimeline(*scheduler, space, {}, false);
  EXPECT_EQ(printTimeline(timeline, {"p", "t", "s", "CTA"}),
            "p\nt\ns\n"
            "CTA 0: tile 0 k 0..5 part, adds up\n"
            "CTA 1: tile 0 k 5..8 part; tile 1 k 0..2 part, adds up\n"
            "CTA 2: tile 1 k 2..7 part\n"
            "CTA 3: tile 1 k 7..8 part; tile 2 k 0..4 part, adds up\n"
            "CTA 4: tile 2 k 4..8 part\n");
}

TEST(Timeline, StaysAsWideAsAPage) {
  for (int64_t tiles : {1, 12, 500, 15000}) {
    TileSpace space = {tiles, 1, 1, 64};
    auto scheduler = makeDataParallel(space, {}, 132);
    ASSERT_FALSE(checkTimeline(*scheduler));
    std::string svg =
        drawTimelines({{makeTimeline(*scheduler, space, {}, false), {}}});
    int width = 0, height = 0;
    ASSERT_EQ(std::sscanf(svg.c_str(),
                          "<svg xmlns=%*s width=\"%d\" height=\"%d", &width,
                          &height),
              2);
    EXPECT_TRUE(width >= 800 && width <= 1100) << width;
    EXPECT_LE(height, 1500);
  }
}

TEST(Timeline, RefusesMoreUnitsThanCanBeSeen) {
  auto scheduler = makeDataParallel({200, 101, 1, 4}, {}, 132);
  EXPECT_EQ(*checkTimeline(*scheduler),
            "expected at most 20000 units of work to draw, got 20200");
}

} // namespace
