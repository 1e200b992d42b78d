//===- GemmAssembly.cpp - Parser and printer of cutl.gemm ----------------===//

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/MapSyntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// One operand as written, before names of dimensions are resolved.
struct ParsedOperand {
  OpAsmParser::UnresolvedOperand operand;
  ParsedMap map;
  int64_t target = 0;
  Combiner combiner = Combiner::None;
};

/// Everything between the op's name and its region.
struct ParsedGemm {
  SmallVector<ParsedOperand, 4> ins, scales, zeros, aux, outs;
  /// Promises on dimensions: name, location, divisor.
  struct Divisor {
    StringRef name;
    SMLoc loc;
    int64_t value;
  };
  SmallVector<Divisor, 4> divisors;
  /// Promises on operands: clause (`a`, `b`, `aux`, …), index, bytes.
  struct Alignment {
    StringRef clause;
    int64_t index;
    SMLoc loc;
    int64_t value;
  };
  SmallVector<Alignment, 4> alignments;
};

enum class OperandClause { Ins, Scales, Zeros, Aux, Outs };

} // namespace

//===----------------------------------------------------------------------===//
// Parsing of clauses
//===----------------------------------------------------------------------===//

/// Parses `a`, `b` or `b[i]` after `of`.
static ParseResult parseScaleTarget(OpAsmParser &parser, int64_t &target) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (name == "a") {
    target = 0;
    return success();
  }
  if (name != "b")
    return parser.emitError(loc, "expected 'a', 'b' or 'b[i]' after 'of', got '")
           << name << "'";
  int64_t index = 0;
  if (succeeded(parser.parseOptionalLSquare()) &&
      (parser.parseInteger(index) || parser.parseRSquare()))
    return failure();
  if (index < 0)
    return parser.emitError(loc, "expected a non-negative index of b, got ")
           << index;
  target = 1 + index;
  return success();
}

static ParseResult parseOperandClause(OpAsmParser &parser, OperandClause clause,
                                      SmallVectorImpl<ParsedOperand> &list) {
  auto parseOne = [&]() -> ParseResult {
    ParsedOperand &parsed = list.emplace_back();
    if (parser.parseOperand(parsed.operand))
      return failure();
    if (clause == OperandClause::Scales || clause == OperandClause::Zeros)
      if (parser.parseKeyword("of") || parseScaleTarget(parser, parsed.target))
        return failure();
    if (parser.parseColon() || parseNamedMap(parser, parsed.map))
      return failure();
    if (clause == OperandClause::Outs)
      return parseOptionalCombiner(parser, parsed.combiner);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne);
}

template <typename Enum>
static ParseResult parseKeywordEnum(OpAsmParser &parser, StringRef what,
                                    std::optional<Enum> (*symbolize)(StringRef),
                                    StringRef expected, Enum &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> symbol = symbolize(keyword);
  if (!symbol)
    return parser.emitError(loc, "unknown ")
           << what << " '" << keyword << "', expected one of " << expected;
  value = *symbol;
  return success();
}

static ParseResult parseCompute(OpAsmParser &parser,
                                GemmOp::Properties &properties) {
  MLIRContext *context = parser.getContext();
  SmallVector<StringRef, 5> seen;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc, "entry '")
             << name << "' of compute is given twice";
    seen.push_back(name);
    if (name == "saturate") {
      properties.saturate = UnitAttr::get(context);
      return success();
    }
    if (name != "math" && name != "a" && name != "b" && name != "promote")
      return parser.emitError(loc, "unknown entry '")
             << name
             << "' of compute, expected one of math, a, b, saturate, promote";
    if (parser.parseEqual())
      return failure();
    if (name == "promote") {
      int64_t value;
      if (parser.parseInteger(value))
        return failure();
      properties.promote =
          IntegerAttr::get(IntegerType::get(context, 64), value);
      return success();
    }
    if (name == "math") {
      MathMode mode;
      if (parseKeywordEnum<MathMode>(parser, "math mode", symbolizeMathMode,
                                     "exact, tf32, tf32x3, bf16, f16", mode))
        return failure();
      properties.math = MathModeAttr::get(context, mode);
      return success();
    }
    Signedness sign;
    if (parseKeywordEnum<Signedness>(parser, "signedness", symbolizeSignedness,
                                     "signed, unsigned", sign))
      return failure();
    (name == "a" ? properties.a_signedness : properties.b_signedness) =
        SignednessAttr::get(context, sign);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne);
}

