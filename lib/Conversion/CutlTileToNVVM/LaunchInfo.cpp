//===- LaunchInfo.cpp - What the host must know to launch a kernel --------===//

#include "LaunchInfo.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

namespace {

class InfoBuilder {
public:
  InfoBuilder(MLIRContext *context, const KernelRequest &request)
      : b(context), request(request) {}

  DictionaryAttr build() {
    const KernelPlan &plan = request.plan;
    addMap(request.aArgument, "m", plan.ring.a);
    addMap(request.bArgument, "n", plan.ring.b);
    bool tensorStore = plan.tile.store == StoreKind::Tma;
    if (tensorStore)
      addMap(request.outputArgument, {"n", "m"},
             {kSwizzleSpan / plan.tile.outputBytes, plan.roles.consumerRows});
    for (StringRef dim : {"m", "n", "k"})
      add({named("kind", "extent"), named("dim", dim)});
    for (auto [operand, argument] :
         llvm::zip_equal(request.aux, request.auxArguments))
      addOperand(operand, argument);
    if (!tensorStore)
      addOperand(request.output, request.outputArgument);
    return b.getDictionaryAttr(
        {b.getNamedAttr("block", b.getI64IntegerAttr(plan.roles.threads())),
         b.getNamedAttr("cluster", b.getI64IntegerAttr(1)),
         b.getNamedAttr("shared_bytes",
                        b.getI64IntegerAttr(plan.shared.total)),
         b.getNamedAttr("tile",
                        b.getDenseI64ArrayAttr({plan.tile.m, plan.tile.n})),
         b.getNamedAttr("params", b.getArrayAttr(params))});
  }

private:
  NamedAttribute named(StringRef name, StringRef value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  }
  NamedAttribute named(StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }
  void add(ArrayRef<NamedAttribute> entries) {
    params.push_back(b.getDictionaryAttr(entries));
  }

  void addMap(int64_t argument, StringRef dim, const OperandStage &stage) {
    int64_t span = kSwizzleSpan / request.plan.tile.elementBytes;
    if (stage.kMajor)
      addMap(argument, {"k", dim}, {span, stage.boxRows});
    else
      addMap(argument, {dim, "k"}, {span, stage.boxRows});
  }

  void addMap(int64_t argument, ArrayRef<StringRef> dims,
              ArrayRef<int64_t> box) {
    add({named("kind", "tensor_map"), named("arg", argument),
         b.getNamedAttr("dims", b.getStrArrayAttr(dims)),
         b.getNamedAttr("box", b.getDenseI64ArrayAttr(box)),
         named("swizzle", "128B")});
  }

  void addOperand(const EpilogueOperand &operand, int64_t argument) {
    add({named("kind", operand.isScalar ? "scalar" : "pointer"),
         named("arg", argument)});
    for (auto [i, stride] : llvm::enumerate(operand.strides))
      if (ShapedType::isDynamic(stride))
        add({named("kind", "stride"), named("arg", argument),
             named("index", static_cast<int64_t>(i))});
  }

  Builder b;
  const KernelRequest &request;
  SmallVector<Attribute> params;
};

} // namespace

DictionaryAttr cutl::nvvm::makeLaunchInfo(MLIRContext *context,
                                          const KernelRequest &request) {
  return InfoBuilder(context, request).build();
}
