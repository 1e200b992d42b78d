//===- Verifier.cpp - Constraints of the cutl_tile ops -------------------===//

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Dialect/Cutl/IR/MapSyntax.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Dialect/CutlTile/IR/TensorMapRules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

//===----------------------------------------------------------------------===//
// What the ops share
//===----------------------------------------------------------------------===//

static std::string getText(AffineMap map, GemmDomain domain) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printNamedMap(os, map, domain.getNames());
  return text;
}

/// The map is over the domain, names each of its dimensions at most once and
/// has a result for every dimension of the operand.
static LogicalResult verifyMap(Operation *op, const std::string &name,
                               const GemmInput &input, GemmDomain domain,
                               bool mayDivide = false) {
  AffineMap map = input.map;
  if (map.getNumDims() != domain.getRank() || map.getNumSymbols() != 0)
    return op->emitOpError("expected the map of ")
           << name << " to have " << domain.getRank()
           << " dimensions and no symbols, got " << map.getNumDims()
           << " and " << map.getNumSymbols();
  auto type = dyn_cast<MemRefType>(input.value.getType());
  unsigned rank = type ? type.getRank() : 0;
  if (map.getNumResults() != rank)
    return op->emitOpError("expected the map of ")
           << name << " to have as many results as its rank, " << rank
           << ", got " << map.getNumResults() << " in "
           << getText(map, domain);
  llvm::SmallBitVector named(domain.getRank());
  for (AffineExpr expr : map.getResults()) {
    std::optional<GemmMapResult> result = decomposeMapResult(expr);
    if (!result || (result->divisor != 1 && !mayDivide) ||
        named.test(result->dim))
      return op->emitOpError("expected the map of ")
             << name << " to name dimensions of the domain"
             << (mayDivide ? ", or blocks of them," : ",")
             << " each at most once, got " << getText(map, domain);
    named.set(result->dim);
  }
  if (type && !type.isStrided())
    return op->emitOpError("expected ")
           << name << " to have a strided layout, got " << type;
  return success();
}

/// A dimension that a reduced output's map divides by `c` is cut into blocks of
/// `c` that lie in one tile each.
static LogicalResult verifyBlocks(EpilogueOp op, unsigned output) {
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  GemmDomain domain = op.getDomain();
  AffineMap map = op.getOutput(output).map;
  for (AffineExpr expr : map.getResults()) {
    GemmMapResult result = *decomposeMapResult(expr);
    if (result.divisor == 1)
      continue;
    int64_t extent = result.dim == domain.m()   ? loop.getShareM()
                     : result.dim == domain.n() ? loop.getShareN()
                                                : 1;
    if (extent % result.divisor != 0)
      return op.emitOpError("expected the blocks of outs[")
             << output << "] along " << domain.getName(result.dim)
             << " to divide the tile's extent " << extent << ", got "
             << result.divisor;
  }
  return success();
}

static LogicalResult verifyUse(Operation *op, const std::string &name,
                               AffineMap map, GemmDomain domain, unsigned dim,
                               bool used) {
  if (map.isFunctionOfDim(dim) == used)
    return success();
  return op->emitOpError("expected the map of ")
         << name << (used ? " to use " : " not to use ") << domain.getName(dim)
         << ", got " << getText(map, domain);
}

/// A and at least one B, addressed by m and k, and by n and k.
static LogicalResult verifyInputs(Operation *op, ArrayRef<GemmInput> inputs,
                                  GemmDomain domain) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    std::string name = i == 0 ? "a" : "b[" + std::to_string(i - 1) + "]";
    if (failed(verifyMap(op, name, input, domain)) ||
        failed(verifyUse(op, name, input.map, domain, domain.m(), i == 0)) ||
        failed(verifyUse(op, name, input.map, domain, domain.n(), i != 0)) ||
        failed(verifyUse(op, name, input.map, domain, domain.k(), true)))
      return failure();
  }
  Type element = getElementTypeOrSelf(inputs[1].value.getType());
  for (auto [i, b] : llvm::enumerate(inputs.drop_front()))
    if (getElementTypeOrSelf(b.value.getType()) != element)
      return op->emitOpError("expected b[")
             << i << "] to have elements of type " << element
             << " like b[0], got " << getElementTypeOrSelf(b.value.getType());
  return success();
}

/// `at` agrees with the domain of the work loop around it.
static LogicalResult verifyOffsets(Operation *op, size_t offsets) {
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  if (offsets + 1 == loop.getExtents().size())
    return success();
  return op->emitOpError("expected one offset for each of the work loop's "
                         "extents but k, ")
         << loop.getExtents().size() - 1 << ", got " << offsets;
}

