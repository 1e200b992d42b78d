//===- Fixup.h - Partial results that meet in a workspace -----------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_FIXUP_H
#define CUTL_CONVERSION_CUTLTILETONVVM_FIXUP_H

#include "Epilogue.h"

namespace mlir::cutl::nvvm {

/// What a consumer warpgroup has after its unit has met the others of its tile.
struct FixupResult {
  /// In the order of `emitMainloop`; the sums where `isLast`, else unspecified.
  SmallVector<Value> accumulators;
  /// Whether this unit runs the epilogue, i1; the same in all threads.
  Value isLast;
};

/// Adds up the partial results of a tile, in the order of their slots, in the
/// unit that arrives last. A whole tile stays in registers. Nobody waits for
/// another CTA but at a turnstile, for one that has started before.
FixupResult emitFixup(Emit &e, StagedKernel &kernel,
                      const KernelParameters &parameters,
                      const ClusterThread &cluster,
                      const ConsumerThread &thread, const Unit &unit,
                      ArrayRef<Value> accumulators);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_FIXUP_H
