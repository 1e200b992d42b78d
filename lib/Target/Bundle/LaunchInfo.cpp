//===- LaunchInfo.cpp - What a lowered kernel says of itself --------------===//

#include "LaunchInfo.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

class Reader {
public:
  Reader(Operation *op, StringRef name, TypeRange types)
      : op(op), name(name), types(types) {}

  LogicalResult read(DictionaryAttr attribute, LaunchInfo &info);

private:
  InFlightDiagnostic emitError() {
    return op->emitOpError("in the launch information of kernel '")
           << name << "': expected ";
  }
  FailureOr<int64_t> readNumber(DictionaryAttr from, StringRef key, int64_t low,
                                int64_t high);
  FailureOr<ArrayAttr> readDictionaries(DictionaryAttr from, StringRef key);
  FailureOr<unsigned> readArgument(DictionaryAttr from, bool isArray);
  FailureOr<unsigned> readDim(DictionaryAttr from, unsigned argument);
  LogicalResult readGridDim(DictionaryAttr from, LaunchInfo &info);
  LogicalResult readParameter(DictionaryAttr from, LaunchInfo &info);
  LogicalResult readTensorMap(DictionaryAttr from,
                              LaunchInfo::Parameter &parameter);
  int64_t getRank(unsigned argument) {
    return cast<MemRefType>(types[argument]).getRank();
  }

  Operation *op;
  StringRef name;
  TypeRange types;
};

} // namespace

FailureOr<int64_t> Reader::readNumber(DictionaryAttr from, StringRef key,
                                      int64_t low, int64_t high) {
  auto number = from.getAs<IntegerAttr>(key);
  if (number && number.getType().isInteger(64) && number.getInt() >= low &&
      number.getInt() <= high)
    return number.getInt();
  return emitError() << "'" << key << "' to be an i64 of " << low << " to "
                     << high << ", got " << from.get(key);
}

FailureOr<ArrayAttr> Reader::readDictionaries(DictionaryAttr from,
                                              StringRef key) {
  auto array = from.getAs<ArrayAttr>(key);
  if (array && llvm::all_of(array, llvm::IsaPred<DictionaryAttr>))
    return array;
  return emitError() << "'" << key << "' to be an array of dictionaries, got "
                     << from.get(key);
}

FailureOr<unsigned> Reader::readArgument(DictionaryAttr from, bool isArray) {
  FailureOr<int64_t> number =
      readNumber(from, "arg", 0, int64_t(types.size()) - 1);
  if (failed(number) || isa<MemRefType>(types[*number]) == isArray)
    return number;
  return emitError() << "argument " << *number << " to be a "
                     << (isArray ? "memref" : "number") << ", got "
                     << types[*number];
}

FailureOr<unsigned> Reader::readDim(DictionaryAttr from, unsigned argument) {
  return readNumber(from, "dim", 0, getRank(argument) - 1);
}

LogicalResult Reader::readGridDim(DictionaryAttr from, LaunchInfo &info) {
  FailureOr<unsigned> argument = readArgument(from, /*isArray=*/true);
  if (failed(argument))
    return failure();
  FailureOr<unsigned> dim = readDim(from, *argument);
  if (failed(dim))
    return failure();
  FailureOr<int64_t> tile = readNumber(from, "tile", 1, INT32_MAX);
  if (failed(tile))
    return failure();
  info.grid.push_back({*argument, *dim, *tile});
  return success();
}

