//===- DataTypes.td - element types as facts ----------------*- tablegen -*-===//
//
// One record per element type. The verifier, the defaults, the lowerings, the
// Python package and the documentation all derive from this table; nothing
// else spells these facts.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGETINFO_DATATYPES
#define CUTL_TARGETINFO_DATATYPES

include "llvm/TableGen/SearchableTable.td"

/// A list of names as the body of a null-terminated C array initialiser.
class NameArray<list<string> names> {
  string text = "{" # !interleave(!listconcat(
      !foreach(name, names, "\"" # name # "\""), ["nullptr"]), ", ") # "}";
}

class DataType<string name> {
  /// The short name, unique: what diagnostics, configurations and Python print.
  string Name = name;
  /// The spelling of the MLIR type. Integers are signless there, so a signed
  /// and an unsigned record share one spelling; empty when MLIR cannot store it.
  string MlirName = name;
  /// Float, Int or Scale (a power-of-two block scale, never an operand).
  string Kind = "Float";
  /// Bits that one element takes in memory.
  bits<8> StorageBits = ?;
  bits<8> ExponentBits = 0;
  bits<8> MantissaBits = 0;
  bit Signed = true;
  /// Whether a tensor can hold it; false for a type that is only a way to
  /// multiply (tf32 reads f32 storage).
  bit Storage = true;
  /// The NumPy dtype, qualified when it comes from ml_dtypes; empty if none.
  string NumpyName = "";
  /// The attribute of the torch module; empty if none.
  string TorchName = "";
  /// The driver's tensor-map element type; types that the copy engine moves as
  /// plain bytes say UINT8.
  string TmaName = "";
  /// The qualifier in PTX instructions.
  string PtxName = name;
  /// What two operands of this type may accumulate in, the default first.
  list<string> Accumulators = ["f32"];
  /// Whether the CPU target takes it as the type of A or B.
  bit CpuOperand = false;

  string KindCode = "DataTypeKind::" # Kind;
  string AccumulatorCode = NameArray<Accumulators>.text;
}

class FloatType<string name, string mlirName, int storage, int exponent, int mantissa>
    : DataType<name> {
  let MlirName = mlirName;
  let StorageBits = storage;
  let ExponentBits = exponent;
  let MantissaBits = mantissa;
}

class IntType<string name, string mlirName, int storage, bit isSigned>
    : DataType<name> {
  let MlirName = mlirName;
  let Kind = "Int";
  let StorageBits = storage;
  let Signed = isSigned;
  let Accumulators = ["s32"];
}

def F16 : FloatType<"f16", "f16", 16, 5, 10> {
  let NumpyName = "float16";
  let TorchName = "float16";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_FLOAT16";
  let Accumulators = ["f32", "f16"];
  let CpuOperand = true;
}

def BF16 : FloatType<"bf16", "bf16", 16, 8, 7> {
  let NumpyName = "ml_dtypes.bfloat16";
  let TorchName = "bfloat16";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16";
  let CpuOperand = true;
}

def F32 : FloatType<"f32", "f32", 32, 8, 23> {
  let NumpyName = "float32";
  let TorchName = "float32";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_FLOAT32";
  let CpuOperand = true;
}

def F64 : FloatType<"f64", "f64", 64, 11, 52> {
  let NumpyName = "float64";
  let TorchName = "float64";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_FLOAT64";
  let Accumulators = ["f64"];
  let CpuOperand = true;
}

/// A way to multiply f32 operands, asked for by the math mode.
def TF32 : FloatType<"tf32", "tf32", 32, 8, 10> {
  let Storage = false;
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32";
}

def E4M3 : FloatType<"e4m3", "f8E4M3FN", 8, 4, 3> {
  let NumpyName = "ml_dtypes.float8_e4m3fn";
  let TorchName = "float8_e4m3fn";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
  let Accumulators = ["f32", "f16"];
  let CpuOperand = true;
}

def E5M2 : FloatType<"e5m2", "f8E5M2", 8, 5, 2> {
  let NumpyName = "ml_dtypes.float8_e5m2";
  let TorchName = "float8_e5m2";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
  let Accumulators = ["f32", "f16"];
  let CpuOperand = true;
}

def E8M0 : FloatType<"e8m0", "f8E8M0FNU", 8, 8, 0> {
  let Kind = "Scale";
  let Signed = false;
  let NumpyName = "ml_dtypes.float8_e8m0fnu";
  let TorchName = "float8_e8m0fnu";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
  let PtxName = "ue8m0";
  let Accumulators = [];
}

def E2M3 : FloatType<"e2m3", "f6E2M3FN", 6, 2, 3> {
  let NumpyName = "ml_dtypes.float6_e2m3fn";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B";
}

def E3M2 : FloatType<"e3m2", "f6E3M2FN", 6, 3, 2> {
  let NumpyName = "ml_dtypes.float6_e3m2fn";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B";
}

def E2M1 : FloatType<"e2m1", "f4E2M1FN", 4, 2, 1> {
  let NumpyName = "ml_dtypes.float4_e2m1fn";
  let TorchName = "float4_e2m1fn_x2";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B";
}

def S4 : IntType<"s4", "i4", 4, true> {
  let NumpyName = "ml_dtypes.int4";
  let TorchName = "int4";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
}

def U4 : IntType<"u4", "i4", 4, false> {
  let NumpyName = "ml_dtypes.uint4";
  let TorchName = "uint4";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
}

def S8 : IntType<"s8", "i8", 8, true> {
  let NumpyName = "int8";
  let TorchName = "int8";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
  let CpuOperand = true;
}

def U8 : IntType<"u8", "i8", 8, false> {
  let NumpyName = "uint8";
  let TorchName = "uint8";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_UINT8";
  let CpuOperand = true;
}

/// An accumulator and a result, not an operand of any product.
def S32 : IntType<"s32", "i32", 32, true> {
  let NumpyName = "int32";
  let TorchName = "int32";
  let TmaName = "CU_TENSOR_MAP_DATA_TYPE_INT32";
  let Accumulators = [];
}

def DataTypeTable : GenericTable {
  let FilterClass = "DataType";
  let Fields = ["Name", "MlirName", "KindCode", "StorageBits", "ExponentBits",
                "MantissaBits", "Signed", "Storage", "NumpyName", "TorchName",
                "TmaName", "PtxName", "AccumulatorCode", "CpuOperand"];
  string TypeOf_KindCode = "code";
  string TypeOf_AccumulatorCode = "code";
}

#endif // CUTL_TARGETINFO_DATATYPES
