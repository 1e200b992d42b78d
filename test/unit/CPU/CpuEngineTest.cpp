//===- CpuEngineTest.cpp - Calls, their checks, and the library -----------===//
//
// What the engine accepts and refuses, and the functions that code calls.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace cutltest;
using namespace mlir::cutl;
using llvm::toString;

static const char *const allCpus[] = {"host", "x86-64-v2"};

/// An elementwise function on vectors: `body` computes %r from %x.
static std::string elementwise(Type from, Type to, const std::string &body) {
  std::string in = getName(from), out = getName(to);
  std::string inType = "memref<?x" + in + ">",
              outType = "memref<?x" + out + ">";
  return "func.func @f(%a: " + inType + ", %d: " + outType +
         ") {\nlinalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
         "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(%a : " +
         inType + ") outs(%d : " + outType + ") {\n^bb0(%x: " + in +
         ", %o: " + out + "):\n" + body + "\nlinalg.yield %r : " + out +
         "\n}\nreturn\n}\n";
}

namespace {

class EngineErrors : public testing::Test {
protected:
  void SetUp() override {
    auto compiled = compile(
        "func.func @f(%a: memref<?x4xf32>, %v: memref<3xf32, strided<[?]>>, "
        "%s: f32, %i: index) { return }\n"
        "func.func @g() -> i32 { %c = arith.constant 1 : i32 return %c : i32 }",
        "host");
    ASSERT_TRUE(bool(compiled)) << toString(compiled.takeError());
    engine = std::move(*compiled);
  }
  std::string call(std::vector<HostArgument> arguments) {
    return toString(engine->invoke("f", arguments));
  }
  /// The arguments that fit, for a test to change one of.
  std::vector<HostArgument> fitting() {
    return {matrix.host(), vector.host(), HostScalar::get(1.0f),
            HostScalar::get(int64_t(1))};
  }

  std::unique_ptr<CpuEngine> engine;
  Array matrix{Type::f32, {2, 4}, Layout::rowMajor};
  Array vector{Type::f32, {3}, Layout::spaced};
};

} // namespace

TEST_F(EngineErrors, AcceptsWhatFits) { EXPECT_EQ(call(fitting()), ""); }

TEST_F(EngineErrors, NamesWhatIsWrong) {
  EXPECT_EQ(toString(engine->invoke("nope", {})),
            "expected the name of an entry point (a public function of strided "
            "arrays and numbers), got 'nope'; there are f");
  EXPECT_EQ(toString(engine->invoke("g", {})),
            "expected the name of an entry point (a public function of strided "
            "arrays and numbers), got 'g'; there are f");
  EXPECT_EQ(call({}), "expected 4 arguments for 'f', got 0");

  auto arguments = fitting();
  arguments[0] = HostScalar::get(1.0f);
  EXPECT_EQ(call(arguments),
            "argument 0 of 'f': expected an array, got a number");
  arguments = fitting();
  arguments[2] = vector.host();
  EXPECT_EQ(call(arguments),
            "argument 2 of 'f': expected a number, got an array");
  arguments[2] = HostScalar::get(1.0);
  EXPECT_EQ(call(arguments),
            "argument 2 of 'f': expected a number of 32 bits, got 64");

  arguments = fitting();
  arguments[0] = vector.host();
  EXPECT_EQ(call(arguments), "argument 0 of 'f': expected rank 2, got 1");
  Array half(Type::f16, {2, 4}, Layout::rowMajor);
  arguments[0] = half.host();
  EXPECT_EQ(call(arguments),
            "argument 0 of 'f': expected elements of 32 bits, got 16");
  Array wide(Type::f32, {2, 5}, Layout::rowMajor);
  arguments[0] = wide.host();
  EXPECT_EQ(call(arguments),
            "argument 0 of 'f': expected a size of 4 in dimension 1, got 5");
  int64_t sizes[] = {-1, 4}, strides[] = {4, 1};
  arguments[0] = HostArray{matrix.host().data, 32, 2, sizes, strides};
  EXPECT_EQ(call(arguments), "argument 0 of 'f': expected a size of 0 or more "
                             "in dimension 0, got -1");
  Array padded(Type::f32, {2, 4}, Layout::padded);
  arguments[0] = padded.host();
  EXPECT_EQ(call(arguments),
            "argument 0 of 'f': expected stride 4 in dimension 0, got 9");

  arguments = fitting();
  std::get<HostArray>(arguments[0]).data = nullptr;
  EXPECT_EQ(call(arguments),
            "argument 0 of 'f': expected an address, got null");
  std::get<HostArray>(arguments[0]).data =
      static_cast<char *>(matrix.host().data) + 2;
  EXPECT_EQ(call(arguments),
            "argument 0 of 'f': expected data aligned to 4 bytes");
}

