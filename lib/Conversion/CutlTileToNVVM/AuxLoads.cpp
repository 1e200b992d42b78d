//===- AuxLoads.cpp - Auxiliary operands through staging buffers ----------===//

#include "AuxLoads.h"

#include "CopyTma.h"
#include "EpilogueElements.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// The linear combination that is all that `value` is for, as its `c`, if any.
static LinearCombinationOp findLinearCombination(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    if (auto combination = dyn_cast<LinearCombinationOp>(use.getOwner()))
      return &use == &combination.getCMutable() ? combination
                                                : LinearCombinationOp();
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(
            use.getOwner()))
      return {};
    value = use.getOwner()->getResult(0);
  }
  return {};
}

Value mlir::cutl::nvvm::emitGate(Emit &e, StagedKernel &kernel,
                                 const KernelParameters &parameters,
                                 unsigned number) {
  const auto &aux = parameters.aux;
  Block &body = kernel.epilogue.getBody().front();
  unsigned products = kernel.getNumProducts();
  LinearCombinationOp combination =
      findLinearCombination(body.getArgument(products + number));
  if (!combination || aux[number].isScalar)
    return {};
  Value beta = combination.getBeta();
  if (auto argument = dyn_cast<BlockArgument>(beta)) {
    if (argument.getArgNumber() < products ||
        !aux[argument.getArgNumber() - products].isScalar)
      return {};
    beta = aux[argument.getArgNumber() - products].value;
  } else {
    auto constant = beta.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return {};
    beta = e.b.clone(*constant)->getResult(0);
  }
  Value zero = arith::ConstantOp::create(e.b, e.loc,
                                         e.b.getFloatAttr(beta.getType(), 0.0));
  return arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::UNE, beta,
                               zero);
}

AuxLoads::AuxLoads(Emit &e, StagedKernel &kernel, const EpilogueInputs &inputs,
                   const ConsumerThread &thread, const Unit &unit)
    : e(e), kernel(kernel), inputs(inputs), thread(thread), unit(unit) {
  for (unsigned i = 0; i < kernel.epilogue.getAux().size(); ++i)
    if (kernel.epilogue.getLoad(i))
      gates[i] = emitGate(e, kernel, *inputs.parameters, i);
}

bool AuxLoads::isLoaded(int64_t step) const {
  return step < int64_t(kernel.steps.size()) && kernel.steps[step].aux;
}

Value AuxLoads::getBuffer(int64_t step) {
  tile::StagingAttr layout = kernel.epilogue.getStagingAttr();
  return e.advance(inputs.staging,
                   step % layout.getBuffers() * layout.getBytes());
}

/// Barriers are those of the loaded parts, in order.
Value AuxLoads::getBarrier(int64_t step) {
  return e.i32(tile::countLoads(ArrayRef(kernel.steps).take_front(step)));
}

void AuxLoads::ifRead(int64_t step, function_ref<void()> body) {
  if (Value gate = gates.lookup(*kernel.steps[step].aux))
    e.ifThen(gate, body);
  else
    body();
}

/// By one thread.
void AuxLoads::emitLoad(int64_t step) {
  const tile::EpilogueStep &part = kernel.steps[step];
  ifRead(step, [&] {
    Value barrier = getBarrier(step);
    const TensorMap &map = inputs.parameters->auxMaps[*part.aux];
    inputs.loads.emitArriveExpect(e, barrier,
                                  kernel.stagings[part.output].getBytes());
    emitBoxLoad(e, getBuffer(step), map.value,
                getCoordinates(e, kernel, thread, unit, map, part.subtile),
                inputs.loads.at(e, barrier));
  });
}

void AuxLoads::emitPrefetch(int64_t step) {
  const tile::EpilogueStep &part = kernel.steps[step];
  ifRead(step, [&] {
    const TensorMap &map = inputs.parameters->auxMaps[*part.aux];
    emitBoxPrefetch(e, map.value,
                    getCoordinates(e, kernel, thread, unit, map, part.subtile));
  });
}

