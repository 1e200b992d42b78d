//===- KernelSimulator.h - Runs the protocol of a kernel ----------*- C++
//-*-===//
//
// Executes an emitted kernel warp by warp, in an order that a seed decides, and
// checks how its warps work together: barriers, copies, and who reads which
// part of shared memory when. It computes no numbers of the problem.
//
// What is modelled:
// * mbarriers with arrivals, bytes and phases; waits that see only the parity;
// * named barriers and barriers of a cluster;
// * tensor copies into the ring that complete at any later time, in one CTA or
//   in several of a cluster, and copies out of staging buffers;
// * partial results in global memory: who stores, adds, fences, counts and
// reads
//   when, and their sums; and those that a cluster's CTAs leave in shared
//   memory;
// * wgmma: an instruction reads the boxes that its descriptors point into from
//   its issue until the warpgroup has waited for its group, which needs all
//   four warps to have issued it.
//
// Other fences, register counts, swizzling within a box and what lies beyond a
// tensor's extents are not. Memory is as in a sequence of the machine's
// instructions, without weaker orders.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_KERNELSIMULATOR_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_KERNELSIMULATOR_H

#include "SimtProgram.h"
#include <map>

namespace cutltest {

/// A tensor map that a kernel gets.
struct TensorMapInfo {
  /// Of each coordinate, innermost first: the domain's dimension, and the
  /// extent of a box.
  llvm::SmallVector<unsigned, 5> dims;
  llvm::SmallVector<int64_t, 5> box;
  int64_t elementBytes = 2;

  int64_t getBoxBytes() const {
    int64_t bytes = elementBytes;
    for (int64_t extent : box)
      bytes *= extent;
    return bytes;
  }
};

struct LaunchInfo {
  mlir::LLVM::LLVMFuncOp kernel;
  int64_t threads = 0, ctas = 0, clusterSize = 1;
  /// One per parameter; 0 for pointers and maps.
  llvm::SmallVector<int64_t> parameters;
  std::map<unsigned, TensorMapInfo> maps;
  unsigned domainRank = 3;
  /// Of a workspace of partial results and counters.
  int64_t partialBytes = 0, counterBytes = 0;
  /// Whether units add their partial results as they arrive.
  bool addsAsUnitsArrive = false;
  /// Whether units wait for their turn, and where in shared memory a CTA then
  /// keeps the number that it has drawn.
  bool takesTurns = false;
  int64_t ticketAddress = 0;
  /// Whether in some orders few CTAs run at once, others only once those have
  /// ended.
  bool mayRunFew = false;
};

/// One wgmma: where its operands start in the domain, -1 along dimensions that
/// they do not have, and which parameter each is a part of.
struct Product {
  unsigned left = 0, right = 0;
  llvm::SmallVector<int64_t, 5> leftStart, rightStart;
};

/// What one warp multiplied between two waits for everything.
using TileProducts = std::vector<Product>;

/// What a thread's accumulator number `index` is after some products, as bits
/// of a f32: a number that those alone decide. Its sums depend on their order,
/// unless they are to be exact.
uint32_t getAccumulator(const TileProducts &products, int64_t warpInGroup,
                        unsigned lane, unsigned index, bool hasExactSums);

struct SimulationResult {
  /// What went wrong, or nothing.
  std::string error;
  /// By CTA and warp.
  std::map<std::pair<int64_t, int64_t>, std::vector<TileProducts>> tiles;
  /// By CTA and warp: what it has negated, in the order in which it did.
  std::map<std::pair<int64_t, int64_t>, std::vector<Lanes>> negated;
  /// By CTA: the number that it has drawn.
  std::map<int64_t, int64_t> tickets;
};

SimulationResult simulate(const LaunchInfo &launch, uint64_t seed);

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_KERNELSIMULATOR_H
