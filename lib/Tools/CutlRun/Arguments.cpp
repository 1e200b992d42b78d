//===- Arguments.cpp - Seeded arguments of a function --------------------===//

#include "Arguments.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::cutl;

/// How the function's gemms use an argument.
namespace {
struct ArgumentUse {
  bool isOutput = false;
  bool isInput = false;
  bool isUnsigned = false;
};
} // namespace

static ArgumentUse getUse(BlockArgument argument) {
  ArgumentUse result;
  for (OpOperand &use : argument.getUses()) {
    auto gemm = dyn_cast<GemmOp>(use.getOwner());
    unsigned number = use.getOperandNumber();
    if (gemm && number >= gemm->getNumOperands() - gemm.getOuts().size()) {
      result.isOutput = true;
      continue;
    }
    // Asking for a size reads no element.
    result.isInput |=
        !use.getOwner()->getName().getStringRef().ends_with(".dim");
    if (gemm && number <= gemm.getBs().size())
      result.isUnsigned |=
          (number == 0 ? gemm.getASignedness() : gemm.getBSignedness()) ==
          Signedness::Unsigned;
  }
  return result;
}

/// The argument that a returned value is written to: that of the destination it
/// was computed in, if that is an argument.
static std::optional<unsigned> getDestination(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto gemm = dyn_cast<GemmOp>(result.getOwner());
    if (!gemm)
      return std::nullopt;
    value = gemm.getOuts()[result.getResultNumber()];
  }
  return cast<BlockArgument>(value).getArgNumber();
}

/// Strides that a memref type fixes, with those it leaves open as in a
/// row-major array; empty for a row-major type.
static FailureOr<SmallVector<int64_t>> getStrides(func::FuncOp function,
                                                  BlockArgument argument,
                                                  ArrayRef<int64_t> sizes) {
  Type type = argument.getType();
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return SmallVector<int64_t>();
  SmallVector<int64_t> strides;
  int64_t offset, rowMajor = 1;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return function.emitError("expected ")
           << getArgumentName(argument) << " to have a strided layout, got "
           << type;
  for (size_t dim = strides.size(); dim-- > 0; rowMajor *= sizes[dim]) {
    if (ShapedType::isDynamic(strides[dim]))
      strides[dim] = rowMajor;
    if (strides[dim] < 0)
      return function.emitError("expected ")
             << getArgumentName(argument)
             << " to have no negative strides, got " << type;
  }
  return strides;
}

static NumericBuffer makeResult(Type type, ArrayRef<int64_t> sizes) {
  NumericBuffer buffer(getElementTypeOrSelf(type), sizes);
  buffer.poison();
  return buffer;
}

/// Refuses arrays that this machine cannot hold.
static LogicalResult checkBytes(func::FuncOp function,
                                const FunctionSizes &sizes) {
  int64_t pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  double limit = double(pages) * double(pageBytes), total = 0;
  for (const auto *list : {&sizes.arguments, &sizes.results})
    for (ArrayRef<int64_t> array : *list) {
      double bytes = 8;
      for (int64_t size : array)
        bytes *= double(size);
      total += bytes;
    }
  if (total <= limit)
    return success();
  return function.emitError("expected arrays that fit the ")
         << llvm::formatv("{0:F1}", limit / 1e9).str()
         << " GB of this machine, got up to "
         << llvm::formatv("{0:F1}", total / 1e9).str() << " GB";
}

FailureOr<Arguments> Arguments::create(func::FuncOp function,
                                       const FunctionSizes &sizes,
                                       uint64_t seed) {
  if (failed(checkBytes(function, sizes)))
    return failure();
  Arguments result;
  result.function = function;
  for (auto [i, argument, argumentSizes] :
       llvm::enumerate(function.getArguments(), sizes.arguments)) {
    Type elementType = getElementTypeOrSelf(argument.getType());
    if (!ElementReader::get(elementType))
      return function.emitError("expected ")
             << getArgumentName(argument)
             << " to be numbers of 8, 16, 32 or 64 bits, got "
             << argument.getType();
    FailureOr<SmallVector<int64_t>> strides =
        getStrides(function, argument, argumentSizes);
    if (failed(strides))
      return failure();
    NumericBuffer buffer(elementType, argumentSizes, *strides);
    ArgumentUse use = getUse(argument);
    if (use.isOutput && !use.isInput)
      buffer.poison();
    else
      buffer.fillRandom(seed + i, use.isUnsigned);
    result.arguments.push_back(std::move(buffer));
  }
  Operation *terminator = function.getBody().back().getTerminator();
  for (auto [i, value, resultSizes] :
       llvm::enumerate(terminator->getOperands(), sizes.results)) {
    Type elementType = getElementTypeOrSelf(value.getType());
    if (!isa<ShapedType>(value.getType()) || !ElementReader::get(elementType))
      return function.emitError("expected result ")
             << i << " to be an array of numbers of 8, 16, 32 or 64 bits, got "
             << value.getType();
    result.results.push_back(makeResult(value.getType(), resultSizes));
    result.destinations.push_back(getDestination(value));
  }
  return result;
}

SmallVector<NumericArray> Arguments::getInputs() const {
  SmallVector<NumericArray> inputs;
  for (const NumericBuffer &buffer : arguments)
    inputs.push_back(buffer.get());
  return inputs;
}

const NumericArray &Arguments::getResult(unsigned result) const {
  return destinations[result] ? arguments[*destinations[result]].get()
                              : results[result].get();
}

HostArgument mlir::cutl::toHostArgument(const NumericArray &array,
                                        bool isScalar) {
  unsigned bits = array.elementType.getIntOrFloatBitWidth();
  if (isScalar) {
    HostScalar scalar;
    scalar.width = bits;
    std::memcpy(&scalar.bits, array.data, getElementBytes(array.elementType));
    return scalar;
  }
  HostArray host;
  host.data = array.data;
  host.elementBits = bits;
  host.rank = array.sizes.size();
  host.sizes = array.sizes.data();
  host.strides = array.strides.data();
  return host;
}

FailureOr<std::vector<HostArgument>> Arguments::getHostArguments(size_t count) {
  std::vector<HostArgument> list;
  for (auto [argument, buffer] :
       llvm::zip_equal(function.getArguments(), arguments))
    list.push_back(
        toHostArgument(buffer.get(), !isa<ShapedType>(argument.getType())));
  // A destination that is read after it would have been written gets a copy;
  // then no result has its place among the arguments.
  if (count == arguments.size() + results.size())
    destinations.assign(destinations.size(), std::nullopt);
  // With no further argument every result is some destination.
  for (unsigned i = 0; i < results.size() && count > arguments.size(); ++i)
    if (!destinations[i])
      list.push_back(toHostArgument(results[i].get(), /*isScalar=*/false));
  if (list.size() != count)
    return function.emitError("expected the lowered function to take ")
           << list.size() << " arguments, got " << count;
  return list;
}