/// All of one type, of the extents `m` and `n` of `what`.
static LogicalResult verifyExtents(Operation *op, ValueRange values, int64_t m,
                                   int64_t n, StringRef what) {
  auto first = cast<AccType>(values.front().getType());
  for (auto [i, value] : llvm::enumerate(values)) {
    auto type = cast<AccType>(value.getType());
    if (type.getShape() != ArrayRef<int64_t>{m, n})
      return op->emitOpError("expected accumulator ")
             << i << " to have the extents of " << what << ", " << m << "x" << n
             << ", got " << type.getShape()[0] << "x" << type.getShape()[1];
    if (type != first)
      return op->emitOpError("expected accumulator ")
             << i << " to be of type " << first << " like the first, got "
             << type;
  }
  return success();
}

static LogicalResult verifyAccumulators(Operation *op, ValueRange values) {
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  return verifyExtents(op, values, loop.getTileM(), loop.getTileN(),
                       "the work loop's tile");
}

/// Those that a CTA finishes.
static LogicalResult verifySums(Operation *op, ValueRange values) {
  auto loop = cast<WorkLoopOp>(op->getParentOp());
  if (loop.getClusterK() == 1)
    return verifyAccumulators(op, values);
  return verifyExtents(op, values, loop.getShareM(), loop.getShareN(),
                       "a CTA's share of the work loop's tile");
}

//===----------------------------------------------------------------------===//
// WorkLoopOp
//===----------------------------------------------------------------------===//

LogicalResult WorkLoopOp::verify() {
  size_t extents = getExtents().size();
  if (extents < 3 || extents > 3 + GemmDomain::kMaxBatch)
    return emitOpError("expected extents of m, n and k, after at most ")
           << GemmDomain::kMaxBatch << " batch extents, got " << extents
           << " extents";
  if (getParts() && extents == 3)
    return emitOpError("expected a batch extent for the parts of k, got none");
  if (getParts() && int64_t(*getParts()) != getSchedule().getNumParts())
    return emitOpError("expected ")
           << getSchedule().getNumParts() << " parts like the schedule, got "
           << *getParts();
  return success();
}

