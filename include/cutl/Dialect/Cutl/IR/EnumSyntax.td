//===- EnumSyntax.td - Keywords of enumerations --------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_ENUMSYNTAX_TD
#define CUTL_DIALECT_CUTL_IR_ENUMSYNTAX_TD

include "mlir/IR/EnumAttr.td"

/// An enumeration as an attribute, and what errors call it.
class KeywordEnumAttr<Dialect dialect, EnumInfo enum, string mnemonic, string what = mnemonic>
    : EnumAttr<dialect, enum, mnemonic> {
  let assemblyFormat = "custom<EnumKeyword>($value, \"\\\"" # what # "\\\"\")";
}

#endif // CUTL_DIALECT_CUTL_IR_ENUMSYNTAX_TD
