//===- Parameters.h - The parameters of a lowered kernel ------------------===//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_PARAMETERS_H
#define CUTL_CONVERSION_CUTLTILETONVVM_PARAMETERS_H

#include "Signature.h"
#include "StagedKernel.h"

namespace mlir::cutl::nvvm {

/// An operand of the epilogue: a number, or an array in global memory.
struct EpilogueOperand {
  Type elementType;
  /// The array's dimension that rows and columns of the accumulators, and each
  /// batch dimension of the domain, index; if any.
  std::optional<unsigned> rowDim, columnDim;
  SmallVector<std::optional<unsigned>> batchDims;
  bool isScalar = false;

  /// In the function: the number, or the pointer and the strides in elements
  /// (i64).
  Value value;
  SmallVector<Value> strides;
};

/// A tensor map in the function, and what each coordinate of it is, innermost
/// first: a dimension of the domain.
struct TensorMap {
  Value value;
  SmallVector<unsigned> dims;
};

/// An output: its tensor map, or the array that elements are stored to.
struct OutputParameters {
  TensorMap map;
  EpilogueOperand array;
};

class KernelParameters {
public:
  /// Lists the parameters of `kernel`: tensor maps, extents, then the operands
  /// of the epilogue.
  explicit KernelParameters(StagedKernel &kernel);

  /// The function without a body, with the attribute that the host reads.
  LLVM::LLVMFuncOp createFunction(Emit &e);
  /// Fills in the values below from the arguments of `function`.
  void bind(Emit &e, LLVM::LLVMFuncOp function);

  /// One per operand of the ring.
  SmallVector<TensorMap> inputs;
  SmallVector<OutputParameters> outputs;
  /// Of each dimension of the domain, i32.
  SmallVector<Value> extents;
  SmallVector<EpilogueOperand> aux;
  /// Of the auxiliary operands that are loaded into staging buffers, which have
  /// no pointer.
  SmallVector<TensorMap> auxMaps;
  /// The workspace of a schedule that divides k: pointers to partial results and
  /// to counters of arrivals.
  Value partials, arrivals;

private:
  void addTensorMap(TensorMap &map, const GemmInput &operand,
                    ArrayRef<unsigned> dims, ArrayRef<int64_t> box,
                    int64_t swizzleBytes, MapUse use);
  void addInput(unsigned operand);
  /// Of an output, or of an operand that shares its buffers.
  void addStagedMap(TensorMap &map, const GemmInput &operand,
                    const tile::OutputStaging &staging, MapUse use);
  void addExtents();
  void addOperand(EpilogueOperand &operand, const GemmInput &input);

  StagedKernel &kernel;
  Builder b;
  KernelSignature signature;
  /// Strides of aux operands, then of outputs stored by elements: a parameter, or a number.
  SmallVector<SmallVector<std::pair<bool, int64_t>>> strideSources;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_PARAMETERS_H
