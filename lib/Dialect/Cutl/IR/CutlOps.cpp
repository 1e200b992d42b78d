//===- CutlOps.cpp - Registration of the operations ----------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::cutl;

#include "cutl/Dialect/Cutl/IR/CutlOpInterfaces.cpp.inc"

void CutlDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "cutl/Dialect/Cutl/IR/CutlOps.cpp.inc"
      >();
}

/// `erf` is the default and is not printed.
static ParseResult parseGeluForm(OpAsmParser &parser, GeluFormAttr &form) {
  GeluForm value = GeluForm::Erf;
  if (succeeded(parser.parseOptionalKeyword("tanh")))
    value = GeluForm::Tanh;
  form = GeluFormAttr::get(parser.getContext(), value);
  return success();
}

static void printGeluForm(OpAsmPrinter &printer, Operation *,
                          GeluFormAttr form) {
  if (form && form.getValue() == GeluForm::Tanh)
    printer << " tanh";
}

#define GET_OP_CLASSES
#include "cutl/Dialect/Cutl/IR/CutlOps.cpp.inc"
