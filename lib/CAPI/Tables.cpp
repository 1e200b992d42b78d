//===- Tables.cpp - Versions, statuses and tables of the C interface -----===//

#include "Handles.h"
#include "cutl/Builder/EpilogueOps.h"
#include "cutl/TargetInfo/Targets.h"

using namespace mlir::cutl::capi;
using namespace ::cutl::targetinfo;

/// The names under which the data-type table has the enumerators, which stay
/// what they are when the table grows.
static constexpr std::pair<CutlDataType, const char *> typeNames[] = {
    {CUTL_TYPE_F16, "f16"},   {CUTL_TYPE_BF16, "bf16"},
    {CUTL_TYPE_F32, "f32"},   {CUTL_TYPE_F64, "f64"},
    {CUTL_TYPE_TF32, "tf32"}, {CUTL_TYPE_E4M3, "e4m3"},
    {CUTL_TYPE_E5M2, "e5m2"}, {CUTL_TYPE_E8M0, "e8m0"},
    {CUTL_TYPE_E2M3, "e2m3"}, {CUTL_TYPE_E3M2, "e3m2"},
    {CUTL_TYPE_E2M1, "e2m1"}, {CUTL_TYPE_S4, "s4"},
    {CUTL_TYPE_U4, "u4"},     {CUTL_TYPE_S8, "s8"},
    {CUTL_TYPE_U8, "u8"},     {CUTL_TYPE_S32, "s32"}};

const DataType *mlir::cutl::capi::getRecord(CutlDataType type) {
  for (auto [enumerator, name] : typeNames)
    if (enumerator == type)
      return lookupDataType(name);
  return nullptr;
}

CutlDataType mlir::cutl::capi::getEnumerator(const DataType &record) {
  for (auto [enumerator, name] : typeNames)
    if (std::string_view(record.name) == name)
      return enumerator;
  return CUTL_TYPE_NONE;
}

int32_t cutlApiVersion(void) { return CUTL_C_API_VERSION; }

const char *cutlStatusText(CutlStatus status) {
  switch (status) {
  case CUTL_OK:
    return "ok";
  case CUTL_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case CUTL_ERROR_PARSE:
    return "cannot be parsed";
  case CUTL_ERROR_VERIFY:
    return "breaks a rule of the dialect";
  case CUTL_ERROR_COMPILE:
    return "cannot be compiled";
  case CUTL_ERROR_INVOKE:
    return "cannot be invoked";
  case CUTL_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case CUTL_ERROR_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

size_t cutlNumDataTypes(void) { return allDataTypes().size(); }

CutlStatus cutlGetDataType(size_t index, CutlDataTypeInfo *info) {
  if (!info || index >= allDataTypes().size())
    return CUTL_ERROR_INVALID_ARGUMENT;
  const DataType &record = *allDataTypes()[index];
  *info = {getEnumerator(record), record.name,      record.numpyName,
           record.storageBits,    record.isStorage, record.isInt(),
           record.isCpuOperand};
  return CUTL_OK;
}

CutlDataType cutlDefaultAccumulator(CutlDataType a, CutlDataType b) {
  const DataType *recordA = getRecord(a), *recordB = getRecord(b);
  if (!recordA || !recordB)
    return CUTL_TYPE_NONE;
  const DataType *accumulator = defaultAccumulator(*recordA, *recordB);
  return accumulator ? getEnumerator(*accumulator) : CUTL_TYPE_NONE;
}

CutlStatus cutlGetEpilogueOp(size_t index, CutlEpilogueOpInfo *info) {
  mlir::ArrayRef<mlir::cutl::EpilogueOpInfo> ops = mlir::cutl::getEpilogueOps();
  if (!info || index >= ops.size())
    return CUTL_ERROR_INVALID_ARGUMENT;
  const mlir::cutl::EpilogueOpInfo &op = ops[index];
  *info = {op.name, int32_t(op.numOperands), int32_t(op.numNumbers)};
  return CUTL_OK;
}

size_t cutlNumChips(void) { return allChips().size(); }

const char *cutlChipName(size_t index) {
  return index < allChips().size() ? allChips()[index]->name : nullptr;
}
