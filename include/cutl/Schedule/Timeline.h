//===- Timeline.h - when which worker does what -----------------*- C++ -*-===//
//
// A schedule laid out over time, for people to look at. Time is counted in k
// iterations of a tile, and all of them take equally long.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_SCHEDULE_TIMELINE_H
#define CUTL_SCHEDULE_TIMELINE_H

#include "cutl/Schedule/TileScheduler.h"

namespace cutl::schedule {

/// One unit of work with its place in time. Its k iterations run from `begin`
/// on; then it waits for its turn if units take turns; then it writes its
/// results, if it `isPart` partial ones; then it adds up those of its tile and
/// writes results if it `isLast`. A write, and adding up, take
/// `Timeline::share` each.
struct TimedUnit {
  WorkUnit unit;
  /// Its tile's number in raster order.
  int64_t tile = 0;
  int64_t worker = 0;
  int64_t begin = 0;
  /// How long it waits for its turn.
  int64_t wait = 0;
  bool isPart = false;
  /// It is the last of its tile to arrive, and no other kernel adds.
  bool isLast = false;

  /// When its k iterations are done.
  int64_t kDone() const { return begin + unit.kEnd - unit.kBegin; }
  /// When it begins to write.
  int64_t turn() const { return kDone() + wait; }
};

/// All units, worker by worker, each in the order in which it does them.
struct Timeline {
  std::vector<TimedUnit> units;
  int64_t workers = 0;
  /// What an epilogue is taken to cost, in k iterations: an eighth of a tile's,
  /// at least one.
  int64_t share = 1;
  /// When the last worker is done.
  int64_t end = 0;
  /// Another kernel adds up partial results, from `end` on.
  bool addsAfter = false;
};

/// More units than this are not laid out.
constexpr int64_t kMaxTimedUnits = 20000;

/// Why a schedule is too large to lay out, or nothing.
std::optional<std::string> checkTimeline(const TileScheduler &scheduler);

/// Lays a schedule out as if all its workers started at once. `addsAfter` says
/// that another kernel adds up partial results. Takes `checkTimeline` to have
/// passed, and `scheduler` to have been made for `space` and `raster`.
Timeline makeTimeline(const TileScheduler &scheduler, const TileSpace &space,
                      const Raster &raster, bool addsAfter);

/// What a timeline does not know.
struct Caption {
  /// The problem, its tile, and its schedule with the workers; one line each.
  std::string problem, tile, schedule;
  /// What a worker is: "CTA" or "cluster".
  std::string worker = "CTA";
};

/// A timeline as text, a line for each worker.
std::string printTimeline(const Timeline &timeline, const Caption &caption);

struct CaptionedTimeline {
  Timeline timeline;
  Caption caption;
};

/// Timelines as one SVG document, one below the other: workers downwards, time
/// to the right, a box for each unit. Equal timelines give equal text.
std::string drawTimelines(const std::vector<CaptionedTimeline> &timelines);

} // namespace cutl::schedule

#endif // CUTL_SCHEDULE_TIMELINE_H
