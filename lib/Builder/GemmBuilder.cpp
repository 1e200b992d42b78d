//===- GemmBuilder.cpp - Builds a gemm from a plain description ----------===//

#include "cutl/Builder/GemmBuilder.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::cutl;
using ::cutl::targetinfo::DataType;

namespace {

/// Builds one description; every step that can fail has emitted its error.
class GemmBuilder {
public:
  GemmBuilder(MLIRContext *context, const GemmDescription &description)
      : description(description), domain(description.batch.size()),
        builder(UnknownLoc::get(context), context) {}

  OwningOpRef<ModuleOp> build();

private:
  LogicalResult checkScalars();
  LogicalResult deriveTypes();
  LogicalResult parseDecisions();
  FailureOr<AffineMap> getMap(StringRef name,
                              const GemmArrayDescription &array);
  FailureOr<Type> getArrayType(StringRef name,
                               const GemmArrayDescription &array);
  LogicalResult addArgument(StringRef name, const GemmArrayDescription &array);
  int64_t getExtent(unsigned dim) const;
  void emitGemm(func::FuncOp function);
  void emitEpilogue(OpBuilder &body, Location loc, ValueRange arguments);
  Value toComputeType(OpBuilder &body, Location loc, Value value,
                      const DataType &record);

  InFlightDiagnostic error() {
    return emitError(builder.getLoc()) << description.name << ": ";
  }

  const GemmDescription &description;
  GemmDomain domain;
  ImplicitLocOpBuilder builder;

  const DataType *accumulator = nullptr;
  /// What the epilogue computes in: f64 for an f64 accumulator, otherwise f32.
  Type computeType;
  /// Null where the description leaves the choice open.
  TileConfigAttr config;
  ScheduleAttrInterface schedule;
  /// Types and maps of the present arrays, in the order a, b, c, bias, d, and
  /// what errors at run time call them.
  SmallVector<std::string, 7> names;
  SmallVector<Type, 5> types;
  SmallVector<AffineMap, 5> maps;
};

} // namespace

int64_t GemmBuilder::getExtent(unsigned dim) const {
  if (dim < domain.getNumBatch())
    return description.batch[dim];
  if (dim == domain.m())
    return description.m;
  return dim == domain.n() ? description.n : description.k;
}

LogicalResult GemmBuilder::checkScalars() {
  for (unsigned dim = 0; dim < domain.getRank(); ++dim) {
    int64_t extent = getExtent(dim);
    if (extent < 0 && extent != ShapedType::kDynamic)
      return error() << "expected an extent of 0 or more for "
                     << domain.getName(dim) << ", got " << extent;
  }
  if (description.hasBeta && !description.c.type)
    return error() << "expected c to be present since beta is, got none";
  return success();
}

LogicalResult GemmBuilder::deriveTypes() {
  for (auto [name, array] :
       {std::pair("a", &description.a), std::pair("b", &description.b),
        std::pair("d", &description.d)})
    if (!array->type)
      return error() << "expected an element type for " << name << ", got none";
  accumulator = description.accumulator
                    ? description.accumulator
                    : ::cutl::targetinfo::defaultAccumulator(
                          *description.a.type, *description.b.type);
  if (!accumulator)
    return error() << "expected element types of a and b that can be "
                      "multiplied, got "
                   << description.a.type->name << " and "
                   << description.b.type->name;
  if (!accumulator->isStorage)
    return error() << "expected an accumulator that can be stored, got "
                   << accumulator->name;
  computeType = StringRef(accumulator->name) == "f64"
                    ? Type(builder.getF64Type())
                    : Type(builder.getF32Type());
  // A plain integer product is stored as it stands; everything else ends in a
  // conversion from a floating-point number.
  const DataType &result = *description.d.type;
  bool isPlain = !description.c.type && !description.bias.type &&
                 !description.hasAlpha &&
                 description.activation == Activation::Identity;
  if (!result.isFloat() && !(isPlain && &result == accumulator))
    return error() << "expected a floating-point element type for d, or that "
                      "of the accumulator "
                   << accumulator->name
                   << " with no scale, c, bias and activation, got "
                   << result.name;
  return success();
}

