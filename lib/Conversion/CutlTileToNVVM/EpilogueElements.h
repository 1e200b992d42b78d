//===- EpilogueElements.h - The epilogue's values of one thread -----------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUEELEMENTS_H
#define CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUEELEMENTS_H

#include "AuxLoads.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::cutl::nvvm {

/// The region's results for the elements of a thread, each computed where it
/// is first asked for. Auxiliary operands are zero outside the extents, where
/// results are computed and never stored.
///
/// Accumulators leave few registers, so what many elements share is kept small:
/// one pointer and one count for each row, and no addresses of columns.
class EpilogueElements {
public:
  EpilogueElements(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
                   const ConsumerThread &thread, const Unit &unit,
                   AuxLoads &auxLoads);

  /// Before any result.
  void setAccumulators(ArrayRef<Value> values) { accumulators = values; }
  /// Loads what a part needs of vectors ahead of its results.
  void loadVectors(const tile::Subtile &subtile);

  /// The value of an output. Those of all outputs are computed together.
  Value getResult(unsigned output, Element element);
  /// Two neighbouring 16-bit elements of a row in one register, i32.
  Value getPacked(unsigned output, int64_t slab, int64_t half, int64_t block);
  /// Whether an element lies inside the extents, i1.
  Value isInside(Element element) {
    return e.less(e.i32(element.block * 8 + element.which),
                  getColumnsLeft(element.slab * 2 + element.half));
  }

private:
  /// How many columns, from the thread's first one on, lie inside the extents
  /// in a row of the thread; none if the row does not. i32.
  Value getColumnsLeft(int64_t row);
  /// Where the operand has the thread's first element of a row.
  Value getRowPointer(unsigned number, int64_t row);
  Value getAux(unsigned number, Element element);
  /// How many columns of an operand with a gate are read in a row, or in every
  /// row alike; i32.
  Value getGatedColumns(unsigned number, std::optional<int64_t> row);
  /// Runs the region on an element, or on two neighbours in a row.
  void computeResults(Element first, int64_t count = 1);
  Value pack(Value low, Value high);
  /// Elements of the thread, and the place of one among them.
  size_t getNumElements() const { return slabs * blocks * 4; }
  size_t getIndex(Element element) const;

  Emit &e;
  StagedKernel &kernel;
  const EpilogueInputs &inputs;
  AuxLoads &auxLoads;
  ArrayRef<Value> accumulators;
  int64_t blocks, slabs;
  /// How many rows and columns lie inside the extents, from the thread's first
  /// ones on; i32.
  Value rowsLeft, columnsLeft;
  SmallVector<Value> columnsLeftInRow;
  /// Operations of the region that round to 16 bits what is computed on. They
  /// round two neighbours at once: ptxas serialises wgmma in most kernels that
  /// convert single accumulators (C7514), and in none that convert pairs.
  llvm::SmallPtrSet<Operation *, 4> roundings;
  /// By output, then by element.
  SmallVector<Value> results, packed;
  /// Of the auxiliary operands: numbers, or pointers at the thread's first
  /// element and, by row, at the first one of a row.
  SmallVector<Value> pointers;
  SmallVector<SmallVector<Value>> rowPointers;
  SmallVector<DenseMap<std::pair<int64_t, int64_t>, Value>> loads;
  /// Whether an auxiliary operand is read at all, i1; null if it always is.
  SmallVector<Value> gates;
  /// By operand and row.
  DenseMap<std::pair<unsigned, int64_t>, Value> gatedColumns;
};

int64_t getElementBytes(Type type);

/// A number of `type` from its bits. LLVM does not know every type.
Value emitFromBits(Emit &e, Type type, Value bits);

/// Bytes from index 0 to `index` (i32) of a dimension of an array, i64.
Value getOffset(Emit &e, const EpilogueOperand &operand, unsigned dim,
                Value index);

/// A load from global memory where `condition` holds, else zero, without a
/// branch.
Value emitLoadIf(Emit &e, Value condition, Type type, Value pointer);

/// The pointer of `operand` at the unit's batch.
Value emitBatchPointer(Emit &e, const EpilogueOperand &operand,
                       const Unit &unit);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_EPILOGUEELEMENTS_H