/// Parses `k divisible_by 8, a aligned 16, outs[0] aligned 16`.
static ParseResult parsePromises(OpAsmParser &parser, ParsedGemm &gemm) {
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    int64_t index = 0;
    if (parser.parseKeyword(&name))
      return failure();
    bool indexed = succeeded(parser.parseOptionalLSquare());
    if (indexed && (parser.parseInteger(index) || parser.parseRSquare()))
      return failure();
    if (!indexed && succeeded(parser.parseOptionalKeyword("divisible_by")))
      return parser.parseInteger(
          gemm.divisors.emplace_back(ParsedGemm::Divisor{name, loc, 1}).value);
    if (parser.parseKeyword("aligned",
                            " or 'divisible_by' in a promise"))
      return failure();
    return parser.parseInteger(
        gemm.alignments
            .emplace_back(ParsedGemm::Alignment{name, index, loc, 0})
            .value);
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne);
}

/// Parses `deterministic = false, batch_invariant, sm_budget = 64`.
static ParseResult parseVariants(OpAsmParser &parser,
                                 GemmOp::Properties &properties) {
  SmallVector<Attribute> variants;
  auto parseOne = [&] {
    VariantAttr variant;
    ParseResult result = parser.parseAttribute(variant);
    variants.push_back(variant);
    return result;
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  properties.variants = parser.getBuilder().getArrayAttr(variants);
  return success();
}

static ParseResult parseExecution(OpAsmParser &parser,
                                  GemmOp::Properties &properties) {
  Builder builder(parser.getContext());
  SmallVector<StringRef, 3> seen;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc, "entry '")
             << name << "' of execution is given twice";
    seen.push_back(name);
    if (name == "batch_invariant") {
      properties.batch_invariant = builder.getUnitAttr();
      if (succeeded(parser.parseOptionalEqual()))
        return parser.emitError(parser.getCurrentLocation(),
                                "expected batch_invariant of execution to "
                                "stand alone, or to be left out");
      return success();
    }
    if (name != "deterministic" && name != "sm_budget")
      return parser.emitError(loc, "unknown entry '")
             << name << "' of execution, expected one of deterministic, "
             << "batch_invariant, sm_budget";
    if (failed(parser.parseOptionalEqual()))
      return parser.emitError(parser.getCurrentLocation(), "expected '")
             << name << (name == "sm_budget" ? " = n'" : " = false'")
             << " in execution";
    if (name == "sm_budget") {
      int64_t value;
      if (parser.parseInteger(value))
        return failure();
      properties.sm_budget = builder.getI64IntegerAttr(value);
      return success();
    }
    if (succeeded(parser.parseOptionalKeyword("true")))
      return success();
    if (parser.parseKeyword("false", " or 'true' for deterministic"))
      return failure();
    properties.deterministic = builder.getBoolAttr(false);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne);
}

static ParseResult parseClauses(OpAsmParser &parser, ParsedGemm &gemm,
                                GemmOp::Properties &properties) {
  MLIRContext *context = parser.getContext();
  if (parser.parseKeyword("ins") ||
      parseOperandClause(parser, OperandClause::Ins, gemm.ins))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("split"))) {
    Split split;
    if (parser.parseLParen() ||
        parseKeywordEnum<Split>(parser, "split", symbolizeSplit,
                                "none, halves, interleaved", split) ||
        parser.parseRParen())
      return failure();
    properties.split = SplitAttr::get(context, split);
  }
  if (succeeded(parser.parseOptionalKeyword("scales")) &&
      parseOperandClause(parser, OperandClause::Scales, gemm.scales))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("zeros")) &&
      parseOperandClause(parser, OperandClause::Zeros, gemm.zeros))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("aux")) &&
      parseOperandClause(parser, OperandClause::Aux, gemm.aux))
    return failure();
  if (parser.parseKeyword("outs", ": every yielded value needs a destination") ||
      parseOperandClause(parser, OperandClause::Outs, gemm.outs))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("compute")) &&
      parseCompute(parser, properties))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("promises")) &&
      parsePromises(parser, gemm))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("execution")) &&
      parseExecution(parser, properties))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("config"))) {
    if (parser.parseLParen() || parser.parseAttribute(properties.config) ||
        parser.parseRParen())
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("variants")) &&
      parseVariants(parser, properties))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    if (parser.parseLParen() || parser.parseAttribute(properties.schedule) ||
        parser.parseRParen())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Resolution of names
