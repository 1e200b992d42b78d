//===- MachineCopies.cpp - Copies that warps start ------------------------===//

#include "Machine.h"

using namespace cutltest;
using namespace mlir;

/// The number of the parameter that an operand is.
static unsigned getParameter(Value value) {
  return cast<BlockArgument>(value).getArgNumber();
}

void Machine::load(WarpState &state, const Instruction &instruction,
                   NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
  auto getRegister = [&](unsigned segment, unsigned i = 0) {
    return instruction
        .operands[op.getODSOperandIndexAndLength(segment).first + i];
  };
  unsigned parameter = getParameter(op.getTmaDescriptor());
  const TensorMapInfo &map = launch.maps.at(parameter);
  int64_t first = state.cta / launch.clusterSize * launch.clusterSize;
  forEachLane(state, [&](unsigned lane) {
    Copy copy;
    copy.box.parameter = parameter;
    copy.box.range.begin = state.warp.get(getRegister(0))[lane];
    copy.box.range.end = copy.box.range.begin + map.getBoxBytes();
    for (unsigned i = 0; i < op.getCoordinates().size(); ++i)
      copy.box.start.push_back(state.warp.get(getRegister(2, i))[lane]);
    if (copy.box.start.size() != map.dims.size())
      fail("a copy with another number of coordinates than its tensor map");
    if (copy.box.range.begin % 128 != 0)
      fail("a box that is not aligned to 128 bytes");
    copy.barrier = state.warp.get(getRegister(3))[lane];
    int64_t mask = int64_t(1) << (state.cta - first);
    if (op.getMulticastMask())
      mask = state.warp.get(getRegister(5))[lane] & 0xffff;
    if (mask >> launch.clusterSize != 0)
      fail("a copy to a CTA that the cluster does not have");
    for (int64_t rank = 0; rank < launch.clusterSize; ++rank) {
      if (!(mask >> rank & 1))
        continue;
      copy.cta = first + rank;
      fail(shared[copy.cta].startCopy(copy.box.range));
      sums.forget(copy.cta, copy.box.range);
      copies.push_back(copy);
    }
  });
}

void Machine::store(WarpState &state, const Instruction &instruction,
                    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) {
  unsigned parameter = getParameter(op.getTmaDescriptor());
  int64_t bytes = launch.maps.at(parameter).getBoxBytes();
  unsigned source =
      instruction.operands[op.getODSOperandIndexAndLength(1).first];
  forEachLane(state, [&](unsigned lane) {
    int64_t begin = state.warp.get(source)[lane];
    unsigned warp = &state - warps.data();
    Copy copy;
    copy.cta = state.cta;
    copy.box.range = {begin, begin + bytes};
    copy.warp = warp;
    copy.group = state.committedStores;
    copies.push_back(copy);
    shared[state.cta].stores.push_back(
        {copy.box.range, warp, state.committedStores});
  });
}

void Machine::finishCopy(uint64_t choice, bool loads) {
  std::vector<size_t> candidates;
  for (size_t i = 0; i < copies.size(); ++i)
    if (isLoad(copies[i]) || !loads)
      candidates.push_back(i);
  size_t index = candidates[choice % candidates.size()];
  Copy copy = copies[index];
  copies.erase(copies.begin() + index);
  SharedMemory &memory = shared[copy.cta];
  if (isLoad(copy)) {
    if (hasEnded(copy.cta))
      return fail("a copy to a CTA that has ended");
    memory.finishCopy(copy.box);
    fail(memory.mbarriers[copy.barrier].complete(copy.box.range.end -
                                                 copy.box.range.begin));
    return;
  }
  auto isThis = [&](const Reader &reader) {
    return reader.who == copy.warp && reader.group == copy.group &&
           reader.range.begin == copy.box.range.begin;
  };
  memory.stores.erase(llvm::find_if(memory.stores, isThis));
}
