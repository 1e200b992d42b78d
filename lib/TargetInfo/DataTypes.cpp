//===- DataTypes.cpp - typed view of the data type table ------------------===//
//
// Lookups over the generated table and the accumulator rule.
//
//===----------------------------------------------------------------------===//

#include "cutl/TargetInfo/DataTypes.h"

#include <algorithm>

using namespace cutl::targetinfo;

namespace {
#define GET_DataTypeTable_IMPL
#include "cutl/TargetInfo/DataTypes.inc"
} // namespace

const std::vector<const DataType *> &cutl::targetinfo::allDataTypes() {
  static const std::vector<const DataType *> types = [] {
    std::vector<const DataType *> result;
    for (const DataType &type : DataTypeTable)
      result.push_back(&type);
    return result;
  }();
  return types;
}

const DataType *cutl::targetinfo::lookupDataType(std::string_view name) {
  for (const DataType &type : DataTypeTable)
    if (name == type.name)
      return &type;
  return nullptr;
}

const DataType *
cutl::targetinfo::lookupDataTypeByMlirName(std::string_view mlirName,
                                           bool isSigned) {
  for (const DataType &type : DataTypeTable)
    if (type.isStorage && mlirName == type.mlirName &&
        (!type.isInt() || type.isSigned == isSigned))
      return &type;
  return nullptr;
}

static std::vector<std::string_view> ownAccumulators(const DataType &type) {
  std::vector<std::string_view> names;
  for (const char *name : type.accumulators) {
    if (!name)
      break;
    names.push_back(name);
  }
  return names;
}

std::vector<const DataType *>
cutl::targetinfo::legalAccumulators(const DataType &a, const DataType &b) {
  std::vector<std::string_view> fromA = ownAccumulators(a);
  std::vector<std::string_view> fromB = ownAccumulators(b);
  // A scale or an accumulator-only type cannot be an operand.
  if (fromA.empty() || fromB.empty())
    return {};

  std::vector<const DataType *> result;
  if (a.isInt() != b.isInt()) {
    // Mixed input: the integer is converted on the way to the float's
    // instruction, so the float decides, without its narrow accumulator.
    const std::string_view wide = a.isInt() ? fromB.front() : fromA.front();
    if (wide == "f32")
      result.push_back(lookupDataType(wide));
    return result;
  }
  for (std::string_view name : fromA)
    if (std::find(fromB.begin(), fromB.end(), name) != fromB.end())
      result.push_back(lookupDataType(name));
  return result;
}

const DataType *cutl::targetinfo::defaultAccumulator(const DataType &a,
                                                     const DataType &b) {
  std::vector<const DataType *> legal = legalAccumulators(a, b);
  return legal.empty() ? nullptr : legal.front();
}

std::string
cutl::targetinfo::joinNames(const std::vector<const DataType *> &types) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i)
      text += i + 1 == types.size() ? " or " : ", ";
    text += types[i]->name;
  }
  return text;
}