LogicalResult WorkLoopOp::verifyRegions() {
  size_t wanted = getExtents().size() + (splitsK() ? 4 : 1);
  if (getBody().getNumArguments() != wanted)
    return emitOpError("expected ")
           << wanted << " region arguments, the offsets of "
           << llvm::join(ArrayRef(getDomain().getNames()).drop_back(), ", ")
           << (splitsK() ? ", the two ends of k, the slot, the first slot of "
                           "the tile and how many it has, got "
                         : " and the two ends of k, got ")
           << getBody().getNumArguments();
  for (BlockArgument argument : getBody().getArguments())
    if (!argument.getType().isIndex())
      return emitOpError("expected region argument ")
             << argument.getArgNumber() << " to be of type index, got "
             << argument.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// MainloopOp
//===----------------------------------------------------------------------===//

LogicalResult MainloopOp::verify() {
  if (failed(verifyOffsets(*this, getOffsets().size())))
    return failure();
  unsigned numBs = getBs().size();
  if (numBs == 0)
    return emitOpError("expected at least one B, got none");
  if (getIndexingMaps().size() != 1 + numBs)
    return emitOpError("expected one map per operand, ")
           << 1 + numBs << ", got " << getIndexingMaps().size();
  if (getAccumulators().size() != numBs)
    return emitOpError("expected one accumulator per B, ")
           << numBs << ", got " << getAccumulators().size();

  SmallVector<GemmInput> inputs = {getInputA()};
  for (unsigned i = 0; i < numBs; ++i)
    inputs.push_back(getInputB(i));
  if (failed(verifyInputs(*this, inputs, getDomain())))
    return failure();
  return verifyAccumulators(*this, getAccumulators());
}

//===----------------------------------------------------------------------===//
// ClusterSumOp
//===----------------------------------------------------------------------===//

LogicalResult ClusterSumOp::verify() {
  auto loop = cast<WorkLoopOp>((*this)->getParentOp());
  if (getAccumulators().empty() || getSums().size() != getAccumulators().size())
    return emitOpError(
               "expected a sum for each accumulator, at least one, got ")
           << getSums().size() << " for " << getAccumulators().size();
  if (loop.getClusterK() == 1)
    return emitOpError("expected a work loop with a cluster along k, got ")
           << loop.getConfig();
  return success(succeeded(verifyAccumulators(*this, getAccumulators())) &&
                 succeeded(verifySums(*this, getSums())));
}

//===----------------------------------------------------------------------===//
// FixupOp
//===----------------------------------------------------------------------===//

LogicalResult FixupOp::verify() {
  if (getAccumulators().empty())
    return emitOpError("expected at least one accumulator, got none");
  if (failed(verifyAccumulators(*this, getAccumulators())))
    return failure();
  auto loop = cast<WorkLoopOp>((*this)->getParentOp());
  if (!loop.splitsK())
    return emitOpError("expected a work loop whose schedule splits k, got ")
           << loop.getSchedule();
  if (loop.getClusterK() != 1)
    return emitOpError("expected a work loop without a cluster along k, got ")
           << loop.getConfig();
  if (getArrivalOrder() != loop.getSchedule().addsAsUnitsArrive())
    return emitOpError("expected ")
           << (getArrivalOrder() ? "no arrival_order" : "arrival_order")
           << " with schedule " << loop.getSchedule();
  if (getTurnstile() != loop.getSchedule().takesTurns())
    return emitOpError("expected ")
           << (getTurnstile() ? "no turnstile" : "turnstile")
           << " with schedule " << loop.getSchedule();
  if (getTurnstile() && loop.getConfig().toTileConfig().clusterSize() != 1)
    return emitOpError("expected a work loop without clusters with turnstile, "
                       "got ")
           << loop.getConfig();
  if (getTicket() && !getTurnstile())
    return emitOpError("expected no ticket without turnstile, got ")
           << *getTicket();
  auto type = cast<AccType>(getAccumulators().front().getType());
  MemRefType partials = getPartials().getType();
  if (partials.getElementType() != type.getElementType())
    return emitOpError("expected partial results of ")
           << type.getElementType() << " like the accumulators, got "
           << partials.getElementType();
  int64_t elements = type.getShape()[0] * type.getShape()[1] *
                     int64_t(getAccumulators().size());
  if (partials.getDimSize(1) != elements)
    return emitOpError("expected partial results with rows of ")
           << elements << " elements, those of all accumulators, got "
           << partials;
  for (auto [name, memref] :
       {std::pair("partial results", partials),
        std::pair("arrivals", getArrivals().getType())})
    if (!memref.getLayout().isIdentity() || memref.getMemorySpace())
      return emitOpError("expected ")
             << name << " in row-major order and in no memory space, got "
             << memref;
  return success();
}

//===----------------------------------------------------------------------===//
// EpilogueOp
//===----------------------------------------------------------------------===//

/// An output's buffers take one operand.
static LogicalResult verifyLoads(EpilogueOp op) {
  std::optional<ArrayRef<int64_t>> loads = op.getLoads();
  if (!loads)
    return success();
  if (loads->size() != op.getAux().size())
    return op.emitOpError("expected one of loads for each auxiliary operand, ")
           << op.getAux().size() << ", got " << loads->size();
  llvm::SmallDenseSet<int64_t> taken;
  for (auto [i, output] : llvm::enumerate(*loads)) {
    if (output < 0)
      continue;
    if (output >= int64_t(op.getOuts().size()))
      return op.emitOpError("expected loads to name one of ")
             << op.getOuts().size() << " outputs, got outs[" << output
             << "] for aux[" << i << "]";
    if (!taken.insert(output).second)
      return op.emitOpError("expected loads to name an output once, got outs[")
             << output << "] again for aux[" << i << "]";
  }
  return success();
}

LogicalResult EpilogueOp::verify() {
  if (failed(verifyOffsets(*this, getOffsets().size())))
    return failure();
  if (getAccumulators().empty() || getOuts().empty())
    return emitOpError("expected at least one accumulator and one output, got ")
           << getAccumulators().size() << " and " << getOuts().size();
  unsigned numOperands = getAux().size() + getOuts().size();
  if (getIndexingMaps().size() != numOperands)
    return emitOpError("expected one map per operand, ")
           << numOperands << ", got " << getIndexingMaps().size();
  if (getCombiners().size() != getOuts().size())
    return emitOpError("expected one combiner per output, ")
           << getOuts().size() << ", got " << getCombiners().size();
  if (std::optional<ArrayAttr> stores = getStores();
      stores && stores->size() != getOuts().size())
    return emitOpError("expected one of stores for each output, ")
           << getOuts().size() << ", got " << stores->size();
  if (failed(verifyLoads(*this)))
    return failure();
  GemmDomain domain = getDomain();
  for (unsigned i = 0; i < numOperands; ++i) {
    bool isOut = i >= getAux().size();
    std::string name = getOperandName(i);
    GemmInput input =
        isOut ? getOutput(i - getAux().size()) : getAuxInput(i);
    bool reduced = isOut && isReduced(i - getAux().size());
    if (failed(verifyMap(*this, name, input, domain, reduced)) ||
        failed(verifyUse(*this, name, input.map, domain, domain.k(), false)) ||
        (reduced && failed(verifyBlocks(*this, i - getAux().size()))))
      return failure();
    for (unsigned dim = 0; isOut && !reduced && dim < domain.k(); ++dim)
      if (failed(verifyUse(*this, name, input.map, domain, dim, true)))
        return failure();
  }
  return verifySums(*this, getAccumulators());
}

LogicalResult EpilogueOp::verifyRegions() {
  SmallVector<Type> wanted;
  for (Value accumulator : getAccumulators())
    wanted.push_back(cast<AccType>(accumulator.getType()).getElementType());
  for (Value aux : getAux())
    wanted.push_back(getElementTypeOrSelf(aux.getType()));
  if (getBody().getNumArguments() != wanted.size())
    return emitOpError("expected one region argument for each accumulator and "
                       "auxiliary operand, ")
           << wanted.size() << ", got " << getBody().getNumArguments();
  for (auto [argument, type] :
       llvm::zip_equal(getBody().getArguments(), wanted))
    if (argument.getType() != type)
      return emitOpError("expected region argument ")
             << argument.getArgNumber() << " to be of type " << type
             << ", got " << argument.getType();

  Block &block = getBody().front();
  auto yield = block.empty() ? tile::YieldOp()
                             : dyn_cast<tile::YieldOp>(block.back());
  if (!yield)
    return emitOpError("expected the region to end with '")
           << tile::YieldOp::getOperationName() << "'";
  if (yield.getValues().size() != getOuts().size())
    return yield.emitOpError("expected one value per output, ")
           << getOuts().size() << ", got " << yield.getValues().size();
  for (auto [i, value, out] :
       llvm::enumerate(yield.getValues(), getOuts()))
    if (value.getType() != getElementTypeOrSelf(out.getType()))
      return yield.emitOpError("expected value ")
             << i << " to be of the element type of outs[" << i << "], "
             << getElementTypeOrSelf(out.getType()) << ", got "
             << value.getType();
  for (Operation &op : block.without_terminator())
    if (!isa<EpilogueOpInterface>(op))
      return op.emitOpError("is not admitted in an epilogue: expected an op "
                            "with EpilogueOpInterface");
  return success();
}

//===----------------------------------------------------------------------===//
// CombineOp
//===----------------------------------------------------------------------===//

LogicalResult CombineOp::verify() {
  auto input = getInput().getType(), output = getOutput().getType();
  if (getCombiner() == Combiner::None)
    return emitOpError("expected a combiner, got none");
  if (input.getRank() < output.getRank())
    return emitOpError("expected an input of the output's rank, ")
           << output.getRank() << ", or more, got " << input.getRank();
  Type wanted = getCombinedType(getCombiner(), output.getElementType());
  if (input.getElementType() != wanted)
    return emitOpError("expected an input of ")
           << wanted << ", in which " << stringifyCombiner(getCombiner())
           << " combines " << output.getElementType() << ", got "
           << input.getElementType();
  ArrayRef<int64_t> kept = input.getShape().take_back(output.getRank());
  if (failed(verifyCompatibleShape(kept, output.getShape())))
    return emitOpError("expected the input's last extents to be the output's, "
                       "got ")
           << input << " and " << output;
  if (!input.getLayout().isIdentity())
    return emitOpError("expected an input in row-major order, got ") << input;
  if (!output.isStrided())
    return emitOpError("expected an output of strided layout, got ") << output;
  return success();
}

//===----------------------------------------------------------------------===//
// RepackOp
//===----------------------------------------------------------------------===//

/// Rows of the target are contiguous and start at multiples of 16 bytes as far
/// as its type says where they do.
static LogicalResult verifyRows(RepackOp op) {
  MemRefType type = op.getTarget().getType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op.emitOpError("expected a target of strided layout, got ") << type;
  if (strides.back() != 1)
    return op.emitOpError("expected a target whose last dimension has stride "
                          "1, got ")
           << type;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (auto [dim, stride] : llvm::enumerate(ArrayRef(strides).drop_back()))
    if (!ShapedType::isDynamic(stride) &&
        stride * bytes % kTensorMapAlignment != 0)
      return op.emitOpError("expected the stride of dimension ")
             << dim << " of the target to be a multiple of "
             << kTensorMapAlignment << " bytes, got " << stride * bytes;
  return success();
}

LogicalResult RepackOp::verify() {
  MemRefType source = getSource().getType(), target = getTarget().getType();
  if (source.getElementType() != target.getElementType())
    return emitOpError("expected a target of ")
           << source.getElementType() << " like the source, got "
           << target.getElementType();
  unsigned bits = source.getElementTypeBitWidth();
  if (bits % 8 != 0 || 128 % bits != 0)
    return emitOpError("expected elements that fill 16 bytes evenly, got ")
           << source.getElementType();
  if (target.getRank() < 2)
    return emitOpError("expected a target of rank 2 or more, got ") << target;
  if (!source.isStrided())
    return emitOpError("expected a source of strided layout, got ") << source;
  if (!isPermutationVector(getPermutation()) ||
      int64_t(getPermutation().size()) != source.getRank())
    return emitOpError("expected permuted to name each of the ")
           << source.getRank() << " dimensions of the source once, got ["
           << getPermutation() << "]";
  SmallVector<int64_t> shape;
  for (int64_t dim : getPermutation())
    shape.push_back(source.getDimSize(dim));
  if (target.getRank() != source.getRank() ||
      failed(verifyCompatibleShape(shape, target.getShape())))
    return emitOpError("expected a target of the source's extents in the "
                       "order of permuted, got ")
           << source << " and " << target;
  return verifyRows(*this);
}

//===----------------------------------------------------------------------===//
// Staged ops
//===----------------------------------------------------------------------===//

LogicalResult RingOp::verify() {
  if (std::optional<uint64_t> readers = getReaders();
      readers && int64_t(*readers) < 1)
    return emitOpError("expected readers to be at least 1, got ")
           << int64_t(*readers);
  size_t operands = getRing().getType().getOperands().size();
  if (RingLayoutAttr layout = getLayoutAttr();
      layout && layout.getOperands().size() != operands)
    return emitOpError("expected the layout to place each operand of the ring, ")
           << operands << ", got " << layout.getOperands().size();
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyOffsets(*this, getOffsets().size())))
    return failure();
  size_t operands = getRingType().getOperands().size();
  if (getInputs().size() != operands)
    return emitOpError("expected one input for each operand of the ring, ")
           << operands << ", got " << getInputs().size();
  if (getIndexingMaps().size() != operands)
    return emitOpError("expected one map per input, ")
           << operands << ", got " << getIndexingMaps().size();
  SmallVector<GemmInput> inputs;
  for (size_t i = 0; i < operands; ++i)
    inputs.push_back(getInput(i));
  if (failed(verifyInputs(*this, inputs, getDomain())))
    return failure();
  auto loop = cast<WorkLoopOp>((*this)->getParentOp());
  for (auto [i, stage, input] :
       llvm::enumerate(getRingType().getOperands(), getInputs())) {
    if (getElementTypeOrSelf(input.getType()) != stage.getElementType())
      return emitOpError("expected input ")
             << i << " to have the ring's elements, "
             << stage.getElementType() << ", got "
             << getElementTypeOrSelf(input.getType());
    int64_t rows = i == 0 ? loop.getTileM() : loop.getTileN();
    if (stage.getRows() != rows || stage.getK() != loop.getTileK())
      return emitOpError("expected operand ")
             << i << " of the ring to be of the work loop's tile, " << rows
             << "x" << loop.getTileK() << ", got " << stage.getRows() << "x"
             << stage.getK();
  }
  return success();
}

LogicalResult MultiplyOp::verify() {
  size_t products = getRingType().getOperands().size() - 1;
  if (getAccumulators().size() != products)
    return emitOpError("expected one accumulator per B of the ring, ")
           << products << ", got " << getAccumulators().size();
  return verifyAccumulators(*this, getAccumulators());
}

LogicalResult WarpgroupsOp::verify() {
  if (int64_t(getCount()) < 1)
    return emitOpError("expected count to be at least 1, got ")
           << int64_t(getCount());
  int64_t registers = getRegisters();
  if (registers < 24 || registers > 256 || registers % 8 != 0)
    return emitOpError(
               "expected registers to be a multiple of 8 from 24 to 256, got ")
           << registers;
  return success();
}
