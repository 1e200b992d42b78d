//===- ContractionTest.cpp - Plain contractions, run ----------------------===//
//
// Every map of A, B and the output, over types, processors, sizes and layouts.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cutltest;

namespace {

struct Maps {
  const char *a, *b, *out;
};
constexpr Maps allMaps[] = {{"m, k", "k, n", "m, n"},
                            {"m, k", "n, k", "n, m"},
                            {"k, m", "k, n", "n, m"},
                            {"k, m", "n, k", "m, n"}};

struct Types {
  Type operand, accumulator;
};
constexpr Types allTypes[] = {{Type::f16, Type::f32}, {Type::bf16, Type::f32},
                              {Type::f32, Type::f32}, {Type::f64, Type::f64},
                              {Type::i8, Type::i32},  {Type::i8, Type::i64},
                              {Type::f32, Type::f64}};

std::string view(Type type, int rank) {
  std::string text = "memref<", strides;
  for (int i = 0; i < rank; ++i) {
    text += "?x";
    strides += i ? ", ?" : "?";
  }
  return text + getName(type) + ", strided<[" + strides + "], offset: ?>>";
}

std::string contraction(const Maps &maps, const Types &types) {
  std::string operand = getName(types.operand);
  std::string acc = getName(types.accumulator);
  bool isFloat =
      types.accumulator == Type::f32 || types.accumulator == Type::f64;
  std::string x = "%x", y = "%y", widen;
  if (types.operand != types.accumulator) {
    std::string op = isFloat ? "arith.extf" : "arith.extsi";
    widen = "%xw = " + op + " %x : " + operand + " to " + acc +
            "\n%yw = " + op + " %y : " + operand + " to " + acc + "\n";
    x = "%xw";
    y = "%yw";
  }
  std::string suffix = isFloat ? "f" : "i";
  std::string in = view(types.operand, 2), out = view(types.accumulator, 2);
  std::string map = "affine_map<(m, n, k) -> (";
  return "func.func @f(%a: " + in + ", %b: " + in + ", %d: " + out + ") {\n" +
         "linalg.generic {indexing_maps = [" + map + maps.a + ")>, " + map +
         maps.b + ")>, " + map + maps.out + ")>], iterator_types = " +
         "[\"parallel\", \"parallel\", \"reduction\"]} ins(%a, %b : " + in +
         ", " + in + ") outs(%d : " + out + ") {\n^bb0(%x: " + operand +
         ", %y: " + operand + ", %c: " + acc + "):\n" + widen +
         "%p = arith.mul" + suffix + " " + x + ", " + y + " : " + acc +
         "\n%s = arith.add" + suffix + " %c, %p : " + acc +
         "\nlinalg.yield %s : " + acc + "\n}\nreturn\n}\n";
}

/// The index of an array with a map like "k, m".
std::vector<int64_t> pick(const char *map, int64_t m, int64_t n, int64_t k) {
  std::vector<int64_t> result;
  for (const char *c = map; *c; ++c)
    if (*c == 'm' || *c == 'n' || *c == 'k')
      result.push_back(*c == 'm' ? m : *c == 'n' ? n : k);
  return result;
}

class ContractionTest
    : public testing::TestWithParam<std::tuple<Maps, Types, const char *>> {};

} // namespace

