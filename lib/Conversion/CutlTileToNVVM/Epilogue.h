//===- Epilogue.h - From accumulators to the output -----------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H
#define CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H

#include "Emit.h"
#include "KernelPlan.h"
#include "WorkLoop.h"

namespace mlir::cutl::nvvm {

/// An operand of the epilogue: a value that is the same everywhere, or a
/// matrix, vector or single element in global memory.
struct EpilogueOperand {
  Type elementType;
  /// The dimension of the operand that m and n index, if any.
  std::optional<unsigned> mDim, nDim;
  /// Strides in elements; ShapedType::kDynamic where the kernel is told.
  SmallVector<int64_t> strides;
  bool isScalar = false;

  /// Filled in by the kernel frame: the scalar or the pointer, and the strides
  /// (i64) of every dimension.
  Value value;
  SmallVector<Value> strideValues;
};

/// What the threads of a consumer warpgroup know about themselves, i32.
struct ConsumerThread {
  Value consumer, warp, lane;
  /// Whether the thread is the one that issues copies for its warpgroup.
  Value isLeader;
};

struct EpilogueInputs {
  /// Its arguments are the accumulator and the auxiliary operands, its
  /// terminator has the output's value as its operand.
  Block *body = nullptr;
  ArrayRef<EpilogueOperand> aux;
  const EpilogueOperand *output = nullptr;
  /// Extents, i32.
  Value m, n;
  /// For a tensor store: the output's map and the start of this warpgroup's
  /// staging buffers.
  Value outputMap, staging;
};

/// Runs the epilogue of the rows of one warpgroup. `origin.m` is the first of
/// these rows.
void emitEpilogue(Emit &e, const KernelPlan &plan, const EpilogueInputs &inputs,
                  const ConsumerThread &thread, TileOrigin origin,
                  ArrayRef<Value> accumulators);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUE_H
