//===- WorkOps.cpp - Builders and interfaces of the work ops -------------===//

#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

//===----------------------------------------------------------------------===//
// WorkLoopOp
//===----------------------------------------------------------------------===//

void WorkLoopOp::build(OpBuilder &builder, OperationState &state,
                       ValueRange extents, TileConfigAttr config,
                       ScheduleAttrInterface schedule, IntegerAttr parts) {
  state.addOperands(extents);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.config = config;
  properties.schedule = schedule;
  properties.parts = parts;
  Block &body = state.addRegion()->emplaceBlock();
  // Where the tile starts, without k, and the two ends of the range of k; where
  // units meet, the slot, the first of the tile and how many there are.
  size_t arguments = extents.size() + 1 + (schedule.splitsK() ? 3 : 0);
  for (size_t i = 0; i < arguments; ++i)
    body.addArgument(builder.getIndexType(), state.location);
}

//===----------------------------------------------------------------------===//
// MainloopOp
//===----------------------------------------------------------------------===//

void MainloopOp::build(OpBuilder &builder, OperationState &state,
                       TypeRange accumulators, ValueRange offsets, Value kBegin,
                       Value kEnd, const GemmInput &a, ArrayRef<GemmInput> bs,
                       ComputeAttr compute) {
  state.addTypes(accumulators);
  state.addOperands(offsets);
  state.addOperands({kBegin, kEnd, a.value});
  SmallVector<AffineMap> maps = {a.map};
  for (const GemmInput &b : bs) {
    state.addOperands(b.value);
    maps.push_back(b.map);
  }
  auto &properties = state.getOrAddProperties<Properties>();
  int32_t segments[] = {int32_t(offsets.size()), 1, 1, 1, int32_t(bs.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.compute = compute;
}

AffineMap MainloopOp::getMap(unsigned input) {
  return cast<AffineMapAttr>(getIndexingMaps()[input]).getValue();
}

void MainloopOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
  for (OpOperand &b : getBsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &b);
}

//===----------------------------------------------------------------------===//
// FixupOp
//===----------------------------------------------------------------------===//

LogicalResult FixupOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        FixupOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getAccumulators().getTypes());
  types.push_back(IntegerType::get(context, 1));
  return success();
}

void FixupOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getPartialsMutable(), &getArrivalsMutable()}) {
    effects.emplace_back(MemoryEffects::Read::get(), operand);
    effects.emplace_back(MemoryEffects::Write::get(), operand);
  }
}

//===----------------------------------------------------------------------===//
// EpilogueOp
//===----------------------------------------------------------------------===//

void EpilogueOp::build(OpBuilder &builder, OperationState &state,
                       ValueRange offsets, ValueRange accumulators,
                       ArrayRef<GemmInput> aux, ArrayRef<GemmOutput> outs) {
  state.addOperands(offsets);
  state.addOperands(accumulators);
  SmallVector<AffineMap> maps;
  SmallVector<Attribute> combiners;
  for (const GemmInput &input : aux) {
    state.addOperands(input.value);
    maps.push_back(input.map);
  }
  for (const GemmOutput &out : outs) {
    state.addOperands(out.value);
    maps.push_back(out.map);
    combiners.push_back(
        CombinerAttr::get(builder.getContext(), out.combiner));
  }
  auto &properties = state.getOrAddProperties<Properties>();
  int32_t segments[] = {int32_t(offsets.size()), int32_t(accumulators.size()),
                        /*condition=*/0, int32_t(aux.size()),
                        int32_t(outs.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.combiners = builder.getArrayAttr(combiners);
  state.addRegion();
}

AffineMap EpilogueOp::getMap(unsigned operand) {
  return cast<AffineMapAttr>(getIndexingMaps()[operand]).getValue();
}

bool EpilogueOp::crossesTiles(unsigned output) {
  AffineMap map = getOutput(output).map;
  for (unsigned dim = 0; dim < getDomain().k(); ++dim)
    if (!map.isFunctionOfDim(dim))
      return true;
  return false;
}

std::string EpilogueOp::getOperandName(unsigned operand) {
  bool isOut = operand >= getAux().size();
  return (isOut ? "outs[" : "aux[") +
         std::to_string(isOut ? operand - getAux().size() : operand) + "]";
}

void EpilogueOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &aux : getAuxMutable())
    if (isa<MemRefType>(aux.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &aux);
  for (OpOperand &out : getOutsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &out);
}

//===----------------------------------------------------------------------===//
// CombineOp
//===----------------------------------------------------------------------===//

void CombineOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getInputMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getOutputMutable());
}

CombineOp mlir::cutl::tile::findCombine(Region &kernel) {
  auto ops = kernel.getOps<CombineOp>();
  return ops.empty() ? CombineOp() : *ops.begin();
}

//===----------------------------------------------------------------------===//
// RepackOp
//===----------------------------------------------------------------------===//

void RepackOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

RepackOp mlir::cutl::tile::findRepack(Region &kernel) {
  auto ops = kernel.getOps<RepackOp>();
  return ops.empty() ? RepackOp() : *ops.begin();
}
