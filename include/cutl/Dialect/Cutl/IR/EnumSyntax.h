//===- EnumSyntax.h - Keywords of enumerations -----------------*- C++ -*-===//
//
// The one parser and printer of enumerations in attributes, whose errors call
// them what the IR does.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_ENUMSYNTAX_H
#define CUTL_DIALECT_CUTL_IR_ENUMSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::cutl {

/// Parses the keyword of a case; cases are numbered from 0. Errors call the
/// enumeration `what`.
template <typename Enum>
ParseResult parseEnumKeyword(AsmParser &parser, Enum &value, StringRef what) {
  SMLoc loc = parser.getCurrentLocation();
  std::string keyword;
  (void)parser.parseOptionalKeywordOrString(&keyword);
  SmallVector<StringRef> cases;
  for (uint32_t i = 0;; ++i) {
    StringRef name = stringifyEnum(static_cast<Enum>(i));
    if (name.empty())
      break;
    if (name == keyword) {
      value = static_cast<Enum>(i);
      return success();
    }
    cases.push_back(name);
  }
  return parser.emitError(loc, "expected ")
         << what << " to be one of " << llvm::join(cases, ", ")
         << (keyword.empty() ? "" : ", got ") << keyword;
}

template <typename Enum>
void printEnumKeyword(AsmPrinter &printer, Enum value, StringRef what = {}) {
  printer << stringifyEnum(value);
}

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_ENUMSYNTAX_H
