//===- Epilogue.cpp - From accumulators to the outputs --------------------===//
//
// The region runs in registers, on the elements that a thread's accumulators
// are. Outputs are written part by part through buffers in shared memory.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "AuxLoads.h"
#include "AuxPrefetch.h"
#include "CopyTma.h"
#include "OutputWriter.h"
#include "Reduction.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Named barriers of the warpgroups; the first few are taken by the order of the
/// mainloops.
static constexpr int64_t kFirstConsumerBarrier = 4;

Value mlir::cutl::nvvm::getConsumerBarrier(Emit &e,
                                           const ConsumerThread &thread) {
  return e.add(thread.consumer, kFirstConsumerBarrier);
}

/// How many of the leader's latest groups of copies may still read shared
/// memory when the buffer of step `number` is filled anew: those behind its
/// last use, which the tile before may have made. None if that use was no copy.
static std::optional<int64_t>
getPendingCopies(StagedKernel &kernel, int64_t number, int64_t buffers) {
  int64_t count = kernel.steps.size(), copies = 0;
  for (int64_t back = 1; back <= count; ++back) {
    // A tile starts with the first buffer again.
    int64_t other = (number - back + count) % count;
    bool isCopy = kernel.storesTensor(kernel.steps[other].output);
    if (other % buffers == number % buffers)
      return isCopy ? std::optional(copies) : std::nullopt;
    copies += isCopy;
  }
  return std::nullopt;
}

/// Accumulators of a thread beside which there is room for what the first part
/// loads from vectors.
static constexpr int64_t kRoomyAccumulators = 128;

/// And beside which there is room for that of later parts, where those before
/// have left their registers.
static constexpr int64_t kTightAccumulators = 200;

static int64_t getNumAccumulators(StagedKernel &kernel) {
  return kernel.getNumProducts() * kernel.getSlabs() *
         kernel.getShareColumns() / 2;
}

Epilogue::Epilogue(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
                   const ConsumerThread &thread, const Unit &unit)
    : e(e), kernel(kernel), inputs(inputs), thread(thread), unit(unit),
      auxLoads(std::make_unique<AuxLoads>(e, kernel, inputs, thread, unit)) {}

Epilogue::~Epilogue() = default;

void Epilogue::emitFirstLoads() {
  auxLoads->emitFirst();
  emitAuxPrefetch(e, kernel, *inputs.parameters, thread, unit);
}

void Epilogue::emitEarlyLoads() {
  elements = std::make_unique<EpilogueElements>(e, kernel, inputs, thread, unit,
                                                *auxLoads);
  if (getNumAccumulators(kernel) <= kRoomyAccumulators &&
      !kernel.steps.empty())
    elements->loadVectors(kernel.steps.front().subtile);
}

void Epilogue::emit(ArrayRef<Value> accumulators) {
  elements->setAccumulators(accumulators);
  SmallVector<OutputWriter, 2> writers;
  SmallVector<Reduction, 1> reductions;
  for (unsigned i = 0; i < kernel.getNumOutputs(); ++i) {
    writers.emplace_back(e, kernel, i, inputs, thread, unit, *elements);
    if (kernel.epilogue.isReduced(i))
      reductions.emplace_back(e, kernel, i, inputs, thread, unit, *elements);
  }
  Value barrier = getConsumerBarrier(e, thread);
  tile::StagingAttr layout = kernel.epilogue.getStagingAttr();
  int64_t buffers = layout.getBuffers();
  for (int64_t number = 0; number < int64_t(kernel.steps.size()); ++number) {
    const tile::EpilogueStep &step = kernel.steps[number];
    OutputWriter &writer = writers[step.output];
    Value buffer =
        e.advance(inputs.staging, number % buffers * layout.getBytes());
    auxLoads->emitNext(number);
    // The arithmetic bridges the wait for the buffer, unless its operands come
    // by that buffer.
    if (!kernel.getNumLoads())
      writer.emitResults(step.subtile);
    // What was in the buffer has been read.
    if (auto pending = getPendingCopies(kernel, number, buffers))
      e.ifThen(thread.isLeader, [&, count = *pending] {
        emitStoreWaitRead(e, count);
      });
    auxLoads->emitArrival(number);
    emitNamedBarrier(e, barrier, kWarpgroup);
    writer.emitStage(buffer, step.subtile);
    // The accumulators that were staged have left room.
    if (getNumAccumulators(kernel) <= kTightAccumulators &&
        number + 1 < int64_t(kernel.steps.size()))
      elements->loadVectors(kernel.steps[number + 1].subtile);
    if (kernel.storesTensor(step.output))
      emitFenceSharedProxy(e);
    emitNamedBarrier(e, barrier, kWarpgroup);
    writer.emitStore(buffer, step.subtile);
    for (Reduction &reduction : reductions)
      reduction.advance(step.subtile.getEndBlock());
  }
  for (Reduction &reduction : reductions)
    reduction.finish();
}
