//===- Assembly.cpp - Parsers and printers of the ops with maps ----------===//

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "cutl/Dialect/Cutl/IR/MapSyntax.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tile;

namespace {

/// The operands of one clause as written.
struct ParsedClause {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<ParsedMap> maps;
  /// One for each operand, of a clause that may have them.
  SmallVector<Combiner> combiners;
};

} // namespace

/// Parses `at(%b…, %m, %n)`.
static ParseResult
parseOffsets(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("at") ||
      parser.parseOperandList(offsets, OpAsmParser::Delimiter::Paren))
    return failure();
  if (offsets.size() < 2 || offsets.size() > 2 + GemmDomain::kMaxBatch)
    return parser.emitError(loc, "expected at to hold m and n, after at most ")
           << GemmDomain::kMaxBatch << " batch offsets, got " << offsets.size()
           << " offsets";
  return success();
}

/// Parses `k(%begin to %end)`.
static ParseResult parseRange(OpAsmParser &parser,
                              OpAsmParser::UnresolvedOperand &begin,
                              OpAsmParser::UnresolvedOperand &end) {
  return failure(parser.parseKeyword("k") || parser.parseLParen() ||
                 parser.parseOperand(begin) || parser.parseKeyword("to") ||
                 parser.parseOperand(end) || parser.parseRParen());
}

/// Parses `(%x : map, …)`, or `(%x : map combiner, …)` where there may be
/// combiners.
static ParseResult parseClause(OpAsmParser &parser, ParsedClause &clause,
                               bool mayCombine = false) {
  auto parseOne = [&]() -> ParseResult {
    if (parser.parseOperand(clause.operands.emplace_back()) ||
        parser.parseColon() ||
        parseNamedMap(parser, clause.maps.emplace_back()))
      return failure();
    if (!mayCombine)
      return success();
    return parseOptionalCombiner(parser, clause.combiners.emplace_back());
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne);
}

static ParseResult resolveMaps(OpAsmParser &parser, GemmDomain domain,
                               ArrayRef<ParsedClause> clauses,
                               ArrayAttr &attribute) {
  SmallVector<AffineMap> maps;
  for (const ParsedClause &clause : clauses)
    for (const ParsedMap &parsed : clause.maps) {
      FailureOr<AffineMap> map =
          resolveNamedMap(parser, parsed, domain.getNames());
      if (failed(map))
        return failure();
      maps.push_back(*map);
    }
  attribute = parser.getBuilder().getAffineMapArrayAttr(maps);
  return success();
}

static ParseResult resolveClauses(OpAsmParser &parser, SMLoc loc,
                                  ArrayRef<ParsedClause> clauses,
                                  TypeRange types,
                                  SmallVectorImpl<Value> &values) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  for (const ParsedClause &clause : clauses)
    llvm::append_range(operands, clause.operands);
  if (operands.size() != types.size())
    return parser.emitError(loc, "expected one type per operand, got ")
           << types.size() << " for " << operands.size() << " operands";
  return parser.resolveOperands(operands, types, loc, values);
}

static ParseResult parseAttributes(OpAsmParser &parser,
                                   OperationState &result,
                                   ArrayRef<StringRef> inherent) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (StringRef name : inherent)
    if (result.attributes.get(name))
      return parser.emitError(loc, "expected '")
             << name << "' to be written as a clause of the op, not among its "
             << "attributes";
  return success();
}

static void printClause(OpAsmPrinter &printer, StringRef name,
                        OperandRange operands, GemmDomain domain,
                        function_ref<AffineMap(unsigned)> getMap,
                        function_ref<Combiner(unsigned)> getCombiner = {}) {
  if (operands.empty())
    return;
  printer << ' ' << name << '(';
  llvm::interleaveComma(llvm::seq<unsigned>(0, operands.size()), printer,
                        [&](unsigned i) {
                          printer << operands[i] << " : ";
                          printNamedMap(printer.getStream(), getMap(i),
                                        domain.getNames());
                          Combiner combiner =
                              getCombiner ? getCombiner(i) : Combiner::None;
                          if (combiner != Combiner::None)
                            printer << ' ' << stringifyCombiner(combiner);
                        });
  printer << ')';
}

/// Parses `compute(<…>)`, if it is there.
static ParseResult parseCompute(OpAsmParser &parser, ComputeAttr &compute) {
  if (failed(parser.parseOptionalKeyword("compute")))
    return success();
  return failure(parser.parseLParen() ||
                 parser.parseCustomAttributeWithFallback(compute) ||
                 parser.parseRParen());
}

static void printCompute(OpAsmPrinter &printer, ComputeAttr compute) {
  if (!compute)
    return;
  printer << " compute(";
  printer.printStrippedAttrOrType(compute);
  printer << ')';
}