TEST_F(EngineErrors, AllowsWhatIsNeverRead) {
  auto arguments = fitting();
  int64_t sizes[] = {0, 4}, strides[] = {-7, 3};
  arguments[0] = HostArray{nullptr, 32, 2, sizes, strides};
  EXPECT_EQ(call(arguments), "");
  int64_t oneRow[] = {1, 4}, anyPitch[] = {99, 1};
  arguments[0] = HostArray{matrix.host().data, 32, 2, oneRow, anyPitch};
  EXPECT_EQ(call(arguments), "");
}

TEST(Engine, RefusesAnUnknownProcessor) {
  auto bits = CpuEngine::getVectorBits("pentium-9000");
  ASSERT_FALSE(bool(bits));
  EXPECT_EQ(toString(bits.takeError()),
            "expected 'host' or a processor name of "
            "x86_64, got 'pentium-9000'");
  auto level = compile("func.func @f() { return }", "host", 4);
  ASSERT_FALSE(bool(level));
  EXPECT_EQ(toString(level.takeError()),
            "expected an optimisation level from 0 to 3, got 4");
}

TEST(Engine, KnowsVectorWidths) {
  EXPECT_EQ(llvm::cantFail(CpuEngine::getVectorBits("x86-64-v2")), 128u);
  EXPECT_EQ(llvm::cantFail(CpuEngine::getVectorBits("x86-64-v3")), 256u);
}

TEST(Engine, HidesTheProcess) {
  auto engine = compile("func.func private @getpid() -> i32\n"
                        "func.func @f() {\n"
                        "%0 = func.call @getpid() : () -> i32\nreturn\n}",
                        "host");
  ASSERT_FALSE(bool(engine));
  EXPECT_NE(toString(engine.takeError()).find("getpid"), std::string::npos);
}

TEST(Engine, PassesScalars) {
  for (const char *cpu : allCpus)
    for (unsigned level : {0u, 1u, 2u, 3u}) {
      auto engine = compile(
          "func.func @f(%d: memref<f64>, %a: f32, %b: i8, %c: i1, %e: index, "
          "%h: f16) {\n%a1 = arith.extf %a : f32 to f64\n%b1 = arith.sitofp %b "
          ": i8 to f64\n%c1 = arith.uitofp %c : i1 to f64\n%e0 = "
          "arith.index_cast %e : index to i64\n%e1 = arith.sitofp %e0 : i64 to "
          "f64\n%h1 = arith.extf %h : f16 to f64\n%s0 = arith.addf %a1, %b1 : "
          "f64\n%s1 = arith.addf %s0, %c1 : f64\n%s2 = arith.addf %s1, %e1 : "
          "f64\n%s3 = arith.addf %s2, %h1 : f64\nmemref.store %s3, %d[] : "
          "memref<f64>\nreturn\n}",
          cpu, level);
      ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
      Array d(Type::f64, {}, Layout::rowMajor);
      HostScalar half{floatToHalf(0.5f), 16};
      ASSERT_EQ(toString((*engine)->invoke(
                    "f", {d.host(), HostScalar::get(0.25f),
                          HostScalar::get(int8_t(-3)), HostScalar::get(true),
                          HostScalar::get(int64_t(1000)), half})),
                "");
      EXPECT_EQ(d.get({}), 998.75);
    }
}

