//===- GemmReference.cpp - The value a gemm should have ------------------===//

#include "cutl/Reference/GemmReference.h"
#include "EpilogueProgram.h"
#include "GemmOperand.h"
#include "ReducedOutput.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// Sums over one pair of rows.
struct DotProduct {
  double value = 0.0, magnitude = 0.0, error = 0.0;
};

class GemmEvaluator {
public:
  GemmEvaluator(GemmOp op, const ReferenceOptions &options)
      : op(op), options(options), domain(op.getDomain()),
        accumulator(op.getAccumulatorType()) {}

  LogicalResult initialize(ArrayRef<ReferenceArray> operands);
  SmallVector<ReferenceOutput, 2> run();

private:
  struct Output {
    Type type;
    SmallVector<unsigned, 4> dims;
    SmallVector<int64_t, 4> sizes;
    Combiner combiner;
    /// Of the elements that are evaluated, by row-major number.
    llvm::DenseMap<int64_t, Reduction> reductions{};
    std::vector<std::pair<int64_t, RefValue>> values = {};

    int64_t getIndex(ArrayRef<int64_t> point) const {
      int64_t index = 0;
      for (auto [dim, size] : llvm::zip_equal(dims, sizes))
        index = index * size + point[dim];
      return index;
    }
  };

  LogicalResult bindExtents(ArrayRef<ReferenceArray> operands);
  LogicalResult addFactors(ArrayRef<ReferenceArray> operands);
  FloatType getInputRounding(Type elementType);

  bool isWhole();
  void chooseSample(std::vector<int64_t> &points);
  void addSlice(Output &output, int64_t index, std::vector<int64_t> &points);
  void decompose(int64_t number, SmallVectorImpl<int64_t> &point) const;
  int64_t compose(ArrayRef<int64_t> point) const;

  void evaluatePoint(ArrayRef<int64_t> point);
  const OperandRow &getRowOfA(ArrayRef<int64_t> point);
  void decodeRowsOfB(ArrayRef<int64_t> point);
  RefValue getAccumulator(const DotProduct &dot, unsigned numRoundings);

  GemmOp op;
  const ReferenceOptions &options;
  GemmDomain domain;
  Type accumulator;
  SmallVector<int64_t, 6> extents;
  std::vector<FactorOperand> factors;
  std::vector<MappedArray> aux;
  std::vector<Output> outputs;
  std::optional<EpilogueProgram> epilogue;

  /// Rows of A by the number of their point with n = 0; emptied when it holds
  /// too much.
  llvm::DenseMap<int64_t, OperandRow> rowsOfA;
  /// The rows of B that the accumulators use, for the last point's batch
  /// indices and n.
  std::vector<OperandRow> rowsOfB;
  SmallVector<int64_t, 6> pointOfB;
};

} // namespace

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

LogicalResult GemmEvaluator::bindExtents(ArrayRef<ReferenceArray> operands) {
  extents.assign(domain.getRank(), -1);
  SmallVector<unsigned, 6> definedBy(domain.getRank(), 0);
  unsigned firstScale = 1 + op.getBs().size();
  unsigned firstAux = firstScale + op.getScales().size() + op.getZeros().size();
  // Scales and zero points last: they are measured against the others.
  for (bool ofScales : {false, true}) {
    for (auto [i, array] : llvm::enumerate(operands)) {
      if ((i >= firstScale && i < firstAux) != ofScales)
        continue;
      AffineMap map = op.getMap(i);
      if (map.getNumResults() != array.host.sizes.size())
        return op.emitError("expected an array of rank ")
               << map.getNumResults() << " for '" << op.getOperandName(i)
               << "', got rank " << array.host.sizes.size();
      for (auto [expr, size] :
           llvm::zip_equal(map.getResults(), array.host.sizes)) {
        GemmMapResult result = *decomposeMapResult(expr);
        // A split B, its scales and its zero points have the rows of two
        // accumulators.
        bool isSplitRows = op.getSplit() != Split::None &&
                           result.dim == domain.n() && i >= 1 && i < firstAux;
        int64_t factor = isSplitRows ? 2 : 1;
        int64_t &extent = extents[result.dim];
        if (extent < 0) {
          extent = size / factor;
          definedBy[result.dim] = i;
        }
        int64_t expected = llvm::divideCeil(factor * extent, result.divisor);
        if (size != expected)
          return op.emitError("expected '")
                 << op.getOperandName(i) << "' to have " << expected
                 << " elements along dimension '" << domain.getName(result.dim)
                 << "', which '" << op.getOperandName(definedBy[result.dim])
                 << "' gives the extent " << extent << ", got " << size;
      }
    }
  }
  return success();
}

