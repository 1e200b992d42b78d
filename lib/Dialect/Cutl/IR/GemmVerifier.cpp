//===- GemmVerifier.cpp - Constraints C1 to C16 of cutl.gemm -------------===//
//
// The numbers are those of the op's description; each has its tests in
// test/Dialect/Cutl/invalid.mlir under the same label. What speaks of the region
// is in GemmRegionVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/MapSyntax.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// Checks one op. Each member is one or two constraints of the description,
/// and later ones rely on earlier ones having held.
class GemmVerifier {
public:
  explicit GemmVerifier(GemmOp op) : op(op) {}

  LogicalResult verify();

private:
  LogicalResult verifyForms();
  LogicalResult verifyMapsExist();
  LogicalResult verifyMapResults();
  LogicalResult verifyMapDims();
  LogicalResult verifyOutputs();
  LogicalResult verifyExtents();
  LogicalResult verifyScales(StringRef what, ArrayRef<int64_t> targets,
                             unsigned firstOperand);
  LogicalResult verifySplitRows(unsigned index, int64_t target);
  LogicalResult verifySplit();
  LogicalResult verifyCompute();
  LogicalResult verifyPromises();
  LogicalResult verifyExecution();
  LogicalResult verifyLayouts();

  /// Index of the first operand of each clause.
  unsigned firstScale() { return 1 + op.getBs().size(); }
  unsigned firstZero() { return firstScale() + op.getScales().size(); }
  unsigned firstAux() { return firstZero() + op.getZeros().size(); }
  unsigned firstOut() { return firstAux() + op.getAux().size(); }
  bool isScaleOrZero(unsigned i) { return i >= firstScale() && i < firstAux(); }

  /// Extents of an operand; empty for a number.
  ArrayRef<int64_t> shape(unsigned i) {
    auto type = dyn_cast<ShapedType>(op->getOperand(i).getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  }
  std::string name(unsigned i) { return op.getOperandName(i); }
  /// The map of an operand as the op's own syntax spells it.
  std::string mapText(unsigned i) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printNamedMap(os, op.getMap(i), domain.getNames());
    return text;
  }
  llvm::SmallBitVector dimsOf(AffineMap map) {
    llvm::SmallBitVector dims(map.getNumDims());
    for (AffineExpr expr : map.getResults())
      dims.set(decomposeMapResult(expr)->dim);
    return dims;
  }

  GemmOp op;
  GemmDomain domain = GemmDomain(0);
};

} // namespace

/// C10, and the parts of C1 that the others rely on: all operands are tensors,
/// or all are memrefs; results follow.
LogicalResult GemmVerifier::verifyForms() {
  if (unsigned size = op.getODSOperandIndexAndLength(0).second; size != 1)
    return op.emitOpError("expected exactly one a, got ") << size;
  if (op.getBs().empty())
    return op.emitOpError("expected at least one b");
  if (op.getOuts().empty())
    return op.emitOpError("expected at least one output");
  bool tensors = op.hasTensorForm();
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Type type = operand.getType();
    if (isa<ShapedType>(type) && isa<RankedTensorType>(type) != tensors)
      return op.emitOpError("expected operands to be all tensors or all "
                            "memrefs, but a is ")
             << op.getA().getType() << " and " << name(i) << " is " << type;
  }
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        type && type.getEncoding())
      return op.emitOpError("expected ")
             << name(i) << " to have no encoding, which bufferization would "
             << "drop, got " << type << "; layout is the operand's map";
  unsigned expected = tensors ? op.getOuts().size() : 0;
  if (op.getNumResults() != expected)
    return op.emitOpError("expected ")
           << expected << " result(s) for " << op.getOuts().size()
           << (tensors ? " tensor" : " memref") << " output(s), got "
           << op.getNumResults();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (result.getType() != op.getOuts()[i].getType())
      return op.emitOpError("expected result ")
             << i << " to have the type of outs[" << i << "], "
             << op.getOuts()[i].getType() << ", got " << result.getType();
  return success();
}

