//===- CutlTileTypes.cpp - Types of the cutl_tile dialect ----------------===//

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cutl::tile;

#define GET_TYPEDEF_CLASSES
#include "cutl/Dialect/CutlTile/IR/CutlTileTypes.cpp.inc"

void CutlTileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "cutl/Dialect/CutlTile/IR/CutlTileTypes.cpp.inc"
      >();
}

Type AccType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<AccType>(loc, parser.getContext(), shape,
                                    elementType);
}

void AccType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << '>';
}

LogicalResult AccType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType) {
  if (shape.size() != 2)
    return emitError() << "expected accumulators to have 2 extents, m and n, "
                          "got "
                       << shape.size();
  for (auto [extent, name] : llvm::zip_equal(shape, StringRef("mn")))
    if (extent < 1)
      return emitError() << "expected extent " << name
                         << " of accumulators to be at least 1, got "
                         << extent;
  if (!isa<FloatType>(elementType) && !elementType.isSignlessInteger())
    return emitError()
           << "expected accumulators of floats or signless integers, got "
           << elementType;
  return success();
}
