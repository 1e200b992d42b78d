//===- CutlLaunchOps.cpp - Operations of the host side -------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::cutl;

MemRefType mlir::cutl::getWorkspaceType(MLIRContext *context) {
  return MemRefType::get({ShapedType::kDynamic}, IntegerType::get(context, 8));
}

LLVM::LLVMPointerType mlir::cutl::getStreamType(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context);
}

/// Work on the stream may read and write whatever it is given.
static void
addEffects(MutableOperandRange operands,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  for (OpOperand &operand : operands) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

/// Checks the operands of `op` against the arguments of `callee`.
static LogicalResult verifyOperands(Operation *op, ValueRange operands,
                                    TypeRange wanted, Attribute callee) {
  if (operands.size() != wanted.size())
    return op->emitOpError("expected ")
           << wanted.size() << " operands like the arguments of " << callee
           << ", got " << operands.size();
  for (auto [i, type, want] : llvm::enumerate(operands.getTypes(), wanted))
    if (type != want)
      return op->emitOpError("expected operand ")
             << i << " to be of type " << want << " like the argument of "
             << callee << ", got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// BundleOp
//===----------------------------------------------------------------------===//

void BundleOp::build(OpBuilder &builder, OperationState &state,
                     StringRef name) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addRegion()->emplaceBlock();
}

//===----------------------------------------------------------------------===//
// EntryOp
//===----------------------------------------------------------------------===//

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    TypeRange arguments) {
  buildWithEntryBlock(builder, state, name,
                      builder.getFunctionType(arguments, {}), {}, arguments);
  ensureTerminator(*state.regions.back(), builder, state.location);
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  auto makeType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag, std::string &) -> Type {
    return builder.getFunctionType(arguments, results);
  };
  SMLoc location = parser.getCurrentLocation();
  if (failed(function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), makeType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name))))
    return failure();
  Region &body = *result.regions.front();
  if (body.empty())
    return parser.emitError(location, "expected an entry with a body");
  ensureTerminator(body, parser.getBuilder(), result.location);
  return success();
}

void EntryOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult EntryOp::verify() {
  // C1. That there is one block is a trait.
  if (!getResultTypes().empty())
    return emitOpError("expected no results, got ") << getResultTypes().size();
  // C2.
  Type workspace = getWorkspaceType(getContext());
  if (getArgumentTypes().empty() || getArgumentTypes().back() != workspace) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected the last argument to be the workspace of type ")
        << workspace << ", got ";
    if (getArgumentTypes().empty())
      return diagnostic << "no arguments";
    return diagnostic << getArgumentTypes().back();
  }
  for (auto [i, type] : llvm::enumerate(getArgumentTypes().drop_back())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!(memref && memref.isStrided()) && !isa<FloatType, IndexType>(type) &&
        !type.isSignlessInteger())
      return emitOpError("expected argument ")
             << i << " to be a strided memref or a number, got " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchKernelOp
//===----------------------------------------------------------------------===//

void LaunchKernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(getArgumentsMutable(), effects);
  // A kernel without arguments must not vanish either.
  if (effects.empty())
    effects.emplace_back(MemoryEffects::Write::get());
}

/// Whether some object of `binary` lists `kernel`, or says nothing about it.
static bool mayHold(gpu::BinaryOp binary, StringAttr kernel) {
  return llvm::any_of(binary.getObjects().getAsRange<gpu::ObjectAttr>(),
                      [&](gpu::ObjectAttr object) {
                        gpu::KernelTableAttr table = object.getKernels();
                        return !table || table.lookup(kernel);
                      });
}

SmallVector<SymbolRefAttr> LaunchKernelOp::getVariantKernels() {
  SmallVector<SymbolRefAttr> kernels;
  if (getVariantsAttr())
    llvm::append_range(kernels, getVariantsAttr().getAsRange<SymbolRefAttr>());
  return kernels;
}

LogicalResult LaunchKernelOp::verify() {
  // C5.
  size_t numVariants = getVariantKernels().size();
  if (numVariants != getConditions().size())
    return emitOpError("expected as many variants as conditions, got ")
           << numVariants << " and " << getConditions().size();
  if (numVariants && getGrid())
    return emitOpError("expected no grid with variants, which have grids of "
                       "their own");
  return success();
}

/// C3 and C4 of one kernel.
static LogicalResult verifyKernel(LaunchKernelOp op, SymbolRefAttr name,
                                  SymbolTableCollection &symbolTable) {
  // The kernels of a binary are names, not ops.
  Operation *callee = symbolTable.lookupNearestSymbolFrom(op, name);
  if (!callee) {
    auto binary = symbolTable.lookupNearestSymbolFrom<gpu::BinaryOp>(
        op, name.getRootReference());
    if (binary && mayHold(binary, name.getLeafReference()))
      return success();
    return op.emitOpError("expected the name of a kernel, got ")
           << name << ", which is not defined";
  }
  // A kernel that was lowered further has other arguments.
  if (isa<LLVM::LLVMFuncOp>(callee))
    return success();
  auto kernel = dyn_cast<gpu::GPUFuncOp>(callee);
  if (!kernel)
    return op.emitOpError("expected the name of a kernel, got ")
           << name << ", a '" << callee->getName() << "'";
  if (!kernel.isKernel())
    return op.emitOpError("expected the name of a kernel, got ")
           << name << ", a function without 'kernel'";
  return verifyOperands(op, op.getArguments(), kernel.getArgumentTypes(), name);
}

LogicalResult
LaunchKernelOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (failed(verifyKernel(*this, getKernelAttr(), symbolTable)))
    return failure();
  for (SymbolRefAttr variant : getVariantKernels())
    if (failed(verifyKernel(*this, variant, symbolTable)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// ResidentCtasOp
//===----------------------------------------------------------------------===//

LogicalResult ResidentCtasOp::verify() {
  // C6.
  auto launches = (*this)->getBlock()->getOps<LaunchKernelOp>();
  if (llvm::any_of(launches, [&](LaunchKernelOp launch) {
        return launch.getKernelAttr() == getKernelAttr();
      }))
    return success();
  return emitOpError("expected a kernel that the entry launches, got ")
         << getKernelAttr();
}

//===----------------------------------------------------------------------===//
// MemsetOp
//===----------------------------------------------------------------------===//

LogicalResult MemsetOp::verify() {
  // C7.
  auto type = cast<MemRefType>(getDestination().getType());
  if (type.getLayout().isIdentity())
    return success();
  return emitOpError("expected an array in row-major order without gaps, got ")
         << type;
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(getArgumentsMutable(), effects);
  addEffects(getWorkspaceMutable(), effects);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C8.
  Operation *callee =
      symbolTable.lookupNearestSymbolFrom(*this, getEntryAttr());
  if (!callee)
    return emitOpError("expected the name of an entry, got ")
           << getEntryAttr() << ", which is not defined";
  auto entry = dyn_cast<EntryOp>(callee);
  if (!entry)
    return emitOpError("expected the name of an entry, got ")
           << getEntryAttr() << ", a '" << callee->getName() << "'";
  // C9. The entry may not have been verified yet.
  TypeRange wanted = entry.getArgumentTypes();
  if (wanted.empty())
    return success();
  return verifyOperands(*this, getArguments(), wanted.drop_back(),
                        getEntryAttr());
}
