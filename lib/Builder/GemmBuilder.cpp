//===- GemmBuilder.cpp - Builds a gemm from a plain description ----------===//

#include "cutl/Builder/GemmBuilder.h"
#include "PlainEpilogue.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/AsmParser/AsmParser.h"
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
  LogicalResult checkEpilogue();
  LogicalResult deriveTypes();
  FailureOr<AffineMap> getMap(StringRef name,
                              const GemmArrayDescription &array);
  FailureOr<Type> getArrayType(StringRef name,
                               const GemmArrayDescription &array);
  LogicalResult addArgument(StringRef name, const GemmArrayDescription &array);
  int64_t getExtent(unsigned dim) const;
  LogicalResult addArguments();
  LogicalResult emitGemm(func::FuncOp function);
  void setAlignments(const GemmOperands &operands, GemmCompute &compute);
  LogicalResult emitEpilogue(OpBuilder &body, Location loc,
                             ValueRange arguments);

  InFlightDiagnostic error() {
    return emitError(builder.getLoc()) << description.name << ": ";
  }

  const GemmDescription &description;
  GemmDomain domain;
  ImplicitLocOpBuilder builder;
  /// The description's, or what its scales, c, bias and activation mean.
  GemmEpilogueDescription epilogue;

  const DataType *accumulator = nullptr;
  /// What the epilogue computes in: f64 for an f64 accumulator, otherwise f32.
  Type computeType;
  GemmDecisions decisions;
  /// Types and maps of the function's arguments and what errors at run time
  /// call them; a number has the map of a rank-0 array.
  SmallVector<std::string, 8> names;
  SmallVector<Type, 8> types;
  SmallVector<AffineMap, 8> maps;
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

LogicalResult GemmBuilder::checkEpilogue() {
  if (description.moreB.empty() && description.split == Split::None &&
      !description.epilogue)
    return success();
  if (!description.epilogue)
    return error() << "expected an epilogue since there are several "
                      "accumulators, got none";
  if (!description.moreB.empty() && description.split != Split::None)
    return error() << "expected one b since it is split, got "
                   << description.moreB.size() + 1;
  if (description.c.type || description.bias.type || description.d.type ||
      description.hasAlpha || description.hasBeta ||
      description.activation != Activation::Identity)
    return error() << "expected no c, bias, d, scale and activation beside an "
                      "epilogue, got one";
  if (description.epilogue->outputs.empty())
    return error() << "expected an epilogue with an output, got none";
  for (const GemmEpilogueInput &input : description.epilogue->inputs)
    if (!input.array.type)
      return error() << "expected an element type for input '" << input.name
                     << "', got none";
  for (const GemmEpilogueOutput &output : description.epilogue->outputs)
    if (!output.array.type)
      return error() << "expected an element type for output '" << output.name
                     << "', got none";
  const DataType *compute = description.epilogue->computeType;
  if (compute && StringRef(compute->name) != "f32" &&
      StringRef(compute->name) != "f64")
    return error() << "expected the epilogue to compute in f32 or f64, got "
                   << compute->name;
  return success();
}

