//===- AuxLoads.h - Auxiliary operands through staging buffers ------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_AUXLOADS_H
#define CUTL_CONVERSION_CUTLTILETONVVM_AUXLOADS_H

#include "Staging.h"

namespace mlir::cutl::nvvm {

/// Whether auxiliary operand `number` is read at all, i1; null if it always is.
/// What a linear combination alone reads is read only if its factor, which must
/// be at hand, a number or a constant, is not zero.
Value emitGate(Emit &e, StagedKernel &kernel,
               const KernelParameters &parameters, unsigned number);

/// The parts of a tile of auxiliary operands that the copy engine brings into
/// staging buffers, each before the part of an output that takes its place.
class AuxLoads {
public:
  AuxLoads(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
           const ConsumerThread &thread, const Unit &unit);

  /// Starts the loads that have a buffer of their own, and fetches the rest
  /// into the L2 cache; all threads of the warpgroup, while the mainloop runs.
  void emitFirst();
  /// Starts the load for which the buffers before `step` have become free; all
  /// threads, after the step before has been written.
  void emitNext(int64_t step);

  /// Waits for what is loaded into the buffer of `step`, which may be filled
  /// anew only then; all threads.
  void emitArrival(int64_t step);

  /// An element; its part is waited for where it is first asked for.
  Value getElement(unsigned number, const Element &element);

private:
  /// A part that has arrived.
  struct Part {
    std::optional<MatrixRows> matrices;
    std::optional<Neighbours> neighbours;
    /// By slab, half and block.
    DenseMap<std::tuple<int64_t, int64_t, int64_t>, Value> pairs;
  };

  /// Emits `body` where the operand of `step` is read at all.
  void ifRead(int64_t step, function_ref<void()> body);
  Value getBuffer(int64_t step);
  bool isLoaded(int64_t step) const;
  Value getBarrier(int64_t step);
  void emitLoad(int64_t step);
  void emitPrefetch(int64_t step);
  Value emitMatrixLoad(Value address);
  Part &getPart(int64_t step);
  Value getPair(int64_t step, const Element &element);

  Emit &e;
  StagedKernel &kernel;
  const EpilogueInputs &inputs;
  const ConsumerThread &thread;
  const Unit &unit;
  /// By step.
  DenseMap<int64_t, Part> parts;
  /// Of the operands that are loaded; null where they always are.
  DenseMap<unsigned, Value> gates;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_AUXLOADS_H