//===----------------------------------------------------------------------===//
// MainloopOp
//===----------------------------------------------------------------------===//

ParseResult MainloopOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  Type index = parser.getBuilder().getIndexType();
  SmallVector<OpAsmParser::UnresolvedOperand> offsets;
  OpAsmParser::UnresolvedOperand kBegin, kEnd;
  ParsedClause ins;
  if (parseOffsets(parser, offsets) || parseRange(parser, kBegin, kEnd) ||
      parser.parseKeyword("ins"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parseClause(parser, ins))
    return failure();
  if (ins.operands.size() < 2)
    return parser.emitError(loc, "expected ins to hold A and at least one B, "
                                 "got ")
           << ins.operands.size() << " operand"
           << (ins.operands.size() == 1 ? "" : "s");
  if (parseCompute(parser, properties.compute) ||
      resolveMaps(parser, GemmDomain(offsets.size() - 2), ins,
                  properties.indexing_maps) ||
      parseAttributes(parser, result, getAttributeNames()))
    return failure();
  SmallVector<Type> types;
  SMLoc typeLoc;
  if (parser.parseColon() || parser.getCurrentLocation(&typeLoc) ||
      parser.parseLParen() || parser.parseTypeList(types) ||
      parser.parseRParen() || parser.parseArrowTypeList(result.types) ||
      parser.resolveOperands(offsets, index, result.operands) ||
      parser.resolveOperand(kBegin, index, result.operands) ||
      parser.resolveOperand(kEnd, index, result.operands) ||
      resolveClauses(parser, typeLoc, ins, types, result.operands))
    return failure();
  int32_t segments[] = {int32_t(offsets.size()), 1, 1, 1,
                        int32_t(ins.operands.size()) - 1};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  return success();
}

void MainloopOp::print(OpAsmPrinter &printer) {
  printer << " at(" << getOffsets() << ") k(" << getKBegin() << " to "
          << getKEnd() << ')';
  printClause(printer, "ins", getOperands().take_back(1 + getBs().size()),
              getDomain(), [&](unsigned i) { return getMap(i); });
  printCompute(printer, getComputeAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  printer.printFunctionalType(
      getOperands().take_back(1 + getBs().size()).getTypes(),
      getResultTypes());
}

//===----------------------------------------------------------------------===//
// EpilogueOp
//===----------------------------------------------------------------------===//

/// Parses `stores(tensor, …)`, if it is there.
static ParseResult parseStores(OpAsmParser &parser, ArrayAttr &stores) {
  if (failed(parser.parseOptionalKeyword("stores")))
    return success();
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Store> store = symbolizeStore(keyword);
    if (!store)
      return parser.emitError(loc, "expected tensor or elements, got ")
             << keyword;
    list.push_back(StoreAttr::get(parser.getContext(), *store));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  stores = parser.getBuilder().getArrayAttr(list);
  return success();
}

/// Parses `loads(outs[0], elements, …)`, if it is there.
static ParseResult parseLoads(OpAsmParser &parser, DenseI64ArrayAttr &loads) {
  if (failed(parser.parseOptionalKeyword("loads")))
    return success();
  SmallVector<int64_t> list;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("elements"))) {
      list.push_back(-1);
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword("outs")))
      return parser.emitError(loc, "expected elements or outs[<number>]");
    int64_t output;
    if (parser.parseLSquare() || parser.getCurrentLocation(&loc) ||
        parser.parseInteger(output) || parser.parseRSquare())
      return failure();
    if (output < 0)
      return parser.emitError(loc, "expected the number of an output, got ")
             << output;
    list.push_back(output);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  loads = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

/// Parses `staging(<…>)`, if it is there.
static ParseResult parseStaging(OpAsmParser &parser, StagingAttr &staging) {
  if (failed(parser.parseOptionalKeyword("staging")))
    return success();
  return failure(parser.parseLParen() ||
                 parser.parseCustomAttributeWithFallback(staging) ||
                 parser.parseRParen());
}

