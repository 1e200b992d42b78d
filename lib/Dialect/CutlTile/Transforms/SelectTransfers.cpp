//===- SelectTransfers.cpp - cutl-tile-select-transfers -------------------===//

#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "cutl/Dialect/CutlTile/Transforms/EpilogueSteps.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLTILESELECTTRANSFERS
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

/// Loads auxiliary operands through the buffers of outputs that the tensor copy
/// engine writes, where they fit. Threads that wrote elements from the same
/// buffers would have to be waited for.
static void setLoads(EpilogueOp epilogue, ArrayRef<Store> stores) {
  bool anyElements = false;
  for (auto [i, store] : llvm::enumerate(stores))
    anyElements |= !epilogue.isReduced(i) && store == Store::Elements;
  // What is loaded early must be waited for, which not every unit would.
  if (anyElements || epilogue.getCondition())
    return;
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  ::cutl::heuristics::TileConfig config = loop.getConfig().toTileConfig();
  int64_t rows = config.rowsPerWarpgroup();
  SmallVector<int64_t> loads(epilogue.getAux().size(), -1);
  bool any = false;
  for (unsigned aux = 0; aux < loads.size(); ++aux)
    for (unsigned output = 0; output < stores.size() && loads[aux] < 0;
         ++output) {
      if (llvm::is_contained(loads, output) ||
          !canShareBuffers(epilogue, aux, output, rows))
        continue;
      loads[aux] = output;
      epilogue.setLoads(loads);
      if (!arriveInTime(epilogue, rows, config.epilogueBuffers))
        loads[aux] = -1;
      any |= loads[aux] >= 0;
    }
  if (any)
    epilogue.setLoads(loads);
  else
    epilogue.removeLoadsAttr();
}

namespace {

struct SelectTransfersPass final
    : mlir::cutl::tile::impl::CutlTileSelectTransfersBase<SelectTransfersPass> {
  using CutlTileSelectTransfersBase::CutlTileSelectTransfersBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels(
        getOperation().getOps<gpu::GPUFuncOp>());
    for (gpu::GPUFuncOp kernel : kernels) {
      if (failed(
              mlir::cutl::requireTiled(kernel, "cutl-tile-select-transfers")))
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
    for (auto [op, stores] : llvm::zip_equal(open, preferred)) {
      setStores(op, stores);
      setLoads(op, stores);
    }
  }

  void addAlternative(gpu::GPUFuncOp kernel) {
    gpu::GPUFuncOp other = kernel.clone();
    other.setName((kernel.getName() + "_elements").str());
    SymbolTable(getOperation()).insert(other, ++Block::iterator(kernel));
    other.walk([&](EpilogueOp op) {
      if (!op.getStores())
        setStores(op, SmallVector<Store>(op.getOuts().size(), Store::Elements));
    });
    kernel->setAttr(CutlTileDialect::kAlternativeAttrName,
                    FlatSymbolRefAttr::get(other));
    ++numAlternatives;
  }
};

} // namespace