LogicalResult Reader::readTensorMap(DictionaryAttr from,
                                    LaunchInfo::Parameter &parameter) {
  auto dims = from.getAs<DenseI64ArrayAttr>("dims");
  auto box = from.getAs<DenseI64ArrayAttr>("box");
  if (!dims || !box || dims.size() != box.size() || dims.empty() ||
      dims.size() > CUTL_MAX_TENSOR_MAP_RANK)
    return emitError() << "a tensor map with 'dims' and as many of 'box', 1 to "
                       << CUTL_MAX_TENSOR_MAP_RANK << ", got " << from;
  llvm::SmallSet<int64_t, 5> seen;
  for (auto [dim, extent] :
       llvm::zip_equal(dims.asArrayRef(), box.asArrayRef())) {
    if (dim < 0 || dim >= getRank(parameter.argument) ||
        !seen.insert(dim).second)
      return emitError() << "'dims' to be distinct dimensions of "
                         << types[parameter.argument] << ", got " << dims;
    if (extent < 1 || extent > 256)
      return emitError() << "'box' to have extents of 1 to 256, got " << box;
    parameter.dims.push_back(dim);
    parameter.box.push_back(extent);
  }
  auto swizzle = from.getAs<StringAttr>("swizzle");
  auto kind = llvm::StringSwitch<std::optional<CutlSwizzle>>(
                  swizzle ? swizzle : StringRef())
                  .Case("none", CUTL_SWIZZLE_NONE)
                  .Case("32B", CUTL_SWIZZLE_32B)
                  .Case("64B", CUTL_SWIZZLE_64B)
                  .Case("128B", CUTL_SWIZZLE_128B)
                  .Default(std::nullopt);
  if (!kind)
    return emitError() << "'swizzle' to be none, 32B, 64B or 128B, got "
                       << from.get("swizzle");
  parameter.swizzle = *kind;
  parameter.isStored = from.contains("stored");
  parameter.roundsToTF32 = from.contains("tf32");
  return success();
}

LogicalResult Reader::readParameter(DictionaryAttr from, LaunchInfo &info) {
  using Kind = LaunchInfo::Kind;
  auto text = from.getAs<StringAttr>("kind");
  auto kind = llvm::StringSwitch<std::optional<Kind>>(text ? text : StringRef())
                  .Case("tensor_map", Kind::TensorMap)
                  .Case("size", Kind::Size)
                  .Case("pointer", Kind::Pointer)
                  .Case("stride", Kind::Stride)
                  .Case("scalar", Kind::Scalar)
                  .Default(std::nullopt);
  if (!kind)
    return emitError() << "'kind' to be tensor_map, size, pointer, stride or "
                          "scalar, got "
                       << from.get("kind");
  FailureOr<unsigned> argument = readArgument(from, *kind != Kind::Scalar);
  if (failed(argument))
    return failure();
  LaunchInfo::Parameter parameter;
  parameter.kind = *kind;
  parameter.argument = *argument;
  if (*kind == Kind::Size || *kind == Kind::Stride) {
    FailureOr<unsigned> dim = readDim(from, *argument);
    if (failed(dim))
      return failure();
    parameter.dim = *dim;
  }
  if (*kind == Kind::TensorMap && failed(readTensorMap(from, parameter)))
    return failure();
  info.parameters.push_back(std::move(parameter));
  return success();
}

LogicalResult Reader::read(DictionaryAttr attribute, LaunchInfo &info) {
  FailureOr<int64_t> block = readNumber(attribute, "block", 1, 1024);
  if (failed(block))
    return failure();
  FailureOr<int64_t> shared =
      readNumber(attribute, "shared_bytes", 0, INT32_MAX);
  if (failed(shared))
    return failure();
  info.block = *block;
  info.sharedBytes = *shared;
  auto cluster = attribute.getAs<DenseI64ArrayAttr>("cluster");
  if (cluster)
    for (int64_t extent : cluster.asArrayRef())
      info.cluster *= extent >= 1 && extent <= 16 ? extent : 0;
  if (!cluster || info.cluster < 1 || info.cluster > 16)
    return emitError() << "'cluster' to be an array<i64> of extents whose "
                          "product is 1 to 16, got "
                       << attribute.get("cluster");
  FailureOr<ArrayAttr> grid = readDictionaries(attribute, "grid");
  if (failed(grid))
    return failure();
  for (auto dim : grid->getAsRange<DictionaryAttr>())
    if (failed(readGridDim(dim, info)))
      return failure();
  FailureOr<ArrayAttr> parameters = readDictionaries(attribute, "params");
  if (failed(parameters))
    return failure();
  for (auto parameter : parameters->getAsRange<DictionaryAttr>())
    if (failed(readParameter(parameter, info)))
      return failure();
  info.isProgrammatic = attribute.contains("programmatic");
  if (Attribute other = attribute.get("alternative")) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(other);
    if (!symbol)
      return emitError() << "'alternative' to be the name of a kernel, got "
                         << other;
    info.alternative = symbol.getValue();
  }
  return success();
}

FailureOr<LaunchInfo> mlir::cutl::readLaunchInfo(Operation *op, StringRef name,
                                                 DictionaryAttr attribute,
                                                 TypeRange types) {
  LaunchInfo info;
  if (failed(Reader(op, name, types).read(attribute, info)))
    return failure();
  return info;
}
