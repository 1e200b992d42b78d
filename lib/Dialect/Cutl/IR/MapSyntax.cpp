//===- MapSyntax.cpp - Indexing maps in terms of named dimensions --------===//

#include "cutl/Dialect/Cutl/IR/MapSyntax.h"
#include "cutl/Dialect/Cutl/IR/Gemm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::cutl;

ParseResult mlir::cutl::parseNamedMap(AsmParser &parser, ParsedMap &map) {
  map.loc = parser.getCurrentLocation();
  auto parseResult = [&]() -> ParseResult {
    ParsedMap::Result result;
    result.loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&result.name)))
      return parser.emitError(result.loc,
                              "expected the name of a dimension in a map");
    if (succeeded(parser.parseOptionalKeyword("floordiv"))) {
      SMLoc divisorLoc = parser.getCurrentLocation();
      if (parser.parseInteger(result.divisor))
        return failure();
      if (result.divisor < 1)
        return parser.emitError(divisorLoc,
                                "expected a positive divisor, got ")
               << result.divisor;
    }
    map.results.push_back(result);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        parseResult, " in a map");
}

FailureOr<AffineMap>
mlir::cutl::resolveNamedMap(AsmParser &parser, const ParsedMap &map,
                            ArrayRef<std::string> names) {
  MLIRContext *context = parser.getContext();
  SmallVector<AffineExpr, 4> results;
  for (const ParsedMap::Result &result : map.results) {
    const auto *it = llvm::find(names, result.name);
    if (it == names.end()) {
      parser.emitError(result.loc, "unknown dimension '")
          << result.name << "', expected one of " << llvm::join(names, ", ");
      return failure();
    }
    AffineExpr expr = getAffineDimExpr(it - names.begin(), context);
    results.push_back(result.divisor == 1 ? expr
                                          : expr.floorDiv(result.divisor));
  }
  return AffineMap::get(names.size(), 0, results, context);
}

void mlir::cutl::printNamedMap(raw_ostream &os, AffineMap map,
                               ArrayRef<std::string> names) {
  os << '(';
  llvm::interleaveComma(map.getResults(), os, [&](AffineExpr expr) {
    std::optional<GemmMapResult> result = decomposeMapResult(expr);
    if (!result || result->dim >= names.size()) {
      // Only unverified IR gets here; keep it readable.
      expr.print(os);
      return;
    }
    os << names[result->dim];
    if (result->divisor != 1)
      os << " floordiv " << result->divisor;
  });
  os << ')';
}

std::optional<GemmMapResult> mlir::cutl::decomposeMapResult(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return GemmMapResult{dim.getPosition(), 1};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!dim || !divisor || divisor.getValue() < 1)
    return std::nullopt;
  return GemmMapResult{dim.getPosition(), divisor.getValue()};
}
