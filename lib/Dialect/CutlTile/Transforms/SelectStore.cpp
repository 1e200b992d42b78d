//===- SelectStore.cpp - cutl-tile-select-store ---------------------------===//

#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/Transforms/OutputStaging.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILESELECTSTORE
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;

static void setStores(EpilogueOp epilogue, ArrayRef<Store> stores) {
  Builder builder(epilogue.getContext());
  SmallVector<Attribute> list;
  for (Store store : stores)
    list.push_back(StoreAttr::get(builder.getContext(), store));
  epilogue.setStoresAttr(builder.getArrayAttr(list));
}

/// How the tensor copy engine would be used for each output of `epilogue`.
static SmallVector<Store> getPreferredStores(EpilogueOp epilogue) {
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  int64_t rows = loop.getConfig().toTileConfig().rowsPerWarpgroup();
  SmallVector<Store> stores;
  for (unsigned i = 0; i < epilogue.getOuts().size(); ++i)
    stores.push_back(!epilogue.isReduced(i) &&
                             getOutputStaging(epilogue, i, rows).fitsTensorMap
                         ? Store::Tensor
                         : Store::Elements);
  return stores;
}

namespace {

struct SelectStorePass final
    : mlir::cutl::tile::impl::CutlTileSelectStoreBase<SelectStorePass> {
  using CutlTileSelectStoreBase::CutlTileSelectStoreBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels(
        getOperation().getOps<gpu::GPUFuncOp>());
    for (gpu::GPUFuncOp kernel : kernels) {
      if (failed(mlir::cutl::requireTiled(kernel, "cutl-tile-select-store")))
        return signalPassFailure();
      select(kernel);
    }
  }

private:
  void select(gpu::GPUFuncOp kernel) {
    SmallVector<EpilogueOp> open;
    kernel.walk([&](EpilogueOp op) {
      if (!op.getStores())
        open.push_back(op);
    });
    bool anyTensor = false;
    SmallVector<SmallVector<Store>> preferred;
    for (EpilogueOp op : open) {
      preferred.push_back(getPreferredStores(op));
      anyTensor |= llvm::is_contained(preferred.back(), Store::Tensor);
    }
    if (anyTensor)
      addAlternative(kernel);
    for (auto [op, stores] : llvm::zip_equal(open, preferred))
      setStores(op, stores);
  }

  void addAlternative(gpu::GPUFuncOp kernel) {
    gpu::GPUFuncOp other = kernel.clone();
    other.setName((kernel.getName() + "_elements").str());
    SymbolTable(getOperation()).insert(other, ++Block::iterator(kernel));
    other.walk([&](EpilogueOp op) {
      if (!op.getStores())
        setStores(op, SmallVector<Store>(op.getOuts().size(),
                                         Store::Elements));
    });
    kernel->setAttr(CutlTileDialect::kAlternativeAttrName,
                    FlatSymbolRefAttr::get(other));
    ++numAlternatives;
  }
};

} // namespace