ParseResult EpilogueOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::UnresolvedOperand> offsets, accumulators;
  SmallVector<Type> accTypes;
  ParsedClause aux, outs;
  SMLoc accLoc;
  if (parseOffsets(parser, offsets) || parser.parseKeyword("accumulators") ||
      parser.parseLParen() || parser.getCurrentLocation(&accLoc) || parser.parseOperandList(accumulators) ||
      parser.parseColonTypeList(accTypes) || parser.parseRParen())
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand, 1> condition;
  if (succeeded(parser.parseOptionalKeyword("if")) &&
      (parser.parseLParen() || parser.parseOperand(condition.emplace_back()) ||
       parser.parseRParen()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("aux")) &&
      parseClause(parser, aux))
    return failure();
  if (parser.parseKeyword("outs") ||
      parseClause(parser, outs, /*mayCombine=*/true) ||
      parseLoads(parser, properties.loads) ||
      parseStores(parser, properties.stores) ||
      parseStaging(parser, properties.staging) ||
      resolveMaps(parser, GemmDomain(offsets.size() - 2), {aux, outs},
                  properties.indexing_maps) ||
      parseAttributes(parser, result, getAttributeNames()))
    return failure();
  FunctionType type;
  SMLoc typeLoc;
  if (parser.parseRegion(*result.addRegion()) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type))
    return failure();
  if (type.getNumResults() != 0)
    return parser.emitError(typeLoc, "expected no results, got ")
           << type.getNumResults();
  if (parser.resolveOperands(offsets, parser.getBuilder().getIndexType(),
                             result.operands) ||
      parser.resolveOperands(accumulators, accTypes, accLoc,
                             result.operands) ||
      parser.resolveOperands(condition, parser.getBuilder().getI1Type(),
                             result.operands) ||
      resolveClauses(parser, typeLoc, {aux, outs}, type.getInputs(),
                     result.operands))
    return failure();
  SmallVector<Attribute> combiners;
  for (Combiner combiner : outs.combiners)
    combiners.push_back(CombinerAttr::get(parser.getContext(), combiner));
  properties.combiners = parser.getBuilder().getArrayAttr(combiners);
  int32_t segments[] = {
      int32_t(offsets.size()), int32_t(accumulators.size()),
      int32_t(condition.size()), int32_t(aux.operands.size()),
      int32_t(outs.operands.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  return success();
}

void EpilogueOp::print(OpAsmPrinter &printer) {
  printer << " at(" << getOffsets() << ") accumulators(" << getAccumulators()
          << " : " << getAccumulators().getTypes() << ')';
  if (Value condition = getCondition())
    printer << " if(" << condition << ')';
  unsigned numAux = getAux().size();
  printClause(printer, "aux", getAux(), getDomain(),
              [&](unsigned i) { return getMap(i); });
  printClause(printer, "outs", getOuts(), getDomain(),
              [&](unsigned i) { return getMap(numAux + i); },
              [&](unsigned i) { return getCombiner(i); });
  if (std::optional<ArrayRef<int64_t>> loads = getLoads()) {
    printer << " loads(";
    llvm::interleaveComma(*loads, printer, [&](int64_t output) {
      if (output < 0)
        printer << "elements";
      else
        printer << "outs[" << output << ']';
    });
    printer << ')';
  }
  if (std::optional<ArrayAttr> stores = getStores()) {
    printer << " stores(";
    llvm::interleaveComma(*stores, printer, [&](Attribute store) {
      printer << stringifyStore(cast<StoreAttr>(store).getValue());
    });
    printer << ')';
  }
  if (StagingAttr staging = getStagingAttr()) {
    printer << " staging(";
    printer.printStrippedAttrOrType(staging);
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(
      getOperands().take_back(numAux + getOuts().size()).getTypes(),
      TypeRange());
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  Type index = parser.getBuilder().getIndexType();
  SmallVector<OpAsmParser::UnresolvedOperand> offsets;
  OpAsmParser::UnresolvedOperand ring, kBegin, kEnd;
  ParsedClause ins;
  if (parser.parseOperand(ring) || parseOffsets(parser, offsets) ||
      parseRange(parser, kBegin, kEnd) || parser.parseKeyword("ins") ||
      parseClause(parser, ins) || parseCompute(parser, properties.compute) ||
      resolveMaps(parser, GemmDomain(offsets.size() - 2), ins,
                  properties.indexing_maps) ||
      parseAttributes(parser, result, getAttributeNames()))
    return failure();
  Type ringType;
  SmallVector<Type> types;
  SMLoc typeLoc;
  if (parser.parseColonType(ringType) || parser.parseComma() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseTypeList(types) ||
      parser.resolveOperand(ring, ringType, result.operands) ||
      parser.resolveOperands(offsets, index, result.operands) ||
      parser.resolveOperand(kBegin, index, result.operands) ||
      parser.resolveOperand(kEnd, index, result.operands) ||
      resolveClauses(parser, typeLoc, ins, types, result.operands))
    return failure();
  int32_t segments[] = {1, int32_t(offsets.size()), 1, 1,
                        int32_t(ins.operands.size())};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getRing() << " at(" << getOffsets() << ") k("
          << getKBegin() << " to " << getKEnd() << ')';
  printClause(printer, "ins", getInputs(), getDomain(),
              [&](unsigned i) { return getMap(i); });
  printCompute(printer, getComputeAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << " : " << getRing().getType() << ", " << getInputs().getTypes();
}
