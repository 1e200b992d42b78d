//===- CutlTileDialect.cpp - Registration of the cutl_tile dialect -------===//

#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::cutl::tile;

#include "cutl/Dialect/CutlTile/IR/CutlTileAttrInterfaces.cpp.inc"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.cpp.inc"

void CutlTileDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
}

void CutlTileDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.cpp.inc"
