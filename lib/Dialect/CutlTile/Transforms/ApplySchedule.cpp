//===- ApplySchedule.cpp - cutl-apply-schedule ---------------------------===//

#include "FixupWorkspace.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::cutl::tile {
#define GEN_PASS_DEF_CUTLAPPLYSCHEDULE
#include "cutl/Dialect/CutlTile/Transforms/Passes.h.inc"
} // namespace mlir::cutl::tile

using namespace mlir;
using namespace mlir::cutl::tile;
using mlir::cutl::LaunchKernelOp;

namespace {
struct ApplySchedulePass final
    : mlir::cutl::tile::impl::CutlApplyScheduleBase<ApplySchedulePass> {
  using CutlApplyScheduleBase::CutlApplyScheduleBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::MapVector<Operation *, SmallVector<LaunchKernelOp>> launches;
    getOperation().walk([&](LaunchKernelOp launch) {
      if (Operation *kernel =
              symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()))
        launches[kernel].push_back(launch);
    });
    SmallVector<EpilogueOp> epilogues;
    getOperation().walk([&](EpilogueOp op) { epilogues.push_back(op); });
    for (EpilogueOp epilogue : epilogues) {
      auto kernel = epilogue->getParentOfType<gpu::GPUFuncOp>();
      auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
      if (!kernel || !loop.splitsK() || !loop.getOps<FixupOp>().empty())
        continue;
      if (failed(addFixup(kernel, epilogue, launches.lookup(kernel))))
        return signalPassFailure();
      ++numApplied;
    }
  }
};
} // namespace
