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

/// The default rounding is not printed.
static ParseResult parseRounding(OpAsmParser &parser, RoundingAttr &rounding) {
  Rounding value = Rounding::ToNearestEven;
  for (unsigned i = 0; i <= getMaxEnumValForRounding(); ++i) {
    auto candidate = static_cast<Rounding>(i);
    if (succeeded(parser.parseOptionalKeyword(stringifyRounding(candidate)))) {
      value = candidate;
      break;
    }
  }
  rounding = RoundingAttr::get(parser.getContext(), value);
  return success();
}

static void printRounding(OpAsmPrinter &printer, Operation *,
                          RoundingAttr rounding) {
  if (rounding && rounding.getValue() != Rounding::ToNearestEven)
    printer << " " << stringifyRounding(rounding.getValue());
}

#define GET_OP_CLASSES
#include "cutl/Dialect/Cutl/IR/CutlOps.cpp.inc"