/// C1: one map per operand over one domain.
LogicalResult GemmVerifier::verifyMapsExist() {
  size_t numMaps = op.getIndexingMaps().size();
  if (numMaps != op.getNumOperands())
    return op.emitOpError("expected one indexing map per operand, got ")
           << numMaps << " for " << op.getNumOperands() << " operands";
  if (op.getCombiners().size() != op.getOuts().size())
    return op.emitOpError("expected one combiner per output, got ")
           << op.getCombiners().size() << " for " << op.getOuts().size()
           << " outputs";
  for (auto [targets, operands, what] :
       {std::tuple(op.getScaleTargets(), op.getScales(), "scale"),
        std::tuple(op.getZeroTargets(), op.getZeros(), "zero")})
    if (targets.size() != operands.size())
      return op.emitOpError("expected one target per ")
             << what << ", got " << targets.size() << " for "
             << operands.size();
  unsigned numDims = op.getMap(0u).getNumDims();
  for (unsigned i = 0; i < numMaps; ++i) {
    AffineMap map = op.getMap(i);
    if (map.getNumDims() < 3)
      return op.emitOpError("expected the map of ")
             << name(i) << " to be over (m, n, k) at least, got "
             << map.getNumDims() << " dimension(s)";
    if (map.getNumDims() != numDims)
      return op.emitOpError("expected all maps to be over one domain, but that "
                            "of a has ")
             << numDims << " dimensions and that of " << name(i) << " has "
             << map.getNumDims();
    if (map.getNumSymbols() != 0)
      return op.emitOpError("expected the map of ")
             << name(i) << " to have no symbols, got " << map.getNumSymbols();
  }
  domain = op.getDomain();
  if (domain.getNumBatch() > GemmDomain::kMaxBatch)
    return op.emitOpError("expected at most ")
           << GemmDomain::kMaxBatch << " batch dimensions, got "
           << domain.getNumBatch();
  for (unsigned dim = 0; dim < domain.getNumBatch(); ++dim) {
    bool isUsed = false;
    for (unsigned i = 0; i < numMaps; ++i)
      isUsed |= op.getMap(i).isFunctionOfDim(dim);
    if (!isUsed)
      return op.emitOpError("expected some operand to have dimension '")
             << domain.getName(dim) << "', which gives it its extent";
  }
  return success();
}

/// C2: form and number of map results.
LogicalResult GemmVerifier::verifyMapResults() {
  for (unsigned i = 0, e = op.getNumOperands(); i < e; ++i) {
    AffineMap map = op.getMap(i);
    size_t rank = shape(i).size();
    if (map.getNumResults() != rank)
      return op.emitOpError("expected the map of ")
             << name(i) << " to have as many results as the operand has "
             << "dimensions, got " << map.getNumResults() << " for rank "
             << rank;
    llvm::SmallBitVector seen(domain.getRank());
    for (AffineExpr expr : map.getResults()) {
      std::optional<GemmMapResult> result = decomposeMapResult(expr);
      if (!result || (result->divisor != 1 && !isScaleOrZero(i)))
        return op.emitOpError("expected the results of the map of ")
               << name(i) << " to be dimensions"
               << (isScaleOrZero(i) ? " or 'd floordiv c'" : "") << ", got "
               << AffineMapAttr::get(map);
      if (seen.test(result->dim))
        return op.emitOpError("expected each dimension at most once in the "
                              "map of ")
               << name(i) << ", but '" << domain.getName(result->dim)
               << "' occurs twice";
      seen.set(result->dim);
    }
  }
  return success();
}

/// C3 and C4: which dimensions each kind of operand uses.
LogicalResult GemmVerifier::verifyMapDims() {
  auto require = [&](unsigned i, ArrayRef<unsigned> needed,
                     ArrayRef<unsigned> banned) -> LogicalResult {
    llvm::SmallBitVector dims = dimsOf(op.getMap(i));
    for (unsigned dim : needed)
      if (!dims.test(dim))
        return op.emitOpError("expected the map of ")
               << name(i) << " to use '" << domain.getName(dim) << "', got "
               << mapText(i);
    for (unsigned dim : banned)
      if (dims.test(dim))
        return op.emitOpError("expected the map of ")
               << name(i) << " not to use '" << domain.getName(dim)
               << "', got " << mapText(i);
    return success();
  };
  unsigned m = domain.m(), n = domain.n(), k = domain.k();
  if (failed(require(0, {m, k}, {n})))
    return failure();
  for (unsigned i = 1; i < firstScale(); ++i)
    if (failed(require(i, {n, k}, {m})))
      return failure();
  for (unsigned i = firstAux(), e = op.getNumOperands(); i < e; ++i)
    if (failed(require(i, {}, {k})))
      return failure();
  return success();
}