TEST(Engine, CopiesStridedArrays) {
  std::string type = "memref<?x?xi32, strided<[?, ?], offset: ?>>";
  auto engine = compile("func.func @f(%a: " + type + ", %d: " + type +
                            ") {\nmemref.copy %a, %d : " + type + " to " +
                            type + "\nreturn\n}",
                        "host");
  ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
  for (Layout from : allLayouts)
    for (Layout to : allLayouts)
      for (int64_t rows : {0, 1, 5}) {
        Array a(Type::i32, {rows, 7}, from), d(Type::i32, {rows, 7}, to);
        a.fill(3, 1000);
        ASSERT_EQ(toString((*engine)->invoke("f", {a.host(), d.host()})), "");
        forEachIndex(a.getSizes(), [&](llvm::ArrayRef<int64_t> index) {
          ASSERT_EQ(d.get(index), a.get(index));
        });
        ASSERT_TRUE(d.guardsAreIntact());
      }
}

/// Conversions of code compiled with and without the instructions for them.
TEST(Engine, ConvertsEveryHalf) {
  struct Case {
    Type from, to;
    const char *op;
  };
  constexpr Case cases[] = {
      {Type::f16, Type::f32, "extf"},   {Type::bf16, Type::f32, "extf"},
      {Type::f16, Type::f64, "extf"},   {Type::bf16, Type::f64, "extf"},
      {Type::f32, Type::f16, "truncf"}, {Type::f32, Type::bf16, "truncf"},
      {Type::f64, Type::f16, "truncf"}, {Type::f64, Type::bf16, "truncf"}};
  constexpr int64_t count = 65536 - 2 * 1024;
  for (const char *cpu : allCpus)
    for (unsigned level : {1u, 2u})
      for (const Case &c : cases) {
        std::string body = std::string("%r = arith.") + c.op +
                           " %x : " + getName(c.from) + " to " + getName(c.to);
        auto engine = compile(elementwise(c.from, c.to, body), cpu, level);
        ASSERT_TRUE(bool(engine)) << body << toString(engine.takeError());
        bool widens = c.op[0] == 'e';
        Array in(c.from, {count}, Layout::rowMajor);
        Array out(c.to, {count}, Layout::rowMajor);
        for (int64_t i = 0; i < count; ++i) {
          // Finite numbers of the narrow type; to narrow, moved off them a
          // little so that there is something to round.
          Type narrow = widens ? c.from : c.to;
          Array one(narrow, {}, Layout::rowMajor);
          uint16_t code = i % 2 ? 0x8000 | i / 2 : i / 2;
          std::memcpy(one.host().data, &code, 2);
          in.set({i}, widens ? one.get({}) : one.get({}) * (1 + 0x1.8p-10));
        }
        ASSERT_EQ(toString((*engine)->invoke("f", {in.host(), out.host()})),
                  "");
        Array want(c.to, {}, Layout::rowMajor);
        for (int64_t i = 0; i < count; ++i) {
          want.set({}, in.get({i}));
          if (std::isnan(want.get({})))
            ASSERT_TRUE(std::isnan(out.get({i}))) << cpu << ": " << body;
          else
            ASSERT_EQ(out.get({i}), want.get({}))
                << cpu << ": " << body << " of " << in.get({i});
        }
      }
}

TEST(Engine, ConvertsIntegersToHalf) {
  for (const char *cpu : allCpus)
    for (Type from : {Type::i8, Type::i32, Type::i64})
      for (Type to : {Type::f16, Type::bf16}) {
        auto engine =
            compile(elementwise(from, to,
                                std::string("%r = arith.sitofp %x : ") +
                                    getName(from) + " to " + getName(to)),
                    cpu);
        ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
        Array in(from, {17}, Layout::rowMajor), out(to, {17}, Layout::rowMajor);
        in.fill(5, 100);
        ASSERT_EQ(toString((*engine)->invoke("f", {in.host(), out.host()})),
                  "");
        for (int64_t i = 0; i < 17; ++i)
          ASSERT_EQ(out.get({i}), in.get({i}));
      }
}

