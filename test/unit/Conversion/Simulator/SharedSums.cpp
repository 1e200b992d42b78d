//===- SharedSums.cpp - Partial results in shared memory ------------------===//

#include "SharedSums.h"

using namespace cutltest;

void SharedSums::store(int64_t cta, size_t warp, int64_t address,
                       uint32_t bits) {
  words[cta].insert_or_assign(address, Word{bits});
  stored[warp].push_back(address);
}

void SharedSums::meet(int64_t cta, size_t warp) {
  met[cta].insert(met[cta].end(), stored[warp].begin(), stored[warp].end());
  stored[warp].clear();
}

void SharedSums::publish(int64_t cta) {
  ++now;
  for (int64_t address : met[cta])
    if (auto found = words[cta].find(address); found != words[cta].end())
      found->second.publishedAt = now;
  met[cta].clear();
}

std::string SharedSums::load(int64_t cta, size_t warp, int64_t address,
                             uint32_t &bits) const {
  auto found = words[cta].find(address);
  if (found == words[cta].end())
    return "a partial result is read at " + std::to_string(address) +
           ", where there is none";
  const Word &word = found->second;
  if (word.publishedAt < 0)
    return "a partial result is read that was not published";
  if (word.publishedAt > acquiredAt[warp])
    return "a partial result is read that was published after the last wait";
  bits = word.bits;
  return "";
}

void SharedSums::forget(int64_t cta, const Range &range) {
  words[cta].erase(words[cta].lower_bound(range.begin),
                   words[cta].lower_bound(range.end));
}
