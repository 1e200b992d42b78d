//===- RecordHostRules.cpp - cutl-record-host-rules ----------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/HostRules.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLRECORDHOSTRULES
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// A dimension of a function's argument, or a known size.
struct HostDim {
  int64_t argument = -1;
  /// The dimension, or the size if there is no argument.
  int64_t value = 0;
};

} // namespace

/// The argument's dimension that gives the size of `value` along `dim`.
static std::optional<HostDim> getHostDim(FunctionOpInterface func, Value value,
                                         int64_t dim) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  int64_t size = cast<MemRefType>(value.getType()).getDimSize(dim);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &func.getFunctionBody().front())
      return std::nullopt;
    return HostDim{argument.getArgNumber(), dim};
  }
  if (!ShapedType::isDynamic(size))
    return HostDim{-1, size};
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return std::nullopt;
  unsigned position = alloc.getType().getDynamicDimIndex(dim);
  auto source =
      alloc.getDynamicSizes()[position].getDefiningOp<memref::DimOp>();
  llvm::APInt index;
  if (!source || !isa<MemRefType>(source.getSource().getType()) ||
      !matchPattern(source.getIndex(), m_ConstantInt(&index)))
    return std::nullopt;
  return getHostDim(func, source.getSource(), index.getSExtValue());
}

/// The ties between sizes that one gemm needs, each as six numbers: argument
/// (or -1) and dimension (or size), factor and divisor, argument and dimension.
/// The second size is the first times the factor over the divisor, rounded up.
static void collectTies(FunctionOpInterface func, GemmOp op,
                        SmallVectorImpl<Attribute> &ties) {
  struct Use {
    HostDim dim;
    int64_t factor, divisor;
  };
  GemmDomain domain = op.getDomain();
  unsigned firstAux =
      1 + op.getBs().size() + op.getScales().size() + op.getZeros().size();
  SmallVector<SmallVector<Use>> uses(domain.getRank());
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    for (auto [position, expr] : llvm::enumerate(op.getMap(i).getResults())) {
      GemmMapResult result = *decomposeMapResult(expr);
      std::optional<HostDim> dim = getHostDim(func, operand.get(), position);
      bool isSplitRows = op.getSplit() != Split::None &&
                         result.dim == domain.n() && i >= 1 && i < firstAux;
      if (dim)
        uses[result.dim].push_back({*dim, isSplitRows ? 2 : 1, result.divisor});
    }
  }
  Builder builder(op.getContext());
  for (ArrayRef<Use> group : uses) {
    const Use *base = llvm::find_if(
        group, [](const Use &use) { return use.factor == use.divisor; });
    if (base == group.end())
      continue;
    for (const Use &use : group) {
      // An allocation leads back to what sizes it.
      if (use.dim.argument == base->dim.argument &&
          use.dim.value == base->dim.value && use.factor == use.divisor)
        continue;
      if (&use != base && use.dim.argument >= 0)
        ties.push_back(builder.getDenseI64ArrayAttr(
            {base->dim.argument, base->dim.value, use.factor, use.divisor,
             use.dim.argument, use.dim.value}));
      else if (&use != base && base->dim.argument >= 0 &&
               use.factor == use.divisor)
        ties.push_back(builder.getDenseI64ArrayAttr(
            {-1, use.dim.value, 1, 1, base->dim.argument, base->dim.value}));
    }
  }
}

/// Whether some op writes to the memory of `value`, or may do so.
static bool isWritten(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<func::ReturnOp, memref::DimOp>(user))
      continue;
    if (isa<ViewLikeOpInterface>(user)) {
      if (llvm::any_of(user->getResults(), isWritten))
        return true;
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects ||
        effects.getEffectOnValue<MemoryEffects::Write>(value).has_value())
      return true;
  }
  return false;
}

void mlir::cutl::recordHostRules(FunctionOpInterface function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> ties;
  function.walk([&](GemmOp op) {
    if (!op.hasTensorForm())
      collectTies(function, op, ties);
  });
  SmallVector<int64_t> written;
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()) && isWritten(argument))
      written.push_back(argument.getArgNumber());
  function->setAttr(CutlDialect::kHostTiesAttrName, builder.getArrayAttr(ties));
  function->setAttr(CutlDialect::kHostWritesAttrName,
                    builder.getDenseI64ArrayAttr(written));
}

namespace {
struct RecordHostRulesPass final
    : mlir::cutl::impl::CutlRecordHostRulesBase<RecordHostRulesPass> {
  using CutlRecordHostRulesBase::CutlRecordHostRulesBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        recordHostRules(func);
  }
};
} // namespace
