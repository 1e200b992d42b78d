//===- CutlAttrs.cpp - Attributes of the cutl dialect --------------------===//

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/EnumSyntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cutl;

#include "cutl/Dialect/Cutl/IR/CutlAttrInterfaces.cpp.inc"
#include "cutl/Dialect/Cutl/IR/CutlEnums.cpp.inc"

static ParseResult parseReduction(AsmParser &parser, PartReduction &value) {
  return parseEnumKeyword(parser, value, "reduction");
}

static void printReduction(AsmPrinter &printer, PartReduction value) {
  printEnumKeyword(printer, value);
}

#define GET_ATTRDEF_CLASSES
#include "cutl/Dialect/Cutl/IR/CutlAttrs.cpp.inc"

void CutlDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cutl/Dialect/Cutl/IR/CutlAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef chip) {
  if (!::cutl::targetinfo::lookupChip(chip))
    return emitError() << ::cutl::targetinfo::unknownChipMessage(chip);
  return success();
}

const ::cutl::targetinfo::Target *TargetAttr::getRecord() const {
  return ::cutl::targetinfo::lookupChip(getChip());
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(
            CutlDialect::kTargetAttrName))
      return target;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// DataParallelAttr
//===----------------------------------------------------------------------===//

Attribute DataParallelAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  // What follows the mnemonic would be dropped without a word.
  if (succeeded(parser.parseOptionalLess())) {
    parser.emitError(loc, "expected no parameters of #cutl.data_parallel");
    return {};
  }
  return get(parser.getContext());
}

void DataParallelAttr::print(AsmPrinter &) const {}

//===----------------------------------------------------------------------===//
// TileConfigAttr
//===----------------------------------------------------------------------===//

namespace {
/// The fields of a tile configuration as they are parsed.
struct TileConfigFields {
  SmallVector<int64_t, 3> cta;
  int64_t stages = 0;
  KernelKind kernel = KernelKind::Cooperative;
  SmallVector<int64_t, 3> cluster;
  RasterOrder raster = RasterOrder::M;
  int64_t rasterGroup = 8;
  int64_t epilogueBuffers = 1;
  bool swapOperands = false;
  bool repackA = false, repackB = false;
};
} // namespace

static ParseResult parseIntegerList(AsmParser &parser,
                                    SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&] { return parser.parseInteger(values.emplace_back()); });
}

/// The operands of `repack`.
static ParseResult parseRepack(AsmParser &parser, TileConfigFields &fields) {
  auto parseOperand = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (name != "a" && name != "b")
      return parser.emitError(loc, "expected repack to list a, b or both, got ")
             << name;
    bool &flag = name == "a" ? fields.repackA : fields.repackB;
    if (flag)
      return parser.emitError(loc, "expected each operand once in repack, got ")
             << name << " twice";
    flag = true;
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseOperand);
}

static ParseResult parseTileConfigField(AsmParser &parser, StringRef name,
                                        SMLoc loc, TileConfigFields &fields) {
  if (name == "cta")
    return parseIntegerList(parser, fields.cta);
  if (name == "stages")
    return parser.parseInteger(fields.stages);
  if (name == "kernel")
    return parseEnumKeyword(parser, fields.kernel, name);
  if (name == "cluster")
    return parseIntegerList(parser, fields.cluster);
  if (name == "raster")
    return parseEnumKeyword(parser, fields.raster, name);
  if (name == "raster_group")
    return parser.parseInteger(fields.rasterGroup);
  if (name == "epilogue_buffers")
    return parser.parseInteger(fields.epilogueBuffers);
  if (name == "swap_operands") {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    if (keyword != "true" && keyword != "false")
      return parser.emitError(loc, "expected swap_operands to be true or "
                                   "false, got ")
             << keyword;
    fields.swapOperands = keyword == "true";
    return success();
  }
  if (name == "repack")
    return parseRepack(parser, fields);
  return parser.emitError(loc, "unknown field '")
         << name
         << "' of a tile configuration, expected one of cta, stages, kernel, "
            "cluster, raster, raster_group, epilogue_buffers, swap_operands, "
            "repack";
}