/// Functions of the library keep their digits where formulas would not.
TEST(Engine, ComputesMathToALastPlace) {
  struct Case {
    const char *op;
    double (*want)(double);
  };
  const Case cases[] = {{"acos", std::acos},
                        {"asin", std::asin},
                        {"atan", std::atan},
                        {"cbrt", std::cbrt},
                        {"ceil", std::ceil},
                        {"cos", std::cos},
                        {"cosh", std::cosh},
                        {"erf", std::erf},
                        {"erfc", std::erfc},
                        {"exp", std::exp},
                        {"exp2", std::exp2},
                        {"expm1", std::expm1},
                        {"floor", std::floor},
                        {"log", std::log},
                        {"log10", std::log10},
                        {"log1p", std::log1p},
                        {"log2", std::log2},
                        {"round", std::round},
                        {"roundeven", std::nearbyint},
                        {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
                        {"sin", std::sin},
                        {"sinh", std::sinh},
                        {"sqrt", std::sqrt},
                        {"tan", std::tan},
                        {"tanh", std::tanh},
                        {"trunc", std::trunc},
                        {"absf", std::fabs}};
  const float inputs[] = {1e-6f,  3e-4f, 0.01f, 0.2f,  0.5f,  0.75f,
                          0.9f,   0.99f, 1.0f,  1.5f,  2.5f,  7.0f,
                          -1e-6f, -0.3f, -0.5f, -1.0f, -2.5f, -5.0f};
  constexpr int64_t count = std::size(inputs);
  for (const char *cpu : allCpus)
    for (Type type : {Type::f32, Type::f64})
      for (const Case &c : cases) {
        std::string body =
            std::string("%r = math.") + c.op + " %x : " + getName(type);
        auto engine = compile(elementwise(type, type, body), cpu);
        ASSERT_TRUE(bool(engine)) << body << toString(engine.takeError());
        Array in(type, {count}, Layout::rowMajor);
        Array out(type, {count}, Layout::rowMajor);
        for (int64_t i = 0; i < count; ++i)
          in.set({i}, inputs[i]);
        ASSERT_EQ(toString((*engine)->invoke("f", {in.host(), out.host()})),
                  "");
        for (int64_t i = 0; i < count; ++i) {
          double want = c.want(in.get({i})), got = out.get({i});
          if (!std::isfinite(want)) {
            EXPECT_EQ(std::isnan(want), std::isnan(got)) << body;
            continue;
          }
          double ulp = std::ldexp(1.0, std::ilogb(want == 0 ? 1 : want) -
                                           (type == Type::f32 ? 23 : 52));
          EXPECT_LE(std::fabs(got - want), 2 * ulp)
              << cpu << ": " << body << " of " << inputs[i];
        }
      }
}

TEST(Engine, ComputesMathOfTwo) {
  for (const char *cpu : allCpus) {
    auto engine = compile(
        elementwise(
            Type::f32, Type::f32,
            "%c = arith.constant 1.7 : f32\n%i = arith.constant 3 : i32\n"
            "%0 = math.powf %c, %x : f32\n%1 = math.fma %x, %x, %0 : f32\n"
            "%2 = math.atan2 %1, %c : f32\n%3 = math.copysign %2, %x : f32\n"
            "%4 = math.fpowi %3, %i : f32, i32\n%5 = arith.remf %4, %c : f32\n"
            "%6 = arith.maximumf %5, %x : f32\n%r = math.clampf %6 to "
            "[%x, %c] : f32"),
        cpu);
    ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
    Array in(Type::f32, {9}, Layout::rowMajor),
        out(Type::f32, {9}, Layout::rowMajor);
    in.fill(4, 8, 0.125);
    ASSERT_EQ(toString((*engine)->invoke("f", {in.host(), out.host()})), "");
    for (int64_t i = 0; i < 9; ++i) {
      double x = in.get({i}), c = 1.7f;
      double v = std::copysign(std::atan2(x * x + std::pow(c, x), c), x);
      double want = std::max(std::fmod(v * v * v, c), x);
      want = std::min(std::max(want, x), c);
      EXPECT_NEAR(out.get({i}), want, 1e-6) << x;
    }
  }
}
