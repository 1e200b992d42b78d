//===- DropReturnedDestinations.cpp - cutl-drop-returned-destinations ----===//

#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLDROPRETURNEDDESTINATIONS
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// The number of the function argument that `value` is, behind casts.
static std::optional<unsigned> getArgumentNumber(func::FuncOp func,
                                                 Value value) {
  if (!isa<MemRefType>(value.getType()))
    return std::nullopt;
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &func.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// For each result, the argument that every return of it gives.
static SmallVector<std::optional<unsigned>> findReturned(func::FuncOp func) {
  SmallVector<std::optional<unsigned>> returned(func.getNumResults());
  bool isFirst = true;
  func.walk([&](func::ReturnOp op) {
    for (auto [i, value] : llvm::enumerate(op.getOperands())) {
      std::optional<unsigned> argument = getArgumentNumber(func, value);
      if (isFirst)
        returned[i] = argument;
      else if (returned[i] != argument)
        returned[i] = std::nullopt;
    }
    isFirst = false;
  });
  return returned;
}

static void updateCall(func::CallOp call,
                       ArrayRef<std::optional<unsigned>> returned) {
  OpBuilder builder(call);
  SmallVector<Type> kept;
  for (auto [i, argument] : llvm::enumerate(returned))
    if (!argument)
      kept.push_back(call.getResult(i).getType());
  auto updated = func::CallOp::create(builder, call.getLoc(),
                                      call.getCallee(), kept,
                                      call.getOperands());
  updated->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  unsigned next = 0;
  for (auto [i, argument] : llvm::enumerate(returned)) {
    Value replacement = argument ? call.getOperand(*argument)
                                 : updated.getResult(next++);
    Type type = call.getResult(i).getType();
    if (replacement.getType() != type)
      replacement =
          memref::CastOp::create(builder, call.getLoc(), type, replacement);
    call.getResult(i).replaceAllUsesWith(replacement);
  }
  call.erase();
}

namespace {
struct DropReturnedDestinationsPass final
    : mlir::cutl::impl::CutlDropReturnedDestinationsBase<
          DropReturnedDestinationsPass> {
  using CutlDropReturnedDestinationsBase::CutlDropReturnedDestinationsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      SmallVector<std::optional<unsigned>> returned = findReturned(func);
      // Unknown below an op that may be a symbol table of its own.
      std::optional<SymbolTable::UseRange> uses =
          func.getSymbolUses(getOperation());
      // A function whose address escapes keeps its type.
      if (!uses || !llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
            return isa<func::CallOp>(use.getUser());
          }))
        continue;
      BitVector dropped(returned.size());
      for (auto [i, argument] : llvm::enumerate(returned))
        if (argument)
          dropped.set(i);
      if (dropped.none())
        continue;
      func.walk([&](func::ReturnOp op) { op->eraseOperands(dropped); });
      if (failed(func.eraseResults(dropped)))
        return signalPassFailure();
      for (SymbolTable::SymbolUse use : *uses)
        updateCall(cast<func::CallOp>(use.getUser()), returned);
      numDropped += dropped.count();
    }
  }
};
} // namespace