/// C5: an output is whole, or a reduction with a combiner.
LogicalResult GemmVerifier::verifyOutputs() {
  for (auto [i, attr] : llvm::enumerate(op.getCombiners())) {
    Combiner combiner = cast<CombinerAttr>(attr).getValue();
    AffineMap map = op.getMap(firstOut() + i);
    llvm::SmallBitVector dims = dimsOf(map);
    dims.set(domain.k());
    if (dims.all() && combiner != Combiner::None)
      return op.emitOpError("expected no combiner on outs[")
             << i << "], whose map drops no dimension, got "
             << stringifyCombiner(combiner);
    if (!dims.all() && combiner == Combiner::None) {
      dims.flip();
      return op.emitOpError("expected a combiner (add, max, min, amax) on "
                            "outs[")
             << i << "], whose map drops '"
             << domain.getName(dims.find_first()) << "'";
    }
    Type element = getElementTypeOrSelf(op.getOuts()[i].getType());
    if (combiner != Combiner::None && isa<FloatType>(element) &&
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
      return op.emitOpError("expected outs[")
             << i << "], which is reduced, to have elements of f16, bf16, "
             << "f32, f64 or an integer type, got " << element;
  }
  return success();
}

/// C6: equal static extents.
LogicalResult GemmVerifier::verifyExtents() {
  struct Extent {
    int64_t size = ShapedType::kDynamic;
    unsigned operand = 0;
  };
  SmallVector<Extent> extents(domain.getRank());
  bool isSplit = op.getSplit() != Split::None;
  auto check = [&](unsigned i) -> LogicalResult {
    for (auto [expr, size] :
         llvm::zip_equal(op.getMap(i).getResults(), shape(i))) {
      if (ShapedType::isDynamic(size))
        continue;
      GemmMapResult result = *decomposeMapResult(expr);
      Extent &extent = extents[result.dim];
      // Only B and its scales use 'n' before the epilogue (C3, C12).
      bool isSplitRows =
          isSplit && result.dim == domain.n() && i >= 1 && i < firstAux();
      std::string dimName = domain.getName(result.dim);
      if (isScaleOrZero(i)) {
        if (ShapedType::isDynamic(extent.size))
          continue;
        int64_t whole = extent.size * (isSplitRows ? 2 : 1);
        int64_t expected = llvm::divideCeil(whole, result.divisor);
        if (size != expected)
          return op.emitOpError("expected ")
                 << name(i) << " to have " << expected << " entries along '"
                 << dimName << "' (extent " << whole << " in steps of "
                 << result.divisor << "), got " << size;
        continue;
      }
      int64_t own = isSplitRows ? size / 2 : size;
      if (ShapedType::isDynamic(extent.size)) {
        extent = {own, i};
        continue;
      }
      if (extent.size != own)
        return op.emitOpError("expected equal extents of '")
               << dimName << "', but " << name(extent.operand) << " has "
               << extent.size << " and " << name(i) << " has " << own;
    }
    return success();
  };
  // Scales last: they are measured against the others.
  for (unsigned i = 0, e = op.getNumOperands(); i < e; ++i)
    if (!isScaleOrZero(i) && failed(check(i)))
      return failure();
  for (unsigned i = firstScale(); i < firstAux(); ++i)
    if (failed(check(i)))
      return failure();
  return success();
}

/// C12: targets and maps of scales or zeros.
LogicalResult GemmVerifier::verifyScales(StringRef what,
                                         ArrayRef<int64_t> targets,
                                         unsigned firstOperand) {
  llvm::SmallBitVector seen(firstScale());
  for (auto [i, target] : llvm::enumerate(targets)) {
    unsigned index = firstOperand + i;
    if (target < 0 || target >= int64_t(firstScale()))
      return op.emitOpError("expected ")
             << name(index) << " to name a or one of " << op.getBs().size()
             << " b, got b[" << target - 1 << "]";
    if (seen.test(target))
      return op.emitOpError("expected at most one ")
             << what << " per operand, but " << name(target) << " has two";
    seen.set(target);
    llvm::SmallBitVector dims = dimsOf(op.getMap(index));
    dims.reset(dimsOf(op.getMap(target)));
    if (dims.any())
      return op.emitOpError("expected the map of ")
             << name(index) << " to use only dimensions of " << name(target)
             << ", but it uses '" << domain.getName(dims.find_first()) << "'";
    Type element = getElementTypeOrSelf(op->getOperand(index).getType());
    if (what == "scale" && !isa<FloatType>(element))
      return op.emitOpError("expected ")
             << name(index) << " to have a floating-point element type, got "
             << element;
    Type scaled = getElementTypeOrSelf(op->getOperand(target).getType());
    if (what == "zero" && isa<IntegerType>(element) && element != scaled)
      return op.emitOpError("expected ")
             << name(index) << ", an integer, to have the element type of "
             << name(target) << ", " << scaled << ", got " << element;
    if (failed(verifySplitRows(index, target)))
      return failure();
  }
  return success();
}

/// C12: the blocks of rows that a scale or zero of a split B covers lie within
/// one accumulator, or alike in both.
LogicalResult GemmVerifier::verifySplitRows(unsigned index, int64_t target) {
  if (op.getSplit() == Split::None || target == 0)
    return success();
  for (AffineExpr expr : op.getMap(index).getResults()) {
    GemmMapResult result = *decomposeMapResult(expr);
    if (result.dim != domain.n() || result.divisor == 1)
      continue;
    if (op.getSplit() == Split::Interleaved && result.divisor % 2 != 0)
      return op.emitOpError("expected ")
             << name(index) << " to cover an even number of rows with "
             << "split(interleaved), got " << result.divisor;
    int64_t extent = op.getStaticExtent(domain.n());
    if (op.getSplit() == Split::Halves && extent != 0 &&
        op.getDivisor(domain.n()) % result.divisor != 0) {
      InFlightDiagnostic diag =
          op.emitOpError("expected 'n' to be divisible by the ")
          << result.divisor << " rows that " << name(index)
          << " covers with split(halves), got ";
      if (ShapedType::isDynamic(extent))
        return diag << "a dynamic extent; promise 'n divisible_by "
                    << result.divisor << "' if it is";
      return diag << extent;
    }
  }
  return success();
}

/// C11.
LogicalResult GemmVerifier::verifySplit() {
  if (op.getSplit() == Split::None)
    return success();
  if (op.getBs().size() != 1)
    return op.emitOpError("expected exactly one b with split(")
           << stringifySplit(op.getSplit()) << "), got " << op.getBs().size();
  AffineExpr n = getAffineDimExpr(domain.n(), op.getContext());
  int64_t rows = shape(1)[*op.getMap(1u).getResultPosition(n)];
  if (!ShapedType::isDynamic(rows) && rows % 2 != 0)
    return op.emitOpError("expected a split b to have an even extent of 'n', "
                          "got ")
           << rows;
  return success();
}

/// C14 and the part of C7 that needs no region.
LogicalResult GemmVerifier::verifyCompute() {
  Type a = getElementTypeOrSelf(op.getA().getType());
  Type b = getElementTypeOrSelf(op.getBs().front().getType());
  for (unsigned i = 2; i < firstScale(); ++i) {
    Type other = getElementTypeOrSelf(op->getOperand(i).getType());
    if (other != b)
      return op.emitOpError("expected all b to have one element type, but ")
             << name(1) << " has " << b << " and " << name(i) << " has "
             << other;
  }
  if (op.getASignedness() == Signedness::Unsigned && !isa<IntegerType>(a))
    return op.emitOpError("expected a to be an integer operand with "
                          "'a = unsigned', got ")
           << a;
  if (op.getBSignedness() == Signedness::Unsigned && !isa<IntegerType>(b))
    return op.emitOpError("expected b to be an integer operand with "
                          "'b = unsigned', got ")
           << b;
  if (op.getMath() != MathMode::Exact && !(a.isF32() && b.isF32()))
    return op.emitOpError("expected f32 operands with 'math = ")
           << stringifyMathMode(op.getMath()) << "', got " << a << " and " << b;
  if (op.getMath() != MathMode::Exact && !op.getZeros().empty())
    return op.emitOpError("expected no zeros with 'math = ")
           << stringifyMathMode(op.getMath()) << "', got "
           << op.getZeros().size();
  if (op.getPromote()) {
    auto isF8 = [](Type type) {
      return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
    };
    if (!isF8(a) || !isF8(b))
      return op.emitOpError("expected 8-bit floating-point operands with "
                            "'promote', got ")
             << a << " and " << b;
    if (int64_t interval = *op.getPromote(); interval < 1)
      return op.emitOpError("expected a positive promotion interval, got ")
             << interval;
  }
  return success();
}

/// C15.
LogicalResult GemmVerifier::verifyPromises() {
  if (std::optional<ArrayRef<int64_t>> divisors = op.getDimDivisors()) {
    if (divisors->size() != domain.getRank())
      return op.emitOpError("expected one promised divisor per dimension (")
             << domain.getRank() << "), got " << divisors->size();
    if (llvm::all_of(*divisors, [](int64_t d) { return d == 1; }))
      return op.emitOpError("expected at least one promised divisor other "
                            "than 1");
    for (auto [dim, divisor] : llvm::enumerate(*divisors)) {
      if (divisor < 1)
        return op.emitOpError("expected the promised divisor of '")
               << domain.getName(dim) << "' to be at least 1, got " << divisor;
      int64_t extent = op.getStaticExtent(dim);
      if (!ShapedType::isDynamic(extent) && extent % divisor != 0)
        return op.emitOpError("expected the extent of '")
               << domain.getName(dim) << "' to be divisible by the promised "
               << divisor << ", got " << extent;
    }
  }
  if (std::optional<ArrayRef<int64_t>> alignments = op.getOperandAlignments()) {
    if (alignments->size() != op.getNumOperands())
      return op.emitOpError("expected one promised alignment per operand (")
             << op.getNumOperands() << "), got " << alignments->size();
    if (llvm::all_of(*alignments, [](int64_t bytes) { return bytes == 0; }))
      return op.emitOpError("expected at least one promised alignment other "
                            "than 0");
    for (auto [i, bytes] : llvm::enumerate(*alignments)) {
      if (bytes == 0)
        continue;
      if (!isa<ShapedType>(op->getOperand(i).getType()))
        return op.emitOpError("expected no promised alignment of ")
               << name(i) << ", a number passed by value, got " << bytes;
      int64_t width = llvm::divideCeil(
          getElementTypeOrSelf(op->getOperand(i).getType())
              .getIntOrFloatBitWidth(),
          8);
      if (bytes < width || !llvm::isPowerOf2_64(bytes))
        return op.emitOpError("expected the promised alignment of ")
               << name(i) << " to be a power of two of at least " << width
               << " bytes, got " << bytes
               << "; nearest is "
               << std::max<int64_t>(width,
                                    llvm::bit_floor<uint64_t>(
                                        std::max<int64_t>(bytes, 1)));
    }
  }
  return success();
}

/// C17 and C18.
LogicalResult GemmVerifier::verifyExecution() {
  if (std::optional<int64_t> budget = op.getSmBudget(); budget && *budget < 1)
    return op.emitOpError("expected sm_budget to be at least 1, got ")
           << *budget << "; nearest legal value is 1";
  if (op.getBatchInvariant() && !op.getDeterministic())
    return op.emitOpError("expected deterministic sums with batch_invariant, "
                          "got deterministic = false; nearest legal value is "
                          "true");
  // C18.
  if (op.getVariantsAttr() && !op.getConfigAttr())
    return op.emitOpError("expected a config for the calls that no variant "
                          "serves");
  return success();
}

/// C16: strided layouts, and outputs whose elements have a place each.
LogicalResult GemmVerifier::verifyLayouts() {
  for (unsigned i = 0, e = op.getNumOperands(); i < e; ++i) {
    auto type = dyn_cast<MemRefType>(op->getOperand(i).getType());
    if (!type)
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return op.emitOpError("expected ")
             << name(i) << " to have a strided layout, got " << type;
    if (i < firstOut() || llvm::is_contained(type.getShape(), 0))
      continue;
    // In order of strides, each has to reach beyond all elements so far.
    SmallVector<std::pair<int64_t, int64_t>> known;
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
      if (stride == 0 && size != 1)
        return op.emitOpError("expected ")
               << name(i) << " to have no stride 0 along an extent above 1, "
               << "got " << type << ": its elements would overlap";
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(stride) &&
          size != 1)
        known.push_back({std::abs(stride), size});
    }
    llvm::sort(known);
    int64_t reach = 0;
    for (auto [stride, size] : known) {
      if (stride <= reach)
        return op.emitOpError("expected ")
               << name(i) << " to have a place for each element, got " << type
               << ": strides up to " << stride << " overlap";
      reach += stride * (size - 1);
    }
  }
  return success();
}

LogicalResult GemmVerifier::verify() {
  if (failed(verifyForms()) || failed(verifyMapsExist()) ||
      failed(verifyMapResults()) || failed(verifyMapDims()) ||
      failed(verifyOutputs()) || failed(verifySplit()) ||
      failed(verifyPromises()) ||
      failed(verifyScales("scale", op.getScaleTargets(), firstScale())) ||
      failed(verifyScales("zero", op.getZeroTargets(), firstZero())) ||
      failed(verifyExtents()) || failed(verifyCompute()) ||
      failed(verifyExecution()) || failed(verifyLayouts()))
    return failure();
  return success();
}

LogicalResult GemmOp::verify() { return GemmVerifier(*this).verify(); }