LogicalResult GemmBuilder::parseDecisions() {
  auto parse = [&](StringRef name, StringRef text, auto &result) {
    if (text.empty())
      return success();
    // The parser says what is wrong where it is.
    Attribute attribute = parseAttribute(text, builder.getContext());
    if (!attribute)
      return failure();
    result = dyn_cast<std::decay_t<decltype(result)>>(attribute);
    return result ? success()
                  : LogicalResult(error() << "expected a " << name << ", got "
                                          << attribute);
  };
  return success(succeeded(parse("#cutl.tile_config for config",
                                 description.config, config)) &&
                 succeeded(parse("schedule attribute for schedule",
                                 description.schedule, schedule)));
}

FailureOr<AffineMap> GemmBuilder::getMap(StringRef name,
                                         const GemmArrayDescription &array) {
  SmallVector<AffineExpr, 4> results;
  for (char letter : array.dims) {
    std::optional<unsigned> dim;
    if (letter == 'm')
      dim = domain.m();
    else if (letter == 'n')
      dim = domain.n();
    else if (letter == 'k')
      dim = domain.k();
    else if (letter >= '0' && unsigned(letter - '0') < domain.getNumBatch())
      dim = letter - '0';
    if (!dim) {
      InFlightDiagnostic diagnostic = error() << "expected the dimensions of "
                                              << name << " to be m, n, k";
      if (domain.getNumBatch() > 0)
        diagnostic << " or batch numbers below " << domain.getNumBatch();
      diagnostic << ", got '" << StringRef(&letter, 1) << "'";
      return failure();
    }
    results.push_back(builder.getAffineDimExpr(*dim));
  }
  return AffineMap::get(domain.getRank(), 0, results, builder.getContext());
}

FailureOr<Type> GemmBuilder::getArrayType(StringRef name,
                                          const GemmArrayDescription &array) {
  Type element = getMLIRType(builder.getContext(), *array.type);
  if (!element) {
    error() << "expected an element type for " << name
            << " that can be stored, got " << array.type->name;
    return failure();
  }
  SmallVector<int64_t, 4> shape;
  for (AffineExpr result : maps.back().getResults())
    shape.push_back(getExtent(cast<AffineDimExpr>(result).getPosition()));
  if (!description.memrefForm)
    return Type(RankedTensorType::get(shape, element));
  SmallVector<int64_t, 4> strides(shape.size(), ShapedType::kDynamic);
  if (array.unitStride && !strides.empty())
    strides.back() = 1;
  auto layout = StridedLayoutAttr::get(builder.getContext(), 0, strides);
  return Type(MemRefType::get(shape, element, layout));
}

LogicalResult GemmBuilder::addArgument(StringRef name,
                                       const GemmArrayDescription &array) {
  if (!array.type)
    return success();
  FailureOr<AffineMap> map = getMap(name, array);
  if (failed(map))
    return failure();
  maps.push_back(*map);
  FailureOr<Type> type = getArrayType(name, array);
  if (failed(type))
    return failure();
  types.push_back(*type);
  names.push_back(name.size() == 1 ? name.upper() : name.str());
  return success();
}

static Value convertFloat(OpBuilder &body, Location loc, Value value, Type to) {
  if (value.getType() == to)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(body, loc, to, value);
  return arith::TruncFOp::create(body, loc, to, value);
}

/// An element of a type of the table as a number of the epilogue's type.
Value GemmBuilder::toComputeType(OpBuilder &body, Location loc, Value value,
                                 const DataType &record) {
  if (!record.isInt())
    return convertFloat(body, loc, value, computeType);
  return record.isSigned
             ? arith::SIToFPOp::create(body, loc, computeType, value)
                   .getResult()
             : arith::UIToFPOp::create(body, loc, computeType, value)
                   .getResult();
}

