//===- GemmProblem.cpp - A gemm as the heuristics see it -----------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace mlir::cutl;
namespace h = ::cutl::heuristics;
namespace ti = ::cutl::targetinfo;

/// The type that is multiplied: the operand's own, or what the math mode rounds
/// it to.
static const ti::DataType *getMultipliedType(Type element, Signedness sign,
                                             MathMode math) {
  switch (math) {
  case MathMode::Exact:
    return lookupDataType(element, sign);
  case MathMode::TF32:
  case MathMode::TF32x3:
    return ti::lookupDataType("tf32");
  case MathMode::BF16:
    return ti::lookupDataType("bf16");
  case MathMode::F16:
    return ti::lookupDataType("f16");
  }
  return nullptr;
}

/// Position of the contiguous dimension: the one of stride 1 where a memref
/// says so, otherwise the last.
static unsigned getContiguousDim(ShapedType type) {
  unsigned last = type.getRank() - 1;
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memref || failed(memref.getStridesAndOffset(strides, offset)) ||
      strides[last] == 1)
    return last;
  const auto *it = llvm::find(strides, 1);
  return it == strides.end() ? last : it - strides.begin();
}

/// Bytes known to divide the address and every stride but the contiguous one;
/// 0 if nothing is known.
static int64_t getKnownAlignment(GemmOp op, unsigned operandIndex) {
  auto type = cast<ShapedType>(op->getOperand(operandIndex).getType());
  if (type.getRank() == 0)
    return 0;
  AffineMap map = op.getMap(operandIndex);
  int64_t bits = type.getElementTypeBitWidth();
  int64_t known = 0;
  if (std::optional<ArrayRef<int64_t>> promised = op.getOperandAlignments())
    known = (*promised)[operandIndex];
  unsigned contiguous = getContiguousDim(type);
  if (auto memref = dyn_cast<MemRefType>(type);
      memref && !memref.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return known;
    for (auto [i, stride] : llvm::enumerate(strides))
      if (i != contiguous && !ShapedType::isDynamic(stride))
        known = std::gcd(known, stride * bits / 8);
    return known;
  }
  // Dense: the pitch is the extent of the last dimension, from which every
  // outer stride is a multiple.
  if (type.getRank() == 1)
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

static h::Operand getProblemOperand(GemmOp op, unsigned index, Signedness sign) {
  auto type = cast<ShapedType>(op->getOperand(index).getType());
  h::Operand operand;
  operand.type = getMultipliedType(type.getElementType(), sign, op.getMath());
  AffineExpr k = getAffineDimExpr(op.getDomain().k(), op.getContext());
  bool isKMajor = op.getMap(index).getResult(getContiguousDim(type)) == k;
  operand.major = isKMajor ? h::Major::K : h::Major::MN;
  operand.alignment = getKnownAlignment(op, index);
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
  for (unsigned dim = 0; dim < domain.getNumBatch(); ++dim) {
    int64_t size = extent(dim);
    if (size == h::kDynamic || problem.batch == h::kDynamic)
      problem.batch = h::kDynamic;
    else
      problem.batch *= size;
  }
  problem.a = getProblemOperand(*this, 0, getASignedness());
  problem.b = getProblemOperand(*this, 1, getBSignedness());
  problem.accumulator = lookupDataType(getAccumulatorType());
  problem.accumulators = getNumAccumulators();
  unsigned firstOut = getNumOperands() - getOuts().size();
  for (auto [i, out] : llvm::enumerate(getOuts())) {
    if (getCombiner(i) != Combiner::None)
      continue;
    h::Output output;
    output.type = lookupDataType(getElementTypeOrSelf(out.getType()));
    output.alignment = getKnownAlignment(*this, firstOut + i);
    problem.outputs.push_back(output);
  }
  for (const GemmScale &scale : getGemmOperands().scales)
    problem.blockScaled |= scale.map.isFunctionOfDim(domain.k());
  problem.epilogue = getEpilogueCostOf(*this);
  return problem;
}
