//===- SharedMemory.h - Barriers and boxes of one CTA -------------*- C++
//-*-===//
//
// What a CTA's shared memory means to the protocol of its kernel: which box of
// which tensor lies where, who still reads it, and the state of its barriers.
// Functions return what is wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SHAREDMEMORY_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SHAREDMEMORY_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutltest {

/// An mbarrier: a phase is complete once all arrivals and all bytes have come.
class Mbarrier {
public:
  std::string init(int64_t count);
  /// One arrival that announces `bytes`.
  std::string arrive(int64_t bytes);
  std::string complete(int64_t bytes);
  /// Whether the latest phase of this parity is complete, which is all that a
  /// wait can tell: before the first phase, that of parity 1 counts as such.
  bool hasCompleted(int64_t parity) const { return (phase & 1) != parity; }
  bool isInitialised() const { return count > 0; }
  std::string print() const;

private:
  void finishPhase();

  int64_t count = 0, pending = 0, bytes = 0;
  uint64_t phase = 0;
};

/// A named barrier, which threads meet at in whole warps.
class NamedBarrier {
public:
  /// A warp's arrival, where `threads` threads are to meet.
  /// It may bring a vote.
  std::string arrive(int64_t threads, bool vote = false);
  uint64_t getGeneration() const { return generation; }
  /// Whether any warp voted for it when they last met, which holds until all of
  /// them come again.
  bool getVote() const { return lastVote; }

private:
  int64_t wanted = 0, arrived = 0;
  bool vote = false, lastVote = false;
  uint64_t generation = 0;
};

/// A range of bytes.
struct Range {
  int64_t begin = 0, end = 0;
  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// A box of a tensor that has been copied.
struct Box {
  Range range;
  /// The kernel's parameter that is the tensor's map.
  unsigned parameter = 0;
  /// The first element, innermost coordinate first.
  llvm::SmallVector<int64_t, 5> start;
};

/// Somebody who reads a range until `group` has completed.
struct Reader {
  Range range;
  /// The warpgroup for products, the warp for copies to global memory.
  unsigned who = 0;
  uint64_t group = 0;
};

class SharedMemory {
public:
  /// A copy into `range` starts: nobody may read it, and what was there is no
  /// more.
  std::string startCopy(const Range &range);
  void finishCopy(const Box &box);
  /// The box that covers `range`, or null.
  const Box *find(const Range &range) const;

  /// Threads write to a range.
  std::string write(const Range &range) const;
  /// Threads write to a range of the ring between two units: nobody may read it
  /// or copy to it, and what was there is no more.
  std::string writeToRing(const Range &range);

  std::map<int64_t, Mbarrier> mbarriers;
  std::map<int64_t, NamedBarrier> namedBarriers;
  /// Products that read the ring, and copies that read staging buffers.
  std::vector<Reader> products, stores;

private:
  std::vector<Box> boxes;
  /// All that there were, and those that have not completed.
  std::vector<Range> copies, pending;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SHAREDMEMORY_H
