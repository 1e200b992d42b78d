//===- DataTypesTest.cpp - tests of the data type table -------------------===//

#include "cutl/TargetInfo/DataTypes.h"

#include "gtest/gtest.h"

#include <set>

using namespace cutl::targetinfo;

static std::string accumulators(const char *a, const char *b) {
  return joinNames(legalAccumulators(*lookupDataType(a), *lookupDataType(b)));
}

TEST(DataTypes, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const DataType *type : allDataTypes()) {
    EXPECT_TRUE(names.insert(type->name).second) << type->name;
    EXPECT_EQ(lookupDataType(type->name), type);
  }
  EXPECT_EQ(names.size(), 16u);
  EXPECT_EQ(lookupDataType("F16"), nullptr);
  EXPECT_EQ(lookupDataType(""), nullptr);
  EXPECT_EQ(lookupDataType("f8E4M3FN"), nullptr);
}

TEST(DataTypes, MlirSpelling) {
  EXPECT_STREQ(lookupDataTypeByMlirName("f8E4M3FN")->name, "e4m3");
  EXPECT_STREQ(lookupDataTypeByMlirName("f8E8M0FNU")->name, "e8m0");
  EXPECT_STREQ(lookupDataTypeByMlirName("i8")->name, "s8");
  EXPECT_STREQ(lookupDataTypeByMlirName("i8", /*isSigned=*/false)->name, "u8");
  EXPECT_STREQ(lookupDataTypeByMlirName("i4", /*isSigned=*/false)->name, "u4");
  // tf32 is a way to multiply, not something a tensor holds.
  EXPECT_EQ(lookupDataTypeByMlirName("tf32"), nullptr);
  EXPECT_EQ(lookupDataTypeByMlirName("i1"), nullptr);
}

TEST(DataTypes, BitsOfAFloatFillItsFormat) {
  for (const DataType *type : allDataTypes()) {
    if (!type->isFloat() || !type->isStorage)
      continue;
    EXPECT_EQ(1 + type->exponentBits + type->mantissaBits, type->storageBits)
        << type->name;
  }
}

TEST(DataTypes, BytesRoundUp) {
  EXPECT_EQ(lookupDataType("e2m1")->bytes(3), 2);
  EXPECT_EQ(lookupDataType("e2m3")->bytes(4), 3);
  EXPECT_EQ(lookupDataType("f64")->bytes(3), 24);
  EXPECT_EQ(lookupDataType("f16")->bytes(0), 0);
}

TEST(DataTypes, OnlyOperandTypesRunOnTheCpu) {
  std::string names;
  for (const DataType *type : allDataTypes())
    if (type->isCpuOperand)
      names += std::string(type->name) + " ";
  EXPECT_EQ(names, "bf16 e4m3 e5m2 f16 f32 f64 s8 u8 ");
}

TEST(DataTypes, AccumulatorsOfOneType) {
  EXPECT_EQ(accumulators("f16", "f16"), "f32 or f16");
  EXPECT_EQ(accumulators("bf16", "bf16"), "f32");
  EXPECT_EQ(accumulators("f32", "f32"), "f32");
  EXPECT_EQ(accumulators("tf32", "tf32"), "f32");
  EXPECT_EQ(accumulators("f64", "f64"), "f64");
  EXPECT_EQ(accumulators("e5m2", "e5m2"), "f32 or f16");
  EXPECT_EQ(accumulators("e2m1", "e2m1"), "f32");
  EXPECT_EQ(accumulators("s8", "s8"), "s32");
  EXPECT_EQ(accumulators("u4", "u4"), "s32");
}

TEST(DataTypes, AccumulatorsOfMixedPairs) {
  EXPECT_EQ(accumulators("s8", "u8"), "s32");
  EXPECT_EQ(accumulators("e4m3", "e5m2"), "f32 or f16");
  EXPECT_EQ(accumulators("f16", "bf16"), "f32");
  EXPECT_EQ(accumulators("f16", "f32"), "f32");
  EXPECT_EQ(accumulators("f16", "s8"), "f32");
  EXPECT_EQ(accumulators("s4", "bf16"), "f32");
  EXPECT_EQ(accumulators("f64", "f32"), "");
  EXPECT_EQ(accumulators("s8", "f64"), "");
}

TEST(DataTypes, TypesThatAreNoOperands) {
  EXPECT_EQ(accumulators("e8m0", "e8m0"), "");
  EXPECT_EQ(accumulators("e4m3", "e8m0"), "");
  EXPECT_EQ(accumulators("s32", "s32"), "");
  EXPECT_EQ(accumulators("s8", "s32"), "");
  EXPECT_EQ(defaultAccumulator(*lookupDataType("s32"), *lookupDataType("s8")),
            nullptr);
}

TEST(DataTypes, AccumulatorRuleIsSymmetric) {
  for (const DataType *a : allDataTypes())
    for (const DataType *b : allDataTypes()) {
      std::vector<const DataType *> ab = legalAccumulators(*a, *b);
      std::vector<const DataType *> ba = legalAccumulators(*b, *a);
      EXPECT_EQ(ab, ba) << a->name << " x " << b->name;
      for (const DataType *acc : ab)
        EXPECT_NE(acc, nullptr) << a->name << " x " << b->name;
    }
}
