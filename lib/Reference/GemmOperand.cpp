//===- GemmOperand.cpp - Operands of a gemm as the reference reads them
//----===//

#include "GemmOperand.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

FailureOr<MappedArray> MappedArray::get(GemmOp op, unsigned operandIndex,
                                        const ReferenceArray &array,
                                        bool isUnsigned) {
  AffineMap map = op.getMap(operandIndex);
  if (map.getNumResults() != array.host.sizes.size())
    return op.emitError("expected an array of rank ")
           << map.getNumResults() << " for '" << op.getOperandName(operandIndex)
           << "', got rank " << array.host.sizes.size();
  MappedArray mapped;
  mapped.data = array.host.data;
  mapped.values = array.values;
  mapped.reader = ElementReader::get(array.host.elementType, isUnsigned);
  if (!mapped.reader)
    return op.emitError("expected '")
           << op.getOperandName(operandIndex)
           << "' to have elements of whole bytes, got "
           << array.host.elementType;
  for (auto [expr, stride] :
       llvm::zip_equal(map.getResults(), array.host.strides))
    mapped.terms.push_back({*decomposeMapResult(expr), stride});
  return mapped;
}

RefValue MappedArray::readOffset(int64_t offset) const {
  return values ? (*values)[offset] : RefValue{reader->read(data, offset), 0.0};
}

RefValue MappedArray::read(ArrayRef<int64_t> point) const {
  int64_t offset = 0;
  for (const Term &term : terms)
    offset += point[term.expr.dim] / term.expr.divisor * term.stride;
  return readOffset(offset);
}

RefValue MappedArray::read(ArrayRef<int64_t> point, unsigned dim,
                           int64_t index) const {
  int64_t offset = 0;
  for (const Term &term : terms)
    offset += (term.expr.dim == dim ? index : point[term.expr.dim]) /
              term.expr.divisor * term.stride;
  return readOffset(offset);
}

void FactorOperand::decode(SmallVector<int64_t, 6> point,
                           const GemmDomain &domain, int64_t k,
                           std::optional<int64_t> splitIndex,
                           OperandRow &row) const {
  row.values.assign(k, 0.0);
  row.magnitudes.assign(k, 0.0);
  row.errors.clear();
  for (int64_t i = 0; i < k; ++i) {
    point[domain.k()] = i;
    auto read = [&](const MappedArray &from) {
      return splitIndex ? from.read(point, domain.n(), *splitIndex)
                        : from.read(point);
    };
    RefValue x = read(array);
    if (roundTo)
      x = {roundToNearest(roundTo, x.value),
           x.error == 0.0 ? 0.0 : roundToType(roundTo, x).error};
    double magnitude = std::fabs(x.value);
    if (zero) {
      RefValue z = read(*zero);
      x = {x.value - z.value, x.error + z.error};
      magnitude += std::fabs(z.value);
    }
    if (scale) {
      RefValue s = read(*scale);
      x = evaluateAtCorners([](ArrayRef<double> v) { return v[0] * v[1]; },
                            ArrayRef<RefValue>{x, s});
      magnitude *= std::fabs(s.value);
    }
    row.values[i] = x.value;
    row.magnitudes[i] = magnitude;
    if (x.error != 0.0) {
      row.errors.resize(k, 0.0);
      row.errors[i] = x.error;
    }
  }
}
