//===- CutlEnums.td - Enumerations of the cutl dialect -------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLENUMS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLENUMS_TD

include "cutl/Dialect/Cutl/IR/CutlBase.td"
include "cutl/Dialect/Cutl/IR/EnumSyntax.td"

class Cutl_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::cutl";
  let genSpecializedAttr = 0;
}

def Cutl_Combiner : Cutl_Enum<"Combiner", "how a reduced output combines the values it receives", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"AMax", 4, "amax">
]>;
def Cutl_CombinerAttr : KeywordEnumAttr<Cutl_Dialect, Cutl_Combiner, "combiner">;
def Cutl_CombinerArrayAttr : TypedArrayAttrBase<Cutl_CombinerAttr, "one combiner per output">;

def Cutl_MathMode : Cutl_Enum<"MathMode", "how floating-point products are formed", [
  I32EnumAttrCase<"Exact", 0, "exact">,
  I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"TF32x3", 2, "tf32x3">,
  I32EnumAttrCase<"BF16", 3, "bf16">,
  I32EnumAttrCase<"F16", 4, "f16">
]>;
def Cutl_MathModeAttr : KeywordEnumAttr<Cutl_Dialect, Cutl_MathMode, "math_mode", "math mode">;

def Cutl_Split : Cutl_Enum<"Split", "how one B operand holds the columns of two accumulators", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Halves", 1, "halves">,
  I32EnumAttrCase<"Interleaved", 2, "interleaved">
]>;
def Cutl_SplitAttr : KeywordEnumAttr<Cutl_Dialect, Cutl_Split, "split">;

def Cutl_Signedness : Cutl_Enum<"Signedness", "how an integer operand is read", [
  I32EnumAttrCase<"Signed", 0, "signed">,
  I32EnumAttrCase<"Unsigned", 1, "unsigned">
]>;
def Cutl_SignednessAttr : KeywordEnumAttr<Cutl_Dialect, Cutl_Signedness, "signedness">;

def Cutl_KernelKind : Cutl_Enum<"KernelKind", "how consumer warpgroups share CTA tiles", [
  I32EnumAttrCase<"Cooperative", 0, "cooperative">,
  I32EnumAttrCase<"Pingpong", 1, "pingpong">,
  I32EnumAttrCase<"Single", 2, "single">
]>;

def Cutl_RasterOrder : Cutl_Enum<"RasterOrder", "the dimension along which consecutive CTA tiles are grouped", [
  I32EnumAttrCase<"M", 0, "m">,
  I32EnumAttrCase<"N", 1, "n">
]>;

def Cutl_PartReduction : Cutl_Enum<"PartReduction", "where and in which order the parts of a tile's k are added up", [
  I32EnumAttrCase<"Separate", 0, "separate">,
  I32EnumAttrCase<"LastArriver", 1, "last_arriver">,
  I32EnumAttrCase<"ArrivalOrder", 2, "arrival_order">,
  I32EnumAttrCase<"Turnstile", 3, "turnstile">
]>;

def Cutl_GeluForm : Cutl_Enum<"GeluForm", "which formula gelu uses", [
  I32EnumAttrCase<"Erf", 0, "erf">,
  I32EnumAttrCase<"Tanh", 1, "tanh">
]>;
def Cutl_GeluFormAttr : KeywordEnumAttr<Cutl_Dialect, Cutl_GeluForm, "gelu_form", "form of gelu">;

def Cutl_Rounding : Cutl_Enum<"Rounding", "which neighbour a conversion takes", [
  I32EnumAttrCase<"ToNearestEven", 0, "to_nearest_even">,
  I32EnumAttrCase<"TowardZero", 1, "toward_zero">,
  I32EnumAttrCase<"Downward", 2, "downward">,
  I32EnumAttrCase<"Upward", 3, "upward">
]>;
def Cutl_RoundingAttr : KeywordEnumAttr<Cutl_Dialect, Cutl_Rounding, "rounding">;

#endif // CUTL_DIALECT_CUTL_IR_CUTLENUMS_TD
