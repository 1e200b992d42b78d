//===- Workspace.h - Partial results in global memory -------------*- C++
//-*-===//
//
// What the CTAs of a kernel leave for each other: partial results, which a warp
// stores, or adds to what was zero, and others see once it has fenced, and
// counters. Functions return what is wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_WORKSPACE_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_WORKSPACE_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace cutltest {

class Workspace {
public:
  /// Where they start, as the kernel's parameters have it.
  static constexpr int64_t kPartials = int64_t(1) << 40;
  static constexpr int64_t kCounters = int64_t(1) << 41;

  Workspace(size_t warps, int64_t partialBytes, int64_t counterBytes)
      : fencedAt(warps), unpublished(warps), partialBytes(partialBytes),
        counterBytes(counterBytes) {}

  /// Stores where nothing was or, if it may replace, where the warp sees all
  /// that was.
  std::string store(size_t warp, int64_t address, uint32_t bits,
                    bool mayReplace = false);
  /// Adds a number to a word that is zero at first.
  std::string addTo(size_t warp, int64_t address, uint32_t bits);
  std::string load(size_t warp, int64_t address, uint32_t &bits) const;
  /// Publishes what the warp has stored, and shows it what others published.
  void fence(size_t warp);
  /// Shows the warp what others published, and nothing else.
  void acquire(size_t warp) { fencedAt[warp] = ++now; }
  /// Adds to a counter, which gives what it was.
  std::string add(int64_t address, int64_t value, int64_t &before);

private:
  /// A store or an addition.
  struct Write {
    size_t warp;
    /// When it was published; never yet if negative.
    int64_t publishedAt = -1;
  };
  struct Word {
    uint32_t bits;
    bool isSum;
    std::vector<Write> writes;
  };

  std::unordered_map<int64_t, Word> words;
  std::unordered_map<int64_t, int64_t> counters;
  /// By warp.
  std::vector<int64_t> fencedAt;
  std::vector<std::vector<int64_t>> unpublished;
  int64_t partialBytes, counterBytes;
  int64_t now = 0;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_WORKSPACE_H