LogicalResult GemmBuilder::deriveTypes() {
  for (auto [name, array] :
       {std::pair("a", &description.a), std::pair("b", &description.b),
        std::pair("d", &description.d)})
    if (!array->type && !(description.epilogue && array == &description.d))
      return error() << "expected an element type for " << name << ", got none";
  for (const GemmArrayDescription &b : description.moreB)
    if (b.type != description.b.type)
      return error() << "expected every b to have the element type "
                     << description.b.type->name << ", got "
                     << (b.type ? b.type->name : "none");
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
  const DataType *compute =
      description.epilogue ? description.epilogue->computeType : nullptr;
  computeType = StringRef(compute ? compute->name : accumulator->name) == "f64"
                    ? Type(builder.getF64Type())
                    : Type(builder.getF32Type());
  if (description.epilogue) {
    epilogue = *description.epilogue;
    return success();
  }
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
  epilogue = describePlainEpilogue(
      description,
      *::cutl::targetinfo::lookupDataType(computeType.isF64() ? "f64" : "f32"));
  return success();
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
  for (AffineExpr result : maps.back().getResults()) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    int64_t extent = getExtent(dim);
    bool isSplit = &array == &description.b && dim == domain.n() &&
                   description.split != Split::None;
    shape.push_back(isSplit && !ShapedType::isDynamic(extent) ? 2 * extent
                                                              : extent);
  }
  if (!description.memrefForm)
    return Type(RankedTensorType::get(shape, element));
  SmallVector<int64_t, 4> strides(shape.size(), ShapedType::kDynamic);
  if (array.unitStride && !strides.empty())
    strides.back() = 1;
  if (array.pitch < 0) {
    error() << "expected the pitch of " << name
            << " to be at least 1, or 0 if it may be any, got " << array.pitch;
    return failure();
  }
  if (array.pitch > 0 && strides.size() >= 2)
    strides[strides.size() - 2] = array.pitch;
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
  // The problem's own operands have lower-case names in descriptions.
  bool isOwn =
      &array == &description.a || &array == &description.b ||
      llvm::is_contained(llvm::make_pointer_range(description.moreB), &array);
  names.push_back(isOwn ? name.upper() : name.str());
  return success();
}

LogicalResult GemmBuilder::addArguments() {
  if (failed(addArgument("a", description.a)) ||
      failed(addArgument("b", description.b)))
    return failure();
  for (auto [i, b] : llvm::enumerate(description.moreB))
    if (failed(addArgument(("b" + Twine(i + 1)).str(), b)))
      return failure();
  for (const GemmEpilogueInput &input : epilogue.inputs)
    if (!input.isNumber && failed(addArgument(input.name, input.array)))
      return failure();
  for (const GemmEpilogueOutput &output : epilogue.outputs)
    if (failed(addArgument(output.name, output.array)))
      return failure();
  for (const GemmEpilogueInput &input : epilogue.inputs) {
    if (!input.isNumber)
      continue;
    if (!input.array.type->isStorage || input.array.type->storageBits < 8)
      return error() << "expected a number of whole bytes for input '"
                     << input.name << "', got " << input.array.type->name;
    maps.push_back(AffineMap::get(domain.getRank(), 0, builder.getContext()));
    types.push_back(getMLIRType(builder.getContext(), *input.array.type));
    names.push_back(input.name);
  }
  return success();
}

LogicalResult GemmBuilder::emitEpilogue(OpBuilder &body, Location loc,
                                        ValueRange arguments) {
  SmallVector<EpilogueArgument> described;
  unsigned numAccumulators = arguments.size() - epilogue.inputs.size();
  for (unsigned i = 0; i < numAccumulators; ++i)
    described.push_back({"accumulator", accumulator});
  for (const GemmEpilogueInput &input : epilogue.inputs)
    described.push_back({input.name, input.array.type});
  SmallVector<EpilogueResult> results;
  for (const GemmEpilogueOutput &output : epilogue.outputs)
    results.push_back({output.name, output.value, output.array.type});
  FailureOr<SmallVector<Value>> values =
      emitEpilogueGraph(body, loc, description.name, computeType, described,
                        arguments, epilogue.nodes, results);
  if (failed(values))
    return failure();
  YieldOp::create(body, loc, *values);
  return success();
}

/// Promises no more than whole elements of what is unaligned.
void GemmBuilder::setAlignments(const GemmOperands &operands,
                                GemmCompute &compute) {
  if (!description.unalignedA && !description.unalignedB)
    return;
  auto getBytes = [](const DataType &type) {
    return int64_t(type.storageBits / 8);
  };
  compute.operandAlignments.assign(
      1 + operands.bs.size() + operands.aux.size() + operands.outs.size(), 0);
  if (description.unalignedA)
    compute.operandAlignments[0] = getBytes(*description.a.type);
  if (description.unalignedB)
    std::fill_n(compute.operandAlignments.begin() + 1, operands.bs.size(),
                getBytes(*description.b.type));
}

