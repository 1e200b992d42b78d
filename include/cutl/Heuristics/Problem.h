//===- Problem.h - a contraction as the heuristics see it -------*- C++ -*-===//
//
// The kind-neutral description that every problem operation maps onto.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_HEURISTICS_PROBLEM_H
#define CUTL_HEURISTICS_PROBLEM_H

#include "cutl/TargetInfo/DataTypes.h"

#include <cstdint>
#include <iosfwd>
#include <numeric>
#include <optional>
#include <vector>

namespace cutl::heuristics {

/// An extent that is only known when the kernel runs.
constexpr int64_t kDynamic = -1;

/// What the cost model takes a dynamic m, n or k to be: large enough that the
/// choice suits a loaded machine, which is where a wrong one costs most. A
/// dynamic batch counts as one.
constexpr int64_t kDynamicGuess = 4096;

/// Which dimension of an operand is contiguous in memory; Strided when it is
/// known that neither k nor m (for A) or n (for B) is.
enum class Major : uint8_t { K, MN, Strided };

/// "k_major", "mn_major" or "strided".
const char *majorName(Major major);

/// A or B.
struct Operand {
  /// The type that is multiplied (tf32 where the math mode says so), never null
  /// in a problem that is ranked.
  const targetinfo::DataType *type = nullptr;
  Major major = Major::K;
  /// Bytes known to divide the address of the first element, and every stride
  /// but the contiguous one; 0 where nothing is known, which the cost model
  /// takes to be well aligned and a kernel must guard.
  int64_t addressAlignment = 0;
  int64_t pitchAlignment = 0;
  /// How many matrices there are: fewer than the problem's batch where one
  /// serves several. Not set: as many as the batch.
  std::optional<int64_t> matrices;

  /// Bytes known to divide the address of every row; 0 if nothing is known.
  int64_t rowAlignment() const {
    return std::gcd(addressAlignment, pitchAlignment);
  }
};

/// A result with one element per (batch, m, n).
struct Output {
  const targetinfo::DataType *type = nullptr;
  int64_t addressAlignment = 0;
  int64_t pitchAlignment = 0;
};

/// What the epilogue does beyond converting and storing.
struct EpilogueCost {
  double flopsPerElement = 0;
  /// Bytes of auxiliary operands read per output element; a vector along m or n
  /// is reused by a whole tile and counts as none.
  double auxBytesPerElement = 0;
  /// Whether it evaluates exp, tanh or the like.
  bool transcendental = false;
};

/// One contraction D[b, m, n] = epilogue(sum_k A[b, m, k] * B[b, n, k]).
///
/// A convolution is stated through its implicit GEMM (m the output positions, k
/// the filter taps times the channels), a grouped GEMM through the sum of its
/// ragged extent with `groups` set, so that no consumer asks which operation it
/// came from.
struct Problem {
  int64_t m = kDynamic;
  int64_t n = kDynamic;
  int64_t k = kDynamic;
  int64_t batch = 1;
  /// How many groups share the ragged extent; each adds a partial tile.
  int64_t groups = 1;
  Operand a;
  Operand b;
  const targetinfo::DataType *accumulator = nullptr;
  /// Matrix instructions per step of k: 3 where f32 is made of three tf32.
  int64_t productsPerStep = 1;
  /// Whether operands need arithmetic before they are multiplied (zero points,
  /// rounding to bf16 or f16), so that they cannot go from shared memory to the
  /// matrix unit as they are.
  bool transformsOperands = false;
  /// Products of the one A with several B: 2 for a gated pair.
  int64_t accumulators = 1;
  /// Results over the whole output space, and how many are reduced.
  std::vector<Output> outputs;
  int64_t reductions = 0;
  /// Whether scales act inside the k loop, which needs a second set of
  /// accumulator registers.
  bool blockScaled = false;
  /// After how many elements of k sums of 8-bit floats are added to others by
  /// the threads, which takes a second set as well.
  std::optional<int64_t> promote;
  EpilogueCost epilogue;
  /// Whether all that is done to the sums over k is rounding them.
  bool roundsSums = false;
  /// Whether partial sums are added in a fixed order.
  bool deterministic = true;
  /// Whether a row of results must have the same bits for every m, so that how k
  /// is divided and summed may depend on neither m nor where the row stands.
  bool batchInvariant = false;
  /// How many CTAs, and so SMs, it may take at once; all of the chip's if not
  /// set.
  std::optional<int64_t> smBudget;

  /// The extents with every dynamic one replaced by its guess.
  int64_t guessedM() const { return m < 0 ? kDynamicGuess : m; }
  int64_t guessedN() const { return n < 0 ? kDynamicGuess : n; }
  int64_t guessedK() const { return k < 0 ? kDynamicGuess : k; }
  int64_t guessedBatch() const { return batch < 0 ? 1 : batch; }

  /// Bits of the wider operand, which decides how much of K fills 128 bytes.
  int64_t operandBits() const;
  /// Elements of K in one 128-byte row of the swizzled shared-memory layout.
  int64_t swizzleAtomK() const { return 128 * 8 / operandBits(); }
};

std::ostream &operator<<(std::ostream &os, const Problem &problem);

} // namespace cutl::heuristics

#endif // CUTL_HEURISTICS_PROBLEM_H
