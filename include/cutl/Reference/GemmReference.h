//===- GemmReference.h - The value a gemm should have -------------*- C++
//-*-===//
//
// Evaluates `cutl.gemm` and functions made of it in double precision, with a
// bound on the error that a correct computation may make. It shares no code
// with the lowering to linalg.
//
// The bound of an accumulator of unit roundoff u over k products is
//
//   kAccumulationFactor · √k · u · Σ|a·b|
//
// and one u · Σ|a·b| more for each scale and zero point. Rounding errors of a
// long sum behave like a random walk, hence the square root; the factor covers
// the tails of its distribution over some millions of elements, and the sums of
// up to four terms whatever their order. tf32x3 is granted 3 · 2⁻²² · Σ|a·b|
// for the terms that the splitting of operands drops. Integer accumulators are
// exact. The epilogue carries the bound on (EpilogueOpInterface); a reduced
// output adds the same term for its own sum.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_REFERENCE_GEMMREFERENCE_H
#define CUTL_REFERENCE_GEMMREFERENCE_H

#include "cutl/Dialect/Cutl/IR/EpilogueTypes.h"
#include "cutl/Reference/NumericArray.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::cutl {
class GemmOp;

/// The factor of the bound above, for accumulators of every floating-point
/// type.
inline constexpr double kAccumulationFactor = 2.0;

struct ReferenceOptions {
  /// Problems of at most this many multiplications are evaluated whole.
  double fullWork = double(1 << 28);
  /// Of larger ones, about this many elements of each output, decided by
  /// `seed`.
  int64_t samples = 4096;
  uint64_t seed = 0;
};

/// An array as evaluation reads it: host memory, or values computed before.
struct ReferenceArray {
  NumericArray host;
  /// Row-major, in place of `host.data` if not null.
  std::shared_ptr<const std::vector<RefValue>> values;
};

/// What one output should hold.
struct ReferenceOutput {
  Type elementType;
  SmallVector<int64_t, 4> sizes;
  /// Row-major numbers of the elements that `values` gives, ascending; empty if
  /// it gives all.
  std::vector<int64_t> indices;
  std::vector<RefValue> values;

  bool isComplete() const;
};

/// Evaluates one gemm on arrays for its operands, in the op's order; contents
/// of `outs` are not read.
FailureOr<SmallVector<ReferenceOutput, 2>>
evaluateGemm(GemmOp op, ArrayRef<ReferenceArray> operands,
             const ReferenceOptions &options = {});

/// What a function should return and leave in its memref arguments.
struct FunctionReference {
  SmallVector<ReferenceOutput, 2> results;
  /// By number of the argument.
  SmallVector<std::pair<unsigned, ReferenceOutput>, 2> writtenArguments;
};

/// Evaluates a function whose body is a sequence of gemms, with `tensor.empty`,
/// `memref.alloc`, `dim` and constants between them. One array per argument.
FailureOr<FunctionReference>
evaluateFunction(func::FuncOp function, ArrayRef<NumericArray> arguments,
                 const ReferenceOptions &options = {});

/// How a computed array compares with what it should hold.
struct Comparison {
  int64_t checked = 0;
  /// Elements about which the reference claims nothing.
  int64_t unbounded = 0;
  /// Greatest share of an element's bound that its error uses; at most 1 if all
  /// are right.
  double worstShare = 0.0;
  SmallVector<int64_t, 4> worstIndex;
  RefValue expected;
  double got = 0.0;

  bool passed() const { return worstShare <= 1.0; }
  /// "[3, 17]: expected 1.5 ± 0.01, got nan" for the worst element.
  std::string describeWorst() const;
};

Comparison compareWithReference(const ReferenceOutput &reference,
                                const NumericArray &computed);

} // namespace mlir::cutl

#endif // CUTL_REFERENCE_GEMMREFERENCE_H
