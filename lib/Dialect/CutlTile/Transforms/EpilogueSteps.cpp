//===- EpilogueSteps.cpp - In which order outputs are staged --------------===//

#include "cutl/Dialect/CutlTile/Transforms/EpilogueSteps.h"
#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"

using namespace mlir;
using namespace mlir::cutl::tile;

static int64_t getColumns(EpilogueOp epilogue) {
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  return loop.getConfig().toTileConfig().shareN();
}

/// All rows of some columns come together, so that what is loaded for a column
/// is soon used up. The last part of a row of accumulators overlaps its
/// neighbour where the tile is no multiple of it.
static SmallVector<Subtile> getSubtiles(const OutputStaging &staging,
                                        int64_t rows, int64_t tileColumns) {
  SmallVector<Subtile> subtiles;
  int64_t allSlabs = rows / kSlabRows;
  int64_t columns = staging.getColumns();
  int64_t slabs = staging.alongRows ? 1 : allSlabs;
  for (int64_t start = 0; start < tileColumns; start += columns) {
    int64_t first = std::min(start, tileColumns - columns);
    for (int64_t slab = 0; slab < allSlabs; slab += slabs)
      subtiles.push_back(
          {slab, slabs, first / kBlockColumns, columns / kBlockColumns});
  }
  return subtiles;
}

SmallVector<EpilogueStep>
mlir::cutl::tile::getEpilogueSteps(EpilogueOp epilogue, int64_t rows) {
  SmallVector<EpilogueStep> steps;
  for (unsigned output = 0; output < epilogue.getOuts().size(); ++output) {
    if (epilogue.isReduced(output))
      continue;
    std::optional<unsigned> loaded;
    for (unsigned aux = 0; aux < epilogue.getAux().size(); ++aux)
      if (epilogue.getLoad(aux) == output)
        loaded = aux;
    OutputStaging staging = getOutputStaging(epilogue, output, rows);
    for (const Subtile &subtile :
         getSubtiles(staging, rows, getColumns(epilogue)))
      steps.push_back({output, subtile, loaded});
  }
  llvm::stable_sort(steps, [](const EpilogueStep &a, const EpilogueStep &b) {
    return a.subtile.firstBlock < b.subtile.firstBlock;
  });
  return steps;
}

int64_t mlir::cutl::tile::countLoads(ArrayRef<EpilogueStep> steps) {
  return llvm::count_if(
      steps, [](const EpilogueStep &step) { return step.aux.has_value(); });
}

unsigned mlir::cutl::tile::getLoadStep(ArrayRef<EpilogueStep> steps,
                                       unsigned aux, int64_t block) {
  const EpilogueStep *step =
      llvm::find_if(steps, [&](const EpilogueStep &step) {
        return step.aux == aux && step.subtile.hasBlock(block);
      });
  return step - steps.begin();
}

bool mlir::cutl::tile::canShareBuffers(EpilogueOp epilogue, unsigned aux,
                                       unsigned output, int64_t rows) {
  mlir::cutl::GemmInput input = epilogue.getAuxInput(aux);
  auto type = dyn_cast<MemRefType>(input.value.getType());
  if (!type || type.getRank() < 2 || epilogue.isReduced(output))
    return false;
  auto loop = cast<WorkLoopOp>(epilogue->getParentOp());
  OutputStaging staging = getOutputStaging(epilogue, output, rows);
  return staging.fitsTensorMap && !staging.alongRows &&
         type.getElementTypeBitWidth() == 8 * staging.elementBytes &&
         input.map.isFunctionOfDim(getRowDim(loop)) &&
         input.map.isFunctionOfDim(getColumnDim(loop)) &&
         input.map.getDimPosition(getInnermostDim(type)) ==
             getColumnDim(loop) &&
         !findBrokenTensorMapRule(type, "");
}

bool mlir::cutl::tile::arriveInTime(EpilogueOp epilogue, int64_t rows,
                                    int64_t buffers) {
  SmallVector<EpilogueStep> steps = getEpilogueSteps(epilogue, rows);
  for (unsigned aux = 0; aux < epilogue.getAux().size(); ++aux) {
    if (!epilogue.getLoad(aux))
      continue;
    for (int64_t block = 0; block < getColumns(epilogue) / kBlockColumns;
         ++block) {
      // Results of a block are computed where the first of them is staged.
      const EpilogueStep *first =
          llvm::find_if(steps, [&](const EpilogueStep &step) {
            return step.subtile.hasBlock(block);
          });
      // A load is started when all buffers but its own are before it.
      if (getLoadStep(steps, aux, block) - (first - steps.begin()) >= buffers)
        return false;
    }
  }
  return true;
}