FloatType GemmEvaluator::getInputRounding(Type elementType) {
  if (!elementType.isF32())
    return {};
  MLIRContext *context = elementType.getContext();
  switch (op.getMath()) {
  case MathMode::TF32:
    return FloatTF32Type::get(context);
  case MathMode::BF16:
    return BFloat16Type::get(context);
  case MathMode::F16:
    return Float16Type::get(context);
  case MathMode::Exact:
  case MathMode::TF32x3:
    return {};
  }
  llvm_unreachable("unknown math mode");
}

LogicalResult GemmEvaluator::addFactors(ArrayRef<ReferenceArray> operands) {
  unsigned numB = op.getBs().size(), next = 1 + numB;
  for (unsigned i = 0; i <= numB; ++i) {
    bool isUnsigned = (i == 0 ? op.getASignedness() : op.getBSignedness()) ==
                      Signedness::Unsigned;
    FailureOr<MappedArray> array =
        MappedArray::get(op, i, operands[i], isUnsigned);
    if (failed(array))
      return failure();
    FactorOperand factor{*array, std::nullopt, std::nullopt,
                         getInputRounding(operands[i].host.elementType)};
    factors.push_back(std::move(factor));
  }
  GemmOperands parts = op.getGemmOperands();
  auto addAll =
      [&](ArrayRef<GemmScale> scales,
          std::optional<MappedArray> FactorOperand::*member) -> LogicalResult {
    for (const GemmScale &scale : scales) {
      FactorOperand &factor = factors[scale.target];
      // A zero point is read with its operand's signedness.
      bool isUnsigned =
          (scale.target == 0 ? op.getASignedness() : op.getBSignedness()) ==
          Signedness::Unsigned;
      FailureOr<MappedArray> array =
          MappedArray::get(op, next, operands[next], isUnsigned);
      if (failed(array))
        return failure();
      factor.*member = *array;
      factor.numRoundings += isa<FloatType>(accumulator);
      ++next;
    }
    return success();
  };
  return failure(failed(addAll(parts.scales, &FactorOperand::scale)) ||
                 failed(addAll(parts.zeros, &FactorOperand::zero)));
}

