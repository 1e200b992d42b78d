//===- Gemm.h - The parts of a gemm that rewrites work on ----------------===//

#ifndef CUTL_DIALECT_CUTL_IR_GEMM_H
#define CUTL_DIALECT_CUTL_IR_GEMM_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include <optional>
#include <string>

namespace mlir::cutl {

/// The iteration domain `(b…, m, n, k)` of a gemm and the names of its dimensions.
class GemmDomain {
public:
  /// As many as leave an operand with m and k within rank 8.
  static constexpr unsigned kMaxBatch = 6;

  explicit GemmDomain(unsigned numBatch) : numBatch(numBatch) {}

  unsigned getNumBatch() const { return numBatch; }
  unsigned getRank() const { return numBatch + 3; }
  unsigned m() const { return numBatch; }
  unsigned n() const { return numBatch + 1; }
  unsigned k() const { return numBatch + 2; }

  /// `b` (or `b0`, `b1`, … when there are several), `m`, `n`, `k`.
  std::string getName(unsigned dim) const;
  SmallVector<std::string> getNames() const;
  /// The dimension of that name, if the domain has it.
  std::optional<unsigned> lookup(StringRef name) const;

private:
  unsigned numBatch;
};

/// An operand and the map that addresses it.
struct GemmInput {
  Value value;
  AffineMap map;
};

/// A scale or zero point and the operand it applies to: 0 is A, 1 + i is B number i.
struct GemmScale : GemmInput {
  int64_t target = 0;
};

/// A destination; `combiner` is None unless its map drops a dimension.
struct GemmOutput : GemmInput {
  Combiner combiner = Combiner::None;
};

/// All operands of a gemm with their maps, in the op's order.
struct GemmOperands {
  GemmInput a;
  SmallVector<GemmInput, 2> bs;
  SmallVector<GemmScale, 2> scales;
  SmallVector<GemmScale, 2> zeros;
  SmallVector<GemmInput, 4> aux;
  SmallVector<GemmOutput, 2> outs;

  GemmDomain getDomain() const { return GemmDomain(a.map.getNumDims() - 3); }
};

/// How the product is computed, what is promised about the operands, and what
/// is demanded of the way it is computed.
struct GemmCompute {
  /// Type of the accumulators; null for the data-type table's default.
  Type accumulator;
  Split split = Split::None;
  MathMode math = MathMode::Exact;
  Signedness aSignedness = Signedness::Signed;
  Signedness bSignedness = Signedness::Signed;
  bool saturate = false;
  std::optional<int64_t> promote;
  /// One per domain dimension, or empty.
  SmallVector<int64_t, 4> dimDivisors;
  /// Bytes, one per operand (0: no promise), or empty.
  SmallVector<int64_t, 8> operandAlignments;
  bool deterministic = true;
  bool batchInvariant = false;
  std::optional<int64_t> smBudget;
};

/// The result of a map that is a plain dimension or `d floordiv c`.
struct GemmMapResult {
  unsigned dim;
  int64_t divisor;
};

/// Decomposes one map result; nullopt for any other expression.
std::optional<GemmMapResult> decomposeMapResult(AffineExpr expr);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_GEMM_H
