//===- StagedKernel.h - A kernel of phase `staged` as its lowering sees it ===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_STAGEDKERNEL_H
#define CUTL_CONVERSION_CUTLTILETONVVM_STAGEDKERNEL_H

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Dialect/CutlTile/Transforms/EpilogueSteps.h"
#include "cutl/Heuristics/TileConfig.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cutl::nvvm {

/// Threads of a warpgroup.
constexpr int64_t kWarpgroup = 128;
/// Rows of one wgmma.
constexpr int64_t kSlab = tile::kSlabRows;

/// The ops that make up a staged kernel, and what follows from them. Rows and
/// columns are those of the accumulators: with swapped operands rows run along
/// n and the problem's B is on the left.
struct StagedKernel {
  gpu::GPUFuncOp function;
  tile::RingOp ring;
  tile::WarpgroupsOp producer, consumer;
  tile::LoadOp load;
  tile::MultiplyOp multiply;
  /// Null where the CTAs of a cluster do not divide k.
  tile::ClusterSumOp clusterSum;
  /// Null where no unit has a part of k.
  tile::FixupOp fixup;
  tile::EpilogueOp epilogue;
  /// The consumers' loop; the producer's has the same units.
  tile::WorkLoopOp loop;
  ::cutl::heuristics::TileConfig config;
  /// Whether the kernel itself waits for what runs before it.
  bool isProgrammatic = false;
  /// Of each output; nothing for a reduced one.
  SmallVector<tile::OutputStaging> stagings;
  /// The parts of outputs in the order in which they are staged.
  SmallVector<tile::EpilogueStep> steps;

  /// Ring operands on the left (rows) and right (columns).
  unsigned getLhs() const { return config.swapOperands ? 1 : 0; }
  unsigned getRhs(unsigned product) const {
    return config.swapOperands ? 0 : 1 + product;
  }
  unsigned getNumProducts() { return multiply.getAccumulators().size(); }

  Type getAccumulatorType() {
    return cast<tile::AccType>(multiply.getAccumulators().front().getType())
        .getElementType();
  }

  tile::RingType getRingType() { return ring.getRing().getType(); }
  tile::StageType getStage(unsigned operand) {
    return getRingType().getOperands()[operand];
  }

  int64_t getRows() const { return config.ctaM; }
  int64_t getColumns() const { return config.ctaN; }
  /// Columns that the CTA finishes.
  int64_t getShareColumns() const { return config.shareN(); }
  unsigned getRowDim() { return tile::getRowDim(loop); }
  unsigned getColumnDim() { return tile::getColumnDim(loop); }
  /// Dimension of the domain that the rows of a ring operand run along.
  unsigned getOperandDim(unsigned operand) {
    return operand == 0 ? loop.getDomain().m() : loop.getDomain().n();
  }

  int64_t getConsumers() { return consumer.getCount(); }
  int64_t getConsumerRows() const { return config.rowsPerWarpgroup(); }
  int64_t getSlabs() const { return getConsumerRows() / kSlab; }
  bool isPingpong() const {
    return config.kernel == ::cutl::heuristics::KernelKind::Pingpong;
  }
  unsigned getNumOutputs() { return epilogue.getOuts().size(); }
  bool storesTensor(unsigned output) {
    return epilogue.getStore(output) == tile::Store::Tensor;
  }
  /// Parts of auxiliary operands that are loaded into staging buffers.
  int64_t getNumLoads() const { return tile::countLoads(steps); }
  bool storesAnyTensor() {
    for (unsigned i = 0; i < getNumOutputs(); ++i)
      if (storesTensor(i))
        return true;
    return false;
  }

  /// CTAs of a cluster along rows and along columns.
  int64_t getClusterRows() const { return config.clusterM; }
  int64_t getClusterColumns() const { return config.clusterN; }
  /// CTAs that divide the k of a unit.
  int64_t getClusterParts() const { return config.clusterK; }
  int64_t getClusterSize() const { return config.clusterSize(); }
};

/// Finds the parts of `function`. A function that is not a staged kernel, and
/// one with a part that has no lowering, is refused by name.
FailureOr<StagedKernel> matchStagedKernel(gpu::GPUFuncOp function);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_STAGEDKERNEL_H