//===----------------------------------------------------------------------===//

/// The number of batch dimensions that the names imply: `b` alone is one,
/// `b0`, `b1`, … as many as the largest index says.
static FailureOr<unsigned> inferNumBatch(OpAsmParser &parser,
                                         const ParsedGemm &gemm) {
  constexpr unsigned kMaxBatch = GemmDomain::kMaxBatch;
  unsigned numBatch = 0;
  bool sawPlain = false, sawIndexed = false;
  for (const auto *list :
       {&gemm.ins, &gemm.scales, &gemm.zeros, &gemm.aux, &gemm.outs})
    for (const ParsedOperand &operand : *list)
      for (const ParsedMap::Result &result : operand.map.results) {
        StringRef digits = result.name;
        if (!digits.consume_front("b"))
          continue;
        unsigned index = 0;
        if (!digits.empty() && digits.getAsInteger(10, index))
          continue;
        if (index >= kMaxBatch) {
          parser.emitError(result.loc, "expected at most ")
              << kMaxBatch << " batch dimensions, got '" << result.name << "'";
          return failure();
        }
        (digits.empty() ? sawPlain : sawIndexed) = true;
        if (sawPlain && sawIndexed) {
          parser.emitError(result.loc, "expected either 'b' or 'b0', 'b1', … "
                                       "for batch dimensions, got both");
          return failure();
        }
        numBatch = std::max(numBatch, index + 1);
      }
  return numBatch;
}

static ParseResult resolveMaps(OpAsmParser &parser, const ParsedGemm &gemm,
                               GemmDomain domain,
                               GemmOp::Properties &properties) {
  Builder builder(parser.getContext());
  SmallVector<std::string> names = domain.getNames();
  // `b0` is the single batch dimension's other name.
  auto canonicalName = [&](ParsedMap map) {
    for (ParsedMap::Result &result : map.results)
      if (domain.getNumBatch() == 1 && result.name == "b0")
        result.name = "b";
    return map;
  };
  SmallVector<AffineMap> maps;
  for (const auto *list :
       {&gemm.ins, &gemm.scales, &gemm.zeros, &gemm.aux, &gemm.outs})
    for (const ParsedOperand &operand : *list) {
      FailureOr<AffineMap> map =
          resolveNamedMap(parser, canonicalName(operand.map), names);
      if (failed(map))
        return failure();
      maps.push_back(*map);
    }
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);

  SmallVector<Attribute> combiners;
  for (const ParsedOperand &out : gemm.outs)
    combiners.push_back(
        CombinerAttr::get(parser.getContext(), out.combiner));
  properties.combiners = builder.getArrayAttr(combiners);

  auto targets = [&](const SmallVectorImpl<ParsedOperand> &list) {
    SmallVector<int64_t> values;
    for (const ParsedOperand &operand : list)
      values.push_back(operand.target);
    return builder.getDenseI64ArrayAttr(values);
  };
  properties.scale_targets = targets(gemm.scales);
  properties.zero_targets = targets(gemm.zeros);
  return success();
}

