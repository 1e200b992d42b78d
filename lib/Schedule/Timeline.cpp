//===- Timeline.cpp - when which worker does what -------------------------===//
//
// Runs a schedule in the order of time, since which unit of a tile is the last
// decides when its worker goes on.
//
//===----------------------------------------------------------------------===//

#include "cutl/Schedule/Timeline.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <sstream>

using namespace cutl::schedule;

std::optional<std::string>
cutl::schedule::checkTimeline(const TileScheduler &scheduler) {
  int64_t count = scheduler.unitCount();
  if (count <= kMaxTimedUnits)
    return std::nullopt;
  return "expected at most " + std::to_string(kMaxTimedUnits) +
         " units of work to draw, got " + std::to_string(count);
}

namespace {

/// What one worker has done, and does next.
struct Worker {
  std::vector<int64_t> todo;
  std::vector<TimedUnit> done;
  /// When it can begin its next unit.
  int64_t free = 0;
};

} // namespace

Timeline cutl::schedule::makeTimeline(const TileScheduler &scheduler,
                                      const TileSpace &space,
                                      const Raster &raster, bool addsAfter) {
  Timeline timeline;
  timeline.workers = scheduler.gridSize();
  timeline.share = std::max<int64_t>(space.kIterations / 8, 1);
  timeline.addsAfter = addsAfter;

  std::vector<Worker> workers(timeline.workers);
  // When each worker has written what its next unit writes; the earliest first.
  using Arrival = std::pair<int64_t, int64_t>;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<Arrival>>
      arrivals;
  auto start = [&](int64_t worker) {
    Worker &own = workers[worker];
    timeline.end = std::max(timeline.end, own.free);
    if (own.done.size() == own.todo.size())
      return;
    TimedUnit next;
    next.unit = scheduler.unit(own.todo[own.done.size()]);
    next.tile = rasterIndex(space, raster, next.unit.tile);
    next.worker = worker;
    next.begin = own.free;
    own.done.push_back(next);
    arrivals.push({next.kDone() + timeline.share, worker});
  };
  for (int64_t worker = 0; worker < timeline.workers; ++worker) {
    workers[worker].todo = scheduler.unitsOf(worker);
    start(worker);
  }

  std::map<int64_t, int64_t> arrived;
  // At turnstiles, who waits, by tile and part, and when the last one of a tile
  // has left.
  std::map<std::pair<int64_t, int64_t>, int64_t> waiting;
  std::map<int64_t, int64_t> left;
  while (!arrivals.empty()) {
    auto [time, worker] = arrivals.top();
    arrivals.pop();
    TimedUnit &unit = workers[worker].done.back();
    auto [first, parts] = scheduler.contributors(unit.unit.tile);
    if (parts > 1 && scheduler.reducer(unit.unit.tile)) {
      int64_t part = unit.unit.slot - first;
      if (arrived[unit.tile] != part) {
        waiting[{unit.tile, part}] = worker;
        continue;
      }
      int64_t earliest = left[unit.tile] + timeline.share;
      if (time < earliest) {
        arrivals.push({earliest, worker});
        continue;
      }
      left[unit.tile] = time;
      unit.wait = time - timeline.share - unit.kDone();
      auto next = waiting.find({unit.tile, part + 1});
      if (next != waiting.end())
        arrivals.push({time + timeline.share, next->second});
    }
    unit.isPart = parts > 1 || addsAfter;
    unit.isLast = unit.isPart && !addsAfter && ++arrived[unit.tile] == parts;
    workers[worker].free = time + (unit.isLast ? timeline.share : 0);
    start(worker);
  }
  for (Worker &worker : workers)
    timeline.units.insert(timeline.units.end(), worker.done.begin(),
                          worker.done.end());
  return timeline;
}

std::string cutl::schedule::printTimeline(const Timeline &timeline,
                                          const Caption &caption) {
  std::ostringstream os;
  os << caption.problem << '\n' << caption.tile << '\n' << caption.schedule;
  int64_t worker = -1;
  for (const TimedUnit &timed : timeline.units) {
    if (timed.worker != worker)
      os << '\n' << caption.worker << ' ' << timed.worker << ": ";
    else
      os << "; ";
    worker = timed.worker;
    os << "tile " << timed.tile << " k " << timed.unit.kBegin << ".."
       << timed.unit.kEnd;
    if (timed.isPart)
      os << (timed.isLast ? " part, adds up" : " part");
  }
  os << '\n';
  if (timeline.addsAfter)
    os << "another kernel adds up\n";
  return os.str();
}
