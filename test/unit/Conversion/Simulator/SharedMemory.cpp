//===- SharedMemory.cpp - Barriers and boxes of one CTA -------------------===//

#include "SharedMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace cutltest;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

std::string Mbarrier::init(int64_t arrivals) {
  if (isInitialised())
    return "a barrier is initialised twice";
  if (arrivals < 1)
    return "a barrier is initialised with " + std::to_string(arrivals);
  count = pending = arrivals;
  return "";
}

void Mbarrier::finishPhase() {
  if (pending > 0 || bytes != 0)
    return;
  pending = count;
  ++phase;
}

std::string Mbarrier::arrive(int64_t announced) {
  if (!isInitialised())
    return "arrival at a barrier before it is initialised";
  if (pending == 0)
    return "more arrivals at a barrier than the " + std::to_string(count) +
           " of a phase";
  --pending;
  bytes += announced;
  finishPhase();
  return "";
}

std::string Mbarrier::complete(int64_t copied) {
  if (!isInitialised())
    return "a copy completes at a barrier that is not initialised";
  bytes -= copied;
  finishPhase();
  return "";
}

std::string Mbarrier::print() const {
  return "phase " + std::to_string(phase) + ", " + std::to_string(pending) +
         " of " + std::to_string(count) + " arrivals and " +
         std::to_string(bytes) + " bytes missing";
}

std::string NamedBarrier::arrive(int64_t threads, bool vote) {
  if (arrived != 0 && threads != wanted)
    return "warps meet at a named barrier for " + std::to_string(wanted) +
           " and for " + std::to_string(threads) + " threads";
  wanted = threads;
  arrived += 32;
  if (arrived > wanted)
    return "more threads at a named barrier than the " +
           std::to_string(wanted) + " that it is for";
  this->vote |= vote;
  if (arrived == wanted) {
    arrived = 0;
    lastVote = this->vote;
    this->vote = false;
    ++generation;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// SharedMemory
//===----------------------------------------------------------------------===//

static std::string print(const Range &range) {
  return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
         ")";
}

std::string SharedMemory::startCopy(const Range &range) {
  for (const Reader &reader : products)
    if (reader.range.overlaps(range))
      return "a stage at " + print(range) + " is overwritten while warpgroup " +
             std::to_string(reader.who) + " reads it";
  for (const Reader &reader : stores)
    if (reader.range.overlaps(range))
      return "a copy to " + print(range) + " overwrites a staging buffer";
  llvm::erase_if(boxes,
                 [&](const Box &box) { return box.range.overlaps(range); });
  copies.push_back(range);
  pending.push_back(range);
  return "";
}

void SharedMemory::finishCopy(const Box &box) {
  pending.erase(llvm::find_if(pending, [&](const Range &range) {
    return range.begin == box.range.begin && range.end == box.range.end;
  }));
  boxes.push_back(box);
}

const Box *SharedMemory::find(const Range &range) const {
  for (const Box &box : boxes)
    if (box.range.begin <= range.begin && range.end <= box.range.end)
      return &box;
  return nullptr;
}

std::string SharedMemory::write(const Range &range) const {
  for (const Reader &reader : stores)
    if (reader.range.overlaps(range))
      return "a staging buffer is overwritten at " + print(range) +
             " while it is copied to global memory";
  for (const Range &copy : copies)
    if (copy.overlaps(range))
      return "threads write to the ring at " + print(range);
  return "";
}

std::string SharedMemory::writeToRing(const Range &range) {
  for (const Reader &reader : products)
    if (reader.range.overlaps(range))
      return "threads write to a stage at " + print(range) +
             " while warpgroup " + std::to_string(reader.who) + " reads it";
  for (const Range &copy : pending)
    if (copy.overlaps(range))
      return "threads write to the ring at " + print(range) +
             " while a copy is under way";
  for (const Reader &reader : stores)
    if (reader.range.overlaps(range))
      return "threads write to a staging buffer at " + print(range) +
             " while it is copied to global memory";
  llvm::erase_if(boxes,
                 [&](const Box &box) { return box.range.overlaps(range); });
  return "";
}
