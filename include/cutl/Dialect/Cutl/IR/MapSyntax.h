//===- MapSyntax.h - Indexing maps in terms of named dimensions ----------===//
//
// The one parser and printer of maps such as `(m, k floordiv 128)`, shared by
// every problem op.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_MAPSYNTAX_H
#define CUTL_DIALECT_CUTL_IR_MAPSYNTAX_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::cutl {

/// A map as written; names are resolved once the whole domain is known.
struct ParsedMap {
  struct Result {
    SMLoc loc;
    StringRef name;
    int64_t divisor = 1;
  };
  SMLoc loc;
  SmallVector<Result, 4> results;
};

/// Parses `(` (name (`floordiv` integer)?)* `)`.
ParseResult parseNamedMap(AsmParser &parser, ParsedMap &map);

/// Turns the names into dimensions of a domain named `names`.
FailureOr<AffineMap> resolveNamedMap(AsmParser &parser, const ParsedMap &map,
                                     ArrayRef<std::string> names);

/// Prints a map with the domain's names.
void printNamedMap(raw_ostream &os, AffineMap map,
                   ArrayRef<std::string> names);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_MAPSYNTAX_H
