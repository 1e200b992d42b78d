//===- OutputStaging.cpp - How a consumer stages an output ----------------===//

#include "cutl/Dialect/CutlTile/Transforms/OutputStaging.h"
#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"

using namespace mlir;
using namespace mlir::cutl::tile;

/// Longest line, in bytes: that of the widest swizzle.
static constexpr int64_t kMaxLineBytes = 128;
/// Bytes of a buffer whose lines run down the columns: eight swizzle patterns.
static constexpr int64_t kMaxColumnBytes = 8192;
/// Columns of a buffer if there are several such outputs: results of the others wait
/// in registers until all columns of one are computed.
static constexpr int64_t kMaxSharedColumns = 64;

unsigned mlir::cutl::tile::getRowDim(WorkLoopOp loop) {
  return loop.getConfig().getSwapOperands() ? loop.getDomain().n()
                                            : loop.getDomain().m();
}

unsigned mlir::cutl::tile::getColumnDim(WorkLoopOp loop) {
  return loop.getConfig().getSwapOperands() ? loop.getDomain().m()
                                            : loop.getDomain().n();
}

OutputStaging mlir::cutl::tile::getOutputStaging(EpilogueOp epilogue,
                                                 unsigned number,
                                                 int64_t rows) {
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  int64_t columns = loop.getConfig().toTileConfig().shareN();
  mlir::cutl::GemmInput output = epilogue.getOutput(number);
  auto type = cast<MemRefType>(output.value.getType());
  unsigned innermost = output.map.getDimPosition(getInnermostDim(type));

  OutputStaging staging;
  staging.elementBytes =
      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  int64_t full = llvm::count_if(
      llvm::seq<unsigned>(0, epilogue.getOuts().size()),
      [&](unsigned i) { return !epilogue.isReduced(i); });
  int64_t widest = full > 1
                       ? std::min(columns, kMaxSharedColumns)
                       : columns;
  int64_t longest = kMaxLineBytes / staging.elementBytes;
  bool contiguous = true;
  if (innermost == getRowDim(loop)) {
    staging.alongRows = true;
    // A line is a column of a slab of 64 rows.
    staging.contiguous = 64;
    staging.lines =
        std::min(widest, kMaxColumnBytes / staging.getLineBytes());
  } else {
    contiguous = innermost == getColumnDim(loop);
    // A line is as long as a swizzle where the tile is wide enough; the last
    // buffer of a tile overlaps the one before it.
    staging.contiguous = longest;
    while (staging.contiguous > widest &&
           staging.contiguous * staging.elementBytes > kMaxLineBytes / 2)
      staging.contiguous /= 2;
    staging.contiguous = std::min(staging.contiguous, widest);
    staging.lines = rows;
  }
  int64_t lineBytes = staging.getLineBytes();
  staging.fitsTensorMap =
      contiguous && (lineBytes == kMaxLineBytes ||
                     (lineBytes == kMaxLineBytes / 2 && !staging.alongRows)) &&
      !findBrokenTensorMapRule(type, "", /*isStored=*/true);
  return staging;
}
