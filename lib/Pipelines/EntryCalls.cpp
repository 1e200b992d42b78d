//===- EntryCalls.cpp - How functions are called on a GPU -----------------===//

#include "cutl/Pipelines/EntryCalls.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::cutl;

/// The number of the function's argument that `value` is, if it is one.
static std::optional<unsigned> getArgumentNumber(func::FuncOp function,
                                                 Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

FailureOr<EntryCall> mlir::cutl::getEntryCall(ModuleOp module, StringRef name) {
  auto function =
      dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(module, name));
  if (!function || function.isExternal())
    return module.emitError("expected the name of a function with a body, "
                            "got '")
           << name << "'";
  LaunchOp launch;
  for (Block &block : function.getBody())
    for (Operation &op : block) {
      auto other = dyn_cast<LaunchOp>(op);
      if (other && !launch) {
        launch = other;
        continue;
      }
      if (op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op))
        continue;
      return op.emitError("expected function '")
             << name
             << "' to do nothing on a GPU but the products of one launch, got '"
             << op.getName() << "'";
    }
  if (!launch || !function.getBody().hasOneBlock())
    return function.emitError("expected function '")
           << name << "' to be products alone, to run on a GPU";

  EntryCall call;
  call.entry = launch.getEntry().getLeafReference().str();
  call.numArguments = function.getNumArguments() - 2;
  SmallVector<unsigned> numbers;
  for (auto [i, value] : llvm::enumerate(launch.getArguments())) {
    std::optional<unsigned> argument = getArgumentNumber(function, value);
    if (!argument)
      return function.emitError("expected function '")
             << name << "' to launch on its own arguments, got operand " << i
             << ", which the host computes";
    bool isArray = isa<MemRefType>(value.getType());
    (isArray ? call.arguments : numbers).push_back(*argument);
  }
  llvm::append_range(call.arguments, numbers);
  return call;
}
