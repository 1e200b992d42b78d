//===- MachinePartials.cpp - Partial results of warps ---------------------===//

#include "Machine.h"

using namespace cutltest;
using namespace mlir;

void Machine::storeVector(WarpState &state, const Instruction &instruction) {
  forEachLane(state, [&](unsigned lane) {
    int64_t address = state.warp.get(instruction.operands[1])[lane];
    for (unsigned place = 0; place < kVectorLength; ++place)
      fail(
          workspace.store(getIndex(state), address + 4 * place,
                          state.warp.get(instruction.operands[0] + place)[lane],
                          launch.takesTurns));
  });
}

void Machine::addVector(WarpState &state, const Instruction &instruction) {
  forEachLane(state, [&](unsigned lane) {
    int64_t address = state.warp.get(instruction.operands[0])[lane];
    if (address % (4 * kVectorLength) != 0)
      fail("a vector is added that is not aligned");
    for (unsigned place = 0; place < kVectorLength; ++place)
      fail(workspace.addTo(
          getIndex(state), address + 4 * place,
          state.warp.get(instruction.operands[1 + place])[lane]));
  });
}

void Machine::loadVector(WarpState &state, const Instruction &instruction) {
  forEachLane(state, [&](unsigned lane) {
    int64_t address = state.warp.get(instruction.operands[0])[lane];
    for (unsigned place = 0; place < kVectorLength; ++place) {
      uint32_t bits = 0;
      fail(workspace.load(getIndex(state), address + 4 * place, bits));
      state.warp.set(instruction.results[0] + place, lane, bits);
    }
  });
}

void Machine::storeSums(WarpState &state, const Instruction &instruction) {
  forEachLane(state, [&](unsigned lane) {
    int64_t address = state.warp.get(instruction.operands[1])[lane];
    fail(shared[state.cta].writeToRing({address, address + 4 * kVectorLength}));
    for (unsigned place = 0; place < kVectorLength; ++place)
      sums.store(state.cta, getIndex(state), address + 4 * place,
                 state.warp.get(instruction.operands[0] + place)[lane]);
  });
}

void Machine::loadSums(WarpState &state, const Instruction &instruction) {
  int64_t first = state.cta / launch.clusterSize * launch.clusterSize;
  forEachLane(state, [&](unsigned lane) {
    int64_t remote = state.warp.get(instruction.operands[0])[lane];
    int64_t rank = (remote >> kRankShift) - 1;
    int64_t address = remote & ((int64_t(1) << kRankShift) - 1);
    if (rank < 0 || rank >= launch.clusterSize)
      return fail("a read from a CTA that the cluster does not have");
    if (hasEnded(first + rank))
      return fail("a read from a CTA that has ended");
    for (unsigned place = 0; place < kVectorLength; ++place) {
      uint32_t bits = 0;
      fail(sums.load(first + rank, getIndex(state), address + 4 * place, bits));
      state.warp.set(instruction.results[0] + place, lane, bits);
    }
  });
}

bool Machine::waitForTurn(WarpState &state, const Instruction &instruction) {
  int64_t address = state.warp.getUniform(instruction.operands[0]);
  int64_t wanted = state.warp.getUniform(instruction.operands[1]);
  int64_t count = 0;
  fail(workspace.add(address, 0, count));
  if (count < wanted)
    return false;
  if (count > wanted)
    fail("a turn is waited for that is over");
  workspace.acquire(getIndex(state));
  return true;
}

bool Machine::isTicket(WarpState &state, unsigned reg) {
  return launch.takesTurns &&
         state.warp.get(reg)[state.warp.getFirstLane()] == launch.ticketAddress;
}

void Machine::storeTicket(WarpState &state, const Instruction &instruction) {
  ticketWords[state.cta] = state.warp.getUniform(instruction.operands[0]);
}

void Machine::loadTicket(WarpState &state, const Instruction &instruction) {
  int64_t number = 0;
  if (isTicket(state, instruction.operands[0])) {
    if (!ticketWords.count(state.cta))
      fail("a CTA reads its number before it has drawn one");
    number = ticketWords[state.cta];
  }
  forEachLane(state, [&](unsigned lane) {
    state.warp.set(instruction.results[0], lane, number);
  });
}

void Machine::count(WarpState &state, const Instruction &instruction) {
  forEachLane(state, [&](unsigned lane) {
    int64_t before = 0;
    fail(workspace.add(state.warp.get(instruction.operands[0])[lane],
                       state.warp.get(instruction.operands[1])[lane], before));
    state.warp.set(instruction.results[0], lane, before);
    if (launch.takesTurns &&
        state.warp.get(instruction.operands[0])[lane] == Workspace::kCounters)
      tickets[state.cta] = before;
  });
}

void Machine::setAccumulators(WarpState &state,
                              const Instruction &instruction) {
  const TileProducts &products = tiles[{state.cta, state.number}].back();
  unsigned count = instruction.op->getNumOperands();
  forEachLane(state, [&](unsigned lane) {
    for (unsigned index = 0; index < count; ++index)
      state.warp.set(instruction.results[0] + index, lane,
                     getAccumulator(products, state.number % kGroupWarps, lane,
                                    index, launch.addsAsUnitsArrive));
  });
}
