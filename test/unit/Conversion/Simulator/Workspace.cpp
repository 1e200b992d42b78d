//===- Workspace.cpp - Partial results in global memory -------------------===//

#include "Workspace.h"

using namespace cutltest;

static bool isInside(int64_t address, int64_t begin, int64_t bytes) {
  return address >= begin && address % 4 == 0 && address + 4 <= begin + bytes;
}

std::string Workspace::store(size_t warp, int64_t address, uint32_t bits) {
  if (!isInside(address, kPartials, partialBytes))
    return "a partial result is stored outside of the workspace, at " +
           std::to_string(address - kPartials) + " of " +
           std::to_string(partialBytes) + " bytes";
  if (!words.try_emplace(address, Word{bits, warp}).second)
    return "a partial result is stored over another";
  unpublished[warp].push_back(address);
  return "";
}

std::string Workspace::load(size_t warp, int64_t address,
                            uint32_t &bits) const {
  auto found = words.find(address);
  if (found == words.end())
    return "a partial result is read that nobody has stored";
  const Word &word = found->second;
  if (word.warp != warp && word.publishedAt < 0)
    return "a partial result is read that is not published";
  if (word.warp != warp && word.publishedAt >= fencedAt[warp])
    return "a partial result is read without a fence since it was published";
  bits = word.bits;
  return "";
}

void Workspace::fence(size_t warp) {
  for (int64_t address : unpublished[warp])
    words.at(address).publishedAt = now;
  unpublished[warp].clear();
  fencedAt[warp] = ++now;
}

std::string Workspace::add(int64_t address, int64_t value, int64_t &before) {
  if (!isInside(address, kCounters, counterBytes))
    return "a counter outside of the workspace, at " +
           std::to_string(address - kCounters) + " of " +
           std::to_string(counterBytes) + " bytes";
  int64_t &counter = counters[address];
  before = counter;
  counter += value;
  return "";
}
