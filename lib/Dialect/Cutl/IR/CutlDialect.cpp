//===- CutlDialect.cpp - Registration of the cutl dialect ----------------===//

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::cutl;

#include "cutl/Dialect/Cutl/IR/CutlDialect.cpp.inc"

void CutlDialect::initialize() {
  registerAttributes();
  registerOps();
  attachEpilogueModels();
}

LogicalResult CutlDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kTargetAttrName) {
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitError("expected '")
             << kTargetAttrName << "' to be a #cutl.target attribute, got "
             << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kHostSignatureAttrName) {
    auto types = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!types || !llvm::all_of(types, llvm::IsaPred<TypeAttr>))
      return op->emitError("expected '")
             << kHostSignatureAttrName << "' to be an array of types, got "
             << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kHostTiesAttrName) {
    auto isTie = [](Attribute tie) {
      auto numbers = dyn_cast<DenseI64ArrayAttr>(tie);
      return numbers && numbers.size() == 6 && numbers[3] >= 1;
    };
    auto ties = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!ties || !llvm::all_of(ties, isTie))
      return op->emitError("expected '")
             << kHostTiesAttrName << "' to be an array of arrays of 6 integers "
             << "with a positive divisor, got " << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kHostWritesAttrName) {
    if (!isa<DenseI64ArrayAttr>(attribute.getValue()))
      return op->emitError("expected '")
             << kHostWritesAttrName << "' to be an array of integers, got "
             << attribute.getValue();
    return success();
  }
  return op->emitError("unknown attribute '")
         << attribute.getName().getValue()
         << "' of the cutl dialect, expected '" << kTargetAttrName << "' or '"
         << kHostSignatureAttrName << "'";
}

LogicalResult CutlDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kNameAttrName)
    return op->emitError("unknown argument attribute '")
           << attribute.getName().getValue()
           << "' of the cutl dialect, expected '" << kNameAttrName << "'";
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitError("expected '")
           << kNameAttrName << "' to be a text, got " << attribute.getValue();
  return success();
}

std::string mlir::cutl::getArgumentName(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto name = function ? function.getArgAttrOfType<StringAttr>(
                             number, CutlDialect::kNameAttrName)
                       : StringAttr();
  return name ? name.str() : "arg" + std::to_string(number);
}
