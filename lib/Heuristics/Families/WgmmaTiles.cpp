//===- WgmmaTiles.cpp - the cta tiles of the wgmma family -----------------===//
//
// Tiles follow from rules: the rows that one to three consumers take, widths in
// steps of the instruction's eight columns, registers, and shared memory.
//
//===----------------------------------------------------------------------===//

#include "WgmmaTiles.h"

#include "../Arithmetic.h"

#include <algorithm>

using namespace cutl::heuristics;
using cutl::targetinfo::Target;

namespace {

/// Registers that an output beside the first takes from accumulators.
constexpr int64_t kOutputRegisters = 48;
/// As many where operands are swapped, whose elements have an address each; and
/// what that takes with one output.
constexpr int64_t kSwappedOutputRegisters = 112;
constexpr int64_t kSwappedRegisters = 16;
/// What a matrix that the epilogue reads takes of the largest tiles.
constexpr int64_t kMatrixRegisters = 8;

/// The widest instruction, and its step.
constexpr int64_t kMaxColumns = 256;
constexpr int64_t kColumnStep = 8;

/// Up to this width a stage has two rows of K: a tile so small passes through
/// one too fast for the barriers.
constexpr int64_t kTwoAtomColumns = 64;

/// Rings beyond these sizes were no faster, and staging buffers were.
constexpr int64_t kRingBytes = 208 * 1024;
constexpr int64_t kTwoAtomRingBytes = 192 * 1024;

/// Staging buffers in which one can be filled while another is stored.
constexpr int64_t kEpilogueBuffers = 2;

/// Rows of a tile, how its consumers share them, and the widths that it is
/// made in.
struct Rows {
  int64_t rows;
  KernelKind kernel;
  bool swapOperands;
  int64_t narrowest = kColumnStep;
  int64_t widest = kMaxColumns;
};

constexpr Rows kRows[] = {
    // Few rows: the operand with many rows streams through m.
    {64, KernelKind::Single, true, kColumnStep, kTwoAtomColumns},
    {64, KernelKind::Single, false},
    {64, KernelKind::Pingpong, false},
    {128, KernelKind::Cooperative, false},
    {128, KernelKind::Pingpong, false},
    // Extents that 128 divides badly may be near a multiple of another width.
    {128, KernelKind::Pingpong, true, kTwoAtomColumns + kColumnStep},
    {192, KernelKind::Cooperative, false},
    {256, KernelKind::Cooperative, false},
};

/// Bytes of the operands in one stage: what another would take beside its pair
/// of barriers.
int64_t getStageBytes(const TileConfig &config, const Problem &problem) {
  TileConfig deeper = config;
  ++deeper.stages;
  int64_t bytes = deeper.sharedMemoryBytes(problem) -
                  config.sharedMemoryBytes(problem) - 16;
  return std::max<int64_t>(bytes, 1);
}

/// With one or two rows of K in a stage.
TileConfig makeTile(const Rows &rows, int64_t columns, bool twoAtoms,
                    const Problem &problem, const Target &target) {
  TileConfig config;
  config.ctaM = rows.rows;
  config.ctaN = columns;
  config.ctaK = (twoAtoms ? 2 : 1) * problem.swizzleAtomK();
  config.kernel = rows.kernel;
  config.swapOperands = rows.swapOperands;
  config.epilogueBuffers = kEpilogueBuffers;
  int64_t ringBytes = twoAtoms ? kTwoAtomRingBytes : kRingBytes;
  config.stages = std::max<int64_t>(ringBytes / getStageBytes(config, problem), 2);
  fitSharedMemory(config, problem, target.sharedMemoryPerCta);
  return config;
}

TileConfig makeTile(const Rows &rows, int64_t columns, const Problem &problem,
                    const Target &target) {
  // The order of a sum over k must not follow from the width.
  bool twoAtoms = rows.kernel == KernelKind::Single &&
                  columns <= kTwoAtomColumns && !problem.batchInvariant;
  TileConfig config = makeTile(rows, columns, twoAtoms, problem, target);
  // Two stages of two rows, for many B, may be more than there is.
  if (twoAtoms && config.sharedMemoryBytes(problem) > target.sharedMemoryPerCta)
    config = makeTile(rows, columns, /*twoAtoms=*/false, problem, target);
  return config;
}

} // namespace

int64_t cutl::heuristics::accumulatorLimit(const TileConfig &config,
                                           const Problem &problem) {
  int64_t further = int64_t(problem.outputs.size()) + problem.reductions - 1;
  // A kernel of 512 threads is compiled for 128 registers, whatever its
  // consumers take over later; with fewer threads they have 240.
  int64_t limit = config.consumerWarpgroups() == 3 ? 96 : 208;
  if (config.swapOperands)
    limit -= kSwappedRegisters;
  // Two slabs of rows in each consumer leave no address of a matrix in
  // registers.
  if (config.ctaM == 256 && problem.epilogue.auxBytesPerElement > 0)
    limit -= kMatrixRegisters;
  int64_t each =
      config.swapOperands ? kSwappedOutputRegisters : kOutputRegisters;
  return limit - std::min<int64_t>(each * std::max<int64_t>(further, 0), 144);
}

void cutl::heuristics::fitSharedMemory(TileConfig &config,
                                       const Problem &problem, int64_t limit) {
  int64_t buffers = config.epilogueBuffers;
  while (config.sharedMemoryBytes(problem) > limit &&
         config.epilogueBuffers > 1)
    --config.epilogueBuffers;
  while (config.sharedMemoryBytes(problem) > limit && config.stages > 2)
    --config.stages;
  while (config.epilogueBuffers < buffers) {
    TileConfig more = config;
    ++more.epilogueBuffers;
    if (more.sharedMemoryBytes(problem) > limit)
      break;
    config = more;
  }
}

std::vector<TileConfig> cutl::heuristics::makeTiles(const Problem &problem,
                                                    const Target &target) {
  std::vector<TileConfig> tiles;
  for (const Rows &rows : kRows) {
    // Swapped operands have one B on the left.
    if (rows.swapOperands && problem.accumulators > 1)
      continue;
    for (int64_t columns = rows.narrowest; columns <= rows.widest;
         columns += kColumnStep) {
      TileConfig tile = makeTile(rows, columns, problem, target);
      if (tile.accumulatorRegisters(problem) > accumulatorLimit(tile, problem))
        break;
      tiles.push_back(tile);
    }
  }
  return tiles;
}
