//===- TileScheduler.h - which unit of work does what -----------*- C++ -*-===//
//
// The arithmetic of a schedule: how many CTAs, how much workspace, which part
// of the problem each unit of work computes and who finishes a tile.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_SCHEDULE_TILESCHEDULER_H
#define CUTL_SCHEDULE_TILESCHEDULER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cutl::schedule {

/// The problem in tiles. A tile is what one worker computes at a time: the CTA
/// tile of a CTA or, with clusters, the CTA tiles of a whole cluster, so that
/// CTAs of a cluster always work side by side. Every extent may be zero.
struct TileSpace {
  int64_t tilesM = 0;
  int64_t tilesN = 0;
  int64_t batches = 1;
  /// Stages of K in every tile; a tile of none still has an epilogue.
  int64_t kIterations = 0;

  /// The number of output tiles. Only meaningful after `check` passed.
  int64_t tiles() const { return tilesM * tilesN * batches; }
};

/// The order in which tiles are handed out. Tiles of one group lie close, so
/// that concurrent CTAs share operands in the cache.
struct Raster {
  /// Whether neighbouring units walk along m inside a group (else along n).
  bool alongM = true;
  /// Tiles of a group along that dimension, at least one.
  int64_t group = 8;
};

/// One output tile.
struct Tile {
  int64_t m = 0;
  int64_t n = 0;
  int64_t batch = 0;

  bool operator==(const Tile &other) const {
    return m == other.m && n == other.n && batch == other.batch;
  }
};

/// One unit of work: a tile and a half-open range of its k iterations.
struct WorkUnit {
  Tile tile;
  int64_t kBegin = 0;
  int64_t kEnd = 0;
  /// The place of its partial result.
  int64_t slot = 0;
};

/// The units that contribute to one tile: their `count` slots from `first` on,
/// in the order of their k ranges, which is the order in which their partial
/// results are added; or, where units add as they arrive, their number and the
/// one slot that they share. A tile of one unit touches no workspace.
struct Contributors {
  int64_t first = 0;
  int64_t count = 1;
};

/// Why a schedule cannot serve a tile space, or nothing. Counts are kept in 64
/// bits, and this is where one that would not fit is refused.
std::optional<std::string> check(const TileSpace &space, const Raster &raster);

/// The position of `tile` in raster order, in [0, space.tiles()).
int64_t rasterIndex(const TileSpace &space, const Raster &raster,
                    const Tile &tile);

/// The tile at `index` in raster order.
Tile rasterTile(const TileSpace &space, const Raster &raster, int64_t index);

/// What every schedule answers. It is made for a number of workers, the CTAs or
/// clusters that run at once on a chip, since a division of k may depend on it.
/// Units are numbered so that a worker only ever waits for a unit with a
/// smaller number, and where the reducer is whichever arrives last for none at
/// all: progress never depends on which workers run at the same time or in what
/// order they start.
class TileScheduler {
public:
  virtual ~TileScheduler();

  /// Workers to launch: no more than were asked for, nor than there is work.
  virtual int64_t gridSize() const = 0;

  /// Slots of the workspace, some of which may stay unused; zero where no unit
  /// has a partial result.
  virtual int64_t slotCount() const { return 0; }

  /// Bytes of workspace for partial tiles of `tileBytes` each and for the
  /// counters beside them.
  virtual int64_t workspaceBytes(int64_t tileBytes) const = 0;

  /// How many units of work there are.
  virtual int64_t unitCount() const = 0;

  /// The unit with number `index`, in [0, unitCount()).
  virtual WorkUnit unit(int64_t index) const = 0;

  /// The numbers of the units that `worker`, in [0, gridSize()), does, in
  /// order: every gridSize()-th unless the schedule has another rule.
  virtual std::vector<int64_t> unitsOf(int64_t worker) const;

  /// The units whose partial results make up `tile`.
  virtual Contributors contributors(const Tile &tile) const = 0;

  /// The unit that adds the others' partial results to its own and runs the
  /// epilogue, or nothing where it is whichever arrives last, or a kernel that
  /// follows.
  virtual std::optional<int64_t> reducer(const Tile &tile) const = 0;
};

/// Every tile is one unit with all of its k iterations: no workspace, no fixup.
/// `check(space, raster)` must have passed.
std::unique_ptr<TileScheduler>
makeDataParallel(const TileSpace &space, const Raster &raster, int64_t workers);

/// How the units of a tile come together.
enum class Meeting {
  /// Each leaves its partial result, and a kernel that follows adds them.
  None,
  /// Each has a slot, and the last to arrive adds them in order.
  Slots,
  /// Each adds to the one slot of its tile as it arrives.
  OneSlot,
  /// Each adds to what the one before it left, which it waits for; slots number
  /// the parts, and a tile has the room of one. Workers take their numbers as
  /// they start, and the units of each are neighbours: a unit only waits for a
  /// worker with a smaller number, or for its own.
  Turnstile,
};

/// Bytes of the arrival counter of a slot.
constexpr int64_t kCounterBytes = 4;

/// How many tiles stream-K divides among `workers`: those that are asked for, or
/// by default those of the last, partly filled wave and a full wave before it if
/// there is one, none where all waves are full. None either where a tile has one
/// k iteration, and no more than there are.
int64_t streamedTiles(const TileSpace &space, int64_t workers,
                      std::optional<int64_t> asked);

/// Why so many tiles (nothing: the default) cannot be divided, or nothing.
std::optional<std::string> checkStreamK(const TileSpace &space,
                                        const Raster &raster,
                                        std::optional<int64_t> asked);

/// The k iterations of the first `streamedTiles` form one row, of which every
/// worker takes a share; shares differ by one iteration at most, the longer
/// ones come first. What lies in one share and one tile is a unit, whose slot
/// is the worker's number plus the tile's, or the tile's number where the units
/// of one share it. The other tiles are whole units, which workers take in turn
/// afterwards. `checkStreamK` must have passed.
std::unique_ptr<TileScheduler>
makeStreamK(const TileSpace &space, const Raster &raster, int64_t workers,
            std::optional<int64_t> asked = std::nullopt,
            Meeting meeting = Meeting::Slots);

/// Every tile is divided into `parts`, at least one, of k ranges that differ by
/// one iteration at most, each a unit with a partial result. Where there are
/// fewer iterations than parts some ranges are empty. Units of one part are
/// neighbours. The slot of a part is the tile's number times `parts` plus its
/// own, or the tile's number where the units of one share it. `check(space,
/// raster)` must have passed with the batches times the parts.
std::unique_ptr<TileScheduler> makeSplitK(const TileSpace &space,
                                          const Raster &raster, int64_t workers,
                                          int64_t parts,
                                          Meeting meeting = Meeting::None);

} // namespace cutl::schedule

#endif // CUTL_SCHEDULE_TILESCHEDULER_H
