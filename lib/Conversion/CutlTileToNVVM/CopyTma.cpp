//===- CopyTma.cpp - Tensor copies between global and shared memory -------===//

#include "CopyTma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// The CTAs of the cluster that read the same rows of `operand` as this one, as
/// a mask (i16), and which slice of them this CTA loads.
static std::pair<Value, Value> emitMulticast(Emit &e, StagedKernel &kernel,
                                             bool isLhs,
                                             const ClusterThread &cluster) {
  // Ranks run along rows first.
  int64_t rows = kernel.getClusterRows();
  int64_t mask = 0;
  if (isLhs)
    for (int64_t column = 0; column < kernel.getClusterColumns(); ++column)
      mask |= int64_t(1) << (column * rows);
  else
    mask = (int64_t(1) << rows) - 1;
  Value shift = isLhs ? cluster.row : e.mul(cluster.column, rows);
  if (cluster.part)
    shift =
        e.add(shift, e.mul(cluster.part, rows * kernel.getClusterColumns()));
  Value shifted = arith::ShLIOp::create(e.b, e.loc, e.i32(mask), shift);
  return {arith::TruncIOp::create(e.b, e.loc, e.b.getI16Type(), shifted),
          isLhs ? cluster.column : cluster.row};
}

/// `mask` (i16): the CTAs of the cluster that get the box; null for this one.
static void emitMulticastLoad(Emit &e, Value shared, Value map,
                              ArrayRef<Value> coordinates, Value barrier,
                              Value mask) {
  // A cluster-space destination needs a lower PTX version than a CTA-space one
  // and means the same without a cluster.
  auto clusterSpace = LLVM::LLVMPointerType::get(
      e.b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value destination =
      LLVM::AddrSpaceCastOp::create(e.b, e.loc, clusterSpace, shared);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      e.b, e.loc, destination, map, coordinates, barrier,
      /*im2colOffsets=*/ValueRange{}, mask, /*l2CacheHint=*/Value(),
      NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
      /*predicate=*/Value());
}

void mlir::cutl::nvvm::emitBoxLoad(Emit &e, Value shared, Value map,
                                   ArrayRef<Value> coordinates, Value barrier) {
  emitMulticastLoad(e, shared, map, coordinates, barrier, /*mask=*/Value());
}

void mlir::cutl::nvvm::emitBoxPrefetch(Emit &e, Value map,
                                       ArrayRef<Value> coordinates) {
  NVVM::CpAsyncBulkTensorPrefetchOp::create(
      e.b, e.loc, map, coordinates, /*im2colOffsets=*/ValueRange{},
      NVVM::TMALoadMode::TILE, /*l2CacheHint=*/Value());
}

void mlir::cutl::nvvm::emitStageLoad(Emit &e, StagedKernel &kernel, unsigned operand,
                               const ClusterThread &cluster, Value shared,
                               const TensorMap &map, ArrayRef<Value> starts,
                               Value barrier) {
  tile::StageType stage = kernel.getStage(operand);
  bool isLhs = operand == kernel.getLhs();
  int64_t slices =
      isLhs ? kernel.getClusterColumns() : kernel.getClusterRows();
  SmallVector<Value> coordinates;
  for (unsigned dim : map.dims)
    coordinates.push_back(starts[dim]);
  Value mask;
  if (slices > 1) {
    auto [ctas, slice] = emitMulticast(e, kernel, isLhs, cluster);
    int64_t rows = stage.getBoxRows() / slices;
    mask = ctas;
    coordinates[1] = e.add(coordinates[1], e.mul(slice, rows));
    shared = e.advance(shared,
                       e.mul(slice, rows * tile::StageType::kSpanBytes));
  }
  Value inner = coordinates[0];
  for (int64_t box = 0; box < stage.getNumBoxes(); ++box) {
    coordinates[0] = e.add(inner, box * stage.getSpan());
    emitMulticastLoad(e, e.advance(shared, box * stage.getBoxBytes()),
                      map.value, coordinates, barrier, mask);
  }
}

void mlir::cutl::nvvm::emitBoxStore(Emit &e, Value shared, Value map,
                              ArrayRef<Value> coordinates) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      e.b, e.loc, map, shared, coordinates, /*l2CacheHint=*/Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
}

void mlir::cutl::nvvm::emitStoreCommit(Emit &e) {
  NVVM::CpAsyncBulkCommitGroupOp::create(e.b, e.loc);
}

void mlir::cutl::nvvm::emitStoreWaitRead(Emit &e, int64_t pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(e.b, e.loc,
                                       e.b.getI32IntegerAttr(pending),
                                       e.b.getUnitAttr());
}

void mlir::cutl::nvvm::emitPrefetchMap(Emit &e, Value map) {
  NVVM::PrefetchOp::create(e.b, e.loc, NVVM::PrefetchCacheLevelAttr(),
                           NVVM::CacheEvictionPriorityAttr(), map,
                           /*predicate=*/Value(), e.b.getUnitAttr());
}
