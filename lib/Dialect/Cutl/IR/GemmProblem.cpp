//===- GemmProblem.cpp - A gemm as the heuristics see it -----------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

#include "mlir/Dialect/Arith/IR/Arith.h"
using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace ti = ::cutl::targetinfo;

/// Position of the contiguous dimension: the one of stride 1 where a memref
/// says so, the last where its stride is open, none where all are above 1.
static std::optional<unsigned> getContiguousDim(ShapedType type) {
  unsigned last = type.getRank() - 1;
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memref || failed(memref.getStridesAndOffset(strides, offset)) ||
      strides[last] == 1)
    return last;
  const auto *it = llvm::find(strides, 1);
  if (it != strides.end())
    return it - strides.begin();
  if (ShapedType::isDynamic(strides[last]))
    return last;
  return std::nullopt;
}

/// Bytes promised to divide the address of the first element; 0 if none.
static int64_t getAddressAlignment(GemmOp op, unsigned operandIndex) {
  std::optional<ArrayRef<int64_t>> promised = op.getOperandAlignments();
  return promised ? (*promised)[operandIndex] : 0;
}

/// Bytes known to divide every stride but the contiguous one; 0 if nothing is
/// known.
static int64_t getPitchAlignment(GemmOp op, unsigned operandIndex) {
  auto type = cast<ShapedType>(op->getOperand(operandIndex).getType());
  if (type.getRank() == 0)
    return 0;
  // A dimension of one element has no stride that matters.
  auto matters = [&](unsigned dim) { return type.getDimSize(dim) != 1; };
  AffineMap map = op.getMap(operandIndex);
  int64_t bits = type.getElementTypeBitWidth();
  int64_t known = 0;
  std::optional<unsigned> contiguous = getContiguousDim(type);
  if (auto memref = dyn_cast<MemRefType>(type);
      memref && !memref.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return known;
    for (auto [i, stride] : llvm::enumerate(strides))
      if (i != contiguous && matters(i) && !ShapedType::isDynamic(stride))
        known = std::gcd(known, stride * bits / 8);
    return known;
  }
  // Dense: the pitch is the extent of the last dimension, from which every
  // outer stride is a multiple.
  if (llvm::none_of(llvm::seq<unsigned>(0, type.getRank() - 1), matters))
    return known;
  int64_t extent = type.getDimSize(type.getRank() - 1);
  if (ShapedType::isDynamic(extent)) {
    int64_t divisor =
        op.getDivisor(decomposeMapResult(map.getResults().back())->dim);
    if (divisor != 1)
      known = std::gcd(known, divisor * bits / 8);
    return known;
  }
  return std::gcd(known, extent * bits / 8);
}

/// Product of the extents of the batch dimensions that `includes` names, or
/// kDynamic.
static int64_t getBatch(GemmOp op, function_ref<bool(unsigned)> includes) {
  int64_t batch = 1;
  for (unsigned dim = 0; dim < op.getDomain().getNumBatch(); ++dim) {
    if (!includes(dim))
      continue;
    int64_t size = op.getStaticExtent(dim);
    if (ShapedType::isDynamic(size))
      return h::kDynamic;
    batch *= size;
  }
  return batch;
}

static h::Operand getProblemOperand(GemmOp op, unsigned index, Signedness sign) {
  auto type = cast<ShapedType>(op->getOperand(index).getType());
  h::Operand operand;
  operand.type = getMultipliedType(type.getElementType(), sign, op.getMath());
  GemmDomain domain = op.getDomain();
  AffineMap map = op.getMap(index);
  std::optional<unsigned> contiguous = getContiguousDim(type);
  unsigned dim = contiguous ? map.getDimPosition(*contiguous) : 0;
  if (!contiguous || dim < domain.getNumBatch())
    operand.major = h::Major::Strided;
  else
    operand.major = dim == domain.k() ? h::Major::K : h::Major::MN;
  operand.addressAlignment = getAddressAlignment(op, index);
  operand.pitchAlignment = getPitchAlignment(op, index);
  operand.matrices = getBatch(
      op, [&](unsigned batch) { return map.isFunctionOfDim(batch); });
  if (*operand.matrices == h::kDynamic)
    operand.matrices = std::nullopt;
  return operand;
}

static h::EpilogueCost getEpilogueCostOf(GemmOp op) {
  h::EpilogueCost cost;
  for (Operation &nested : op.getBody()->without_terminator()) {
    EpilogueCost own = cast<EpilogueOpInterface>(nested).getEpilogueCost();
    cost.flopsPerElement += own.flops + own.transcendentals;
    cost.transcendental |= own.transcendentals > 0;
  }
  GemmDomain domain = op.getDomain();
  for (const GemmInput &aux : op.getGemmOperands().aux)
    if (aux.map.isFunctionOfDim(domain.m()) &&
        aux.map.isFunctionOfDim(domain.n()))
      cost.auxBytesPerElement +=
          getElementTypeOrSelf(aux.value.getType()).getIntOrFloatBitWidth() /
          8.0;
  return cost;
}

bool GemmOp::isSum(unsigned output) {
  Value value = getBody()->getTerminator()->getOperand(output);
  if (auto rounding = value.getDefiningOp<arith::TruncFOp>())
    value = rounding.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  return getCombiner(output) == Combiner::None && argument &&
         argument.getArgNumber() < getNumAccumulators();
}

h::Problem GemmOp::getProblem() {
  GemmDomain domain = getDomain();
  auto extent = [&](unsigned dim) {
    int64_t size = getStaticExtent(dim);
    return ShapedType::isDynamic(size) ? h::kDynamic : size;
  };
  h::Problem problem;
  problem.m = extent(domain.m());
  problem.n = extent(domain.n());
  problem.k = extent(domain.k());
  problem.batch = getBatch(*this, [](unsigned) { return true; });
  problem.a = getProblemOperand(*this, 0, getASignedness());
  problem.b = getProblemOperand(*this, 1, getBSignedness());
  problem.accumulator = lookupDataType(getAccumulatorType());
  problem.productsPerStep = getMath() == MathMode::TF32x3 ? 3 : 1;
  problem.transformsOperands = !getZeros().empty() ||
                               getMath() == MathMode::BF16 ||
                               getMath() == MathMode::F16;
  problem.accumulators = getNumAccumulators();
  unsigned firstOut = getNumOperands() - getOuts().size();
  for (auto [i, out] : llvm::enumerate(getOuts())) {
    if (getCombiner(i) != Combiner::None) {
      ++problem.reductions;
      continue;
    }
    h::Output output;
    output.type = lookupDataType(getElementTypeOrSelf(out.getType()));
    output.addressAlignment = getAddressAlignment(*this, firstOut + i);
    output.pitchAlignment = getPitchAlignment(*this, firstOut + i);
    problem.outputs.push_back(output);
  }
  for (const GemmScale &scale : getGemmOperands().scales)
    problem.blockScaled |= scale.map.isFunctionOfDim(domain.k());
  problem.promote = getPromote();
  problem.epilogue = getEpilogueCostOf(*this);
  // Parts of k are a batch dimension more.
  problem.roundsSums = domain.getNumBatch() < GemmDomain::kMaxBatch &&
                       llvm::all_of(llvm::seq<unsigned>(0, getOuts().size()),
                                    [&](unsigned i) { return isSum(i); });
  problem.deterministic = getDeterministic();
  problem.batchInvariant = getBatchInvariant();
  problem.smBudget = getSmBudget();
  return problem;
}