void AuxLoads::emitFirst() {
  if (gates.empty())
    return;
  int64_t buffers = kernel.epilogue.getStagingAttr().getBuffers();
  e.ifThen(thread.isLeader, [&] {
    // The outputs of the tile before have left the buffers.
    emitStoreWaitRead(e, 0);
    for (int64_t step = 0; step < int64_t(kernel.steps.size()); ++step)
      if (isLoaded(step))
        step < buffers ? emitLoad(step) : emitPrefetch(step);
  });
}

void AuxLoads::emitNext(int64_t step) {
  int64_t buffers = kernel.epilogue.getStagingAttr().getBuffers();
  int64_t next = step + buffers - 1;
  if (next < buffers || !isLoaded(next))
    return;
  e.ifThen(thread.isLeader, [&] {
    emitStoreWaitRead(e, 0);
    emitLoad(next);
  });
}

void AuxLoads::emitArrival(int64_t step) {
  if (isLoaded(step))
    getPart(step);
}

AuxLoads::Part &AuxLoads::getPart(int64_t step) {
  auto [entry, isNew] = parts.try_emplace(step);
  Part &part = entry->second;
  if (!isNew)
    return part;
  ifRead(step,
         [&] { inputs.loads.emitWait(e, getBarrier(step), inputs.parity); });
  const tile::OutputStaging &staging =
      kernel.stagings[kernel.steps[step].output];
  if (staging.elementBytes == 2)
    part.matrices.emplace(e, staging, thread, getBuffer(step));
  else
    part.neighbours.emplace(e, staging, thread, getBuffer(step));
  return part;
}

/// Two neighbours of a row as a vector of integers.
Value AuxLoads::getPair(int64_t step, const Element &element) {
  Part &part = getPart(step);
  int64_t slab = element.slab, half = element.half, block = element.block;
  if (Value pair = part.pairs.lookup({slab, half, block}))
    return pair;
  const tile::EpilogueStep &info = kernel.steps[step];
  int64_t bytes = kernel.stagings[info.output].elementBytes;
  auto type = VectorType::get(2, e.b.getIntegerType(8 * bytes));
  int64_t firstSlab = info.subtile.firstSlab;
  int64_t firstBlock = info.subtile.firstBlock;
  Value gate = gates.lookup(*info.aux);
  auto keep = [&](int64_t half, int64_t block, Value pair) {
    if (gate)
      pair = e.select(gate, pair,
                      LLVM::ZeroOp::create(e.b, e.loc, pair.getType()));
    part.pairs[{slab, half, block}] =
        pair.getType() == type
            ? pair
            : LLVM::BitcastOp::create(e.b, e.loc, type, pair);
  };
  if (part.matrices) {
    int64_t even = (block - firstBlock) / 2 * 2;
    Value words = emitMatrixLoad(part.matrices->at(slab - firstSlab, even));
    for (int64_t i = 0; i < 4; ++i)
      keep(i % 2, firstBlock + even + i / 2,
           LLVM::ExtractValueOp::create(e.b, e.loc, words, i));
  } else {
    keep(half, block,
         LLVM::LoadOp::create(
             e.b, e.loc, type,
             part.neighbours->at(slab - firstSlab, half, block - firstBlock),
             2 * bytes));
  }
  return part.pairs[{slab, half, block}];
}

/// Four matrices: each thread gets a word of each.
Value AuxLoads::emitMatrixLoad(Value address) {
  auto type = LLVM::LLVMStructType::getLiteral(
      e.b.getContext(), SmallVector<Type>(4, e.b.getI32Type()));
  return NVVM::LdMatrixOp::create(
      e.b, e.loc, type, address, 4, NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
}

Value AuxLoads::getElement(unsigned number, const Element &element) {
  unsigned step = tile::getLoadStep(kernel.steps, number, element.block);
  Value bits = LLVM::ExtractElementOp::create(
      e.b, e.loc, getPair(step, element), e.i32(element.which));
  return emitFromBits(e, inputs.parameters->aux[number].elementType, bits);
}