/// `arguments` are the accumulator, then those of c, bias, alpha and beta that
/// are present.
void GemmBuilder::emitEpilogue(OpBuilder &body, Location loc,
                               ValueRange arguments) {
  Value result = arguments.front();
  arguments = arguments.drop_front();
  auto take = [&](bool isPresent) {
    Value value = isPresent ? arguments.front() : Value();
    if (isPresent)
      arguments = arguments.drop_front();
    return value;
  };
  Value c = take(description.c.type);
  Value bias = take(description.bias.type);
  Value alpha = take(description.hasAlpha);
  Value beta = take(description.hasBeta);

  if (description.d.type->isFloat()) {
    result = toComputeType(body, loc, result, *accumulator);
    auto one = [&]() -> Value {
      return arith::ConstantOp::create(body, loc,
                                       body.getFloatAttr(computeType, 1.0));
    };
    if (c) {
      c = toComputeType(body, loc, c, *description.c.type);
      if (!alpha)
        alpha = one();
      if (!beta)
        beta = one();
      result = LinearCombinationOp::create(body, loc, computeType, alpha,
                                           result, beta, c);
    } else if (alpha) {
      result = arith::MulFOp::create(body, loc, alpha, result);
    }
    if (bias) {
      bias = toComputeType(body, loc, bias, *description.bias.type);
      result = arith::AddFOp::create(body, loc, result, bias);
    }
    result = emitActivation(body, loc, description.activation,
                            description.activationArgument, result);
    result = convertFloat(body, loc, result,
                          getMLIRType(body.getContext(), *description.d.type));
  }
  YieldOp::create(body, loc, result);
}

void GemmBuilder::emitGemm(func::FuncOp function) {
  unsigned next = 0;
  auto take = [&](bool isPresent, GemmInput &input) {
    if (!isPresent)
      return false;
    input.value = function.getArgument(next);
    input.map = maps[next++];
    return true;
  };
  GemmOperands operands;
  GemmInput input;
  take(true, operands.a);
  take(true, input);
  operands.bs.push_back(input);
  for (const GemmArrayDescription *array : {&description.c, &description.bias})
    if (take(array->type, input))
      operands.aux.push_back(input);
  GemmOutput out;
  take(true, out);
  operands.outs.push_back(out);
  AffineMap scalarMap =
      AffineMap::get(domain.getRank(), 0, builder.getContext());
  for (; next < function.getNumArguments(); ++next)
    operands.aux.push_back({function.getArgument(next), scalarMap});

  GemmCompute compute;
  compute.accumulator = getMLIRType(builder.getContext(), *accumulator);
  compute.math = description.math;
  auto signedness = [](const DataType &type) {
    return type.isInt() && !type.isSigned ? Signedness::Unsigned
                                          : Signedness::Signed;
  };
  compute.aSignedness = signedness(*description.a.type);
  compute.bSignedness = signedness(*description.b.type);

  auto gemm =
      GemmOp::create(builder, operands, compute,
                     [&](OpBuilder &body, Location loc, ValueRange arguments) {
                       emitEpilogue(body, loc, arguments);
                     });
  if (config)
    gemm.setConfigAttr(config);
  if (schedule)
    gemm.setScheduleAttr(schedule);
  func::ReturnOp::create(builder, gemm.getResults());
}

OwningOpRef<ModuleOp> GemmBuilder::build() {
  if (failed(checkScalars()) || failed(deriveTypes()) ||
      failed(parseDecisions()) || failed(addArgument("a", description.a)) ||
      failed(addArgument("b", description.b)) ||
      failed(addArgument("c", description.c)) ||
      failed(addArgument("bias", description.bias)) ||
      failed(addArgument("d", description.d)))
    return {};
  SmallVector<Type> arguments(types.begin(), types.end());
  arguments.append(description.hasAlpha + description.hasBeta, computeType);
  SmallVector<Type, 1> results;
  if (!description.memrefForm)
    results.push_back(types.back());

  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, description.name, builder.getFunctionType(arguments, results));
  if (description.hasAlpha)
    names.push_back("alpha");
  if (description.hasBeta)
    names.push_back("beta");
  for (auto [i, name] : llvm::enumerate(names))
    function.setArgAttr(i, CutlDialect::kNameAttrName,
                        builder.getStringAttr(name));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  emitGemm(function);
  if (failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp>
mlir::cutl::buildGemmModule(MLIRContext *context,
                            const GemmDescription &description) {
  return GemmBuilder(context, description).build();
}
