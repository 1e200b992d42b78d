//===- NumericArrayTest.cpp - Arrays in host memory ----------------------===//

#include "cutl/Reference/NumericArray.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

namespace {

TEST(NumericArrayTest, EveryTypeReadsWhatWasWritten) {
  MLIRContext context;
  Type types[] = {
      Float16Type::get(&context),      BFloat16Type::get(&context),
      Float32Type::get(&context),      Float64Type::get(&context),
      Float8E4M3FNType::get(&context), Float8E5M2Type::get(&context),
      IntegerType::get(&context, 8),   IntegerType::get(&context, 16),
      IntegerType::get(&context, 32),  IntegerType::get(&context, 64)};
  for (Type type : types) {
    NumericBuffer buffer(type, {3, 4});
    ElementReader reader = *ElementReader::get(type);
    for (double value : {0.0, 1.0, -2.0, 12.0}) {
      writeElement(type, buffer.get().data, 7, value);
      EXPECT_EQ(reader.read(buffer.get().data, 7), value);
      EXPECT_EQ(reader.read(buffer.get().data, 6), 0.0);
      EXPECT_EQ(reader.read(buffer.get().data, 8), 0.0);
    }
  }
  EXPECT_FALSE(ElementReader::get(IntegerType::get(&context, 4)));
  EXPECT_FALSE(ElementReader::get(IndexType::get(&context)));
}

TEST(NumericArrayTest, SignednessIsTheReaders) {
  MLIRContext context;
  Type i8 = IntegerType::get(&context, 8);
  NumericBuffer buffer(i8, {1});
  writeElement(i8, buffer.get().data, 0, -1.0);
  EXPECT_EQ(ElementReader::get(i8)->read(buffer.get().data, 0), -1.0);
  EXPECT_EQ(ElementReader::get(i8, true)->read(buffer.get().data, 0), 255.0);
}

TEST(NumericArrayTest, RandomIsDecidedByTheSeed) {
  MLIRContext context;
  Type f16 = Float16Type::get(&context);
  NumericBuffer a(f16, {1000}), b(f16, {1000}), c(f16, {1000});
  a.fillRandom(1);
  b.fillRandom(1);
  c.fillRandom(2);
  ElementReader reader = *ElementReader::get(f16);
  double sum = 0.0, squares = 0.0;
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    double value = reader.read(a.get().data, i);
    EXPECT_EQ(value, reader.read(b.get().data, i));
    different += value != reader.read(c.get().data, i);
    sum += value;
    squares += value * value;
  }
  EXPECT_GT(different, 900);
  EXPECT_LT(std::fabs(sum / 1000), 0.15);
  EXPECT_NEAR(squares / 1000, 1.0, 0.2);
}

TEST(NumericArrayTest, PoisonIsNaN) {
  MLIRContext context;
  for (Type type :
       {Type(Float16Type::get(&context)), Type(Float32Type::get(&context)),
        Type(Float8E4M3FNType::get(&context))}) {
    NumericBuffer buffer(type, {5});
    buffer.poison();
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(
          std::isnan(ElementReader::get(type)->read(buffer.get().data, i)));
  }
}

TEST(NumericArrayTest, StridesAreHonoured) {
  MLIRContext context;
  NumericBuffer buffer(Float32Type::get(&context), {2, 3}, {10, 2});
  EXPECT_EQ(buffer.get().getOffset(0), 0);
  EXPECT_EQ(buffer.get().getOffset(4), 12);
  EXPECT_EQ(
      NumericBuffer(Float32Type::get(&context), {0, 3}).get().getNumElements(),
      0);
}

} // namespace
