//===- AttachTarget.cpp - cutl-attach-target -----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLATTACHTARGET
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {
struct AttachTargetPass final
    : mlir::cutl::impl::CutlAttachTargetBase<AttachTargetPass> {
  using CutlAttachTargetBase::CutlAttachTargetBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    bool hasTarget = root->hasAttr(CutlDialect::kTargetAttrName);
    if (chip.empty() && hasTarget)
      return;
    if (chip.empty()) {
      root->emitError("expected option 'chip' of cutl-attach-target to name a "
                      "chip, for example chip=sm_90a");
      return signalPassFailure();
    }
    auto target = TargetAttr::getChecked(
        [&] { return root->emitError("in option 'chip': "); }, &getContext(),
        StringRef(chip));
    if (!target)
      return signalPassFailure();
    if (!hasTarget)
      root->setAttr(CutlDialect::kTargetAttrName, target);
  }
};
} // namespace
