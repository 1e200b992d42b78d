//===- CutlLaunchOps.cpp - Operations of the host side -------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::cutl;

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getArgumentsMutable()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
  // A kernel without arguments must not vanish either.
  if (effects.empty())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult
LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  Operation *callee =
      symbolTable.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!callee)
    return emitOpError("expected the name of a kernel, got ")
           << getKernelAttr() << ", which is not defined";
  // A kernel that was lowered further has other arguments.
  auto kernel = dyn_cast<gpu::GPUFuncOp>(callee);
  if (!kernel)
    return success();
  if (!kernel.isKernel())
    return emitOpError("expected the name of a kernel, got ")
           << getKernelAttr() << ", a function without 'kernel'";
  TypeRange wanted = kernel.getArgumentTypes();
  if (getArguments().size() != wanted.size())
    return emitOpError("expected ")
           << wanted.size() << " operands like the arguments of "
           << getKernelAttr() << ", got " << getArguments().size();
  for (auto [i, type, want] :
       llvm::enumerate(getArguments().getTypes(), wanted))
    if (type != want)
      return emitOpError("expected operand ")
             << i << " to be of type " << want << " like the argument of "
             << getKernelAttr() << ", got " << type;
  return success();
}