/// Small integers make every sum exact in every accumulator, so that results
/// are compared for equality.
TEST_P(ContractionTest, IsExactOnIntegers) {
  auto [maps, types, cpu] = GetParam();
  std::string text = contraction(maps, types);
  ASSERT_EQ(countContractions(text), 1u);
  auto engine = compile(text, cpu);
  ASSERT_TRUE(bool(engine)) << llvm::toString(engine.takeError());

  constexpr int64_t sizes[] = {0, 1, 2, 7, 8, 16, 17, 24, 127, 130};
  unsigned turn = 0;
  for (int64_t m : sizes)
    for (int64_t n : sizes)
      for (int64_t k : sizes) {
        ++turn;
        // All of the small sizes, and a share of the large ones.
        if (m * n * k > 8192 && turn % 7 != 0)
          continue;
        Layout layouts[3];
        for (unsigned i = 0, code = turn; i < 3; ++i, code /= 5)
          layouts[i] = allLayouts[code % 5];
        Array a(types.operand, pick(maps.a, m, n, k), layouts[0]);
        Array b(types.operand, pick(maps.b, m, n, k), layouts[1]);
        Array d(types.accumulator, pick(maps.out, m, n, k), layouts[2]);
        a.fill(turn);
        b.fill(turn + 1);
        d.fill(turn + 2, 9);
        Array before = d;
        llvm::Error error =
            (*engine)->invoke("f", {a.host(), b.host(), d.host()});
        ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
        std::vector<double> rows(m * k), columns(n * k);
        for (int64_t p = 0; p < k; ++p) {
          for (int64_t i = 0; i < m; ++i)
            rows[i * k + p] = a.get(pick(maps.a, i, 0, p));
          for (int64_t j = 0; j < n; ++j)
            columns[j * k + p] = b.get(pick(maps.b, 0, j, p));
        }
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            std::vector<int64_t> at = pick(maps.out, i, j, 0);
            double want = before.get(at);
            for (int64_t p = 0; p < k; ++p)
              want += rows[i * k + p] * columns[j * k + p];
            ASSERT_EQ(d.get(at), want) << "at (" << i << ", " << j << ") of "
                                       << m << " x " << n << " x " << k;
          }
        ASSERT_TRUE(d.guardsAreIntact());
      }
}

static std::string
printName(const testing::TestParamInfo<ContractionTest::ParamType> &info) {
  auto [maps, types, cpu] = info.param;
  std::string name = std::string(getName(types.operand)) + "_" +
                     getName(types.accumulator) + "_" + maps.a + maps.b +
                     maps.out + "_" + cpu;
  llvm::erase_if(name, [](char c) { return !isalnum(c) && c != '_'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ContractionTest,
                         testing::Combine(testing::ValuesIn(allMaps),
                                          testing::ValuesIn(allTypes),
                                          testing::Values("host", "x86-64-v2")),
                         printName);

TEST(ContractionOrder, IsIncreasingInK) {
  // 2^24 absorbs each later 1 and each earlier one counts: the sum tells the
  // order in which the products were added.
  for (const char *cpu : {"host", "x86-64-v2"}) {
    auto engine = compile(contraction(allMaps[0], {Type::f32, Type::f32}), cpu);
    ASSERT_TRUE(bool(engine)) << llvm::toString(engine.takeError());
    constexpr int64_t k = 40, large = 25;
    Array a(Type::f32, {1, k}, Layout::rowMajor);
    Array b(Type::f32, {k, 1}, Layout::rowMajor);
    Array d(Type::f32, {1, 1}, Layout::rowMajor);
    float want = 0;
    for (int64_t p = 0; p < k; ++p) {
      a.set({0, p}, p == large ? 0x1p24 : 1);
      b.set({p, 0}, 1);
      want += p == large ? 0x1p24f : 1.0f;
    }
    d.set({0, 0}, 0);
    ASSERT_FALSE(bool((*engine)->invoke("f", {a.host(), b.host(), d.host()})));
    EXPECT_EQ(d.get({0, 0}), want);
  }
}

TEST(ContractionRounding, StaysWithinTheBound) {
  for (const char *cpu : {"host", "x86-64-v2"}) {
    auto engine = compile(contraction(allMaps[1], {Type::f32, Type::f32}), cpu);
    ASSERT_TRUE(bool(engine)) << llvm::toString(engine.takeError());
    constexpr int64_t m = 50, n = 60, k = 300;
    Array a(Type::f32, {m, k}, Layout::rowMajor);
    Array b(Type::f32, {n, k}, Layout::padded);
    Array d(Type::f32, {n, m}, Layout::rowMajor);
    a.fill(1, 1000, 0.001234);
    b.fill(2, 1000, 0.000987);
    forEachIndex(d.getSizes(), [&](auto index) { d.set(index, 0); });
    ASSERT_FALSE(bool((*engine)->invoke("f", {a.host(), b.host(), d.host()})));
    forEachIndex(d.getSizes(), [&](llvm::ArrayRef<int64_t> index) {
      double want = 0, magnitude = 0;
      for (int64_t p = 0; p < k; ++p) {
        double product = a.get({index[1], p}) * b.get({index[0], p});
        want += product;
        magnitude += std::fabs(product);
      }
      EXPECT_LE(std::fabs(d.get(index) - want), k * 0x1p-24 * magnitude);
    });
  }
}
