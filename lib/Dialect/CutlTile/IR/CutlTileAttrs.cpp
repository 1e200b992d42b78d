//===- CutlTileAttrs.cpp - Attributes of the cutl_tile dialect -----------===//

#include "cutl/Dialect/Cutl/IR/EnumSyntax.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cutl::tile;

#include "cutl/Dialect/CutlTile/IR/CutlTileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "cutl/Dialect/CutlTile/IR/CutlTileAttrs.cpp.inc"

LogicalResult ComputeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  mlir::cutl::MathMode, mlir::cutl::Signedness,
                                  mlir::cutl::Signedness,
                                  std::optional<int64_t> promote) {
  if (promote && *promote < 1)
    return emitError() << "expected promote to be at least 1, got " << *promote;
  return success();
}

void CutlTileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cutl/Dialect/CutlTile/IR/CutlTileAttrs.cpp.inc"
      >();
}