LogicalResult GemmBuilder::emitGemm(func::FuncOp function) {
  unsigned next = 0;
  auto take = [&] {
    GemmInput input{function.getArgument(next), maps[next]};
    ++next;
    return input;
  };
  GemmOperands operands;
  operands.a = take();
  for (unsigned i = 0; i < 1 + description.moreB.size(); ++i)
    operands.bs.push_back(take());
  // Numbers are the last of the function's arguments, but auxiliary operands
  // keep the order of the inputs.
  operands.aux.resize(epilogue.inputs.size());
  for (auto [input, aux] : llvm::zip_equal(epilogue.inputs, operands.aux))
    if (!input.isNumber)
      aux = take();
  for (const GemmEpilogueOutput &output : epilogue.outputs) {
    GemmOutput out;
    static_cast<GemmInput &>(out) = take();
    out.combiner = output.combiner;
    operands.outs.push_back(out);
  }
  for (auto [input, aux] : llvm::zip_equal(epilogue.inputs, operands.aux))
    if (input.isNumber)
      aux = take();

  GemmCompute compute;
  compute.accumulator = getMLIRType(builder.getContext(), *accumulator);
  compute.split = description.split;
  compute.math = description.math;
  compute.saturate = description.saturate;
  compute.promote = description.promote;
  compute.deterministic = description.deterministic;
  compute.batchInvariant = description.batchInvariant;
  compute.smBudget = description.smBudget;
  setAlignments(operands, compute);
  auto signedness = [](const DataType &type) {
    return type.isInt() && !type.isSigned ? Signedness::Unsigned
                                          : Signedness::Signed;
  };
  compute.aSignedness = signedness(*description.a.type);
  compute.bSignedness = signedness(*description.b.type);

  LogicalResult emitted = success();
  auto gemm =
      GemmOp::create(builder, operands, compute,
                     [&](OpBuilder &body, Location loc, ValueRange arguments) {
                       emitted = emitEpilogue(body, loc, arguments);
                     });
  if (failed(emitted))
    return failure();
  if (decisions.config)
    gemm.setConfigAttr(decisions.config);
  if (decisions.schedule)
    gemm.setScheduleAttr(decisions.schedule);
  func::ReturnOp::create(builder, gemm.getResults());
  return success();
}

OwningOpRef<ModuleOp> GemmBuilder::build() {
  if (failed(checkScalars()) || failed(checkEpilogue()) ||
      failed(deriveTypes()))
    return {};
  FailureOr<GemmDecisions> parsed = parseGemmDecisions(
      builder.getContext(), description.config, description.schedule);
  if (failed(parsed) || failed(addArguments()))
    return {};
  decisions = *parsed;
  SmallVector<Type, 2> results;
  if (!description.memrefForm) {
    unsigned first = 2 + description.moreB.size();
    for (const GemmEpilogueInput &input : epilogue.inputs)
      first += !input.isNumber;
    llvm::append_range(results,
                       ArrayRef(types).slice(first, epilogue.outputs.size()));
  }

  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, description.name,
                                       builder.getFunctionType(types, results));
  for (auto [i, name] : llvm::enumerate(names))
    function.setArgAttr(i, CutlDialect::kNameAttrName,
                        builder.getStringAttr(name));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  if (failed(emitGemm(function)) || failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp>
mlir::cutl::buildGemmModule(MLIRContext *context,
                            const GemmDescription &description) {
  return GemmBuilder(context, description).build();
}

FailureOr<GemmDecisions> mlir::cutl::parseGemmDecisions(MLIRContext *context,
                                                        StringRef config,
                                                        StringRef schedule) {
  auto parse = [&](StringRef name, StringRef text, auto &result) {
    if (text.empty())
      return success();
    // The parser says what is wrong where it is.
    Attribute attribute = parseAttribute(text, context);
    if (!attribute)
      return failure();
    result = dyn_cast<std::decay_t<decltype(result)>>(attribute);
    return result ? success()
                  : LogicalResult(emitError(UnknownLoc::get(context))
                                  << "expected a " << name << ", got "
                                  << attribute);
  };
  GemmDecisions decisions;
  if (failed(parse("#cutl.tile_config for config", config, decisions.config)) ||
      failed(parse("schedule attribute for schedule", schedule,
                   decisions.schedule)))
    return failure();
  return decisions;
}
