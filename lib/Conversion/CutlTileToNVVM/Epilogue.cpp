//===- Epilogue.cpp - From accumulators to the outputs --------------------===//
//
// The region runs in registers, on the elements that a thread's accumulators
// are. Outputs are written part by part through buffers in shared memory.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "Barriers.h"
#include "CopyTma.h"
#include "OutputWriter.h"
#include "Reduction.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Named barriers of the warpgroups' epilogues; the first few are taken by the
/// order of the mainloops.
static constexpr int64_t kEpilogueBarrier = 4;

namespace {

/// A part of an output, which goes through a buffer.
struct Step {
  OutputWriter *writer;
  Subtile subtile;
};

} // namespace

/// All parts of all outputs. Those of the same columns follow each other, so
/// that few results wait for a buffer.
static SmallVector<Step> makeSteps(MutableArrayRef<OutputWriter> writers) {
  SmallVector<Step> steps;
  for (OutputWriter &writer : writers)
    for (const Subtile &subtile : writer.getSubtiles())
      steps.push_back({&writer, subtile});
  llvm::stable_sort(steps, [](const Step &a, const Step &b) {
    return a.subtile.firstBlock < b.subtile.firstBlock;
  });
  return steps;
}

/// How many of the leader's latest groups of copies may still read shared
/// memory when the buffer of step `number` is filled anew: those behind its
/// last use, which the tile before may have made. None if that use was no copy.
static std::optional<int64_t> getPendingCopies(ArrayRef<Step> steps,
                                               int64_t number,
                                               int64_t buffers) {
  int64_t count = steps.size(), copies = 0;
  for (int64_t back = 1; back <= count; ++back) {
    // A tile starts with the first buffer again.
    int64_t other = (number - back + count) % count;
    bool isCopy = steps[other].writer->usesTensorMap();
    if (other % buffers == number % buffers)
      return isCopy ? std::optional(copies) : std::nullopt;
    copies += isCopy;
  }
  return std::nullopt;
}

void mlir::cutl::nvvm::emitEpilogue(Emit &e, StagedKernel &kernel,
                                    const EpilogueInputs &inputs,
                                    const ConsumerThread &thread,
                                    const Unit &unit,
                                    ArrayRef<Value> accumulators) {
  EpilogueElements elements(e, kernel, inputs, thread, unit, accumulators);
  SmallVector<OutputWriter, 2> writers;
  SmallVector<Reduction, 1> reductions;
  for (unsigned i = 0; i < kernel.getNumOutputs(); ++i)
    if (kernel.epilogue.isReduced(i))
      reductions.emplace_back(e, kernel, i, inputs, thread, unit, elements);
    else
      writers.emplace_back(e, kernel, i, inputs, thread, unit, elements);
  SmallVector<Step> steps = makeSteps(writers);
  Value barrier = e.add(thread.consumer, kEpilogueBarrier);
  tile::StagingAttr layout = kernel.epilogue.getStagingAttr();
  int64_t buffers = layout.getBuffers();
  for (auto [number, step] : llvm::enumerate(steps)) {
    auto [writer, subtile] = step;
    Value buffer =
        e.advance(inputs.staging, number % buffers * layout.getBytes());
    // What was in the buffer has been read.
    if (auto pending = getPendingCopies(steps, number, buffers))
      e.ifThen(thread.isLeader, [&, count = *pending] {
        emitStoreWaitRead(e, count);
      });
    emitNamedBarrier(e, barrier, kWarpgroup);
    writer->emitStage(buffer, subtile);
    if (writer->usesTensorMap())
      emitFenceSharedProxy(e);
    emitNamedBarrier(e, barrier, kWarpgroup);
    writer->emitStore(buffer, subtile);
    for (Reduction &reduction : reductions)
      reduction.advance(subtile.firstBlock + subtile.blocks);
  }
  for (Reduction &reduction : reductions)
    reduction.finish();
}
