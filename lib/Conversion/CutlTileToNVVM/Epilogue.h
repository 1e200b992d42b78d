//===- Epilogue.h - From accumulators to the output -----------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H
#define CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H

#include "Barriers.h"
#include "Parameters.h"
#include "Work.h"

#include <memory>

namespace mlir::cutl::nvvm {

/// What the threads of a consumer warpgroup know about themselves, i32.
struct ConsumerThread {
  Value consumer, warp, lane;
  /// The first row of a tile that is this warpgroup's.
  Value firstRow;
  /// Whether the thread is the one that issues copies for its warpgroup.
  Value isLeader;
};

/// The named barrier of the thread's warpgroup, for what follows its mainloop.
Value getConsumerBarrier(Emit &e, const ConsumerThread &thread);

/// One of the accumulators that a thread holds: in slab `slab`, in the upper
/// (0) or lower (1) of the two rows it has there, in eight-column block
/// `block`, the first (0) or second (1) of its two columns.
struct Element {
  int64_t slab, half, block, which;
};

struct EpilogueInputs {
  KernelParameters *parameters = nullptr;
  /// Start of this warpgroup's staging buffers.
  Value staging;
  /// This warpgroup's barriers of what is loaded into them, if anything is, and
  /// whether it has finished an odd number of tiles (i32, 0 or 1).
  BarrierArray loads = BarrierArray(Value());
  Value parity;
};

class AuxLoads;
class EpilogueElements;

/// The epilogue of one unit, of the rows of one warpgroup.
class Epilogue {
public:
  Epilogue(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
           const ConsumerThread &thread, const Unit &unit);
  ~Epilogue();

  /// Starts loading what can be loaded at any time; while the mainloop runs.
  void emitFirstLoads();
  /// Loads what the registers have room for; while its last products run.
  void emitEarlyLoads();
  /// The rest. `accumulators` are those of `emitMainloop`.
  void emit(ArrayRef<Value> accumulators);

private:
  Emit &e;
  StagedKernel &kernel;
  const EpilogueInputs &inputs;
  const ConsumerThread &thread;
  const Unit &unit;
  std::unique_ptr<AuxLoads> auxLoads;
  std::unique_ptr<EpilogueElements> elements;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H
