//===- VerifyCPU.cpp - cutl-verify-cpu -----------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "cutl/Dialect/Cutl/IR/GemmAliasing.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLVERIFYCPU
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// Numbers that the host computes with, or converts by code that the CPU target
/// brings along.
static bool isHostNumber(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType,
          Float8E5M2Type>(type))
    return true;
  if (!type.isSignlessInteger())
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static LogicalResult verifyForCPU(GemmOp op) {
  auto refuse = [&](const Twine &what, Type type) {
    return op.emitOpError("expected ")
           << what << " to have a type of the CPU target (f16, bf16, f32, f64, "
           << "f8E4M3FN, f8E5M2, or an integer of 8, 16, 32 or 64 bits), got "
           << type;
  };
  unsigned numFactors = 1 + op.getBs().size();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    Type type = getElementTypeOrSelf(operand.get().getType());
    if (!isHostNumber(type))
      return refuse(op.getOperandName(i), type);
    if (i >= numFactors)
      continue;
    const ::cutl::targetinfo::DataType *record = lookupDataType(
        type, i == 0 ? op.getASignedness() : op.getBSignedness());
    if (!record || !record->isCpuOperand)
      return refuse(op.getOperandName(i), type);
  }
  for (Operation &nested : op.getBody()->without_terminator()) {
    SmallVector<Type> types(nested.getResultTypes());
    llvm::append_range(types, nested.getOperandTypes());
    for (Type type : types)
      if (!isHostNumber(type))
        return refuse(
            "'" + nested.getName().getStringRef() + "' in the epilogue", type);
  }
  return verifyNoAliasing(op);
}

namespace {
struct VerifyCPUPass final
    : mlir::cutl::impl::CutlVerifyCPUBase<VerifyCPUPass> {
  using CutlVerifyCPUBase::CutlVerifyCPUBase;

  void runOnOperation() override {
    bool failedAny = false;
    getOperation()->walk(
        [&](GemmOp op) { failedAny |= failed(verifyForCPU(op)); });
    if (failedAny)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
