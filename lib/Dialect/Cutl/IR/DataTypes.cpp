//===- DataTypes.cpp - The data-type table in terms of MLIR types --------===//

#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::cutl;
namespace ti = ::cutl::targetinfo;

const ti::DataType *mlir::cutl::lookupDataType(Type type,
                                               Signedness signedness) {
  if (!type || !isa<FloatType, IntegerType>(type))
    return nullptr;
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return ti::lookupDataTypeByMlirName(name, signedness == Signedness::Signed);
}

const ti::DataType *mlir::cutl::getMultipliedType(Type element, Signedness sign,
                                                  MathMode math) {
  switch (math) {
  case MathMode::Exact:
    return lookupDataType(element, sign);
  case MathMode::TF32:
  case MathMode::TF32x3:
    return ti::lookupDataType("tf32");
  case MathMode::BF16:
    return ti::lookupDataType("bf16");
  case MathMode::F16:
    return ti::lookupDataType("f16");
  }
  return nullptr;
}

Type mlir::cutl::getMLIRType(MLIRContext *context, const ti::DataType &record) {
  return record.isStorage ? parseType(record.mlirName, context) : Type();
}

Type mlir::cutl::getDefaultAccumulatorType(Type a, Signedness aSignedness,
                                           Type b, Signedness bSignedness) {
  const ti::DataType *recordA = lookupDataType(a, aSignedness);
  const ti::DataType *recordB = lookupDataType(b, bSignedness);
  if (!recordA || !recordB)
    return nullptr;
  const ti::DataType *accumulator = ti::defaultAccumulator(*recordA, *recordB);
  return accumulator ? getMLIRType(a.getContext(), *accumulator) : Type();
}
