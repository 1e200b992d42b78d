//===- StagedOps.cpp - Builders and interfaces of the staged ops ---------===//

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ring,
                   ValueRange offsets, Value kBegin, Value kEnd,
                   ArrayRef<GemmInput> inputs, ComputeAttr compute) {
  state.addOperands(ring);
  state.addOperands(offsets);
  state.addOperands({kBegin, kEnd});
  SmallVector<AffineMap> maps;
  for (const GemmInput &input : inputs) {
    state.addOperands(input.value);
    maps.push_back(input.map);
  }
  auto &properties = state.getOrAddProperties<Properties>();
  int32_t segments[] = {1, int32_t(offsets.size()), 1, 1,
                        int32_t(inputs.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.compute = compute;
}

AffineMap LoadOp::getMap(unsigned input) {
  return cast<AffineMapAttr>(getIndexingMaps()[input]).getValue();
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &input);
  effects.emplace_back(MemoryEffects::Write::get());
}
