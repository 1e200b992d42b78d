//===- EpilogueSteps.h - In which order outputs are staged -----*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_TRANSFORMS_EPILOGUESTEPS_H
#define CUTL_DIALECT_CUTLTILE_TRANSFORMS_EPILOGUESTEPS_H

#include "cutl/Dialect/CutlTile/Transforms/OutputStaging.h"

namespace mlir::cutl::tile {

/// Rows of one slab of accumulators, and columns of one block of them.
constexpr int64_t kSlabRows = 64;
constexpr int64_t kBlockColumns = 8;

/// The part of a consumer's accumulators that one buffer holds.
struct Subtile {
  int64_t firstSlab, slabs;
  int64_t firstBlock, blocks;

  int64_t getEndBlock() const { return firstBlock + blocks; }
  bool hasBlock(int64_t block) const {
    return block >= firstBlock && block < getEndBlock();
  }
};

/// A part of an output, which goes through a buffer: that of its number, modulo
/// the buffers.
struct EpilogueStep {
  unsigned output;
  Subtile subtile;
  /// The auxiliary operand of which the same part is loaded into the buffer
  /// before.
  std::optional<unsigned> aux;
};

/// The parts of all outputs of a consumer that has `rows` rows of the tile.
/// Those of the same columns follow each other, so that few results wait for a
/// buffer. Reduced outputs are written without one.
SmallVector<EpilogueStep> getEpilogueSteps(EpilogueOp epilogue, int64_t rows);

/// How many of the steps have something loaded into their buffers before.
int64_t countLoads(ArrayRef<EpilogueStep> steps);

/// The step into whose buffer `aux` is loaded for `block`.
unsigned getLoadStep(ArrayRef<EpilogueStep> steps, unsigned aux, int64_t block);

/// Whether auxiliary operand `aux` can be loaded into the buffers of output
/// `output` of a tile that stores it: a matrix of elements of the same size and
/// order that the tensor copy engine can load.
bool canShareBuffers(EpilogueOp epilogue, unsigned aux, unsigned output,
                     int64_t rows);

/// Whether each part that `epilogue` loads is there when its first element is
/// needed, with so many buffers.
bool arriveInTime(EpilogueOp epilogue, int64_t rows, int64_t buffers);

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_TRANSFORMS_EPILOGUESTEPS_H