Attribute TileConfigAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  TileConfigFields fields;
  llvm::SmallDenseSet<StringRef> seen;
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (!seen.insert(name).second)
      return parser.emitError(loc, "field '") << name << "' is given twice";
    return parseTileConfigField(parser, name, loc, fields);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  for (StringRef required : {"cta", "stages", "kernel"})
    if (!seen.contains(required)) {
      parser.emitError(start, "expected field '")
          << required << "' in a tile configuration";
      return {};
    }
  // A trailing one says nothing, nor does a cluster of one CTA.
  if (fields.cluster.size() == 3 && fields.cluster.back() == 1)
    fields.cluster.pop_back();
  if (fields.cluster == ArrayRef<int64_t>{1, 1})
    fields.cluster.clear();
  return parser.getChecked<TileConfigAttr>(
      start, parser.getContext(), fields.cta, fields.stages, fields.kernel,
      fields.cluster, fields.raster, fields.rasterGroup, fields.epilogueBuffers,
      fields.swapOperands, fields.repackA, fields.repackB);
}

void TileConfigAttr::print(AsmPrinter &printer) const {
  auto printList = [&](ArrayRef<int64_t> values) {
    printer << '[';
    llvm::interleaveComma(values, printer);
    printer << ']';
  };
  printer << "<cta = ";
  printList(getCta());
  printer << ", stages = " << getStages()
          << ", kernel = " << stringifyKernelKind(getKernel());
  if (!getCluster().empty()) {
    printer << ", cluster = ";
    printList(getCluster());
  }
  if (getRaster() != RasterOrder::M)
    printer << ", raster = " << stringifyRasterOrder(getRaster());
  if (getRasterGroup() != 8)
    printer << ", raster_group = " << getRasterGroup();
  if (getEpilogueBuffers() != 1)
    printer << ", epilogue_buffers = " << getEpilogueBuffers();
  if (getSwapOperands())
    printer << ", swap_operands = true";
  if (getRepackA() || getRepackB())
    printer << ", repack = ["
            << (!getRepackB()   ? "a"
                : !getRepackA() ? "b"
                                : "a, b")
            << ']';
  printer << '>';
}

LogicalResult
TileConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> cta, int64_t stages, KernelKind,
                       ArrayRef<int64_t> cluster, RasterOrder,
                       int64_t rasterGroup, int64_t epilogueBuffers, bool, bool,
                       bool) {
  if (cta.size() != 3)
    return emitError() << "expected cta to have 3 extents (m, n, k), got "
                       << cta.size();
  if (!cluster.empty() && cluster.size() != 2 && cluster.size() != 3)
    return emitError() << "expected cluster to have 2 or 3 extents (m, n and "
                          "perhaps k), got "
                       << cluster.size();
  auto check = [&](StringRef name, int64_t value,
                   int64_t least) -> LogicalResult {
    constexpr int64_t kMost = int64_t(1) << 20;
    if (value >= least && value <= kMost)
      return success();
    return emitError() << "expected " << name << " to be between " << least
                       << " and " << kMost << ", got " << value;
  };
  for (int64_t extent : cta)
    if (failed(check("every extent of cta", extent, 1)))
      return failure();
  for (int64_t extent : cluster)
    if (failed(check("every extent of cluster", extent, 1)))
      return failure();
  if (failed(check("stages", stages, 1)) ||
      failed(check("raster_group", rasterGroup, 1)) ||
      failed(check("epilogue_buffers", epilogueBuffers, 0)))
    return failure();
  return success();
}

TileConfigAttr TileConfigAttr::get(MLIRContext *context,
                                   const ::cutl::heuristics::TileConfig &config) {
  namespace h = ::cutl::heuristics;
  auto kernel = [&] {
    switch (config.kernel) {
    case h::KernelKind::Cooperative:
      return KernelKind::Cooperative;
    case h::KernelKind::Pingpong:
      return KernelKind::Pingpong;
    case h::KernelKind::Single:
      return KernelKind::Single;
    }
    return KernelKind::Cooperative;
  }();
  SmallVector<int64_t, 3> cluster;
  if (config.clusterSize() != 1)
    cluster = {config.clusterM, config.clusterN};
  if (config.clusterK != 1)
    cluster.push_back(config.clusterK);
  return get(context, {config.ctaM, config.ctaN, config.ctaK}, config.stages,
             kernel, cluster,
             config.raster == h::RasterOrder::M ? RasterOrder::M
                                                     : RasterOrder::N,
             config.rasterGroup, config.epilogueBuffers, config.swapOperands,
             config.repackA, config.repackB);
}

