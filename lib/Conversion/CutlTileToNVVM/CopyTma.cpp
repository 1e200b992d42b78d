//===- CopyTma.cpp - Tensor copies between global and shared memory -------===//

#include "CopyTma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

void cutl::nvvm::emitStageLoad(Emit &e, const OperandStage &stage,
                               int64_t elementBytes, Value shared, Value map,
                               Value row, Value k, Value barrier) {
  int64_t span = kSwizzleSpan / elementBytes;
  Value contiguous = stage.kMajor ? k : row;
  Value other = stage.kMajor ? row : k;
  // A cluster-space destination needs a lower PTX version than a CTA-space one
  // and means the same without a cluster.
  auto clusterSpace = LLVM::LLVMPointerType::get(
      e.b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t box = 0; box < stage.boxes; ++box) {
    Value destination = LLVM::AddrSpaceCastOp::create(
        e.b, e.loc, clusterSpace, e.advance(shared, box * stage.boxBytes));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        e.b, e.loc, destination, map,
        ValueRange{e.add(contiguous, box * span), other}, barrier,
        /*im2colOffsets=*/ValueRange{}, /*multicastMask=*/Value(),
        /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
        NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

void cutl::nvvm::emitBoxStore(Emit &e, Value shared, Value map, Value column,
                              Value row) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      e.b, e.loc, map, shared, ValueRange{column, row}, /*l2CacheHint=*/Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
}

void cutl::nvvm::emitStoreCommit(Emit &e) {
  NVVM::CpAsyncBulkCommitGroupOp::create(e.b, e.loc);
}

void cutl::nvvm::emitStoreWaitRead(Emit &e, int64_t pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(e.b, e.loc,
                                       e.b.getI32IntegerAttr(pending),
                                       e.b.getUnitAttr());
}

void cutl::nvvm::emitPrefetchMap(Emit &e, Value map) {
  NVVM::PrefetchOp::create(e.b, e.loc, NVVM::PrefetchCacheLevelAttr(),
                           NVVM::CacheEvictionPriorityAttr(), map,
                           /*predicate=*/Value(), e.b.getUnitAttr());
}
