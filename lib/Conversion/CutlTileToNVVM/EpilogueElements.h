//===- EpilogueElements.h - The epilogue's values of one thread -----------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUEELEMENTS_H
#define CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUEELEMENTS_H

#include "Epilogue.h"

namespace mlir::cutl::nvvm {

/// One of the accumulators that a thread holds: in slab `slab`, in the upper
/// (0) or lower (1) of the two rows it has there, in eight-column block
/// `block`, the first (0) or second (1) of its two columns.
struct Element {
  int64_t slab, half, block, which;
};

/// The region's results for the elements of a thread, each computed where it
/// is first asked for. Auxiliary operands are read at positions clamped to the
/// extents: what lies outside is computed and never stored.
class EpilogueElements {
public:
  EpilogueElements(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
                   const ConsumerThread &thread, const Unit &unit,
                   ArrayRef<Value> accumulators);

  /// The value of the output.
  Value getResult(Element element);
  /// Two neighbouring 16-bit elements of a row in one register, i32.
  Value getPacked(int64_t slab, int64_t half, int64_t block);

  /// Whether an auxiliary operand may be the output itself, element by element.
  bool readsMatrix() const;

private:
  /// Clamped index of a row or column, i64.
  Value getRow(int64_t slab, int64_t half);
  Value getColumn(int64_t block, int64_t which);
  Value getAux(unsigned number, Element element);
  Value pack(Value low, Value high);
  size_t getIndex(Element element) const;

  Emit &e;
  StagedKernel &kernel;
  const EpilogueInputs &inputs;
  ArrayRef<Value> accumulators;
  int64_t blocks;
  /// Of the thread, i32, and the last ones inside the extents.
  Value firstRow, firstColumn, lastRow, lastColumn;
  SmallVector<Value> rows, columns, results, packed;
  /// Pointers of the auxiliary operands, at the unit's batch.
  SmallVector<Value> pointers;
  SmallVector<DenseMap<std::pair<int64_t, int64_t>, Value>> loads;
};

/// The pointer of `operand` at the unit's batch.
Value emitBatchPointer(Emit &e, const EpilogueOperand &operand,
                       const Unit &unit);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUEELEMENTS_H