::cutl::heuristics::TileConfig TileConfigAttr::toTileConfig() const {
  namespace h = ::cutl::heuristics;
  h::TileConfig config;
  config.ctaM = getCta()[0];
  config.ctaN = getCta()[1];
  config.ctaK = getCta()[2];
  config.stages = getStages();
  switch (getKernel()) {
  case KernelKind::Cooperative:
    config.kernel = h::KernelKind::Cooperative;
    break;
  case KernelKind::Pingpong:
    config.kernel = h::KernelKind::Pingpong;
    break;
  case KernelKind::Single:
    config.kernel = h::KernelKind::Single;
    break;
  }
  if (!getCluster().empty()) {
    config.clusterM = getCluster()[0];
    config.clusterN = getCluster()[1];
  }
  if (getCluster().size() == 3)
    config.clusterK = getCluster()[2];
  config.raster = getRaster() == RasterOrder::M ? h::RasterOrder::M
                                                : h::RasterOrder::N;
  config.rasterGroup = getRasterGroup();
  config.epilogueBuffers = getEpilogueBuffers();
  config.swapOperands = getSwapOperands();
  config.repackA = getRepackA();
  config.repackB = getRepackB();
  return config;
}

//===----------------------------------------------------------------------===//
// VariantAttr
//===----------------------------------------------------------------------===//

static constexpr ::cutl::heuristics::Term kTerms[] = {
    ::cutl::heuristics::Term::M, ::cutl::heuristics::Term::N,
    ::cutl::heuristics::Term::K, ::cutl::heuristics::Term::Batch,
    ::cutl::heuristics::Term::Results};

Attribute VariantAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<::cutl::heuristics::Bound> guard;
  Attribute config;
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (config)
      return parser.emitError(loc, "expected nothing after config");
    if (parser.parseKeyword(&name))
      return failure();
    if (name == "config") {
      if (parser.parseEqual())
        return failure();
      config = TileConfigAttr::parse(parser, Type());
      return success(bool(config));
    }
    const auto *term = llvm::find_if(kTerms, [&](auto term) {
      return name == ::cutl::heuristics::termName(term);
    });
    if (term == std::end(kTerms))
      return parser.emitError(loc, "unknown field '")
             << name
             << "' of a variant, expected one of m, n, k, batch, results, "
                "config";
    bool isGiven = llvm::any_of(
        guard, [&](const auto &bound) { return bound.term == *term; });
    if (isGiven)
      return parser.emitError(loc, "field '") << name << "' is given twice";
    int64_t most;
    if (parser.parseKeyword("at_most") || parser.parseInteger(most))
      return failure();
    guard.push_back({*term, most});
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  if (!config) {
    parser.emitError(start, "expected field 'config' in a variant");
    return {};
  }
  return parser.getChecked<VariantAttr>(start, parser.getContext(), guard,
                                        cast<TileConfigAttr>(config));
}

void VariantAttr::print(AsmPrinter &printer) const {
  printer << '<';
  for (const ::cutl::heuristics::Bound &bound : getGuard())
    printer << ::cutl::heuristics::termName(bound.term) << " at_most "
            << bound.most << ", ";
  printer << "config = ";
  getConfig().print(printer);
  printer << '>';
}

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<::cutl::heuristics::Bound> guard,
                                  TileConfigAttr) {
  // What holds always would hide all that follows.
  if (guard.empty())
    return emitError() << "expected a variant to bound some extent";
  for (const ::cutl::heuristics::Bound &bound : guard)
    if (bound.most < 0)
      return emitError() << "expected a bound of "
                         << ::cutl::heuristics::termName(bound.term)
                         << " of at least 0, got " << bound.most;
  return success();
}

::cutl::heuristics::Variant VariantAttr::toVariant() const {
  return {{getGuard().begin(), getGuard().end()}, getConfig().toTileConfig()};
}
