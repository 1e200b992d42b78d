//===- Epilogue.h - From accumulators to the output -----------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H
#define CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H

#include "Parameters.h"
#include "Work.h"

namespace mlir::cutl::nvvm {

/// What the threads of a consumer warpgroup know about themselves, i32.
struct ConsumerThread {
  Value consumer, warp, lane;
  /// The first row of a tile that is this warpgroup's.
  Value firstRow;
  /// Whether the thread is the one that issues copies for its warpgroup.
  Value isLeader;
};

struct EpilogueInputs {
  KernelParameters *parameters = nullptr;
  /// Start of this warpgroup's staging buffers.
  Value staging;
};

/// Runs the epilogue of the rows of one warpgroup. `accumulators` are those of
/// `emitMainloop`.
void emitEpilogue(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
                  const ConsumerThread &thread, const Unit &unit,
                  ArrayRef<Value> accumulators);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H