static ParseResult resolvePromises(OpAsmParser &parser, const ParsedGemm &gemm,
                                   GemmDomain domain,
                                   GemmOp::Properties &properties) {
  Builder builder(parser.getContext());
  if (!gemm.divisors.empty()) {
    SmallVector<int64_t> divisors(domain.getRank(), 1);
    for (const ParsedGemm::Divisor &divisor : gemm.divisors) {
      std::optional<unsigned> dim = domain.lookup(divisor.name);
      if (!dim)
        return parser.emitError(divisor.loc, "unknown dimension '")
               << divisor.name << "' in a promise, expected one of "
               << llvm::join(domain.getNames(), ", ");
      if (divisors[*dim] != 1)
        return parser.emitError(divisor.loc, "two divisors are promised for '")
               << divisor.name << "': " << divisors[*dim] << " and "
               << divisor.value;
      divisors[*dim] = divisor.value;
    }
    // A divisor of one, like no alignment below, promises nothing.
    if (llvm::any_of(divisors, [](int64_t d) { return d != 1; }))
      properties.dim_divisors = builder.getDenseI64ArrayAttr(divisors);
  }
  if (gemm.alignments.empty())
    return success();
  struct Clause {
    StringRef name;
    int64_t first, count;
  };
  int64_t numBs = std::max<int64_t>(0, int64_t(gemm.ins.size()) - 1);
  SmallVector<Clause, 6> clauses = {{"a", 0, 1},
                                    {"b", 1, numBs},
                                    {"scales", 0, int64_t(gemm.scales.size())},
                                    {"zeros", 0, int64_t(gemm.zeros.size())},
                                    {"aux", 0, int64_t(gemm.aux.size())},
                                    {"outs", 0, int64_t(gemm.outs.size())}};
  for (unsigned i = 2; i < clauses.size(); ++i)
    clauses[i].first = clauses[i - 1].first + clauses[i - 1].count;
  const Clause &last = clauses.back();
  SmallVector<int64_t> alignments(last.first + last.count, 0);
  for (const ParsedGemm::Alignment &alignment : gemm.alignments) {
    const auto *clause = llvm::find_if(
        clauses, [&](const Clause &c) { return c.name == alignment.clause; });
    if (clause == clauses.end())
      return parser.emitError(alignment.loc, "unknown operand '")
             << alignment.clause
             << "' in a promise, expected one of a, b, scales, zeros, aux, "
                "outs";
    if (alignment.index < 0 || alignment.index >= clause->count)
      return parser.emitError(alignment.loc, "expected an index of ")
             << clause->name << " below " << clause->count << ", got "
             << alignment.index;
    int64_t &bytes = alignments[clause->first + alignment.index];
    if (bytes != 0)
      return parser.emitError(alignment.loc, "two alignments are promised for ")
             << clause->name << "[" << alignment.index << "]: " << bytes
             << " and " << alignment.value;
    bytes = alignment.value;
  }
  if (llvm::any_of(alignments, [](int64_t bytes) { return bytes != 0; }))
    properties.operand_alignments = builder.getDenseI64ArrayAttr(alignments);
  return success();
}