LogicalResult GemmEvaluator::initialize(ArrayRef<ReferenceArray> operands) {
  if (operands.size() != op->getNumOperands())
    return op.emitError("expected ")
           << op->getNumOperands() << " arrays, got " << operands.size();
  if (failed(bindExtents(operands)) || failed(addFactors(operands)))
    return failure();
  unsigned firstOut = op->getNumOperands() - op.getOuts().size();
  for (unsigned i = firstOut - op.getAux().size(); i < firstOut; ++i) {
    FailureOr<MappedArray> array =
        MappedArray::get(op, i, operands[i], /*isUnsigned=*/false);
    if (failed(array))
      return failure();
    aux.push_back(*array);
  }
  for (auto [i, value] : llvm::enumerate(op.getOuts())) {
    Output output{
        getElementTypeOrSelf(value.getType()), {}, {}, op.getCombiner(i)};
    for (AffineExpr expr : op.getMap(firstOut + i).getResults()) {
      output.dims.push_back(decomposeMapResult(expr)->dim);
      output.sizes.push_back(extents[output.dims.back()]);
    }
    outputs.push_back(std::move(output));
  }
  FailureOr<EpilogueProgram> program = EpilogueProgram::get(*op.getBody());
  if (failed(program))
    return failure();
  epilogue = std::move(*program);
  return success();
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// Points are numbered with m fastest, so that rows of B are decoded once in
/// ascending order.
void GemmEvaluator::decompose(int64_t number,
                              SmallVectorImpl<int64_t> &point) const {
  point.assign(domain.getRank(), 0);
  point[domain.m()] = number % extents[domain.m()];
  number /= extents[domain.m()];
  point[domain.n()] = number % extents[domain.n()];
  number /= extents[domain.n()];
  for (unsigned batch = domain.getNumBatch(); batch-- > 0;
       number /= extents[batch])
    point[batch] = number % extents[batch];
}

int64_t GemmEvaluator::compose(ArrayRef<int64_t> point) const {
  int64_t number = 0;
  for (unsigned batch = 0; batch < domain.getNumBatch(); ++batch)
    number = number * extents[batch] + point[batch];
  number = number * extents[domain.n()] + point[domain.n()];
  return number * extents[domain.m()] + point[domain.m()];
}

bool GemmEvaluator::isWhole() {
  double work = op.getNumAccumulators();
  for (int64_t extent : extents)
    work *= static_cast<double>(std::max<int64_t>(extent, 1));
  return work <= options.fullWork;
}

void GemmEvaluator::addSlice(Output &output, int64_t index,
                             std::vector<int64_t> &points) {
  if (!output.reductions.try_emplace(index, output.combiner, output.type)
           .second)
    return;
  SmallVector<int64_t, 6> point(domain.getRank(), 0);
  for (size_t i = output.dims.size(); i-- > 0; index /= output.sizes[i])
    point[output.dims[i]] = index % output.sizes[i];
  SmallVector<unsigned, 4> dropped;
  int64_t count = 1;
  for (unsigned dim = 0; dim < domain.k(); ++dim) {
    if (llvm::is_contained(output.dims, dim))
      continue;
    dropped.push_back(dim);
    count *= extents[dim];
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (unsigned dim : dropped) {
      point[dim] = rest % extents[dim];
      rest /= extents[dim];
    }
    points.push_back(compose(point));
  }
}

void GemmEvaluator::chooseSample(std::vector<int64_t> &points) {
  std::mt19937_64 engine(options.seed);
  int64_t total = 1;
  for (unsigned dim = 0; dim < domain.k(); ++dim)
    total *= extents[dim];
  if (total > 0)
    for (int64_t i = 0; i < options.samples; ++i)
      points.push_back(engine() % total);
  for (Output &output : outputs) {
    if (output.combiner == Combiner::None)
      continue;
    int64_t count = 1;
    for (int64_t size : output.sizes)
      count *= size;
    if (count == 0)
      continue;
    // Whole slices, as many as the budget allows but at least one.
    int64_t slices = std::clamp<int64_t>(
        total > 0 ? options.samples / std::max<int64_t>(total / count, 1) : 1,
        1, count);
    for (int64_t i = 0; i < slices; ++i)
      addSlice(output, engine() % count, points);
  }
  llvm::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

const OperandRow &GemmEvaluator::getRowOfA(ArrayRef<int64_t> point) {
  constexpr int64_t kMaxCached = 1 << 24;
  SmallVector<int64_t, 6> rowPoint(point);
  rowPoint[domain.n()] = 0;
  int64_t number = compose(rowPoint);
  int64_t k = extents[domain.k()];
  auto found = rowsOfA.find(number);
  if (found != rowsOfA.end())
    return found->second;
  if (static_cast<int64_t>(rowsOfA.size()) * k > kMaxCached)
    rowsOfA.clear();
  OperandRow &row = rowsOfA[number];
  factors[0].decode(rowPoint, domain, k, std::nullopt, row);
  return row;
}

void GemmEvaluator::decodeRowsOfB(ArrayRef<int64_t> point) {
  SmallVector<int64_t, 6> rowPoint(point);
  rowPoint[domain.m()] = 0;
  if (rowPoint == pointOfB)
    return;
  pointOfB = rowPoint;
  rowsOfB.resize(op.getNumAccumulators());
  int64_t n = rowPoint[domain.n()];
  for (auto [i, row] : llvm::enumerate(rowsOfB)) {
    int64_t half = static_cast<int64_t>(i);
    std::optional<int64_t> splitIndex;
    if (op.getSplit() == Split::Halves)
      splitIndex = half * extents[domain.n()] + n;
    else if (op.getSplit() == Split::Interleaved)
      splitIndex = 2 * n + half;
    factors[splitIndex ? 1 : 1 + i].decode(
        rowPoint, domain, extents[domain.k()], splitIndex, row);
  }
}

/// `SumT` is wider than the accumulator whose value is to be judged.
template <typename SumT>
static DotProduct dot(const OperandRow &a, const OperandRow &b) {
  // Independent partial sums let the loop run at the speed of multiplication.
  constexpr size_t kLanes = 8;
  SumT value[kLanes] = {};
  double magnitude[kLanes] = {};
  size_t k = a.values.size(), i = 0;
  const double *av = a.values.data(), *bv = b.values.data();
  const double *am = a.magnitudes.data(), *bm = b.magnitudes.data();
  for (; i + kLanes <= k; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) {
      value[lane] += static_cast<SumT>(av[i + lane]) * bv[i + lane];
      magnitude[lane] += am[i + lane] * bm[i + lane];
    }
  for (; i < k; ++i) {
    value[0] += static_cast<SumT>(av[i]) * bv[i];
    magnitude[0] += am[i] * bm[i];
  }
  DotProduct sum;
  SumT total = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    total += value[lane];
    sum.magnitude += magnitude[lane];
  }
  sum.value = static_cast<double>(total);
  if (a.errors.empty() && b.errors.empty())
    return sum;
  for (i = 0; i < k; ++i) {
    double ea = a.errors.empty() ? 0.0 : a.errors[i];
    double eb = b.errors.empty() ? 0.0 : b.errors[i];
    sum.error += std::fabs(av[i]) * eb + ea * std::fabs(bv[i]) + ea * eb;
  }
  if (std::isnan(sum.error))
    sum.error = kUnbounded;
  return sum;
}

/// An integer sum in the range of its type: clamped, or wrapped.
static double toRange(double value, unsigned width, bool saturate) {
  double limit = std::ldexp(1.0, width - 1);
  if (saturate)
    return std::clamp(value, -limit, limit - 1.0);
  double range = 2.0 * limit;
  double wrapped = value - range * std::floor(value / range);
  return wrapped >= limit ? wrapped - range : wrapped;
}

RefValue GemmEvaluator::getAccumulator(const DotProduct &sum,
                                       unsigned numRoundings) {
  auto floatType = dyn_cast<FloatType>(accumulator);
  if (!floatType) {
    double value = toRange(sum.value, accumulator.getIntOrFloatBitWidth(),
                           op.getSaturate());
    bool isKnown =
        sum.magnitude <= 0x1p53 && (sum.error == 0.0 || value == sum.value);
    return {value, isKnown ? sum.error : kUnbounded};
  }
  if (sum.error == kUnbounded || std::isnan(sum.value))
    return {sum.value, sum.error};
  // Partial sums may leave the accumulator's range although the whole does not.
  if (std::isinf(roundToNearest(floatType, sum.magnitude))) {
    bool inputsInfinite = std::isinf(sum.value);
    return {sum.value, inputsInfinite ? 0.0 : kUnbounded};
  }
  double factor = kAccumulationFactor *
                      std::sqrt(static_cast<double>(extents[domain.k()])) +
                  numRoundings;
  double bound =
      sum.error + factor * getUnitRoundoff(floatType) * sum.magnitude;
  if (op.getMath() == MathMode::TF32x3)
    bound += 3.0 * 0x1p-22 * sum.magnitude;
  // Products below the normal range lose their last places.
  if (sum.magnitude > 0.0)
    bound +=
        static_cast<double>(extents[domain.k()]) * getHalfUlp(floatType, 0.0);
  return {sum.value, bound};
}

void GemmEvaluator::evaluatePoint(ArrayRef<int64_t> point) {
  decodeRowsOfB(point);
  const OperandRow &a = getRowOfA(point);
  SmallVector<RefValue, 8> arguments, results;
  for (auto [i, b] : llvm::enumerate(rowsOfB)) {
    const FactorOperand &factor =
        factors[op.getSplit() == Split::None ? 1 + i : 1];
    DotProduct sum =
        accumulator.isF64() ? dot<long double>(a, b) : dot<double>(a, b);
    arguments.push_back(getAccumulator(sum, factors[0].numRoundings +
                                                factor.numRoundings));
  }
  for (const MappedArray &array : aux)
    arguments.push_back(array.read(point));
  epilogue->run(arguments, results);
  for (auto [output, value] : llvm::zip_equal(outputs, results)) {
    int64_t index = output.getIndex(point);
    if (output.combiner == Combiner::None) {
      output.values.push_back({index, value});
      continue;
    }
    auto found = output.reductions.find(index);
    if (found != output.reductions.end())
      found->second.add(value);
  }
}

SmallVector<ReferenceOutput, 2> GemmEvaluator::run() {
  SmallVector<int64_t, 6> point;
  bool whole = isWhole();
  if (whole) {
    int64_t total = 1;
    for (unsigned dim = 0; dim < domain.k(); ++dim)
      total *= extents[dim];
    for (Output &output : outputs) {
      int64_t count = output.combiner == Combiner::None ? 0 : 1;
      for (int64_t size : output.sizes)
        count *= size;
      for (int64_t i = 0; i < count; ++i)
        output.reductions.try_emplace(i, output.combiner, output.type);
    }
    for (int64_t number = 0; number < total; ++number) {
      decompose(number, point);
      evaluatePoint(point);
    }
  } else {
    std::vector<int64_t> points;
    chooseSample(points);
    for (int64_t number : points) {
      decompose(number, point);
      evaluatePoint(point);
    }
  }
  SmallVector<ReferenceOutput, 2> references;
  for (Output &output : outputs) {
    for (auto &[index, reduction] : output.reductions)
      output.values.push_back({index, reduction.finish()});
    llvm::sort(output.values, llvm::less_first());
    ReferenceOutput &reference = references.emplace_back();
    reference.elementType = output.type;
    reference.sizes = output.sizes;
    for (auto &[index, value] : output.values) {
      if (!whole)
        reference.indices.push_back(index);
      reference.values.push_back(value);
    }
  }
  return references;
}

FailureOr<SmallVector<ReferenceOutput, 2>>
mlir::cutl::evaluateGemm(GemmOp op, ArrayRef<ReferenceArray> operands,
                         const ReferenceOptions &options) {
  GemmEvaluator evaluator(op, options);
  if (failed(evaluator.initialize(operands)))
    return failure();
  return evaluator.run();
}
