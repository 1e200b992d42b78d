//===- Workspace.cpp - Partial results in global memory -------------------===//

#include "Workspace.h"

#include "llvm/ADT/bit.h"

using namespace cutltest;

static bool isInside(int64_t address, int64_t begin, int64_t bytes) {
  return address >= begin && address % 4 == 0 && address + 4 <= begin + bytes;
}

std::string Workspace::store(size_t warp, int64_t address, uint32_t bits,
                             bool mayReplace) {
  if (!isInside(address, kPartials, partialBytes))
    return "a partial result is stored outside of the workspace, at " +
           std::to_string(address - kPartials) + " of " +
           std::to_string(partialBytes) + " bytes";
  auto [found, isNew] = words.try_emplace(address, Word{bits, false, {{warp}}});
  uint32_t before;
  if (!isNew && !mayReplace)
    return "a partial result is stored over another";
  if (!isNew && !load(warp, address, before).empty())
    return "a partial result is stored over one that is not seen";
  found->second = {bits, false, {{warp}}};
  unpublished[warp].push_back(address);
  return "";
}

std::string Workspace::addTo(size_t warp, int64_t address, uint32_t bits) {
  if (!isInside(address, kPartials, partialBytes))
    return "a partial result is added outside of the workspace, at " +
           std::to_string(address - kPartials) + " of " +
           std::to_string(partialBytes) + " bytes";
  Word &word = words.try_emplace(address, Word{0, true, {}}).first->second;
  if (!word.isSum)
    return "a partial result is added to one that is stored";
  word.bits = llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(word.bits) +
                                       llvm::bit_cast<float>(bits));
  word.writes.push_back({warp});
  unpublished[warp].push_back(address);
  return "";
}

std::string Workspace::load(size_t warp, int64_t address,
                            uint32_t &bits) const {
  auto found = words.find(address);
  if (found == words.end())
    return "a partial result is read that nobody has stored";
  const Word &word = found->second;
  for (const Write &write : word.writes) {
    if (write.warp != warp && write.publishedAt < 0)
      return "a partial result is read that is not published";
    if (write.warp != warp && write.publishedAt >= fencedAt[warp])
      return "a partial result is read without a fence since it was published";
  }
  bits = word.bits;
  return "";
}

void Workspace::fence(size_t warp) {
  for (int64_t address : unpublished[warp])
    for (Write &write : words.at(address).writes)
      if (write.warp == warp && write.publishedAt < 0)
        write.publishedAt = now;
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
