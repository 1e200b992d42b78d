//===- SharedSums.h - Partial results in shared memory ------------*- C++
//-*-===//
//
// What the consumers of a cluster leave for each other where their rings were:
// a warp stores numbers, meets the others of its CTA, and one of them publishes
// to the cluster; a warp that has acquired since sees them. Functions return
// what is wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SHAREDSUMS_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SHAREDSUMS_H

#include "SharedMemory.h"
#include <map>

namespace cutltest {

/// Of all CTAs; warps have their numbers among all of them.
class SharedSums {
public:
  SharedSums(size_t ctas, size_t warps)
      : words(ctas), met(ctas), stored(warps), acquiredAt(warps) {}

  void store(int64_t cta, size_t warp, int64_t address, uint32_t bits);
  /// A warp of the CTA meets others.
  void meet(int64_t cta, size_t warp);
  /// A thread of the CTA publishes what those that have met have stored.
  void publish(int64_t cta);
  void acquire(size_t warp) { acquiredAt[warp] = ++now; }
  std::string load(int64_t cta, size_t warp, int64_t address,
                   uint32_t &bits) const;
  /// A copy into the CTA starts: what was there is no more.
  void forget(int64_t cta, const Range &range);

private:
  struct Word {
    uint32_t bits;
    /// Never yet if negative.
    int64_t publishedAt = -1;
  };

  std::vector<std::map<int64_t, Word>> words;
  /// What was stored and not published, by CTA once its warp has met others, by
  /// warp before.
  std::vector<std::vector<int64_t>> met, stored;
  /// By warp.
  std::vector<int64_t> acquiredAt;
  int64_t now = 0;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SHAREDSUMS_H
