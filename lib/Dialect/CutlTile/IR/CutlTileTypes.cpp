//===- CutlTileTypes.cpp - Types of the cutl_tile dialect ----------------===//

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

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

//===----------------------------------------------------------------------===//
// StageType
//===----------------------------------------------------------------------===//

Type StageType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef major;
  SMLoc majorLoc;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.getCurrentLocation(&majorLoc) || parser.parseKeyword(&major) ||
      parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(loc, "expected a stage to have 2 extents, rows and k, got ")
        << shape.size();
    return {};
  }
  if (major != "k_major" && major != "mn_major") {
    parser.emitError(majorLoc, "expected k_major or mn_major, got ") << major;
    return {};
  }
  return parser.getChecked<StageType>(loc, parser.getContext(), shape[0],
                                      shape[1], elementType,
                                      major == "k_major");
}

void StageType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getK() << 'x' << getElementType()
          << (getKMajor() ? ", k_major>" : ", mn_major>");
}

LogicalResult StageType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t k, Type elementType,
                                bool kMajor) {
  if (!elementType.isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32, 64}, elementType.getIntOrFloatBitWidth()))
    return emitError() << "expected elements of 1, 2, 4 or 8 bytes in a stage, "
                          "got "
                       << elementType;
  int64_t span = kSpanBytes * 8 / elementType.getIntOrFloatBitWidth();
  if (rows < 8 || rows > 256 || rows % 8 != 0)
    return emitError()
           << "expected rows of a stage to be a multiple of 8 from 8 to 256, "
              "got "
           << rows;
  if (k < span || k > 256 || k % span != 0)
    return emitError() << "expected k of a stage to be a multiple of " << span
                       << " (128 bytes) up to 256, got " << k;
  return success();
}

int64_t StageType::getNumBoxes() const {
  // Rows beyond the last whole box are loaded and not read.
  return llvm::divideCeil(getKMajor() ? getK() : getRows(), getSpan());
}

//===----------------------------------------------------------------------===//
// RingType
//===----------------------------------------------------------------------===//

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages,
                               ArrayRef<StageType> operands) {
  if (stages < 2)
    return emitError() << "expected a ring of at least 2 stages, got "
                       << stages;
  if (operands.size() < 2)
    return emitError()
           << "expected a ring to hold A and at least one B, got "
           << operands.size() << " operand" << (operands.size() == 1 ? "" : "s");
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.getK() != operands[0].getK())
      return emitError() << "expected operand " << i
                         << " of a ring to have the k of the first, "
                         << operands[0].getK() << ", got " << operand.getK();
  return success();
}

int64_t RingType::getStageBytes() const {
  int64_t bytes = 0;
  for (StageType operand : getOperands())
    bytes += operand.getBytes();
  return bytes;
}