ParseResult GemmOp::parse(OpAsmParser &parser, OperationState &result) {
  ParsedGemm gemm;
  auto &properties = result.getOrAddProperties<GemmOp::Properties>();
  SMLoc loc = parser.getCurrentLocation();
  if (parseClauses(parser, gemm, properties))
    return failure();
  if (gemm.ins.size() < 2)
    return parser.emitError(loc, "expected ins to hold A and at least one B, "
                                 "got ")
           << gemm.ins.size() << " operand"
           << (gemm.ins.size() == 1 ? "" : "s");
  FailureOr<unsigned> numBatch = inferNumBatch(parser, gemm);
  if (failed(numBatch) ||
      resolveMaps(parser, gemm, GemmDomain(*numBatch), properties) ||
      resolvePromises(parser, gemm, GemmDomain(*numBatch), properties))
    return failure();

  FunctionType type;
  SMLoc typeLoc;
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (StringRef inherent : GemmOp::getAttributeNames())
    if (result.attributes.get(inherent))
      return parser.emitError(attributesLoc, "expected '")
             << inherent << "' to be written as a clause of the op, not among "
             << "its attributes";
  if (parser.parseRegion(*result.addRegion()) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type))
    return failure();

  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  for (const auto *list :
       {&gemm.ins, &gemm.scales, &gemm.zeros, &gemm.aux, &gemm.outs})
    for (const ParsedOperand &operand : *list)
      operands.push_back(operand.operand);
  if (operands.size() != type.getNumInputs())
    return parser.emitError(typeLoc, "expected one type per operand, got ")
           << type.getNumInputs() << " for " << operands.size()
           << " operands";
  int32_t segments[] = {1,
                        int32_t(gemm.ins.size()) - 1,
                        int32_t(gemm.scales.size()),
                        int32_t(gemm.zeros.size()),
                        int32_t(gemm.aux.size()),
                        int32_t(gemm.outs.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  result.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), typeLoc,
                                result.operands);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void GemmOp::print(OpAsmPrinter &printer) {
  SmallVector<std::string> names = getDomain().getNames();
  unsigned index = 0;
  auto printClause = [&](StringRef clause, OperandRange operands,
                         function_ref<void(unsigned)> printMiddle,
                         function_ref<void(unsigned)> printEnd) {
    if (operands.empty())
      return;
    printer << ' ' << clause << '(';
    llvm::interleaveComma(
        llvm::seq<unsigned>(0, operands.size()), printer, [&](unsigned i) {
          printer << operands[i];
          printMiddle(i);
          printer << " : ";
          printNamedMap(printer.getStream(), getMap(index++), names);
          printEnd(i);
        });
    printer << ')';
  };
  auto nothing = [](unsigned) {};

  printClause("ins", getOperands().take_front(1 + getBs().size()), nothing,
              nothing);
  if (getSplit() != Split::None)
    printer << " split(" << stringifySplit(getSplit()) << ')';
  auto printTarget = [&](ArrayRef<int64_t> targets) {
    return [&printer, targets](unsigned i) {
      printer << " of ";
      if (targets[i] == 0)
        printer << 'a';
      else if (targets[i] == 1)
        printer << 'b';
      else
        printer << "b[" << targets[i] - 1 << ']';
    };
  };
  printClause("scales", getScales(), printTarget(getScaleTargets()), nothing);
  printClause("zeros", getZeros(), printTarget(getZeroTargets()), nothing);
  printClause("aux", getAux(), nothing, nothing);
  printClause("outs", getOuts(), nothing, [&](unsigned i) {
    if (getCombiner(i) != Combiner::None)
      printer << ' ' << stringifyCombiner(getCombiner(i));
  });

  SmallVector<std::string> compute;
  auto add = [&](const Twine &entry) { compute.push_back(entry.str()); };
  if (getMath() != MathMode::Exact)
    add("math = " + stringifyMathMode(getMath()));
  if (getASignedness() != Signedness::Signed)
    add("a = " + stringifySignedness(getASignedness()));
  if (getBSignedness() != Signedness::Signed)
    add("b = " + stringifySignedness(getBSignedness()));
  if (getSaturate())
    add("saturate");
  if (getPromote())
    add("promote = " + Twine(*getPromote()));
  if (!compute.empty())
    printer << " compute(" << llvm::join(compute, ", ") << ')';

  SmallVector<std::string> promises;
  if (getDimDivisors())
    for (auto [dim, divisor] : llvm::enumerate(*getDimDivisors()))
      if (divisor != 1)
        promises.push_back(names[dim] + " divisible_by " +
                           std::to_string(divisor));
  if (getOperandAlignments())
    for (auto [i, bytes] : llvm::enumerate(*getOperandAlignments()))
      if (bytes != 0)
        promises.push_back(getOperandName(i) + " aligned " +
                           std::to_string(bytes));
  if (!promises.empty())
    printer << " promises(" << llvm::join(promises, ", ") << ')';

  SmallVector<std::string> execution;
  if (!getDeterministic())
    execution.push_back("deterministic = false");
  if (getBatchInvariant())
    execution.push_back("batch_invariant");
  if (getSmBudget())
    execution.push_back("sm_budget = " + std::to_string(*getSmBudget()));
  if (!execution.empty())
    printer << " execution(" << llvm::join(execution, ", ") << ')';
  if (getConfigAttr())
    printer << " config(" << getConfigAttr() << ')';
  if (getVariantsAttr()) {
    printer << " variants(";
    llvm::interleaveComma(getVariantsAttr(), printer);
    printer << ')';
  }
  if (getScheduleAttr())
    printer << " schedule(" << getScheduleAttr() << ')';

  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getEpilogue());
  printer << " : ";
  printer.printFunctionalType(getOperandTypes(), getResultTypes());
}
